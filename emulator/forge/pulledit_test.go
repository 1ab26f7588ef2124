package forge_test

import (
	"strings"
	"testing"
)

// TestPullTwins: there is one open pull request between two branches, however the second would come about.
func TestPullTwins(t *testing.T) {
	w := newWorld(t)
	w.branch("dev")
	w.openPull("feature")
	w.ada.want(201, "POST", pulls, map[string]any{"title": "x", "head": "feature", "base": "dev"})
	w.ada.want(422, "PATCH", pulls+"/1", map[string]any{"base": "dev"}).is("errors.0.message",
		"A pull request already exists for base branch 'dev' and head branch 'feature'")
	w.ada.want(200, "PATCH", pulls+"/1", map[string]any{"state": "closed"})
	w.ada.want(422, "PATCH", pulls+"/1", map[string]any{"base": "dev"}).is("errors.0.message", "Cannot change the base branch of a closed pull request.")
	w.ada.want(201, "POST", pulls, map[string]any{"title": "again", "head": "feature", "base": "main"})
	w.ada.want(422, "PATCH", pulls+"/1", map[string]any{"state": "open"}).is("errors.0.message",
		"state cannot be changed. There is already an open pull request from acme:feature to main.")
}

// TestPullOfNothing: a head that is put back to its base closes the pull request, which is not merged.
func TestPullOfNothing(t *testing.T) {
	w := newWorld(t)
	w.openPull("feature")
	w.ada.want(200, "PATCH", "/repos/acme/app/git/refs/heads/feature", map[string]any{"sha": w.mainHead(), "force": true})
	r := w.ada.want(200, "GET", pulls+"/1", nil)
	r.is("state", "closed")
	r.is("merged", false)
}

// TestPullOfAnothersIssue: who may not tend an issue makes no pull request of it.
func TestPullOfAnothersIssue(t *testing.T) {
	w := newWorld(t)
	w.ada.want(201, "POST", issues, map[string]any{"title": "It breaks"})
	bob := w.user("bob", "")
	bob.want(202, "POST", forks, nil)
	bob.want(201, "PUT", "/repos/bob/app/contents/a.txt", map[string]any{"message": "m", "content": "eA=="})
	in := map[string]any{"issue": 1, "head": "bob:main", "base": "main"}
	bob.want(404, "POST", pulls, in)
	w.ada.want(201, "POST", pulls, in).is("title", "It breaks")
}

func TestPullListOrders(t *testing.T) {
	w := newWorld(t)
	w.openPull("one")
	w.openPull("two")
	w.ada.want(201, "POST", issues+"/1/comments", map[string]any{"body": "x"})
	for query, want := range map[string]string{"?sort=popularity": "Add two,Add one", "?sort=popularity&direction=desc": "Add one,Add two", "?sort=long-running": ""} {
		if got := strings.Join(w.ada.want(200, "GET", pulls+query, nil).names("", "title"), ","); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	w.ada.want(200, "POST", issues+"/1/labels", map[string]any{"labels": []string{"bug"}})
	if got := w.lastEntry("pull_request.labeled").Detail["label"]; got != "bug" {
		t.Errorf("label = %q", got)
	}
}

// TestHeadsThatAMergeKeeps: a protected branch, the default branch, and a branch that only is called as a fork's head.
func TestHeadsThatAMergeKeeps(t *testing.T) {
	w := newWorld(t)
	w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{"delete_branch_on_merge": true})
	w.ada.want(201, "POST", issues, map[string]any{"title": "It breaks"})
	w.branch("dev")
	w.branch("topic")
	w.write("topic", "t.txt", "t\n")
	w.ada.want(200, "PUT", "/repos/acme/app/branches/topic/protection", map[string]any{"required_status_checks": nil, "enforce_admins": nil,
		"required_pull_request_reviews": nil, "restrictions": nil, "allow_deletions": true})
	w.write("main", "m.txt", "m\n")
	bob := w.user("bob", "")
	bob.want(202, "POST", forks, nil)
	bob.want(201, "PUT", "/repos/bob/app/contents/a.txt", map[string]any{"message": "m", "branch": "dev", "content": "eA=="})
	for _, x := range []struct{ head, base, at string }{{"topic", "main", "2"}, {"main", "dev", "3"}, {"bob:dev", "main", "4"}} {
		w.ada.want(201, "POST", pulls, map[string]any{"title": "x", "body": map[bool]string{true: "Fixes #1"}[x.base == "dev"], "head": x.head, "base": x.base})
		w.ada.want(200, "PUT", pulls+"/"+x.at+"/merge", nil)
		if x.base == "dev" { // is not the default branch
			w.ada.want(200, "GET", issues+"/1", nil).is("state", "open")
		}
	}
	for _, branch := range []string{"topic", "main", "dev"} {
		w.head("acme/app", branch)
	}
}
