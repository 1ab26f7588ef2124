package forge_test

import (
	"fmt"
	"strings"
	"testing"
)

const orgRoles = "/orgs/acme/organization-roles"

// newMembers is a world where mem is a member of acme, and acme/app is private.
func newMembers(t *testing.T) (w *world, mem actor) {
	t.Helper()
	w = newForge(t)
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "private": true, "auto_init": true})
	mem = w.user("mem", "")
	w.ada.want(200, "PUT", "/orgs/acme/memberships/mem", map[string]any{"role": "member"})
	mem.want(200, "PATCH", "/user/memberships/orgs/acme", map[string]any{"state": "active"})
	return w, mem
}

// roleIs fails unless somebody's role in acme/app is called so.
func (w *world) roleIs(login, want string) {
	w.t.Helper()
	if got := w.ada.want(200, "GET", "/repos/acme/app/collaborators/"+login+"/permission", nil).at("role_name"); got != want {
		w.t.Errorf("%s has the role %v, want %s", login, got, want)
	}
}

func TestPredefinedOrgRoles(t *testing.T) {
	w, mem := newMembers(t)
	all := w.ada.want(200, "GET", orgRoles, nil)
	want := "security_manager all_repo_read all_repo_triage all_repo_write all_repo_maintain all_repo_admin ci_cd_admin"
	if got := strings.Join(all.names("roles", "name"), " "); got != want {
		t.Errorf("roles %s, want %s", got, want)
	}
	all.is("total_count", 7.0)
	w.ada.want(200, "GET", orgRoles+"/8134", nil).is("base_role", "write")
	w.roleIs("mem", "read")
	mem.want(403, "GET", orgRoles, nil)
	for id, role := range map[string]string{"8133": "triage", "8134": "write", "8136": "admin"} {
		w.ada.want(204, "PUT", orgRoles+"/users/mem/"+id, nil)
		w.roleIs("mem", role)
		if got := w.ada.want(200, "GET", orgRoles+"/"+id+"/users", nil); strings.Join(got.names("", "login"), " ") != "mem" || got.at("0.assignment") != "direct" {
			t.Errorf("role %s: %s", id, got.body)
		}
		w.ada.want(204, "DELETE", orgRoles+"/users/mem/"+id, nil)
		w.roleIs("mem", "read")
	}
	mem.want(403, "GET", "/orgs/acme/actions/secrets", nil)
	w.ada.want(204, "PUT", orgRoles+"/users/mem/26237", nil)
	mem.want(200, "GET", "/orgs/acme/actions/secrets", nil)
	mem.want(404, "GET", "/orgs/acme/hooks", nil)
	w.ada.want(204, "DELETE", orgRoles+"/users/mem", nil)
	mem.want(403, "GET", "/orgs/acme/actions/secrets", nil)
	w.user("out", "write")
	w.ada.want(422, "PUT", orgRoles+"/users/out/8134", nil)
	w.ada.want(404, "PUT", orgRoles+"/users/ghost/8134", nil)
	w.ada.want(404, "PUT", orgRoles+"/users/mem/7", nil)
	w.ada.want(404, "GET", orgRoles+"/7", nil)
	w.ada.want(404, "DELETE", orgRoles+"/8134", nil) // nobody deletes what is predefined
	w.ada.want(404, "PATCH", orgRoles+"/8134", map[string]any{"name": "x"})
}

// TestRolesOutliveRepositories: what somebody is in the organisation holds for the repository that is made
// anew, what he is in the repository goes with it.
func TestRolesOutliveRepositories(t *testing.T) {
	w, mem := newMembers(t)
	id := w.ada.want(201, "POST", orgRoles, map[string]any{"name": "Release team", "base_role": "maintain", "permissions": []string{"manage_organization_webhooks"}}).at("id")
	at := orgRoles + "/users/mem/" + idText(id)
	w.ada.want(204, "PUT", at, nil)
	w.user("out", "write")
	w.roleIs("mem", "maintain")
	w.roleIs("out", "write")
	mem.want(200, "GET", "/orgs/acme/hooks", nil)
	w.ada.want(204, "DELETE", "/repos/acme/app", nil)
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "private": true, "auto_init": true})
	w.roleIs("mem", "maintain")
	w.roleIs("out", "none")
	w.ada.want(200, "PATCH", orgRoles+"/"+idText(id), map[string]any{"base_role": "none"})
	w.roleIs("mem", "read")
	w.ada.want(204, "DELETE", orgRoles+"/"+idText(id), nil)
	mem.want(404, "GET", "/orgs/acme/hooks", nil)
	w.ada.want(204, "PUT", orgRoles+"/users/mem/8134", nil)
	w.ada.want(204, "DELETE", "/orgs/acme/members/mem", nil)
	mem.want(404, "GET", "/repos/acme/app", nil)
	for name, body := range map[string]map[string]any{
		"no name": {"permissions": []string{}}, "taken": {"name": "all_repo_read"}, "reserved": {"name": "write"},
		"unknown permission": {"name": "x", "permissions": []string{"fly"}}, "unknown base": {"name": "x", "base_role": "king"},
	} {
		if r := w.ada.send("POST", orgRoles, body); r.status != 422 {
			t.Errorf("%s = %d: %s", name, r.status, r.body)
		}
	}
}

func TestCustomRepositoryRoles(t *testing.T) {
	w, mem := newMembers(t)
	const roles = "/orgs/acme/custom-repository-roles"
	made := w.ada.want(201, "POST", roles, map[string]any{"name": "Triage plus", "base_role": "triage", "permissions": []string{"add_label"}})
	one := roles + "/" + idText(made.at("id"))
	w.ada.want(204, "PUT", "/repos/acme/app/collaborators/mem", map[string]any{"permission": "Triage plus"})
	w.roleIs("mem", "Triage plus")
	if got := payload(t, w.lastEntry("member.added"), "changes.role_name.to"); got != "Triage plus" {
		t.Errorf("role_name.to = %v", got)
	}
	mem.want(403, "PUT", contents+"x", map[string]any{"message": "m", "content": ""})
	w.ada.want(200, "PATCH", one, map[string]any{"base_role": "write"}).is("base_role", "write")
	mem.want(201, "PUT", contents+"x", map[string]any{"message": "m", "content": ""})
	w.ada.want(200, "GET", one, nil).is("name", "Triage plus")
	w.ada.want(200, "GET", roles, nil).is("total_count", 1.0)
	w.ada.want(204, "DELETE", one, nil)
	w.roleIs("mem", "read")
	w.ada.want(404, "GET", one, nil)
	mem.want(403, "GET", roles, nil)
	w.ada.want(422, "PUT", "/repos/acme/app/collaborators/mem", map[string]any{"permission": "Triage plus"})
	w.ada.want(422, "POST", roles, map[string]any{"name": "x", "base_role": "admin", "permissions": []string{}})
	w.ada.want(422, "POST", roles, map[string]any{"name": "x", "permissions": []string{}})
}

// TestBasePermission: what an organisation gives all its members; outsiders have what they have in single repositories.
func TestBasePermission(t *testing.T) {
	w, mem := newMembers(t)
	for base, status := range map[string]int{"none": 404, "read": 200} {
		w.ada.want(200, "PATCH", "/orgs/acme", map[string]any{"default_repository_permission": base}).is("default_repository_permission", base)
		mem.want(status, "GET", "/repos/acme/app", nil)
	}
	w.ada.want(200, "PATCH", "/orgs/acme", map[string]any{"default_repository_permission": "write"})
	w.roleIs("mem", "write")
	mem.want(403, "PATCH", "/orgs/acme", map[string]any{"name": "x"})
	w.ada.want(501, "PATCH", "/orgs/acme", map[string]any{"blog": "x"})

	const outside = "/orgs/acme/outside_collaborators"
	w.user("out", "triage")
	if got := w.ada.want(200, "GET", outside, nil).names("", "login"); strings.Join(got, " ") != "out" {
		t.Errorf("outside are %v", got)
	}
	w.ada.want(204, "PUT", "/repos/acme/app/collaborators/mem", map[string]any{"permission": "read"})
	w.ada.want(204, "PUT", outside+"/mem", nil)
	w.roleIs("mem", "read")
	w.ada.want(403, "PUT", outside+"/ada", nil)
	w.ada.want(422, "DELETE", outside+"/ada", nil)
	w.ada.want(204, "DELETE", outside+"/out", nil)
	w.roleIs("out", "none")
	mem.want(404, "GET", outside, nil)
}

func idText(id any) string { return fmt.Sprintf("%.0f", id) }
