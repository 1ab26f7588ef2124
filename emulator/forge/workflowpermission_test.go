package forge_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// TestWorkflowFilesNeedTheirPermission: contents: write does not bring in workflow files.
// https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps#repository-permissions-for-workflows
func TestWorkflowFilesNeedTheirPermission(t *testing.T) {
	w := newWorld(t)
	job := w.mint(forge.TokenSpec{Login: forge.ActionsLogin, Repo: "acme/app", Permissions: map[string]string{"contents": "write"}, Cause: "job:1"})
	app := w.mint(forge.TokenSpec{Login: forge.ActionsLogin, Repo: "acme/app", Permissions: map[string]string{"contents": "write", "workflows": "write"}})
	dir := filepath.Join(t.TempDir(), "app")
	mustGit(t, filepath.Dir(dir), "clone", "-q", w.remote(w.ada.token, "acme/app"), "app")
	commit := func(path, text string) {
		t.Helper()
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600))
		mustGit(t, dir, "add", ".")
		mustGit(t, dir, "commit", "-q", "-m", "change "+path)
	}
	push := func(who actor, refs ...string) (string, error) {
		return git(t, dir, append([]string{"push", w.remote(who.token, "acme/app")}, refs...)...)
	}
	accepted := func(who actor, refs ...string) {
		t.Helper()
		if out, err := push(who, refs...); err != nil {
			t.Errorf("push %v: %v\n%s", refs, err, out)
		}
	}
	refused := func(path string, refs ...string) {
		t.Helper()
		want := "refusing to allow a GitHub App to create or update workflow `" + path + "` without `workflows` permission"
		if out, err := push(job, refs...); err == nil || !strings.Contains(out, want) || !strings.Contains(out, "[remote rejected]") {
			t.Errorf("push %v: %v, want %q\n%s", refs, err, want, out)
		}
		if e := w.lastEntry("request"); e.Detail["permission"] != "contents:write workflows:write" {
			t.Errorf("the journal says %v", e.Detail)
		}
	}
	const ci, text = ".github/workflows/ci.yml", "on: push\njobs: {}\n"

	commit("a.txt", "a")
	accepted(job, "HEAD:plain")
	mustGit(t, dir, "checkout", "-q", "-b", "flow")
	commit(ci, text)
	refused(ci, "HEAD:flow", "HEAD~1:refs/heads/beside")
	mustGit(t, dir, "tag", "-a", "-m", "x", "v1")
	refused(ci, "v1")
	if got := strings.Join(w.ada.want(200, "GET", "/repos/acme/app/branches", nil).names("", "name"), " "); got != "beside main plain" {
		t.Errorf("branches %s, want those without the file", got)
	}
	body := map[string]any{"message": "m", "content": base64.StdEncoding.EncodeToString([]byte(text)), "branch": "plain"}
	job.want(403, "PUT", contents+ci, body).is("message", "Resource not accessible by integration")
	w.ada.want(404, "GET", contents+ci+"?ref=plain", nil)

	accepted(app, "HEAD:flow")
	// What a branch has, others may have.
	accepted(job, "HEAD:copy")
	job.want(201, "PUT", contents+ci, body)
	commit(ci, text+"# more\n")
	refused(ci, "HEAD:flow")
	sha := mustGit(t, dir, "rev-parse", "HEAD")
	accepted(w.ada, "HEAD:refs/tags/objects") // a person's token has the scope; no branch has the file
	for path, body := range map[string]map[string]any{
		"/repos/acme/app/git/refs": {"ref": "refs/heads/new", "sha": sha},
	} {
		job.want(403, "POST", path, body).is("message", "Resource not accessible by integration")
	}
	job.want(403, "PATCH", "/repos/acme/app/git/refs/heads/flow", map[string]any{"sha": sha})
	mustGit(t, dir, "tag", "-a", "-m", "x", "v2")
	accepted(w.ada, "v2")
	tag := w.ada.want(200, "GET", "/repos/acme/app/git/ref/tags/v2", nil).at("object.sha")
	job.want(403, "POST", "/repos/acme/app/git/refs", map[string]any{"ref": "refs/tags/v3", "sha": tag})
	// The files of a branch are no obstacle for its other files, and can be deleted.
	mustGit(t, dir, "reset", "-q", "--hard", "HEAD~1")
	commit("b.txt", "b")
	accepted(job, "HEAD:flow")
	mustGit(t, dir, "rm", "-q", ci)
	mustGit(t, dir, "commit", "-q", "-m", "no workflow")
	accepted(job, "HEAD:flow", ":copy")
}
