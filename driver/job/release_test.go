package job_test

import (
	"archive/zip"
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/understudy-dev/understudy/driver/job"
)

// TestReleasedVersionIsInstalled uses a module proxy that is a directory.
func TestReleasedVersionIsInstalled(t *testing.T) {
	proxy, user, modules := t.TempDir(), t.TempDir(), t.TempDir()
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for name, content := range sources() {
		w, err := z.Create(job.Module + "@v0.1.0/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	versions := filepath.Join(job.Module, "@v") + "/"
	write(t, proxy, map[string]string{
		versions + "list":        "v0.1.0\n",
		versions + "v0.1.0.info": `{"Version":"v0.1.0"}`,
		versions + "v0.1.0.mod":  sources()["go.mod"],
		versions + "v0.1.0.zip":  archive.String(),
	})
	write(t, user, map[string]string{"go.mod": "module example.org/user\n\ngo 1.26\n\nrequire " + job.Module + " v0.1.0\n"})
	t.Setenv("GOPROXY", "file://"+proxy)
	t.Setenv("GONOSUMDB", job.Module)
	t.Setenv("GOMODCACHE", modules)
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Cleanup(func() { // its files are read-only
		if out, err := exec.Command("chmod", "-R", "u+w", modules).CombinedOutput(); err != nil {
			t.Errorf("chmod: %v %s", err, out)
		}
	})
	t.Chdir(user)
	path, err := job.Find(t.Context(), job.Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if got := output(t, path); got != "said one" {
		t.Errorf("it says %q", got)
	}
}
