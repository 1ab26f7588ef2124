package forge_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
)

const forks = "/repos/acme/app/forks"

func TestForkOfAnother(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "")
	w.ada.want(201, "POST", "/repos/acme/app/git/refs", map[string]any{"ref": "refs/heads/dev", "sha": w.head("acme/app", "main")})
	before := w.seq()
	made := bob.want(202, "POST", forks, nil)
	for path, want := range map[string]any{"full_name": "bob/app", "fork": true, "parent.full_name": "acme/app", "source.full_name": "acme/app",
		"private": false, "has_issues": false, "default_branch": "main", "permissions.admin": true, "forks_count": 0.0} {
		made.is(path, want)
	}
	if diff := cmp.Diff([]string{"repository.created", "fork"}, w.changes(before)); diff != "" {
		t.Error(diff)
	}
	e := w.lastEntry("fork")
	if e.Subject != "acme/app" || payload(t, e, "forkee.full_name") != "bob/app" || payload(t, e, "repository.forks_count") != 1.0 || e.Detail["event"] != "fork" {
		t.Errorf("fork event: %+v: %s", e.Detail, e.Payload)
	}
	again := bob.want(202, "POST", forks, map[string]any{"name": "other"})
	if again.is("id", made.at("id")); w.head("bob/app", "dev") != w.head("acme/app", "main") {
		t.Error("dev did not come along")
	}
	w.ada.want(200, "GET", "/repos/acme/app", nil).is("forks", 1.0)
	list := w.ada.want(200, "GET", forks+"?sort=oldest", nil)
	if got := list.names("", "full_name"); !slices.Equal(got, []string{"bob/app"}) || list.at("0.parent") != nil {
		t.Errorf("forks are %v: %s", got, list.body)
	}
	bob.want(410, "POST", "/repos/bob/app/issues", map[string]any{"title": "x"})
	bob.want(200, "PATCH", "/repos/bob/app", map[string]any{"has_issues": true}).is("has_issues", true)
	bob.want(201, "POST", "/repos/bob/app/issues", map[string]any{"title": "x"})

	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote(bob.token, "bob/app"), ".")
	mustGit(t, dir, "commit", "-q", "--allow-empty", "-m", "mine")
	mustGit(t, dir, "push", "-q", "origin", "main")
	if w.head("bob/app", "main") == w.head("acme/app", "main") {
		t.Error("the push moved the parent, or not the fork")
	}
}

// head is the commit of a branch.
func (w *world) head(repo, branch string) string {
	w.t.Helper()
	return w.ada.want(200, "GET", "/repos/"+repo+"/git/ref/heads/"+branch, nil).at("object.sha").(string)
}

// TestForkSurvives deletes each side of a fork: the other keeps its objects.
func TestForkSurvives(t *testing.T) {
	for _, gone := range []string{"acme/app", "ada/app"} {
		w := newWorld(t)
		w.ada.want(202, "POST", forks, nil)
		for _, repo := range []string{"acme/app", "ada/app"} {
			w.ada.want(201, "PUT", "/repos/"+repo+"/contents/new", map[string]any{"message": "m", "content": encode(repo)})
		}
		left := map[string]string{"acme/app": "ada/app", "ada/app": "acme/app"}[gone]
		w.ada.want(204, "DELETE", "/repos/"+gone, nil)
		dir := t.TempDir()
		mustGit(t, dir, "clone", "-q", w.remote(w.ada.token, left), ".")
		mustGit(t, dir, "fsck", "--full")
		r := w.ada.want(200, "GET", "/repos/"+left, nil)
		if r.at("fork") != false || r.at("parent") != nil || r.at("forks_count") != 0.0 {
			t.Errorf("%s without %s: %s", left, gone, r.body)
		}
	}
}

func TestForkNames(t *testing.T) {
	w := newWorld(t)
	w.ada.want(201, "POST", "/user/repos", map[string]any{"name": "app"})
	w.ada.want(202, "POST", forks, nil).is("full_name", "ada/app-1")
	w.ada.want(202, "POST", "/repos/ada/app-1/forks", nil).is("full_name", "ada/app-1")
	// In its own organisation a repository needs another name.
	w.ada.want(202, "POST", forks, map[string]any{"organization": "acme"}).is("full_name", "acme/app-1")
	w.ada.want(202, "POST", forks, map[string]any{"organization": "acme", "name": "lib"}).is("full_name", "acme/lib")
	w.ada.want(202, "POST", forks, map[string]any{"organization": "acme", "name": "LIB"}).is("full_name", "acme/lib")
	w.ada.want(202, "POST", forks, map[string]any{"organization": "ACME"}).is("full_name", "acme/app-1")
	bob := w.user("bob", "")
	for _, c := range []struct {
		who    actor
		path   string
		body   map[string]any
		status int
		say    string
	}{
		{bob, forks, map[string]any{"organization": "acme"}, 403, "admin access to the organization"},
		{bob, forks, map[string]any{"organization": "nobody"}, 404, ""},
		{bob, forks, map[string]any{"name": "a/b"}, 422, "can only contain"},
		{bob, forks, map[string]any{"nam": "a"}, 501, "nam"},
		{bob, "/repos/acme/none/forks", nil, 404, ""},
		{bob, "/repos/ada/app/forks", nil, 403, "it contains no Git content"},
		{actor{w, ""}, forks, nil, 401, ""},
		{w.mint(forge.TokenSpec{Login: forge.ActionsLogin, Repo: "acme/app", Permissions: map[string]string{"contents": "write"}}), forks, nil, 403, "integration"},
	} {
		if r := c.who.send("POST", c.path, c.body); r.status != c.status || !strings.Contains(string(r.body), c.say) {
			t.Errorf("POST %s %v = %d %s, want %d %s", c.path, c.body, r.status, r.body, c.status, c.say)
		}
	}
}

func TestForkOfDefaultBranchOnly(t *testing.T) {
	w := newWorld(t)
	for _, ref := range []string{"refs/heads/dev", "refs/tags/v1"} {
		w.ada.want(201, "POST", "/repos/acme/app/git/refs", map[string]any{"ref": ref, "sha": w.head("acme/app", "main")})
	}
	w.ada.want(202, "POST", forks, map[string]any{"default_branch_only": true})
	if got := w.ada.want(200, "GET", "/repos/ada/app/git/matching-refs/", nil).names("", "ref"); !slices.Equal(got, []string{"refs/heads/main"}) {
		t.Errorf("refs are %v", got)
	}
	if out := mustGit(t, t.TempDir(), "ls-remote", w.remote("", "ada/app")); strings.Contains(out, "dev") || strings.Contains(out, "v1") {
		t.Errorf("git sees %s", out)
	}
}

func TestForksOfPrivateRepositories(t *testing.T) {
	w := newWorld(t)
	bob, eve := w.user("bob", "read"), w.user("eve", "")
	w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{"private": true}).is("allow_forking", false)
	bob.want(403, "POST", forks, nil)
	w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{"allow_forking": true}).is("allow_forking", true)
	eve.want(404, "POST", forks, nil)
	bob.want(202, "POST", forks, nil).is("private", true)
	eve.want(404, "GET", "/repos/bob/app", nil)
	bob.want(422, "PATCH", "/repos/bob/app", map[string]any{"private": false})
	bob.want(422, "PATCH", "/repos/bob/app", map[string]any{"allow_forking": false})
	if got := w.ada.want(200, "GET", forks, nil).names("", "full_name"); len(got) != 0 {
		t.Errorf("ada, who may not see it, is shown %v", got)
	}
	before := w.seq()
	w.ada.want(204, "DELETE", "/repos/acme/app", nil)
	bob.want(404, "GET", "/repos/bob/app", nil)
	if diff := cmp.Diff([]string{"repository.deleted", "repository.deleted"}, w.changes(before)); diff != "" {
		t.Error(diff)
	}
}

// TestForkNetwork: who inherits the forks of what is deleted, becomes private or public.
func TestForkNetwork(t *testing.T) {
	for what, c := range map[string]struct {
		method, path string
		body         any
		want         string // parent < fork, …
	}{
		"root deleted":   {"DELETE", "/repos/acme/app", nil, "bob/app<cyd/app bob/app<dee/app"},
		"fork deleted":   {"DELETE", "/repos/bob/app", nil, "acme/app<cyd/app acme/app<dee/app"},
		"leaf deleted":   {"DELETE", "/repos/dee/app", nil, "acme/app<bob/app acme/app<cyd/app"},
		"root concealed": {"PATCH", "/repos/acme/app", map[string]any{"private": true}, "bob/app<cyd/app bob/app<dee/app"},
	} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			var all []actor
			for _, login := range []string{"bob", "cyd", "dee"} {
				all = append(all, w.user(login, ""))
			}
			all[0].want(202, "POST", forks, nil)
			all[1].want(202, "POST", forks, nil)
			all[2].want(202, "POST", "/repos/bob/app/forks", nil).is("source.full_name", "acme/app")
			who := w.ada
			for i, login := range []string{"bob", "cyd", "dee"} {
				if strings.HasPrefix(c.path, "/repos/"+login) {
					who = all[i]
				}
			}
			if r := who.send(c.method, c.path, c.body); r.status >= 300 {
				t.Fatalf("%d %s", r.status, r.body)
			}
			var got []string
			for _, login := range []string{"bob", "cyd", "dee"} {
				if r := w.ada.send("GET", "/repos/"+login+"/app", nil); r.status == 200 && r.at("fork") == true {
					got = append(got, fmt.Sprint(r.at("parent.full_name"), "<", login, "/app"))
				}
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestForksAtOnce: of many requests for the same fork one makes it.
func TestForksAtOnce(t *testing.T) {
	w := newWorld(t)
	var wait sync.WaitGroup
	ids := make([]any, 8)
	for i := range ids {
		wait.Go(func() { ids[i] = w.ada.send("POST", forks, nil).at("id") })
	}
	wait.Wait()
	if slices.Sort(asNumbers(ids)); len(slices.Compact(asNumbers(ids))) != 1 {
		t.Errorf("forks %v", ids)
	}
	if n := len(w.ada.want(200, "GET", forks, nil).names("", "name")); n != 1 {
		t.Errorf("%d forks", n)
	}
}

func asNumbers(all []any) []float64 {
	var out []float64
	for _, x := range all {
		n, _ := x.(float64)
		out = append(out, n)
	}
	return out
}

func TestMergeUpstream(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "")
	bob.want(202, "POST", forks, nil)
	const path = "/repos/bob/app/merge-upstream"
	put := func(repo, name, text string) {
		t.Helper()
		who := map[string]actor{"acme/app": w.ada, "bob/app": bob}[repo]
		body := map[string]any{"message": "m", "content": encode(text)}
		if r := who.send("GET", "/repos/"+repo+"/contents/"+name, nil); r.status == 200 {
			body["sha"] = r.at("sha")
		}
		if r := who.send("PUT", "/repos/"+repo+"/contents/"+name, body); r.status >= 300 {
			t.Fatalf("%d %s", r.status, r.body)
		}
	}
	main := map[string]any{"branch": "main"}
	r := bob.want(200, "POST", path, main)
	r.is("merge_type", "none")
	r.is("message", "This branch is not behind the upstream acme:main.")

	put("acme/app", "a", "1")
	before := w.seq()
	r = bob.want(200, "POST", path, main)
	r.is("merge_type", "fast-forward")
	r.is("base_branch", "acme:main")
	if diff := cmp.Diff([]string{"push"}, w.changes(before)); diff != "" || w.head("bob/app", "main") != w.head("acme/app", "main") {
		t.Errorf("after the fast-forward: %s", diff)
	}

	put("acme/app", "a", "2")
	put("bob/app", "b", "1")
	bob.want(200, "POST", path, main).is("merge_type", "merge")
	head := bob.want(200, "GET", "/repos/bob/app/commits/main", nil)
	head.is("commit.message", "Merge branch 'acme:main' into main")
	head.is("parents.1.sha", w.head("acme/app", "main"))

	put("acme/app", "a", "3")
	put("bob/app", "a", "4")
	at := w.head("bob/app", "main")
	bob.want(409, "POST", path, main)
	if w.head("bob/app", "main") != at {
		t.Error("a conflict moved the branch")
	}
	bob.want(422, "POST", path, map[string]any{"branch": "none"})
	bob.want(422, "POST", path, nil)
	w.ada.want(422, "POST", "/repos/acme/app/merge-upstream", main)
	w.ada.want(403, "POST", path, main)
}

// TestWorkflowsOfForks: what came with a fork is off until somebody enables it.
func TestWorkflowsOfForks(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"a", "b"} {
		w.ada.want(201, "PUT", contents+".github/workflows/"+name+".yml", map[string]any{"message": "m", "content": encode("on: workflow_dispatch\n")})
	}
	w.ada.want(202, "POST", forks, nil)
	const actions = "/repos/ada/app/actions"
	paths := []string{".github/workflows/a.yml", ".github/workflows/b.yml"}
	off := func(want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, w.admin.DisabledWorkflows("ada/app", paths...)); diff != "" {
			t.Error(diff)
		}
	}
	off(paths...)
	w.ada.want(200, "GET", actions+"/permissions", nil).is("enabled", false)
	w.ada.want(200, "GET", actions+"/workflows", nil).is("workflows.0.state", "disabled_fork")
	w.ada.want(422, "POST", actions+"/workflows/a.yml/dispatches", map[string]any{"ref": "main"})
	w.ada.want(204, "PUT", actions+"/workflows/a.yml/enable", nil)
	off(paths[1])
	w.ada.want(204, "POST", actions+"/workflows/a.yml/dispatches", map[string]any{"ref": "main"})
	w.ada.want(204, "PUT", actions+"/permissions", map[string]any{"enabled": true, "allowed_actions": "all"})
	off()
	w.ada.want(200, "GET", actions+"/permissions", nil).is("allowed_actions", "all")
	w.ada.want(204, "PUT", actions+"/permissions", map[string]any{"enabled": false})
	off(paths...)
	w.ada.want(422, "POST", actions+"/workflows/a.yml/dispatches", map[string]any{"ref": "main"})
	w.ada.want(422, "PUT", actions+"/permissions", nil)
	w.ada.want(501, "PUT", actions+"/permissions", map[string]any{"enabled": true, "allowed_actions": "selected"})
	w.user("bob", "write").want(403, "GET", "/repos/acme/app/actions/permissions", nil)
	if got := w.admin.DisabledWorkflows("acme/app", paths...); got != nil {
		t.Errorf("in the parent %v are off", got)
	}
}
