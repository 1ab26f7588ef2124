package forge_test

import (
	"strings"
	"testing"
)

const teams = "/orgs/acme/teams"

// newTeams is a world where mem is a member of acme without rights in its private repository, and in the team
// Core, below which there is the team Web Design.
func newTeams(t *testing.T) (w *world, mem actor) {
	t.Helper()
	w, mem = newMembers(t)
	w.ada.want(200, "PATCH", "/orgs/acme", map[string]any{"default_repository_permission": "none"})
	core := w.ada.want(201, "POST", teams, map[string]any{"name": "Core", "privacy": "closed", "description": "All"})
	core.is("slug", "core")
	w.ada.want(201, "POST", teams, map[string]any{"name": "Web  Design!", "parent_team_id": core.at("id")}).is("slug", "web-design")
	return w, mem
}

// TestTeamRoles: what a team may, its members may, and those of the teams below it.
func TestTeamRoles(t *testing.T) {
	w, mem := newTeams(t)
	w.ada.want(204, "PUT", teams+"/core/repos/acme/app", map[string]any{"permission": "triage"})
	w.roleIs("mem", "none")
	mem.want(404, "GET", "/repos/acme/app", nil)
	w.ada.want(200, "PUT", teams+"/web-design/memberships/mem", nil).is("role", "member")
	w.roleIs("mem", "triage")
	w.ada.want(204, "PUT", teams+"/web-design/repos/acme/app", map[string]any{"permission": "push"})
	w.roleIs("mem", "write")
	mem.want(201, "PUT", contents+"x", map[string]any{"message": "m", "content": ""})
	w.ada.want(204, "DELETE", teams+"/web-design/repos/acme/app", nil)
	w.roleIs("mem", "triage")
	mem.want(204, "GET", teams+"/web-design/repos/acme/app", nil)
	w.ada.want(404, "DELETE", teams+"/web-design/repos/acme/app", nil) // it is the parent's
	w.ada.want(200, "PATCH", teams+"/web-design", map[string]any{"parent_team_id": nil}).is("parent", nil)
	w.roleIs("mem", "none")
	w.ada.want(204, "PUT", teams+"/web-design/repos/acme/app", nil)
	w.roleIs("mem", "read")
	w.ada.want(204, "DELETE", teams+"/web-design", nil)
	w.roleIs("mem", "none")
	w.ada.want(404, "GET", teams+"/web-design", nil)
}

// TestTeamRepositories: a repository that is deleted leaves its teams, also when it is made anew.
func TestTeamRepositories(t *testing.T) {
	w, mem := newTeams(t)
	w.ada.want(200, "PUT", teams+"/core/memberships/mem", nil)
	w.ada.want(204, "PUT", teams+"/core/repos/acme/app", map[string]any{"permission": "maintain"})
	if got := w.ada.want(200, "GET", "/repos/acme/app/teams", nil); strings.Join(got.names("", "permission"), " ") != "maintain" {
		t.Errorf("teams: %s", got.body)
	}
	got := w.ada.want(200, "GET", teams+"/web-design/repos", nil)
	got.is("0.role_name", "maintain")
	got.is("0.permissions.admin", false)
	w.ada.want(200, "GET", teams+"/core", nil).is("repos_count", 1.0)
	mem.want(403, "PUT", teams+"/core/repos/acme/app", map[string]any{"permission": "admin"})
	w.ada.want(204, "DELETE", "/repos/acme/app", nil)
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "private": true, "auto_init": true})
	w.roleIs("mem", "none")
	w.ada.want(200, "GET", teams+"/core", nil).is("repos_count", 0.0)
	w.ada.want(201, "POST", "/user/repos", map[string]any{"name": "own"})
	w.ada.want(422, "PUT", teams+"/core/repos/ada/own", nil)
	w.ada.want(422, "PUT", teams+"/core/repos/acme/app", map[string]any{"permission": "king"})
	w.ada.want(404, "PUT", teams+"/core/repos/acme/none", nil)
}

// TestTeamMembers: owners and maintainers say who is in a team; who is outside is invited to the organisation.
func TestTeamMembers(t *testing.T) {
	w, mem := newTeams(t)
	out := w.user("out", "")
	mem.want(403, "PUT", teams+"/core/memberships/mem", nil)
	w.ada.want(200, "PUT", teams+"/core/memberships/mem", map[string]any{"role": "maintainer"}).is("role", "maintainer")
	mem.want(403, "PUT", teams+"/core/memberships/out", nil)
	w.ada.want(200, "PUT", teams+"/core/memberships/out", nil).is("state", "pending")
	if got := w.ada.want(200, "GET", teams+"/core/members", nil).names("", "login"); strings.Join(got, " ") != "ada mem" {
		t.Errorf("members %v", got)
	}
	out.want(404, "GET", teams+"/core", nil)
	out.want(200, "PATCH", "/user/memberships/orgs/acme", map[string]any{"state": "active"})
	if e := w.lastEntry("membership.added"); payload(t, e, "member.login") != "out" || payload(t, e, "team.slug") != "core" || payload(t, e, "scope") != "team" {
		t.Errorf("membership.added: %s", e.Payload)
	}
	out.want(200, "GET", teams+"/core/memberships/out", nil).is("state", "active")
	if got := out.want(200, "GET", "/user/teams", nil).names("", "slug"); strings.Join(got, " ") != "core" {
		t.Errorf("teams of out: %v", got)
	}
	for role, want := range map[string]string{"maintainer": "ada mem", "member": "out", "all": "ada mem out"} {
		if got := mem.want(200, "GET", teams+"/core/members?role="+role, nil).names("", "login"); strings.Join(got, " ") != want {
			t.Errorf("%ss: %v, want %s", role, got, want)
		}
	}
	mem.want(204, "DELETE", teams+"/core/memberships/out", nil)
	mem.want(204, "DELETE", teams+"/core/memberships/mem", nil)
	mem.want(404, "GET", teams+"/core/memberships/mem", nil)
	mem.want(403, "PATCH", teams+"/core", map[string]any{"name": "x"})
	w.ada.want(200, "PUT", teams+"/core/memberships/out", nil)
	w.ada.want(204, "DELETE", "/orgs/acme/members/out", nil)
	w.ada.want(404, "GET", teams+"/core/memberships/out", nil)
}

// TestTeamVisibility: a secret team is there for its members and owners only; who is outside sees none.
func TestTeamVisibility(t *testing.T) {
	w, mem := newTeams(t)
	w.ada.want(201, "POST", teams, map[string]any{"name": "Security"}).is("privacy", "secret")
	mem.want(404, "GET", teams+"/security", nil)
	if got := mem.want(200, "GET", teams, nil).names("", "slug"); strings.Join(got, " ") != "core web-design" {
		t.Errorf("mem sees %v", got)
	}
	w.ada.want(200, "PUT", teams+"/security/memberships/mem", nil)
	mem.want(200, "GET", teams+"/security", nil)
	out := w.user("out", "")
	out.want(404, "GET", teams, nil)
	actor{w: w}.want(401, "GET", teams, nil)
	if got := w.ada.want(200, "GET", teams+"/core/teams", nil).names("", "slug"); strings.Join(got, " ") != "web-design" {
		t.Errorf("below core: %v", got)
	}
}

func TestBadTeams(t *testing.T) {
	w, _ := newTeams(t)
	design := w.ada.want(200, "GET", teams+"/web-design", nil).at("id")
	for name, body := range map[string]map[string]any{
		"no name": {"privacy": "closed"}, "no letter": {"name": "!"}, "taken": {"name": "CORE"}, "privacy": {"name": "x", "privacy": "open"},
		"parent": {"name": "x", "parent_team_id": 99}, "secret child": {"name": "x", "privacy": "secret", "parent_team_id": 1},
		"outsider": {"name": "x", "maintainers": []string{"ghost"}}, "repository": {"name": "x", "repo_names": []string{"acme/none"}},
		"permission": {"name": "x", "permission": "king"}, "notification": {"name": "x", "notification_setting": "loud"},
	} {
		if r := w.ada.send("POST", teams, body); r.status != 422 {
			t.Errorf("%s = %d: %s", name, r.status, r.body)
		}
	}
	for name, body := range map[string]map[string]any{"cycle": {"parent_team_id": design}, "itself": {"parent_team_id": 1}, "secret parent": {"privacy": "secret"}} {
		if r := w.ada.send("PATCH", teams+"/core", body); r.status != 422 {
			t.Errorf("%s = %d: %s", name, r.status, r.body)
		}
	}
	if got := len(w.ada.want(200, "GET", teams, nil).names("", "slug")); got != 2 {
		t.Errorf("%d teams are there", got)
	}
	w.ada.want(404, "PUT", teams+"/core/memberships/ghost", nil)
	w.ada.want(422, "PUT", teams+"/core/memberships/ada", map[string]any{"role": "king"})
	w.ada.want(204, "DELETE", teams+"/core", nil)
	if got := w.lastEntry("team.deleted"); payload(t, got, "team.slug") != "web-design" {
		t.Errorf("the team below stayed: %s", got.Payload)
	}
}
