package forge_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
)

func TestOrganization(t *testing.T) {
	w := newWorld(t)
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "hidden", "private": true})
	out := w.user("out", "")
	seen := w.ada.want(200, "GET", "/orgs/ACME", nil)
	seen.is("login", "acme")
	seen.is("type", "Organization")
	seen.is("public_repos", 1.0)
	seen.is("total_private_repos", 1.0)
	seen.is("default_repository_permission", "read")
	seen.is("members_url", w.forge.URL()+"/api/v3/orgs/acme/members{/member}")
	for _, stranger := range []actor{out, {w, ""}} {
		r := stranger.want(200, "GET", "/orgs/acme", nil)
		r.is("public_repos", 1.0)
		r.is("total_private_repos", nil)
	}
	w.ada.want(404, "GET", "/orgs/ada", nil)
	w.ada.want(404, "GET", "/orgs/nobody/members", nil)
}

// TestMembership goes through an invitation, and holds who may do what on the way.
func TestMembership(t *testing.T) {
	w := newWorld(t)
	bob, cyd := w.user("bob", ""), w.user("cyd", "")
	nobody := actor{w, ""}
	job := w.mint(forge.TokenSpec{Login: forge.ActionsLogin, Repo: "acme/app"})
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "hidden", "private": true})
	const at = "/orgs/acme/memberships/bob"
	member := map[string]any{"role": "member"}
	nobody.want(401, "PUT", at, member)
	job.want(403, "PUT", at, member)
	bob.want(404, "PUT", at, member)
	w.ada.want(404, "PUT", "/orgs/acme/memberships/ghost", member)
	w.ada.want(422, "PUT", at, map[string]any{"role": "king"})
	w.ada.want(404, "GET", at, nil)

	invited := w.ada.want(200, "PUT", at, member)
	invited.is("state", "pending")
	invited.is("role", "member")
	invited.is("organization.login", "acme")
	invited.is("user.login", "bob")
	bob.want(404, "GET", "/repos/acme/hidden", nil) // not yet
	bob.want(200, "GET", "/user/memberships/orgs/acme", nil).is("state", "pending")
	if all, _ := bob.want(200, "GET", "/user/memberships/orgs?state=active", nil).listed(); len(all) > 0 {
		t.Errorf("active: %s", all)
	}
	bob.want(422, "PATCH", "/user/memberships/orgs/acme", map[string]any{"state": "pending"})
	cyd.want(404, "PATCH", "/user/memberships/orgs/acme", map[string]any{"state": "active"})
	bob.want(200, "PATCH", "/user/memberships/orgs/acme", map[string]any{"state": "active"}).is("state", "active")
	bob.want(200, "GET", "/repos/acme/hidden", nil).is("permissions.push", false)

	cyd.want(403, "GET", at, nil).is("message", "You must be a member of acme to see membership information for bob.")
	bob.want(200, "GET", "/orgs/acme/memberships/ada", nil).is("role", "admin")
	bob.want(403, "PUT", "/orgs/acme/memberships/cyd", member)
	bob.want(403, "DELETE", "/orgs/acme/members/ada", nil)
	w.ada.want(403, "DELETE", "/orgs/acme/memberships/ada", nil).is("message", "Cannot remove the last owner of an organization.")
	w.ada.want(403, "PUT", "/orgs/acme/memberships/ada", member)
	w.ada.want(200, "PUT", at, map[string]any{"role": "admin"}).is("role", "admin")
	bob.want(200, "PUT", "/orgs/acme/memberships/ada", member).is("role", "member")
	w.ada.want(403, "GET", "/orgs/acme/actions/secrets", nil)
	bob.want(204, "DELETE", "/orgs/acme/members/ada", nil)
	w.ada.want(404, "GET", "/repos/acme/hidden", nil)
	bob.want(404, "DELETE", "/orgs/acme/members/ada", nil)
	bob.want(200, "PUT", "/orgs/acme/memberships/cyd", member)
	bob.want(404, "DELETE", "/orgs/acme/members/cyd", nil) // an invitation is no member
	bob.want(204, "DELETE", "/orgs/acme/memberships/cyd", nil)
	cyd.want(404, "GET", "/user/memberships/orgs/acme", nil)
}

// TestWhoSeesMembers holds that a membership is concealed until its member says otherwise.
func TestWhoSeesMembers(t *testing.T) {
	w := newWorld(t)
	bob, out := w.user("bob", ""), w.user("out", "")
	must(t, w.admin.SetOrgRole("acme", "bob", "write"))
	nobody, job := actor{w, ""}, w.mint(forge.TokenSpec{Login: forge.ActionsLogin, Repo: "acme/app"})
	const members, public = "/orgs/acme/members", "/orgs/acme/public_members"
	see := func(who actor, path string, want ...string) {
		t.Helper()
		if got := who.want(200, "GET", path, nil).names("", "login"); !slices.Equal(got, want) {
			t.Errorf("%s lists %v, want %v", path, got, want)
		}
	}
	see(bob, members, "ada", "bob")
	see(bob, members+"?role=admin", "ada")
	see(bob, members+"?role=member", "bob")
	for _, stranger := range []actor{out, nobody, job} {
		see(stranger, members)
		see(stranger, public)
	}
	bob.want(403, "PUT", public+"/ada", nil)
	out.want(404, "PUT", public+"/out", nil)
	nobody.want(401, "PUT", public+"/bob", nil)
	bob.want(204, "PUT", public+"/bob", nil)
	for _, stranger := range []actor{out, nobody, job} {
		see(stranger, members, "bob")
		see(stranger, "/users/bob/orgs", "acme")
		see(stranger, "/users/ada/orgs")
	}
	see(w.ada, "/user/orgs", "acme")
	bob.want(204, "GET", members+"/ada", nil)
	bob.want(404, "GET", members+"/out", nil)
	if r := out.unredirected().want(302, "GET", members+"/bob", nil); r.header.Get("Location") != w.forge.URL()+"/api/v3"+public+"/bob" {
		t.Errorf("Location = %q", r.header.Get("Location"))
	}
	out.want(204, "GET", members+"/bob", nil) // by the redirect
	out.want(404, "GET", members+"/ada", nil)
	bob.want(204, "DELETE", public+"/bob", nil)
	bob.want(404, "GET", public+"/bob", nil)
	bob.want(422, "GET", members+"?role=king", nil)
	bob.want(501, "GET", members+"?filter=2fa_disabled", nil)
	for _, path := range []string{"/user/orgs", "/user/memberships/orgs", "/user/repos"} {
		nobody.want(401, "GET", path, nil)
		job.want(403, "GET", path, nil)
	}
	nobody.want(404, "GET", "/users/ghost/orgs", nil)
}

func TestListsOfRepositories(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "")
	cyd := w.user("cyd", "")
	must(t, w.admin.SetOrgRole("acme", "cyd", "read"))
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "hidden", "private": true})
	bob.want(201, "POST", "/user/repos", map[string]any{"name": "zoo"})
	bob.want(201, "POST", "/user/repos", map[string]any{"name": "bag", "private": true})
	bob.want(204, "PUT", "/repos/bob/bag/collaborators/cyd", map[string]any{"permission": "triage"})
	job := w.mint(forge.TokenSpec{Login: forge.ActionsLogin, Repo: "acme/hidden"})
	for _, c := range []struct {
		who  actor
		path string
		want []string
	}{
		{w.ada, "/orgs/acme/repos", []string{"acme/hidden", "acme/app"}}, // the newest first
		{w.ada, "/orgs/acme/repos?sort=full_name", []string{"acme/app", "acme/hidden"}},
		{w.ada, "/orgs/acme/repos?sort=full_name&direction=desc", []string{"acme/hidden", "acme/app"}},
		{w.ada, "/orgs/acme/repos?type=private", []string{"acme/hidden"}},
		{w.ada, "/orgs/acme/repos?type=forks", nil},
		{bob, "/orgs/acme/repos", []string{"acme/app"}},
		{actor{w, ""}, "/orgs/acme/repos", []string{"acme/app"}},
		{job, "/orgs/acme/repos", []string{"acme/hidden", "acme/app"}},
		{bob, "/user/repos", []string{"bob/bag", "bob/zoo"}},
		{bob, "/user/repos?visibility=private", []string{"bob/bag"}},
		{cyd, "/user/repos", []string{"acme/app", "acme/hidden", "bob/bag"}},
		{cyd, "/user/repos?affiliation=collaborator", []string{"bob/bag"}},
		{cyd, "/user/repos?affiliation=owner,organization_member", []string{"acme/app", "acme/hidden"}},
		{cyd, "/user/repos?type=owner", nil},
		{bob, "/users/bob/repos", []string{"bob/zoo"}}, // public ones only, also to himself
		{cyd, "/users/cyd/repos?type=member", nil},
		{cyd, "/users/acme/repos", []string{"acme/app"}},
	} {
		if got := c.who.want(200, "GET", c.path, nil).names("", "full_name"); !slices.Equal(got, c.want) {
			t.Errorf("%s lists %v, want %v", c.path, got, c.want)
		}
	}
	bob.want(422, "GET", "/user/repos?type=all&visibility=all", nil)
	bob.want(422, "GET", "/user/repos?sort=stars", nil)
	bob.want(404, "GET", "/users/ghost/repos", nil)
	bob.want(404, "GET", "/orgs/bob/repos", nil)
}

// TestConfigOfAnOrganization holds who sees what an organisation has, and that a repository's own
// comes first.
func TestConfigOfAnOrganization(t *testing.T) {
	w := newWorld(t) // repository 1 is public
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "hidden", "private": true})
	w.ada.want(201, "POST", "/user/repos", map[string]any{"name": "mine"})
	const at = "/orgs/acme/actions"
	seedConfig(t, w.ada, at, "_ALL", map[string]any{"visibility": "all"})
	seedConfig(t, w.ada, at, "_PRIVATE", map[string]any{"visibility": "private"})
	seedConfig(t, w.ada, at, "_SOME", map[string]any{"visibility": "selected", "selected_repository_ids": []int{1}})
	w.ada.want(201, "POST", actions+"/variables", map[string]any{"name": "mode_all", "value": "own"})
	sees := func(repo string, want map[string]string) {
		t.Helper()
		got, err := w.admin.Variables(repo)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", repo, err, d)
		}
		secrets, err := w.admin.Secrets(repo)
		must(t, err)
		shared := w.ada.want(200, "GET", "/repos/"+repo+"/actions/organization-secrets", nil).names("secrets", "name")
		if len(shared) != len(secrets) { // none of its own here
			t.Errorf("%s sees %v, and its jobs %v", repo, shared, secrets)
		}
	}
	sees("acme/app", map[string]string{"MODE_ALL": "own", "MODE_SOME": "fast"})
	sees("acme/hidden", map[string]string{"MODE_ALL": "fast", "MODE_PRIVATE": "fast"})
	sees("ada/mine", map[string]string{})
	if got := w.ada.want(200, "GET", actions+"/organization-variables", nil).names("variables", "name"); !slices.Equal(got, []string{"MODE_ALL", "MODE_SOME"}) {
		t.Errorf("organization-variables = %v", got)
	}
	one := w.ada.want(200, "GET", at+"/secrets/TOKEN_SOME", nil)
	one.is("visibility", "selected")
	one.is("selected_repositories_url", w.forge.URL()+"/api/v3"+at+"/secrets/TOKEN_SOME/repositories")
	w.ada.want(200, "GET", at+"/variables/MODE_ALL", nil).is("selected_repositories_url", nil)

	selected := func(kind string, want ...string) {
		t.Helper()
		r := w.ada.want(200, "GET", at+kind+"/repositories", nil)
		if got := r.names("repositories", "full_name"); !slices.Equal(got, want) {
			t.Errorf("%s is for %v, want %v", kind, got, want)
		}
	}
	for _, kind := range []string{"/secrets/TOKEN_SOME", "/variables/MODE_SOME"} {
		selected(kind, "acme/app")
		w.ada.want(204, "PUT", at+kind+"/repositories/2", nil)
		selected(kind, "acme/app", "acme/hidden")
		w.ada.want(204, "DELETE", at+kind+"/repositories/1", nil)
		selected(kind, "acme/hidden")
		w.ada.want(422, "PUT", at+kind+"/repositories", map[string]any{"selected_repository_ids": []int{1, 3}})
		w.ada.want(404, "PUT", at+kind+"/repositories/3", nil)
		selected(kind, "acme/hidden")
		w.ada.want(204, "PUT", at+kind+"/repositories", map[string]any{"selected_repository_ids": []int{}})
		selected(kind)
	}
	w.ada.want(409, "PUT", at+"/secrets/TOKEN_ALL/repositories/1", nil)
	w.ada.want(404, "GET", at+"/secrets/NONE/repositories", nil)
	w.ada.want(204, "PATCH", at+"/variables/MODE_PRIVATE", map[string]any{"visibility": "selected", "selected_repository_ids": []int{1, 2}})
	w.ada.want(204, "DELETE", "/repos/acme/hidden", nil)
	selected("/variables/MODE_PRIVATE", "acme/app")
	w.ada.want(422, "POST", at+"/variables", map[string]any{"name": "X", "value": "x"})
	w.ada.want(422, "POST", at+"/variables", map[string]any{"name": "X", "value": "x", "visibility": "some"})
	w.ada.want(501, "POST", actions+"/variables", map[string]any{"name": "X", "value": "x", "visibility": "all"})
}

func TestConfigOfAnOrganizationIsForItsOwners(t *testing.T) {
	w := newWorld(t)
	bob, out := w.user("bob", ""), w.user("out", "")
	must(t, w.admin.SetOrgRole("acme", "bob", "admin")) // of the repositories
	job := w.mint(forge.TokenSpec{Login: forge.ActionsLogin, Permissions: map[string]string{"secrets": "write", "actions-variables": "write"}})
	for i, kind := range []string{"secrets", "variables", "secrets/public-key"} {
		for who, status := range map[actor]int{{w, ""}: 401, job: 403, out: 404, bob: 403, w.ada: 200} {
			if r := who.send("GET", "/orgs/acme/actions/"+kind, nil); r.status != status {
				t.Errorf("%s, %d: %d, want %d: %s", kind, i, r.status, status, r.body)
			}
		}
	}
	must(t, w.admin.SetOrgRole("acme", "bob", "owner"))
	bob.want(200, "GET", "/orgs/acme/actions/secrets", nil)
	if err := w.admin.SetOrgRole("acme", "ghost", "owner"); err == nil {
		t.Error("a ghost owns acme")
	}
	out.want(403, "GET", actions+"/organization-secrets", nil)
	if got := fmt.Sprint(bob.want(200, "GET", actions+"/organization-secrets", nil).at("total_count")); got != "0" {
		t.Errorf("total_count = %s", got)
	}
}
