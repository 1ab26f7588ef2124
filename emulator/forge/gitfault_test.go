package forge_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/internal/journal"
)

// cloned is a clone of acme/app with a commit that is not pushed.
func (w *world) cloned() (dir, sha string) {
	w.t.Helper()
	dir = filepath.Join(w.t.TempDir(), "app")
	mustGit(w.t, filepath.Dir(dir), "clone", "-q", w.remote(w.ada.token, "acme/app"), "app")
	mustGit(w.t, dir, "commit", "-q", "--allow-empty", "-m", "more")
	return dir, mustGit(w.t, dir, "rev-parse", "HEAD")
}

// TestFaultsOfPushes: git fails once, whether the push is done or not, and the next push ends well.
func TestFaultsOfPushes(t *testing.T) {
	for text, done := range map[string]bool{
		"git.5xx":                                false,
		"git.5xx=503,when:after":                 true,
		"git.cut":                                false,
		"git.cut=after":                          true,
		"git.cut=after,of:push":                  true,
		"git.cut=by:ada@/acme/app.git/**":        false,
		"git.cut@POST /*/*/git-receive-pack":     false,
		"git.5xx=when:after@/acme/app.git/**":    true,
		"git.5xx=500,of:push,chance:99@/acme/**": false,
	} {
		t.Run(text, func(t *testing.T) {
			w := newWorld(t)
			dir, sha := w.cloned()
			w.inject(text)
			after := w.seq()
			out, err := git(t, dir, "push", "-q")
			if err == nil {
				t.Fatalf("the push is not cut: %s", out)
			}
			head, _ := w.ada.want(200, "GET", "/repos/acme/app/git/ref/heads/main", nil).at("object.sha").(string)
			if (head == sha) != done {
				t.Errorf("done: %t\n%s", head == sha, out)
			}
			struck := w.lastEntry("fault.struck")
			e := w.lastOf("POST /acme/app.git/git-receive-pack")
			if e.Detail["fault"] != strings.FieldsFunc(text, func(r rune) bool { return r == '=' || r == '@' })[0] || (e.Kind == journal.Change) != done || struck.Detail["of"] != "ada" {
				t.Errorf("journalled as %+v, struck %+v", e, struck)
			}
			mustGit(t, dir, "push", "-q")
			w.ada.want(200, "GET", "/repos/acme/app/git/ref/heads/main", nil).is("object.sha", sha)
			if got := w.changes(after); !cmp.Equal(got, []string{"fault.struck", "push"}) {
				t.Errorf("changes %v, want one push", got)
			}
			w.quiet()
			for _, e := range w.admin.Journal().Entries(0) {
				if e.Type == "internal-error" {
					t.Errorf("the forge is blamed: %+v", e)
				}
			}
		})
	}
}

// lastOf is the last entry of a request.
func (w *world) lastOf(subject string) (last journal.Entry) {
	for _, e := range w.admin.Journal().Entries(0) {
		if e.Type == "request" && e.Subject == subject {
			last = e
		}
	}
	return last
}

// TestFaultsOfFetches: a fetch fails, and a push is not struck by what is for fetches.
func TestFaultsOfFetches(t *testing.T) {
	for _, text := range []string{"git.5xx=of:fetch", "git.cut=of:fetch", "git.cut=after,of:fetch", "git.5xx=when:after,of:fetch"} {
		w := newWorld(t)
		dir, _ := w.cloned()
		w.inject(text, strings.Replace(text, "of:fetch", "of:fetch@/acme/other.git/**", 1))
		mustGit(t, dir, "push", "-q")
		if out, err := git(t, dir, "fetch", "-q"); err == nil {
			t.Errorf("%s: the fetch is not struck: %s", text, out)
		}
		mustGit(t, dir, "fetch", "-q")
	}
}

// TestStaleAfterPush: who did not push himself sees the refs as they were so often, and then as they are.
func TestStaleAfterPush(t *testing.T) {
	w := newWorld(t)
	bob, eve := w.user("bob", "write"), w.user("eve", "read")
	dir, sha := w.cloned()
	old := mustGit(t, dir, "rev-parse", "HEAD~1")
	w.inject("read.stale=push,times:2@GET /repos/*/*/git/ref/**", "read.stale=push@GET /repos/*/*/contents/**", "read.stale=push@GET /repos/*/*/branches")
	mustGit(t, dir, "push", "-q", "origin", "main", "main:feat/x")
	const head, side = "/repos/acme/app/git/ref/heads/main", "/repos/acme/app/git/ref/heads/feat/x"
	w.ada.want(200, "GET", head, nil).is("object.sha", sha)
	for _, a := range []actor{bob, eve} {
		for _, want := range []string{old, old, sha} {
			a.want(200, "GET", head, nil).is("object.sha", want)
		}
		for _, want := range []int{404, 404, 200} {
			a.want(want, "GET", side, nil)
		}
		for _, want := range []int{1, 2} {
			if got := a.want(200, "GET", "/repos/acme/app/branches", nil).names("", "name"); len(got) != want {
				t.Errorf("branches %v, want %d", got, want)
			}
		}
	}
	w.ada.want(200, "PUT", "/repos/acme/app/contents/README.md", map[string]any{"message": "m", "content": "YQ==", "sha": w.ada.want(200, "GET", "/repos/acme/app/contents/README.md", nil).at("sha")})
	eve.want(200, "GET", head, nil) // a change through the API is none of a push
	w.admin.ClearFaults()
}

// TestStaleFileAfterPush: a file that a push brought is absent at first.
func TestStaleFileAfterPush(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "read")
	dir := filepath.Join(t.TempDir(), "app")
	mustGit(t, filepath.Dir(dir), "clone", "-q", w.remote(w.ada.token, "acme/app"), "app")
	mustGit(t, dir, "mv", "README.md", "a b.txt")
	mustGit(t, dir, "commit", "-q", "-m", "move")
	w.inject("read.stale@GET /repos/*/*/contents/**")
	mustGit(t, dir, "push", "-q")
	w.ada.want(200, "GET", "/repos/acme/app/contents/a%20b.txt", nil)
	bob.want(404, "GET", "/repos/acme/app/contents/a%20b.txt", nil)
	bob.want(200, "GET", "/repos/acme/app/contents/a%20b.txt", nil)
	bob.want(404, "GET", "/repos/acme/app/contents/README.md", nil)
}
