package forge_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestShallowAndPartial holds what clients do to get less than all, with the real git, in both
// versions of the protocol that are in use.
func TestShallowAndPartial(t *testing.T) {
	w := newWorld(t)
	for n := range 5 {
		name := fmt.Sprintf("f%d", n)
		w.ada.want(201, "PUT", contents+name, map[string]any{"message": name, "content": encode(strings.Repeat(name, 100))})
	}
	w.ada.want(201, "POST", "/repos/acme/app/git/refs", map[string]any{"ref": "refs/heads/dev", "sha": w.ada.want(200, "GET", "/repos/acme/app/commits/main", nil).at("sha")})
	w.ada.want(200, "PUT", contents+"f0", map[string]any{"message": "later", "content": encode("new"), "branch": "dev", "sha": w.ada.want(200, "GET", contents+"f0", nil).at("sha")})
	list := w.ada.want(200, "GET", "/repos/acme/app/commits", nil).names("", "sha")
	middle := list[2]
	w.ada.want(201, "POST", "/repos/acme/app/git/refs", map[string]any{"ref": "refs/heads/old", "sha": list[3]})
	remote := w.remote(w.ada.token, "acme/app")
	for _, version := range []string{"0", "2"} {
		t.Run("version "+version, func(t *testing.T) {
			v := "protocol.version=" + version
			clone := func(args ...string) string {
				t.Helper()
				dir := filepath.Join(t.TempDir(), "app")
				mustGit(t, filepath.Dir(dir), append(append([]string{"-c", v, "clone", "-q"}, args...), remote, dir)...)
				return dir
			}
			count := func(dir, rev, want string) {
				t.Helper()
				if got := mustGit(t, dir, "rev-list", "--count", rev); got != want {
					t.Errorf("%s has %s commits, want %s", rev, got, want)
				}
			}
			one := clone("--depth", "1", "--no-single-branch")
			count(one, "origin/main", "1")
			count(one, "origin/dev", "1")
			if got := mustGit(t, one, "rev-parse", "--is-shallow-repository"); got != "true" {
				t.Errorf("shallow: %s", got)
			}
			mustGit(t, one, "-c", v, "fetch", "-q", "--deepen", "2", "origin", "main")
			count(one, "origin/main", "3")
			mustGit(t, one, "-c", v, "fetch", "-q", "--unshallow")
			count(one, "origin/main", "6")
			count(one, "origin/dev", "7")
			mustGit(t, one, "fsck", "--strict")

			part := clone("--shallow-exclude", "old", "--single-branch")
			count(part, "HEAD", "3")
			mustGit(t, part, "-c", v, "push", "-q", "origin", "HEAD:refs/heads/from-"+version) // also a shallow clone pushes
			mustGit(t, part, "commit", "-q", "--allow-empty", "-m", "on top")
			mustGit(t, part, "-c", v, "push", "-q", "origin", "HEAD:refs/heads/from-"+version)
			top := mustGit(t, part, "rev-parse", "HEAD")
			w.ada.want(200, "GET", "/repos/acme/app/git/ref/heads/from-"+version, nil).is("object.sha", top)

			// As actions/checkout does it: nothing but one commit, by its hash, that no ref names.
			bare := t.TempDir()
			mustGit(t, bare, "init", "-q")
			mustGit(t, bare, "-c", v, "fetch", "-q", "--depth", "1", remote, middle)
			if got := mustGit(t, bare, "rev-parse", "FETCH_HEAD"); got != middle {
				t.Errorf("fetched %s, want %s", got, middle)
			}
			count(bare, "FETCH_HEAD", "1")

			lazy := clone("--filter=blob:none", "--no-checkout")
			missing := strings.Fields(mustGit(t, lazy, "rev-list", "--objects", "--missing=print", "HEAD"))
			if n := len(slices.DeleteFunc(missing, func(s string) bool { return !strings.HasPrefix(s, "?") })); n != 6 {
				t.Errorf("%d blobs are missing, want all 6", n)
			}
			if got := mustGit(t, lazy, "-c", v, "show", "HEAD:f3"); got != strings.Repeat("f3", 100) { // comes when asked for
				t.Errorf("f3 = %q", got)
			}
			treeless := clone("--filter=tree:0")
			if got := mustGit(t, treeless, "show", "HEAD:README.md"); got != "# app" {
				t.Errorf("README.md = %q", got)
			}
		})
	}
}
