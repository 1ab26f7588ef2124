package forge_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-github/v88/github"
)

func foreignReleases(t *testing.T, n *tally) {
	_, c := openForge(t, n)
	ctx := t.Context()
	createApp(t, c)
	r, _, err := c.Repositories.CreateRelease(ctx, "acme", "app", &github.RepositoryRelease{TagName: github.Ptr("v1.0.0"), Name: github.Ptr("One"), Draft: github.Ptr(true)})
	must(t, err)
	path := filepath.Join(t.TempDir(), "app.txt")
	must(t, os.WriteFile(path, []byte("bytes"), 0o600))
	file, err := os.Open(path)
	must(t, err)
	defer file.Close()
	x, _, err := c.Repositories.UploadReleaseAsset(ctx, "acme", "app", r.GetID(), &github.UploadOptions{Name: "app.txt", Label: "App"}, file)
	must(t, err)
	if x.GetSize() != 5 || x.GetState() != "uploaded" || x.GetLabel() != "App" {
		t.Errorf("asset = %v", x)
	}
	if _, _, err := c.Repositories.GetLatestRelease(ctx, "acme", "app"); err == nil {
		t.Error("a draft is the latest release")
	}
	r, _, err = c.Repositories.EditRelease(ctx, "acme", "app", r.GetID(), &github.RepositoryRelease{Draft: github.Ptr(false)})
	must(t, err)
	latest, _, err := c.Repositories.GetLatestRelease(ctx, "acme", "app")
	must(t, err)
	byTag, _, err := c.Repositories.GetReleaseByTag(ctx, "acme", "app", "v1.0.0")
	must(t, err)
	if latest.GetID() != r.GetID() || byTag.GetID() != r.GetID() || len(byTag.Assets) != 1 || r.GetPublishedAt().IsZero() {
		t.Errorf("latest = %v, by tag = %v", latest, byTag)
	}
	body, _, err := c.Repositories.DownloadReleaseAsset(ctx, "acme", "app", x.GetID(), http.DefaultClient)
	must(t, err)
	defer body.Close()
	got, err := io.ReadAll(body)
	must(t, err)
	if !bytes.Equal(got, []byte("bytes")) {
		t.Errorf("download = %q", got)
	}
	_, err = c.Repositories.DeleteReleaseAsset(ctx, "acme", "app", x.GetID())
	must(t, err)
	_, err = c.Repositories.DeleteRelease(ctx, "acme", "app", r.GetID())
	must(t, err)
	if list, _, err := c.Repositories.ListReleases(ctx, "acme", "app", nil); err != nil || len(list) != 0 {
		t.Errorf("left: %v %v", list, err)
	}
	_, _, err = c.Git.GetRef(ctx, "acme", "app", "refs/tags/v1.0.0") // it stays
	must(t, err)
}
