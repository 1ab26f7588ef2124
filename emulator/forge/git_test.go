package forge_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
)

func TestCloneCommitPush(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote(w.ada.token, "acme/app"), "app")
	app := filepath.Join(dir, "app")
	if got := mustGit(t, app, "show", "HEAD:README.md"); got != "# app" {
		t.Errorf("README.md = %q", got)
	}
	must(t, os.WriteFile(filepath.Join(app, "a.txt"), []byte("one\n"), 0o600))
	mustGit(t, app, "add", ".")
	mustGit(t, app, "commit", "-q", "-m", "add a")
	before, w0 := mustGit(t, app, "rev-parse", "HEAD~1"), w.seq()
	w.admin.Mark("step:4")
	mustGit(t, app, "push", "-q")
	sha := mustGit(t, app, "rev-parse", "HEAD")

	w.ada.want(200, "GET", "/repos/acme/app/git/ref/heads/main", nil).is("object.sha", sha)
	if got := w.changes(w0); !cmp.Equal(got, []string{"push"}) {
		t.Errorf("changes = %v, want one push", got)
	}
	e := w.lastEntry("push")
	if e.Cause != "step:4" || e.Actor != "ada" || e.Subject != "acme/app" {
		t.Errorf("push entry = %+v", e)
	}
	want := map[string]string{"event": "push", "ref": "refs/heads/main", "sha": sha, "repo": "acme/app"}
	if d := cmp.Diff(want, e.Detail); d != "" {
		t.Errorf("detail (-want +got):\n%s", d)
	}
	for path, want := range map[string]any{"before": before, "after": sha, "commits.0.id": sha, "commits.0.added.0": "a.txt",
		"head_commit.message": "add a", "created": false, "forced": false, "pusher.name": "ada", "repository.full_name": "acme/app", "sender.login": "ada"} {
		if got := payload(t, e, path); got != want {
			t.Errorf("payload %s = %v, want %v", path, got, want)
		}
	}
}

func TestPushOfBranchTagAndDelete(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote(w.ada.token, "acme/app"), "app")
	app := filepath.Join(dir, "app")
	mustGit(t, app, "tag", "-a", "v1", "-m", "one")
	after := w.seq()
	mustGit(t, app, "push", "-q", "origin", "HEAD:refs/heads/feat/x", "v1")
	if got, want := w.changes(after), []string{"create", "push", "create", "push"}; !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	after = w.seq()
	mustGit(t, app, "push", "-q", "origin", ":feat/x")
	if got, want := w.changes(after), []string{"delete", "push"}; !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	if got := payload(t, w.lastEntry("push"), "deleted"); got != true {
		t.Errorf("deleted = %v", got)
	}
	mustGit(t, app, "commit", "-q", "--allow-empty", "--amend", "-m", "rewritten")
	mustGit(t, app, "push", "-q", "-f", "origin", "HEAD:main")
	if got := payload(t, w.lastEntry("push"), "forced"); got != true {
		t.Errorf("forced = %v", got)
	}
}

func TestGitAccess(t *testing.T) {
	w := newWorld(t)
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "secret", "auto_init": true, "private": true})
	reader := w.user("rea", "read")
	writer := w.user("wri", "write")
	narrow := w.mint(forge.TokenSpec{Login: "wri", Permissions: map[string]string{"contents": "read"}})
	dir := t.TempDir()
	mustGit(t, dir, "init", "-q", "-b", "main", ".")
	mustGit(t, dir, "commit", "-q", "--allow-empty", "-m", "x")
	for _, c := range []struct{ name, token, repo, op, want string }{
		{"anonymous reads public", "", "acme/app", "read", ""},
		{"anonymous reads private", "", "acme/secret", "read", "could not read Username"},
		{"anonymous reads absent", "", "acme/nothing", "read", "could not read Username"},
		{"stranger reads private", reader.token, "acme/secret", "read", "not found"},
		{"dead token", "ghp_dead", "acme/secret", "read", "Authentication failed"},
		{"reader pushes", reader.token, "acme/app", "push", "403"},
		{"writer pushes", writer.token, "acme/app", "push", ""},
		{"narrow token pushes", narrow.token, "acme/app", "push", "403"},
		{"owner reads private", w.ada.token, "acme/secret", "read", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := []string{"ls-remote", "--exit-code", "--heads", w.remote(c.token, c.repo)}
			if c.op == "push" {
				args = []string{"push", w.remote(c.token, c.repo), "HEAD:refs/heads/by-" + strings.ReplaceAll(c.name, " ", "-")}
			}
			out, err := git(t, dir, args...)
			if (err == nil) != (c.want == "") || !strings.Contains(out, c.want) {
				t.Errorf("git %v: %v, want %q:\n%s", args, err, c.want, out)
			}
		})
	}
	if got := w.ada.want(200, "GET", "/repos/acme/app/branches", nil).names("", "name"); !cmp.Equal(got, []string{"by-writer-pushes", "main"}) {
		t.Errorf("branches = %v", got)
	}
}

func TestShallowFetchByHash(t *testing.T) {
	w := newWorld(t)
	sha := w.ada.want(200, "GET", "/repos/acme/app/git/ref/heads/main", nil).at("object.sha").(string)
	dir := t.TempDir()
	mustGit(t, dir, "init", "-q", ".")
	mustGit(t, dir, "fetch", "-q", "--depth=1", w.remote("", "acme/app"), sha)
	if got := mustGit(t, dir, "rev-parse", "FETCH_HEAD"); got != sha {
		t.Errorf("fetched %s, want %s", got, sha)
	}
}

func TestManyPushesAndCommitsMakeOneHistory(t *testing.T) {
	w := newWorld(t)
	const n = 6
	done := make(chan string, n)
	for i := range n {
		go func() {
			if i%2 == 0 {
				path := "/repos/acme/app/contents/api-" + string(rune('a'+i))
				r := w.ada.send("PUT", path, map[string]any{"message": "m", "content": "eA==", "branch": "main"})
				done <- map[bool]string{true: "", false: string(r.body)}[r.status == 201]
				return
			}
			dir := t.TempDir()
			branch := "b" + string(rune('a'+i))
			for _, args := range [][]string{{"clone", "-q", w.remote(w.ada.token, "acme/app"), "."}, {"commit", "-q", "--allow-empty", "-m", branch}, {"push", "-q", "origin", "HEAD:refs/heads/" + branch}} {
				if out, err := git(t, dir, args...); err != nil {
					done <- out
					return
				}
			}
			done <- ""
		}()
	}
	for range n {
		if msg := <-done; msg != "" {
			t.Error(msg)
		}
	}
	got := w.ada.want(200, "GET", "/repos/acme/app/branches", nil).names("", "name")
	slices.Sort(got)
	if want := []string{"bb", "bd", "bf", "main"}; !cmp.Equal(got, want) {
		t.Errorf("branches = %v, want %v", got, want)
	}
	w.ada.want(200, "GET", "/repos/acme/app/contents/", nil)
	if got := len(w.ada.want(200, "GET", "/repos/acme/app/commits", nil).names("", "sha")); got != 4 {
		t.Errorf("main has %d commits, want 4", got)
	}
}
