package forge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// newPrivate adds the private repository acme/secret, where dev may write, to a world.
func newPrivate(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "secret", "private": true, "auto_init": true})
	w.user("dev", "write")
	w.ada.want(204, "PUT", "/repos/acme/secret/collaborators/dev", map[string]any{"permission": "write"})
	return w
}

// classic is a classic token of an account.
func (w *world) classic(login string, scopes ...string) actor {
	w.t.Helper()
	return w.mint(forge.TokenSpec{Login: login, Scopes: append([]string{}, scopes...)})
}

// TestScopes: a private repository is not there without repo, a change to a public one neither without
// public_repo, and what administers needs scopes of its own.
// https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
func TestScopes(t *testing.T) {
	w := newPrivate(t)
	title := map[string]any{"title": "x"}
	const secret = "/repos/acme/secret"
	for _, c := range []struct {
		scopes string
		status int
		method string
		path   string
		body   any
		needs  string
	}{
		{"", 200, "GET", "/repos/acme/app", nil, "public_repo, repo"},
		{"", 404, "GET", secret, nil, ""},
		{"public_repo", 404, "GET", secret, nil, ""},
		{"repo", 200, "GET", secret, nil, "repo"},
		{"", 404, "POST", issues, title, "public_repo, repo"},
		{"public_repo", 201, "POST", issues, title, "public_repo, repo"},
		{"public_repo", 404, "POST", secret + "/issues", title, ""},
		{"repo", 201, "POST", secret + "/issues", title, "repo"},
		{"repo:status", 404, "GET", secret + "/issues", nil, ""},
		{"repo:status", 200, "GET", secret + "/commits/main/status", nil, "repo, repo:status"},
		{"repo admin:org", 403, "DELETE", "/repos/acme/app", nil, "delete_repo"},
		{"read:repo_hook", 200, "GET", "/repos/acme/app/hooks", nil, "public_repo, read:repo_hook, repo"},
		{"read:repo_hook", 404, "POST", "/repos/acme/app/hooks", map[string]any{"config": map[string]any{"url": "http://127.0.0.1:1"}}, "public_repo, repo, write:repo_hook"},
		{"read:org", 404, "GET", "/orgs/acme/hooks", nil, "admin:org_hook"},
		{"admin:org_hook", 200, "GET", "/orgs/acme/hooks", nil, "admin:org_hook"},
		{"read:org repo", 403, "GET", "/orgs/acme/actions/secrets", nil, "admin:org"},
		{"admin:org", 200, "GET", "/orgs/acme/actions/secrets", nil, "admin:org"},
		{"read:org", 403, "PUT", "/orgs/acme/memberships/dev", nil, "write:org"},
		{"write:org", 200, "PUT", "/orgs/acme/memberships/dev", nil, "write:org"},
		{"repo", 403, "GET", "/user/orgs", nil, "read:org, read:user, user"},
		{"read:org", 200, "GET", "/user/orgs", nil, "read:org, read:user, user"},
		{"read:user", 404, "POST", "/user/repos", map[string]any{"name": "mine"}, "public_repo, repo"},
		{"repo", 404, "PUT", contents + ".github/workflows/x.yml", map[string]any{"message": "m", "content": encode("on: push\n")}, "public_repo, repo, workflow"},
		{"repo workflow", 201, "PUT", contents + ".github/workflows/x.yml", map[string]any{"message": "m", "content": encode("on: push\n")}, "public_repo, repo"},
		{"delete_repo", 204, "DELETE", "/repos/acme/app", nil, "delete_repo"},
	} {
		t.Run(c.scopes+" "+c.method+" "+c.path, func(t *testing.T) {
			r := w.classic("ada", strings.Fields(c.scopes)...).send(c.method, c.path, c.body)
			if r.status != c.status {
				t.Errorf("= %d, want %d: %s", r.status, c.status, r.body)
			}
			if has := strings.ReplaceAll(r.header.Get("X-OAuth-Scopes"), ",", ""); len(has) != len(c.scopes) {
				t.Errorf("X-OAuth-Scopes: %s", has)
			}
			if _, there := r.header["X-Accepted-Oauth-Scopes"]; r.header.Get("X-Accepted-OAuth-Scopes") != c.needs || !there {
				t.Errorf("X-Accepted-OAuth-Scopes: %q, want %q", r.header.Get("X-Accepted-OAuth-Scopes"), c.needs)
			}
			if c.method == "DELETE" && r.status == 403 {
				r.is("message", "Must have admin rights to Repository.")
			}
		})
	}
	if r := w.classic("ada", "repo", "repo:status", "write:org", "read:org").want(200, "GET", "/user", nil); r.header.Get("X-OAuth-Scopes") != "repo, write:org" {
		t.Errorf("X-OAuth-Scopes: %s", r.header.Get("X-OAuth-Scopes"))
	}
	if r := (actor{w: w}).want(200, "GET", "/users/ada", nil); r.header["X-Oauth-Scopes"] != nil || r.header["X-Accepted-Oauth-Scopes"] != nil {
		t.Errorf("nobody has scopes: %v", r.header)
	}
}

// TestWorkflowScope: git push tells who lacks the scope, in GitHub's words.
func TestWorkflowScope(t *testing.T) {
	w := newPrivate(t)
	dir := filepath.Join(t.TempDir(), "app")
	narrow, wide := w.classic("dev", "repo"), w.classic("dev", "repo", "workflow")
	mustGit(t, filepath.Dir(dir), "clone", "-q", w.remote(narrow.token, "acme/secret"), "app")
	must(t, os.MkdirAll(filepath.Join(dir, ".github/workflows"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, ".github/workflows/x.yml"), []byte("on: push\n"), 0o600))
	mustGit(t, dir, "add", ".")
	mustGit(t, dir, "commit", "-q", "-m", "flow")
	out, err := git(t, dir, "push", "origin", "HEAD:main")
	if want := "refusing to allow a Personal Access Token to create or update workflow `.github/workflows/x.yml` without `workflow` scope"; err == nil || !strings.Contains(out, want) {
		t.Errorf("push: %v, want %q\n%s", err, want, out)
	}
	mustGit(t, dir, "push", "-q", w.remote(wide.token, "acme/secret"), "HEAD:main")
	if out, err := git(t, dir, "push", w.remote(w.classic("ada").token, "acme/app"), "HEAD:new"); err == nil || !strings.Contains(out, "Write access to repository not granted.") {
		t.Errorf("push to a public repository without scopes: %v\n%s", err, out)
	}
	if out, err := git(t, dir, "ls-remote", w.remote(w.classic("dev", "public_repo").token, "acme/secret")); err == nil || !strings.Contains(out, "not found") {
		t.Errorf("without repo: %v\n%s", err, out)
	}
}

// TestFineGrained: permissions, in the repositories of one owner, of all that the account may.
func TestFineGrained(t *testing.T) {
	w := newPrivate(t)
	must(t, w.admin.AddOrg("beta", "ada"))
	w.ada.want(201, "POST", "/orgs/beta/repos", map[string]any{"name": "other", "private": true})
	w.ada.want(201, "POST", "/orgs/beta/repos", map[string]any{"name": "open"})
	permissions := map[string]string{"issues": "write", "members": "read"}
	all := w.mint(forge.TokenSpec{Login: "ada", Owner: "acme", Permissions: permissions})
	one := w.mint(forge.TokenSpec{Login: "ada", Owner: "acme", Repositories: []string{"acme/app"}, Permissions: permissions})
	own := w.mint(forge.TokenSpec{Login: "ada", Permissions: permissions})
	if !strings.HasPrefix(all.token, "github_pat_") {
		t.Errorf("token %.11s…", all.token)
	}
	const no = "Resource not accessible by personal access token"
	title := map[string]any{"title": "x"}
	for _, c := range []struct {
		name   string
		who    actor
		status int
		method string
		path   string
		body   any
	}{
		{"all", all, 201, "POST", issues, title},
		{"all, private", all, 201, "POST", "/repos/acme/secret/issues", title},
		{"no permission", all, 403, "PUT", contents + "x", map[string]any{"message": "m", "content": ""}},
		{"no permission to read what is private", all, 403, "GET", "/repos/acme/secret/contents/README.md", nil},
		{"other owner", all, 404, "GET", "/repos/beta/other", nil},
		{"other owner, public", all, 200, "GET", "/repos/beta/open/issues", nil},
		{"other owner, public, write", all, 403, "POST", "/repos/beta/open/issues", title},
		{"selected", one, 201, "POST", issues, title},
		{"not selected", one, 404, "POST", "/repos/acme/secret/issues", title},
		{"own account", own, 403, "POST", issues, title},
		{"profile", all, 200, "GET", "/user", nil},
		{"organisation", all, 403, "GET", "/orgs/acme/actions/secrets", nil},
		{"other organisation", all, 403, "PUT", "/orgs/beta/memberships/dev", nil},
		{"new repository", all, 403, "POST", "/orgs/acme/repos", map[string]any{"name": "n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.who.send(c.method, c.path, c.body)
			if r.status != c.status {
				t.Fatalf("= %d, want %d: %s", r.status, c.status, r.body)
			}
			if r.status == 403 {
				r.is("message", no)
			}
			if r.header.Get("X-OAuth-Scopes") != "" {
				t.Errorf("X-OAuth-Scopes: %s", r.header.Get("X-OAuth-Scopes"))
			}
		})
	}
	if got := all.send("POST", issues, title).header.Get("X-Accepted-GitHub-Permissions"); got != "issues=write" {
		t.Errorf("X-Accepted-GitHub-Permissions: %s", got)
	}
	if got := all.want(200, "GET", "/user/repos", nil).names("", "full_name"); strings.Join(got, " ") != "acme/app acme/secret beta/open" {
		t.Errorf("repositories %v", got)
	}
	dev := w.mint(forge.TokenSpec{Login: "dev", Permissions: map[string]string{"contents": "write"}})
	dev.want(404, "GET", "/repos/acme/secret", nil)
}

func TestTokenSpecs(t *testing.T) {
	w := newPrivate(t)
	for name, spec := range map[string]forge.TokenSpec{
		"unknown scope":          {Login: "ada", Scopes: []string{"repos"}},
		"both kinds":             {Login: "ada", Scopes: []string{"repo"}, Permissions: map[string]string{"issues": "read"}},
		"scopes of a bot":        {Login: forge.ActionsLogin, Scopes: []string{"repo"}},
		"owner of a bot":         {Login: forge.ActionsLogin, Owner: "acme"},
		"not a member":           {Login: "dev", Owner: "acme"},
		"no such owner":          {Login: "ada", Owner: "ghost"},
		"another person":         {Login: "ada", Owner: "dev"},
		"another's repository":   {Login: "ada", Owner: "ada", Repositories: []string{"acme/app"}},
		"repository that is not": {Login: "ada", Owner: "acme", Repositories: []string{"acme/none"}},
	} {
		if _, err := w.admin.MintToken(spec); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestTokensExpire(t *testing.T) {
	now := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	w := newForgeIn(t, forge.Options{Now: func() time.Time { return now }})
	short := w.mint(forge.TokenSpec{Login: "ada", Expires: now.Add(time.Minute)})
	short.want(200, "GET", "/user", nil)
	now = now.Add(time.Minute)
	short.want(401, "GET", "/user", nil).is("message", "Bad credentials")
}
