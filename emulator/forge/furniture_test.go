package forge_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAssignees(t *testing.T) {
	w := newWorld(t)
	bob, eve := w.user("bob", "write"), w.user("eve", "read")
	w.user("tri", "triage")
	if got := w.ada.want(200, "GET", "/repos/acme/app/assignees", nil).names("", "login"); !slices.Equal(got, []string{"ada", "bob"}) {
		t.Errorf("assignable are %v", got)
	}
	w.ada.want(204, "GET", "/repos/acme/app/assignees/BOB", nil)
	w.ada.want(404, "GET", "/repos/acme/app/assignees/eve", nil)
	before := w.seq()
	w.ada.want(201, "POST", issues, map[string]any{"title": "x", "assignees": []string{"bob"}}).is("assignee.login", "bob")
	if diff := cmp.Diff([]string{"issues.opened", "issues.assigned"}, w.changes(before)); diff != "" {
		t.Error(diff)
	}
	if e := w.lastEntry("issues.assigned"); payload(t, e, "assignee.login") != "bob" || payload(t, e, "issue.assignees.0.login") != "bob" {
		t.Errorf("event: %s", e.Payload)
	}
	const one = issues + "/1"
	w.ada.want(422, "POST", issues, map[string]any{"title": "x", "assignees": []string{"eve"}})
	w.ada.want(404, "GET", one+"/assignees/eve", nil)
	eve.want(201, "POST", one+"/comments", map[string]any{"body": "mine"})
	w.ada.want(204, "GET", one+"/assignees/eve", nil)
	// Who may not triage, and who cannot be assigned, is left out without a word.
	eve.want(201, "POST", one+"/assignees", map[string]any{"assignees": []string{"eve"}}).is("assignees.1", nil)
	bob.want(201, "POST", one+"/assignees", map[string]any{"assignees": []string{"eve", "tri", "nobody", "bob"}}).is("assignees.1.login", "eve")
	if got := w.ada.want(200, "GET", issues+"?assignee=eve", nil).names("", "title"); len(got) != 1 {
		t.Errorf("issues of eve: %v", got)
	}
	for query, n := range map[string]int{"assignee=none": 0, "assignee=*": 1, "assignee=ada": 0, "mentioned=ada": 0} {
		if got := w.ada.want(200, "GET", issues+"?"+query, nil).names("", "title"); len(got) != n {
			t.Errorf("%s: %v", query, got)
		}
	}
	bob.want(200, "DELETE", one+"/assignees", map[string]any{"assignees": []string{"bob"}}).is("assignees.0.login", "eve")
	w.ada.want(200, "PATCH", one, map[string]any{"assignees": []string{}}).is("assignee", nil)
	w.ada.want(200, "PATCH", one, map[string]any{"assignee": "ada"}).is("assignee.login", "ada")
}

func TestMilestones(t *testing.T) {
	w := newWorld(t)
	bob, tri := w.user("bob", "read"), w.user("tri", "triage")
	const milestones = "/repos/acme/app/milestones"
	before := w.seq()
	m := w.ada.want(201, "POST", milestones, map[string]any{"title": "1.0", "due_on": "2030-01-02T00:00:00Z"})
	for path, want := range map[string]any{"number": 1.0, "state": "open", "due_on": "2030-01-02T00:00:00Z", "closed_at": nil, "open_issues": 0.0, "creator.login": "ada"} {
		m.is(path, want)
	}
	w.ada.want(422, "POST", milestones, map[string]any{"title": "1.0"}).is("errors.0.code", "already_exists")
	w.ada.want(422, "POST", milestones, map[string]any{})
	tri.want(403, "POST", milestones, map[string]any{"title": "2.0"})
	w.ada.want(201, "POST", issues, map[string]any{"title": "x", "milestone": 1, "labels": []string{"bug"}}).is("milestone.title", "1.0")
	w.ada.want(422, "POST", issues, map[string]any{"title": "x", "milestone": 9}).is("errors.0.field", "milestone")
	bob.want(201, "POST", issues, map[string]any{"title": "y", "milestone": 1}).is("milestone", nil)
	bob.want(403, "PATCH", issues+"/2", map[string]any{"milestone": 1})
	tri.want(200, "PATCH", issues+"/2", map[string]any{"milestone": 1}).is("milestone.open_issues", 2.0)
	w.ada.want(200, "PATCH", issues+"/2", map[string]any{"state": "closed"}).is("milestone.closed_issues", 1.0)
	for query, n := range map[string]int{"milestone=1&state=all": 2, "milestone=none&state=all": 0, "milestone=*": 1} {
		if got := w.ada.want(200, "GET", issues+"?"+query, nil).names("", "title"); len(got) != n {
			t.Errorf("%s: %v", query, got)
		}
	}
	w.ada.want(422, "GET", issues+"?milestone=x", nil)
	if got := w.ada.want(200, "GET", milestones+"/1/labels", nil).names("", "name"); !slices.Equal(got, []string{"bug"}) {
		t.Errorf("labels are %v", got)
	}
	w.ada.want(200, "PATCH", issues+"/1", map[string]any{"title": "x"}).is("milestone.number", 1.0)
	w.ada.want(200, "PATCH", issues+"/1", map[string]any{"milestone": nil}).is("milestone", nil)
	w.ada.want(422, "PATCH", issues+"/1", map[string]any{"milestone": "soon"})
	w.ada.want(200, "PATCH", milestones+"/1", map[string]any{"title": "1.1", "state": "closed"}).is("title", "1.1")
	w.ada.want(204, "DELETE", milestones+"/1", nil)
	w.ada.want(200, "GET", issues+"/2", nil).is("milestone", nil)
	w.ada.want(201, "POST", milestones, map[string]any{"title": "1.0"}).is("number", 2.0)
	want := []string{"milestone.created", "issues.opened", "issues.labeled", "issues.milestoned", "issues.opened", "issues.milestoned", "issues.closed",
		"issues.demilestoned", "milestone.edited", "milestone.closed", "milestone.deleted", "milestone.created"}
	if diff := cmp.Diff(want, w.changes(before)); diff != "" {
		t.Error(diff)
	}
}

func TestReactions(t *testing.T) {
	w := newWorld(t)
	bob, eve := w.user("bob", "read"), w.user("eve", "read")
	w.ada.want(201, "POST", issues, map[string]any{"title": "x"})
	w.ada.want(201, "POST", issues+"/1/comments", map[string]any{"body": "y"})
	for _, of := range []string{issues + "/1", issues + "/comments/1"} {
		id := fmt.Sprint(bob.want(201, "POST", of+"/reactions", map[string]any{"content": "+1"}).at("id"))
		bob.want(200, "POST", of+"/reactions", map[string]any{"content": "+1"})
		bob.want(201, "POST", of+"/reactions", map[string]any{"content": "eyes"})
		eve.want(201, "POST", of+"/reactions", map[string]any{"content": "+1"})
		bob.want(422, "POST", of+"/reactions", map[string]any{"content": "clap"})
		r := w.ada.want(200, "GET", of, nil)
		r.is("reactions.total_count", 3.0)
		r.is("reactions.+1", 2.0)
		if got := w.ada.want(200, "GET", of+"/reactions?content=%2B1", nil).names("", "user.login"); !slices.Equal(got, []string{"bob", "eve"}) {
			t.Errorf("%s: +1 of %v", of, got)
		}
		eve.want(404, "DELETE", of+"/reactions/"+id, nil)
		bob.want(204, "DELETE", of+"/reactions/"+id, nil)
		bob.want(404, "DELETE", of+"/reactions/"+id, nil)
		w.ada.want(200, "GET", of, nil).is("reactions.total_count", 2.0)
	}
}

func TestLockedIssue(t *testing.T) {
	w := newWorld(t)
	bob, eve := w.user("bob", "write"), w.user("eve", "read")
	eve.want(201, "POST", issues, map[string]any{"title": "x"})
	eve.want(403, "PUT", issues+"/1/lock", nil)
	w.ada.want(422, "PUT", issues+"/1/lock", map[string]any{"lock_reason": "bored"})
	w.ada.want(204, "PUT", issues+"/1/lock", map[string]any{"lock_reason": "too heated"})
	r := w.ada.want(200, "GET", issues+"/1", nil)
	r.is("locked", true)
	r.is("active_lock_reason", "too heated")
	eve.want(403, "POST", issues+"/1/comments", map[string]any{"body": "x"}).is("message", "Unable to create comment because issue is locked.")
	eve.want(403, "POST", issues+"/1/reactions", map[string]any{"content": "eyes"})
	bob.want(201, "POST", issues+"/1/comments", map[string]any{"body": "x"})
	w.ada.want(204, "DELETE", issues+"/1/lock", nil)
	eve.want(201, "POST", issues+"/1/comments", map[string]any{"body": "x"})
	w.ada.want(200, "GET", issues+"/1", nil).is("active_lock_reason", nil)
}

func TestTimeline(t *testing.T) {
	w := newWorld(t)
	w.ada.want(201, "POST", issues, map[string]any{"title": "x", "labels": []string{"bug"}, "assignees": []string{"ada"}})
	w.ada.want(201, "POST", issues+"/1/comments", map[string]any{"body": "Hm."})
	w.ada.want(200, "PATCH", issues+"/1", map[string]any{"title": "y", "body": "z"})
	w.ada.want(200, "PATCH", issues+"/1", map[string]any{"state": "closed", "state_reason": "not_planned"})
	w.ada.want(204, "PUT", issues+"/1/lock", map[string]any{"lock_reason": "spam"})
	w.ada.want(201, "POST", issues, map[string]any{"title": "quiet"})
	events := w.ada.want(200, "GET", issues+"/1/events", nil)
	if diff := cmp.Diff([]string{"labeled", "assigned", "renamed", "closed", "locked"}, events.names("", "event")); diff != "" {
		t.Error(diff)
	}
	for path, want := range map[string]any{"0.label.name": "bug", "0.actor.login": "ada", "1.assignee.login": "ada", "1.assigner.login": "ada",
		"2.rename.from": "x", "2.rename.to": "y", "4.lock_reason": "spam"} {
		events.is(path, want)
	}
	line := w.ada.want(200, "GET", issues+"/1/timeline", nil)
	line.is("1.assignee.login", "ada")
	if got := line.names("", "event"); len(got) != 6 || !slices.Contains(got, "commented") {
		t.Errorf("timeline is %v", got)
	}
	all := w.ada.want(200, "GET", issues+"/events", nil)
	all.is("0.event", "locked")
	all.is("0.issue.number", 1.0)
	w.ada.want(200, "GET", issues+"/events/1", nil).is("event", "labeled")
	w.ada.want(404, "GET", issues+"/events/99", nil)
	if got := w.ada.want(200, "GET", issues+"/2/events", nil).names("", "event"); len(got) != 0 {
		t.Errorf("a new issue has the events %v", got)
	}
}
