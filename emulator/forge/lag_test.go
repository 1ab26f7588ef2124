package forge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// titles reads an issue so often, as somebody sees it.
func titles(a actor, path string, n int) string {
	var out []string
	for range n {
		r := a.send("GET", path, nil)
		out = append(out, fmt.Sprint(r.status, " ", r.at("title")))
	}
	return strings.Join(out, ", ")
}

// TestStaleReads: what changed is seen as it was, by each credential so often, and then as it is.
func TestStaleReads(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "write")
	w.ada.want(201, "POST", issues, map[string]any{"title": "old"})
	w.inject("read.stale=times:2@GET /repos/*/*/issues/*")
	if got := titles(w.ada, issues+"/1", 2); got != "200 old, 200 old" {
		t.Errorf("unchanged: %s", got)
	}
	w.ada.want(200, "PATCH", issues+"/1", map[string]any{"title": "new"})
	for _, a := range []actor{w.ada, bob} {
		if got := titles(a, issues+"/1", 3); got != "200 old, 200 old, 200 new" {
			t.Error(got)
		}
	}
	w.ada.want(201, "POST", issues, map[string]any{"title": "two"})
	if got := titles(bob, issues+"/2", 3); got != "404 <nil>, 404 <nil>, 200 two" {
		t.Errorf("created: %s", got)
	}
	w.admin.ClearFaults()
	w.inject("read.stale@GET /repos/*/*/issues")
	w.ada.want(201, "POST", issues, map[string]any{"title": "three"})
	var n []int
	for range 2 {
		n = append(n, len(bob.want(200, "GET", issues+"?per_page=100", nil).names("", "title")))
	}
	if fmt.Sprint(n) != "[2 3]" {
		t.Errorf("the list had %v", n)
	}
	if e := w.lastEntry("fault.struck"); e.Detail["of"] != "bob /repos/acme/app/issues" {
		t.Errorf("%+v", e)
	}
}

// TestDeletedIsThereAgain: reads after a deletion are not monotonic, and nobody sees what he never might.
func TestDeletedIsThereAgain(t *testing.T) {
	w := newWorld(t)
	must(t, w.admin.AddUser(forge.User{Login: "eve"}))
	eve := w.mint(forge.TokenSpec{Login: "eve"})
	w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{"private": true})
	w.inject("read.stale=delete,from:2@GET /repos/*/*", "name.taken=times:2")
	w.ada.want(204, "DELETE", "/repos/acme/app", nil)
	for _, want := range []int{404, 200, 404} {
		w.ada.want(want, "GET", "/repos/acme/app", nil)
		eve.want(404, "GET", "/repos/acme/app", nil)
	}
	for _, want := range []int{422, 422, 201} {
		r := w.ada.want(want, "POST", "/orgs/acme/repos", map[string]any{"name": "app"})
		if want == 422 {
			r.is("errors.0.message", "name already exists on this account")
		}
	}
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "other"})
}

// TestPermissionLag: a role that was given or taken is not seen yet, by its holder and by who asks.
func TestPermissionLag(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "")
	w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{"private": true})
	w.inject("permission.lag")
	const role = "/repos/acme/app/collaborators/bob"
	w.ada.want(204, "PUT", role, map[string]any{"permission": "push"})
	w.ada.want(200, "GET", role+"/permission", nil).is("permission", "none")
	w.ada.want(200, "GET", role+"/permission", nil).is("role_name", "write")
	bob.want(404, "GET", "/repos/acme/app", nil)
	bob.want(200, "GET", "/repos/acme/app", nil)
	w.admin.ClearFaults()
	w.inject("permission.lag=by:bob")
	w.ada.want(204, "DELETE", role, nil)
	bob.want(200, "GET", "/repos/acme/app", nil)
	bob.want(404, "GET", "/repos/acme/app", nil)
}

// TestEmptyAtFirst: a fork and an initialised repository are there before their commits.
func TestEmptyAtFirst(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "")
	w.inject("fork.lag=times:2", "autoinit.lag@/repos/*/*/contents/**", "org.private@POST /orgs/acme/repos")
	bob.want(202, "POST", "/repos/acme/app/forks", nil)
	bob.want(409, "GET", "/repos/bob/app/git/ref/heads/main", nil).is("message", "Git Repository is empty.")
	if got := bob.want(200, "GET", "/repos/bob/app/branches", nil).names("", "name"); len(got) != 0 {
		t.Errorf("branches %v", got)
	}
	bob.want(200, "GET", "/repos/bob/app/git/ref/heads/main", nil)
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "fresh", "auto_init": true}).is("private", true)
	w.ada.want(200, "GET", "/repos/acme/fresh/git/ref/heads/main", nil)
	bob.want(404, "GET", "/repos/acme/fresh/contents/README.md", nil).is("message", "Not Found") // as of what is not there
	w.ada.want(404, "GET", "/repos/acme/fresh/contents/README.md", nil).is("message", "This repository is empty.")
	w.ada.want(200, "GET", "/repos/acme/fresh/contents/README.md", nil)
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "bare"}).is("private", false)
}

// TestLagEndsWithItsRepository: what lags is of one repository, and not of the next one that has its name.
func TestLagEndsWithItsRepository(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "")
	must(t, w.admin.SetOrgRole("acme", "bob", "owner"))
	eve := w.user("eve", "")
	w.inject("autoinit.lag=times:always", "permission.lag=times:always", "name.taken", "read.stale=times:always@GET /repos/*/*/issues/*")
	const org, repo = "/orgs/acme/repos", "/repos/acme/fresh"
	w.ada.want(201, "POST", org, map[string]any{"name": "fresh", "auto_init": true, "private": true})
	w.ada.want(409, "GET", repo+"/git/ref/heads/main", nil)
	w.ada.want(204, "PUT", repo+"/collaborators/eve", map[string]any{"permission": "pull"})
	eve.want(404, "GET", repo, nil)
	w.ada.want(201, "POST", repo+"/issues", map[string]any{"title": "old"})
	w.ada.want(200, "PATCH", repo+"/issues/1", map[string]any{"title": "edited"})
	w.ada.want(204, "DELETE", repo, nil)
	w.ada.want(422, "POST", org, map[string]any{"name": "fresh"})
	w.ada.want(201, "POST", org, map[string]any{"name": "fresh"})
	after := w.seq()
	w.ada.want(201, "PUT", repo+"/contents/a.txt", map[string]any{"message": "first", "content": "YQ=="})
	w.ada.want(200, "GET", repo+"/git/ref/heads/main", nil)
	w.ada.want(404, "GET", repo+"/issues/1", nil)
	eve.want(200, "GET", repo, nil)
	bob.want(422, "POST", org, map[string]any{"name": "fresh"}) // it is really there
	for _, e := range w.admin.Journal().Entries(after) {
		if e.Type == "fault.struck" {
			t.Errorf("struck: %+v", e)
		}
	}
}

// TestLagOfItsFault: a change that came before a fault was put in force does not lag under it.
func TestLagOfItsFault(t *testing.T) {
	w := newWorld(t)
	w.ada.want(201, "POST", issues, map[string]any{"title": "old"})
	w.inject("read.stale=times:always@GET /repos/*/*/issues/*")
	w.ada.want(200, "PATCH", issues+"/1", map[string]any{"title": "new"})
	w.admin.ClearFaults()
	w.inject("read.stale=times:always@GET /repos/*/*/issues/*")
	w.ada.want(200, "GET", issues+"/1", nil).is("title", "new")
}

// TestPermissionLagOfMembers: membership of an organisation and of a team gives roles that are not seen yet either.
func TestPermissionLagOfMembers(t *testing.T) {
	w := newWorld(t)
	must(t, w.admin.AddUser(forge.User{Login: "bob"}))
	bob := w.mint(forge.TokenSpec{Login: "bob"})
	w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{"private": true})
	const app, asked = "/repos/acme/app", "/repos/acme/app/collaborators/bob/permission"
	lags := func(before, after string, status int) {
		t.Helper()
		w.ada.want(200, "GET", asked, nil).is("role_name", before)
		w.ada.want(200, "GET", asked, nil).is("role_name", after)
		bob.want(map[bool]int{true: 404, false: 200}[before == "none"], "GET", app, nil)
		bob.want(status, "GET", app, nil)
		w.admin.ClearFaults()
		w.inject("permission.lag")
	}
	w.inject("permission.lag")
	w.ada.want(200, "PUT", "/orgs/acme/memberships/bob", map[string]any{"role": "member"})
	bob.want(200, "PATCH", "/user/memberships/orgs/acme", map[string]any{"state": "active"})
	lags("none", "read", 200)
	w.ada.want(201, "POST", "/orgs/acme/teams", map[string]any{"name": "crew", "maintainers": []string{}})
	w.ada.want(204, "PUT", "/orgs/acme/teams/crew/repos/acme/app", map[string]any{"permission": "maintain"})
	w.ada.want(200, "GET", asked, nil).is("role_name", "read")
	w.ada.want(200, "PUT", "/orgs/acme/teams/crew/memberships/bob", map[string]any{"role": "member"})
	lags("read", "maintain", 200)
	w.ada.want(204, "DELETE", "/orgs/acme/teams/crew/repos/acme/app", nil)
	lags("maintain", "read", 200)
	w.ada.want(204, "DELETE", "/orgs/acme/members/bob", nil)
	lags("read", "none", 404)
}
