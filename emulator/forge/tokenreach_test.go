package forge_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// TestAppsAreApart: an app has nothing of another's installations.
func TestAppsAreApart(t *testing.T) {
	w := newWorld(t)
	must(t, w.admin.AddOrg("beta", "ada"))
	a := w.newApp(forge.App{Slug: "triage", Permissions: map[string]string{"issues": "write"}})
	w.newApp(forge.App{Slug: "other"})
	own, err := w.admin.Install("triage", "acme")
	must(t, err)
	foreign, err := w.admin.Install("other", "beta")
	must(t, err)
	at := fmt.Sprintf("/app/installations/%d", foreign)
	a.jwt().want(404, "GET", at, nil)
	a.jwt().want(404, "POST", at+"/access_tokens", nil)
	a.jwt().want(404, "PUT", at+"/suspended", nil)
	a.jwt().want(404, "DELETE", at, nil)
	a.jwt().want(404, "GET", "/orgs/beta/installation", nil)
	if got := a.jwt().want(200, "GET", "/app/installations", nil).names("", "app_slug"); strings.Join(got, " ") != "triage" {
		t.Errorf("installations of %v", got)
	}
	w.ada.want(200, "GET", "/orgs/acme/installations", nil).is("total_count", 1.0)
	for name, spec := range map[string]forge.TokenSpec{
		"another's installation": {Login: "triage[bot]", Installation: foreign},
		"more permissions":       {Login: "triage[bot]", Installation: own, Permissions: map[string]string{"contents": "write"}},
	} {
		if _, err := w.admin.MintToken(spec); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestTokensInOrganisations: what ada may as an owner of two organisations, her narrower tokens may not.
func TestTokensInOrganisations(t *testing.T) {
	w := newWorld(t)
	w.user("dev", "read")
	must(t, w.admin.AddOrg("beta", "ada"))
	w.ada.want(201, "POST", "/orgs/beta/teams", map[string]any{"name": "theirs"})
	w.ada.want(201, "POST", teams, map[string]any{"name": "ours"})
	fine := func(level string) actor {
		return w.mint(forge.TokenSpec{Login: "ada", Owner: "acme", Permissions: map[string]string{"members": level}})
	}
	name := map[string]any{"name": "x"}
	fine("write").want(403, "PUT", "/orgs/beta/memberships/dev", map[string]any{"role": "admin"})
	fine("write").want(404, "GET", "/orgs/beta/teams", nil)
	fine("read").want(200, "GET", teams, nil)
	fine("read").want(403, "POST", teams, name)
	if got := fine("read").want(200, "GET", "/user/teams", nil).names("", "slug"); strings.Join(got, " ") != "ours" {
		t.Errorf("teams %v", got)
	}
	w.classic("ada", "repo").want(404, "GET", teams, nil)
	w.classic("ada", "read:org").want(403, "POST", teams, name)
	w.mint(forge.TokenSpec{Login: "ada", Repo: "acme/app"}).want(404, "GET", teams, nil)
}

// TestPullPermissionIsEnough: of a pull request, permission for pull requests is as good as one for issues.
func TestPullPermissionIsEnough(t *testing.T) {
	w := newWorld(t)
	w.openPull("feature")
	a := w.newApp(forge.App{Slug: "shepherd", Permissions: map[string]string{"pull_requests": "write"}})
	id, err := w.admin.Install("shepherd", "acme")
	must(t, err)
	bot := a.token(id, nil)
	bot.want(201, "POST", issues+"/1/assignees", map[string]any{"assignees": []string{"ada"}}).is("assignee.login", "ada")
	bot.want(204, "PUT", issues+"/1/lock", nil)
	bot.want(201, "POST", issues+"/1/comments", map[string]any{"body": "x"})
	w.ada.want(201, "POST", issues, map[string]any{"title": "x"})
	bot.want(403, "POST", issues+"/2/assignees", map[string]any{"assignees": []string{"ada"}})
}

// TestSearchNeedsThePermission: a token that reads no issues finds none of a private repository.
func TestSearchNeedsThePermission(t *testing.T) {
	w := newPrivate(t)
	w.ada.want(201, "POST", "/repos/acme/secret/issues", map[string]any{"title": "hidden", "body": "@dev look"})
	w.ada.want(201, "POST", "/repos/acme/secret/issues/1/comments", map[string]any{"body": "needle"})
	w.ada.want(201, "POST", issues, map[string]any{"title": "shown"})
	for q, want := range map[string]string{"needle": "hidden", "mentions:dev": "hidden", "-repo:acme/secret": "shown"} {
		if got := w.ada.want(200, "GET", "/search/issues?q="+url.QueryEscape(q), nil).names("items", "title"); strings.Join(got, " ") != want {
			t.Errorf("%s: %v", q, got)
		}
	}
	blind := w.mint(forge.TokenSpec{Login: "ada", Owner: "acme", Permissions: map[string]string{"contents": "read"}})
	blind.want(200, "GET", "/search/issues?q=hidden", nil).is("total_count", 0.0)
}

// TestChecksStayInTheirRepository: ids are of the whole forge, what they name is there in one repository only.
func TestChecksStayInTheirRepository(t *testing.T) {
	w := newWorld(t)
	seedRun(t, w)
	w.ada.want(201, "POST", "/user/repos", map[string]any{"name": "own"})
	const own = "/repos/ada/own"
	lint := w.app("lint[bot]")
	made := lint.want(201, "POST", checkRuns, map[string]any{"name": "lint", "head_sha": w.head("acme/app", "main"),
		"started_at": "2030-01-01T00:00:00Z", "completed_at": "2030-01-01T00:01:00Z", "conclusion": "success"})
	made.is("started_at", "2030-01-01T00:00:00Z")
	made.is("completed_at", "2030-01-01T00:01:00Z")
	check, suite := idText(made.at("id")), idText(made.at("check_suite.id"))
	for _, path := range []string{"/check-runs/1", "/check-runs/" + check, "/check-runs/" + check + "/annotations", "/check-suites/1", "/check-suites/" + suite,
		"/check-suites/" + suite + "/check-runs"} {
		w.ada.want(404, "GET", own+path, nil)
	}
	there := w.mint(forge.TokenSpec{Login: "lint[bot]", Repo: "ada/own", Permissions: map[string]string{"checks": "write"}})
	there.want(404, "PATCH", own+"/check-runs/"+check, map[string]any{"conclusion": "failure"})
	again := lint.want(200, "PATCH", checkRuns+"/"+check, map[string]any{"status": "in_progress"})
	again.is("conclusion", nil)
	again.is("completed_at", nil)
}

// TestTeamsGiveNoMore: who is in a team, or makes one, gets no more than its owners gave.
func TestTeamsGiveNoMore(t *testing.T) {
	w, mem := newTeams(t)
	const core = teams + "/core"
	w.ada.want(204, "PUT", core+"/repos/acme/app", map[string]any{"permission": "push"})
	if got := mem.want(200, "GET", core+"/repos", nil).names("", "name"); len(got) != 0 {
		t.Errorf("mem sees %v", got)
	}
	mem.want(422, "POST", teams, map[string]any{"name": "x", "repo_names": []string{"acme/app"}})
	w.ada.want(200, "PUT", core+"/memberships/mem", nil)
	mem.want(403, "DELETE", core+"/memberships/ada", nil)
	mem.want(403, "DELETE", core+"/repos/acme/app", nil)
	w.ada.want(201, "POST", teams, map[string]any{"name": "Security", "repo_names": []string{"acme/app"}})
	w.ada.want(204, "PUT", "/repos/acme/app/collaborators/mem", map[string]any{"permission": "admin"})
	if got := mem.want(200, "GET", "/repos/acme/app/teams", nil).names("", "slug"); strings.Join(got, " ") != "core" {
		t.Errorf("mem sees %v", got)
	}
	before := w.seq()
	w.ada.want(204, "PUT", core+"/repos/acme/app", map[string]any{"permission": "pull"})
	w.ada.want(200, "PATCH", core, map[string]any{"description": "Some"})
	w.ada.want(204, "DELETE", core+"/memberships/mem", nil)
	if got := strings.Join(w.changes(before), " "); got != "team.edited team.edited membership.removed" {
		t.Errorf("events %s", got)
	}
}

// TestRolesEnd: with a membership ends all that came with it, and nothing that did not.
func TestRolesEnd(t *testing.T) {
	w, mem := newMembers(t)
	w.ada.want(204, "PUT", orgRoles+"/users/mem/8134", nil)
	w.ada.want(204, "DELETE", "/orgs/acme/members/mem", nil)
	w.ada.want(200, "PUT", "/orgs/acme/memberships/mem", nil)
	mem.want(200, "PATCH", "/user/memberships/orgs/acme", map[string]any{"state": "active"})
	w.roleIs("mem", "read")
	out := w.user("out", "write")
	w.ada.want(201, "POST", "/user/repos", map[string]any{"name": "own", "private": true})
	w.ada.want(204, "PUT", "/repos/ada/own/collaborators/out", map[string]any{"permission": "read"})
	w.ada.want(204, "DELETE", "/orgs/acme/outside_collaborators/out", nil)
	out.want(404, "GET", "/repos/acme/app", nil)
	out.want(200, "GET", "/repos/ada/own", nil)
}
