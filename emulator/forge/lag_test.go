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
