package forge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// realGit is what people and jobs do with a repository: in both versions of the protocol, whole, shallow and
// partial, as the owner, as a stranger and as nobody.
func realGit(t *testing.T, n *tally) {
	w, at := openFront(t, n)
	ada := w.mint(forge.TokenSpec{Login: "ada"})
	ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true, "private": true})
	must(t, w.admin.AddUser(forge.User{Login: "bob"}))
	to := func(token string) string {
		return strings.Replace(at, "://", "://x-access-token:"+token+"@", 1) + "/acme/app.git"
	}
	mine, dir := to(ada.token), t.TempDir()
	app := filepath.Join(dir, "app")
	mustGit(t, dir, "clone", "-q", mine, "app")
	must(t, os.WriteFile(filepath.Join(app, "big.txt"), []byte(strings.Repeat("a line\n", 1<<16)), 0o600))
	mustGit(t, app, "add", ".")
	mustGit(t, app, "commit", "-q", "-m", "add big")
	mustGit(t, app, "tag", "-a", "v1", "-m", "one")
	mustGit(t, app, "push", "-q", "origin", "HEAD", "HEAD:refs/heads/feature", "v1")
	mustGit(t, app, "push", "-q", "origin", ":feature")
	mustGit(t, app, "reset", "-q", "--hard", "HEAD~1")
	mustGit(t, app, "commit", "-q", "--allow-empty", "-m", "another way")
	if out, err := git(t, app, "push", "-q", "origin", "HEAD"); err == nil || !strings.Contains(out, "rejected") {
		t.Errorf("a push of what does not follow: %v\n%s", err, out)
	}
	mustGit(t, app, "push", "-q", "--force-with-lease", "origin", "HEAD")
	mustGit(t, app, "-c", "protocol.version=0", "fetch", "-q", "--tags")
	if got := mustGit(t, app, "-c", "protocol.version=0", "ls-remote", "--heads", "origin"); !strings.HasSuffix(got, "refs/heads/main") || strings.Contains(got, "\n") {
		t.Errorf("branches: %s", got)
	}
	mustGit(t, dir, "clone", "-q", "--depth=1", "--branch=v1", mine, "shallow")
	mustGit(t, filepath.Join(dir, "shallow"), "fetch", "-q", "--unshallow")
	mustGit(t, dir, "clone", "-q", "--filter=blob:none", mine, "partial")
	for _, name := range []string{"app", "shallow", "partial"} {
		mustGit(t, filepath.Join(dir, name), "fsck", "--strict")
	}
	for token, want := range map[string]string{w.mint(forge.TokenSpec{Login: "bob"}).token: "not found", "ghp_dead": "Authentication failed"} {
		if out, err := git(t, dir, "ls-remote", to(token)); err == nil || !strings.Contains(out, want) {
			t.Errorf("want %q: %v\n%s", want, err, out)
		}
	}
}
