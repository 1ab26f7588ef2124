package forge_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
)

func TestUser(t *testing.T) {
	w := newForge(t)
	r := w.ada.want(200, "GET", "/api/v3/user", nil)
	r.is("login", "ada")
	r.is("name", "Ada L.")
	r.is("type", "User")
	if r.header.Get("X-OAuth-Scopes") == "" || r.header.Get("X-GitHub-Request-Id") == "" {
		t.Errorf("headers = %v", r.header)
	}
	w.ada.want(200, "GET", "/users/ACME", nil).is("type", "Organization")
	w.ada.want(404, "GET", "/users/nobody", nil).is("message", "Not Found")
	w.ada.want(200, "GET", "/rate_limit", nil).is("rate.limit", 5000.0)
	actor{w, ""}.want(401, "GET", "/user", nil).is("message", "Requires authentication")
	bad := actor{w, "ghp_wrong"}.want(401, "GET", "/user", nil)
	bad.is("message", "Bad credentials")
	bad.is("status", "401")
}

func TestAccountsAreRefused(t *testing.T) {
	w := newForge(t)
	for login, err := range map[string]error{
		"ADA":       w.admin.AddUser(forge.User{Login: "ADA"}),
		"repos":     w.admin.AddUser(forge.User{Login: "repos"}),
		"a/b":       w.admin.AddUser(forge.User{Login: "a/b"}),
		"..":        w.admin.AddUser(forge.User{Login: ".."}),
		"ownerless": w.admin.AddOrg("ownerless", "ghost"),
		"acme":      w.admin.SetOrgRole("acme", "ghost", "read"),
		"role":      w.admin.SetOrgRole("acme", "ada", "king"),
	} {
		if err == nil {
			t.Errorf("%s: no error", login)
		}
	}
}

func TestRepositoryLife(t *testing.T) {
	dir := t.TempDir()
	w := newForgeIn(t, forge.Options{Dir: dir})
	after := w.seq()
	r := w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "description": "The app", "private": true, "auto_init": true})
	r.is("full_name", "acme/app")
	r.is("private", true)
	r.is("visibility", "private")
	r.is("default_branch", "main")
	r.is("clone_url", w.forge.URL()+"/acme/app.git")
	r.is("url", w.forge.URL()+"/api/v3/repos/acme/app")
	r.is("permissions.admin", true)
	if got, want := w.changes(after), []string{"repository.created", "create", "push"}; !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	again := w.ada.want(422, "POST", "/orgs/acme/repos", map[string]any{"name": "APP"})
	again.is("errors.0.message", "name already exists on this account")
	again.is("errors.0.resource", "Repository")
	w.ada.want(422, "POST", "/orgs/acme/repos", map[string]any{"name": "a/b"}).is("errors.0.field", "name")
	w.ada.want(422, "POST", "/orgs/acme/repos", map[string]any{}).is("errors.0.code", "missing_field")
	w.ada.want(404, "POST", "/orgs/nobody/repos", map[string]any{"name": "x"})

	w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{"private": false, "description": "Other"}).is("visibility", "public")
	w.ada.want(422, "PATCH", "/repos/acme/app", map[string]any{"default_branch": "nope"}).is("errors.0.field", "default_branch")
	repos := filepath.Join(dir, "repos")
	if n := len(entries(t, repos)); n != 1 {
		t.Errorf("%d directories before the deletion", n)
	}
	w.ada.want(204, "DELETE", "/repos/acme/app", nil)
	w.ada.want(404, "GET", "/repos/acme/app", nil)
	if n := len(entries(t, repos)); n != 0 {
		t.Errorf("%d directories after the deletion", n)
	}
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app"})
	w.ada.want(404, "GET", "/repos/acme/app/contents/README.md", nil).is("message", "This repository is empty.")
	w.ada.want(409, "POST", "/repos/acme/app/git/blobs", map[string]any{"content": "x"}).is("message", "Git Repository is empty.")
	w.ada.want(201, "POST", "/user/repos", map[string]any{"name": "mine"}).is("full_name", "ada/mine")
}

func entries(t testing.TB, dir string) []os.DirEntry {
	t.Helper()
	list, err := os.ReadDir(dir)
	must(t, err)
	return list
}

func TestDefaultBranchMoves(t *testing.T) {
	w := newWorld(t)
	sha := w.ada.want(200, "GET", "/repos/acme/app/git/ref/heads/main", nil).at("object.sha")
	w.ada.want(201, "POST", "/repos/acme/app/git/refs", map[string]any{"ref": "refs/heads/dev", "sha": sha})
	w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{"default_branch": "dev"}).is("default_branch", "dev")
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote("", "acme/app"), ".")
	if got := mustGit(t, dir, "symbolic-ref", "--short", "HEAD"); got != "dev" {
		t.Errorf("clone is on %s", got)
	}
	if got, err := w.admin.DefaultBranch("acme/app"); got != "dev" || err != nil {
		t.Errorf("DefaultBranch = %q, %v", got, err)
	}
}

func TestVisibilityAndRoles(t *testing.T) {
	w := newForge(t)
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "private": true, "auto_init": true})
	out := w.user("out", "")
	tri := w.user("tri", "triage")
	mem := w.user("mem", "")
	must(t, w.admin.SetOrgRole("acme", "mem", "write"))
	nobody := actor{w, ""}
	put := map[string]any{"message": "m", "content": "eA=="}
	label := map[string]any{"labels": []string{"bug"}}
	w.ada.want(201, "POST", "/repos/acme/app/issues", map[string]any{"title": "one"})
	for _, c := range []struct {
		who          actor
		name         string
		method, path string
		body         any
		want         int
	}{
		{nobody, "nobody", "GET", "/repos/acme/app", nil, 404},
		{out, "out", "GET", "/repos/acme/app", nil, 404},
		{out, "out", "POST", "/repos/acme/app/issues", map[string]any{"title": "x"}, 404},
		{out, "out", "POST", "/orgs/acme/repos", map[string]any{"name": "x"}, 403},
		{tri, "tri", "GET", "/repos/acme/app", nil, 200},
		{tri, "tri", "POST", "/repos/acme/app/issues/1/labels", label, 200},
		{tri, "tri", "PUT", "/repos/acme/app/contents/x", put, 403},
		{tri, "tri", "PATCH", "/repos/acme/app", map[string]any{"private": false}, 403},
		{mem, "mem", "PUT", "/repos/acme/app/contents/x", put, 201},
		{mem, "mem", "PUT", "/repos/acme/app/collaborators/out", nil, 403},
		{mem, "mem", "DELETE", "/repos/acme/app", nil, 403},
	} {
		r := c.who.send(c.method, c.path, c.body)
		if r.status != c.want {
			t.Errorf("%s: %s %s = %d, want %d: %s", c.name, c.method, c.path, r.status, c.want, r.body)
		}
	}
}

func TestCollaborators(t *testing.T) {
	w := newWorld(t)
	after := w.seq()
	bob := w.user("bob", "maintain")
	p := w.ada.want(200, "GET", "/repos/acme/app/collaborators/bob/permission", nil)
	p.is("permission", "write")
	p.is("role_name", "maintain")
	p.is("user.login", "bob")
	w.ada.want(204, "PUT", "/repos/acme/app/collaborators/bob", map[string]any{"permission": "triage"})
	w.ada.want(200, "GET", "/repos/acme/app/collaborators/bob/permission", nil).is("permission", "read")
	w.ada.want(200, "GET", "/repos/acme/app/collaborators/ada/permission", nil).is("role_name", "admin")
	w.ada.want(404, "GET", "/repos/acme/app/collaborators/ghost/permission", nil)
	w.ada.want(204, "GET", "/repos/acme/app/collaborators/bob", nil)
	w.ada.want(422, "PUT", "/repos/acme/app/collaborators/bob", map[string]any{"permission": "king"})
	bob.want(403, "GET", "/repos/acme/app/collaborators/ada/permission", nil)
	w.ada.want(204, "PUT", "/repos/acme/app/collaborators/bob", nil)
	w.ada.want(200, "GET", "/repos/acme/app/collaborators/bob/permission", nil).is("role_name", "write")
	if got := w.ada.want(200, "GET", "/repos/acme/app/collaborators", nil).names("", "login"); !cmp.Equal(got, []string{"ada", "bob"}) {
		t.Errorf("collaborators = %v", got)
	}
	w.ada.want(204, "DELETE", "/repos/acme/app/collaborators/bob", nil)
	w.ada.want(404, "GET", "/repos/acme/app/collaborators/bob", nil)
	w.ada.want(200, "GET", "/repos/acme/app/collaborators/bob/permission", nil).is("role_name", "read")
	if got, want := w.changes(after), []string{"member.added", "member.edited", "member.edited", "member.removed"}; !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
}
