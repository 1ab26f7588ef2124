package forge_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const reviews = pulls + "/1/reviews"

func TestReviews(t *testing.T) {
	w := newWorld(t)
	head := w.openPull("feature")
	bob := w.user("bob", "write")
	after := w.seq()
	w.ada.want(422, "POST", reviews, map[string]any{"event": "APPROVE"}).is("errors.0", "Can not approve your own pull request")
	w.ada.want(422, "POST", reviews, map[string]any{"event": "REQUEST_CHANGES", "body": "x"}).is("errors.0", "Can not request changes on your own pull request")
	bob.want(422, "POST", reviews, map[string]any{"event": "COMMENT"}).is("errors.0", "Body can't be blank")
	bob.want(422, "POST", reviews, map[string]any{"event": "REQUEST_CHANGES", "body": " "}).is("errors.0", "Body can't be blank")
	bob.want(422, "POST", reviews, map[string]any{"event": "LIKE", "body": "x"}).at("errors.0")
	bob.want(422, "POST", reviews, map[string]any{"event": "APPROVE", "commit_id": strings.Repeat("1", 40)}).is("errors.0", "The commitOID is not part of the pull request")
	if got := w.changes(after); got != nil {
		t.Errorf("refused reviews changed %v", got)
	}
	r := bob.want(200, "POST", reviews, map[string]any{"event": "APPROVE"})
	for path, want := range map[string]any{"id": 1.0, "state": "APPROVED", "user.login": "bob", "body": "", "commit_id": head, "author_association": "COLLABORATOR",
		"html_url": w.forge.URL() + "/acme/app/pull/1#pullrequestreview-1", "pull_request_url": w.forge.URL() + "/api/v3/repos/acme/app/pulls/1"} {
		r.is(path, want)
	}
	bob.want(200, "PUT", reviews+"/1", map[string]any{"body": "Fine"}).is("body", "Fine")
	w.user("eve", "read").want(403, "PUT", reviews+"/1", map[string]any{"body": "Bad"})
	bob.want(422, "DELETE", reviews+"/1", nil).is("errors.0", "Can not delete a non-pending pull request review")
	bob.want(200, "POST", reviews, map[string]any{"event": "COMMENT", "body": "One more"})
	w.ada.want(422, "PUT", reviews+"/2/dismissals", map[string]any{"message": "no"}).is("errors.0", "Can not dismiss a commented pull request review")
	w.ada.want(422, "PUT", reviews+"/1/dismissals", map[string]any{"message": ""})
	w.ada.want(200, "PUT", reviews+"/1/dismissals", map[string]any{"message": "It is stale"}).is("state", "DISMISSED")
	w.ada.want(422, "PUT", reviews+"/1/dismissals", map[string]any{"message": "again"})
	want := []string{"pull_request_review.submitted", "pull_request_review.edited", "member.added", "pull_request_review.submitted", "pull_request_review.dismissed"}
	if got := w.changes(after); !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	e := w.lastEntry("pull_request_review.dismissed")
	for path, want := range map[string]any{"review.state": "dismissed", "pull_request.number": 1.0, "pull_request.merged": nil, "sender.login": "ada", "review.body": "Fine"} {
		if got := payload(t, e, path); got != want {
			t.Errorf("payload %s = %v, want %v", path, got, want)
		}
	}
	if e.Detail["event"] != "pull_request_review" || e.Detail["ref"] != "refs/pull/1/merge" || e.Detail["sha"] == "" || e.Detail["paths"] != "feature.txt" {
		t.Errorf("detail = %v", e.Detail)
	}
	if got := w.ada.want(200, "GET", reviews, nil).names("", "state"); !cmp.Equal(got, []string{"DISMISSED", "COMMENTED"}) {
		t.Errorf("states = %v", got)
	}
}

func TestPendingReviewIsItsAuthorsOwn(t *testing.T) {
	w := newWorld(t)
	w.openPull("feature")
	bob := w.user("bob", "write")
	line := map[string]any{"path": "feature.txt", "line": 2, "body": "Why two?"}
	after := w.seq()
	r := bob.want(200, "POST", reviews, map[string]any{"comments": []any{line}})
	r.is("state", "PENDING")
	r.is("submitted_at", nil)
	bob.want(422, "POST", reviews, map[string]any{"event": "APPROVE"}).is("errors.0", "User can only have one pending review per pull request")
	w.ada.want(404, "GET", reviews+"/1", nil)
	w.ada.want(404, "GET", reviews+"/1/comments", nil)
	w.ada.want(404, "GET", pulls+"/comments/1", nil)
	if got := w.ada.want(200, "GET", reviews, nil).names("", "state"); got != nil {
		t.Errorf("ada sees %v", got)
	}
	if got := w.ada.want(200, "GET", pulls+"/1/comments", nil).names("", "body"); got != nil {
		t.Errorf("ada sees %v", got)
	}
	bob.want(200, "GET", reviews+"/1/comments", nil).is("0.body", "Why two?")
	if got := w.changes(after); got != nil {
		t.Errorf("a pending review changed %v", got)
	}
	bob.want(422, "POST", reviews+"/1/events", map[string]any{"body": "x"}).at("errors.0")
	bob.want(200, "POST", reviews+"/1/events", map[string]any{"event": "REQUEST_CHANGES", "body": "No"}).is("state", "CHANGES_REQUESTED")
	bob.want(422, "POST", reviews+"/1/events", map[string]any{"event": "APPROVE"})
	want := []string{"pull_request_review.submitted", "pull_request_review_comment.created"}
	if got := w.changes(after); !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	w.ada.want(200, "GET", pulls+"/comments/1", nil).is("pull_request_review_id", 1.0)
	bob.want(200, "POST", reviews, map[string]any{"body": "later"})
	bob.want(200, "DELETE", reviews+"/2", nil).is("body", "later")
	bob.want(404, "GET", reviews+"/2", nil)
}

func TestLineComments(t *testing.T) {
	w := newWorld(t)
	base := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n"
	w.write("main", "n.txt", base)
	w.branch("feature")
	head := w.write("feature", "n.txt", strings.Replace(base, "6\n", "six\n", 1))
	w.ada.want(201, "POST", pulls, map[string]any{"title": "x", "head": "feature", "base": "main"})
	at := pulls + "/1/comments"
	say := func(status int, more map[string]any) reply {
		t.Helper()
		body := map[string]any{"body": "Hm", "commit_id": head, "path": "n.txt"}
		for k, v := range more {
			body[k] = v
		}
		return w.ada.want(status, "POST", at, body)
	}
	after := w.seq()
	r := say(422, map[string]any{"line": 12})
	r.is("errors.0.message", "pull_request_review_thread.line must be part of the diff")
	r.is("errors.0.resource", "PullRequestReviewComment")
	r.is("errors.1.field", "pull_request_review_thread.diff_hunk")
	say(422, map[string]any{"line": 6, "path": "x.txt"}).is("errors.0.field", "pull_request_review_thread.path")
	say(422, map[string]any{"line": 6, "side": "UP"}).is("errors.0.field", "pull_request_review_thread.side")
	say(422, map[string]any{"line": 6, "start_line": 7}).is("errors.0.field", "pull_request_review_thread.start_line")
	say(422, map[string]any{}).is("errors.0.field", "pull_request_review_thread.line")
	say(422, map[string]any{"line": 6, "commit_id": strings.Repeat("1", 40)}).is("errors.0.field", "commit_id")
	w.ada.want(422, "POST", reviews, map[string]any{"event": "COMMENT", "comments": []any{map[string]any{"path": "n.txt", "line": 1, "body": "x"}}}).
		is("errors.0", "Pull request review thread line must be part of the diff and Pull request review thread diff hunk can't be blank")
	if got := w.changes(after); got != nil {
		t.Errorf("refused comments changed %v", got)
	}
	r = say(201, map[string]any{"line": 6})
	for path, want := range map[string]any{"line": 6.0, "side": "RIGHT", "position": 5.0, "original_position": 5.0, "start_line": nil, "start_side": nil,
		"commit_id": head, "original_commit_id": head, "subject_type": "line", "diff_hunk": "@@ -3,7 +3,7 @@\n 3\n 4\n 5\n-6\n+six"} {
		r.is(path, want)
	}
	say(201, map[string]any{"line": 8, "start_line": 6, "side": "RIGHT"}).is("start_side", "RIGHT")
	say(201, map[string]any{"line": 6, "side": "LEFT"}).is("position", 4.0)
	say(201, map[string]any{"position": 5}).is("line", 6.0)
	say(201, map[string]any{"subject_type": "file"}).is("line", nil)
	say(201, map[string]any{"in_reply_to": 1}).is("in_reply_to_id", 1.0)
	say(422, map[string]any{"in_reply_to": 6})
	w.ada.want(201, "POST", at+"/1/replies", map[string]any{"body": "Because"}).is("line", 6.0)
	w.ada.want(404, "POST", at+"/99/replies", map[string]any{"body": "Because"})
	w.ada.want(200, "GET", pulls+"/1", nil).is("review_comments", 7.0)
	w.ada.want(200, "PATCH", pulls+"/comments/1", map[string]any{"body": "Hmm"}).is("body", "Hmm")
	w.user("eve", "read").want(403, "DELETE", pulls+"/comments/1", nil)
	w.ada.want(204, "DELETE", pulls+"/comments/7", nil)
	w.ada.want(404, "GET", pulls+"/comments/7", nil)
	w.ada.want(200, "GET", at+"?sort=created&direction=desc", nil).is("0.id", 6.0)
	w.ada.want(200, "GET", pulls+"/comments", nil).is("0.id", 1.0)
}

func TestLineCommentsAfterAPush(t *testing.T) {
	w := newWorld(t)
	base := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n"
	w.write("main", "n.txt", base)
	w.branch("feature")
	text := strings.Replace(base, "6\n", "six\n", 1)
	head := w.write("feature", "n.txt", text)
	w.ada.want(201, "POST", pulls, map[string]any{"title": "x", "head": "feature", "base": "main"})
	say := func(line int, side string) {
		w.ada.want(201, "POST", pulls+"/1/comments", map[string]any{"body": "Hm", "commit_id": head, "path": "n.txt", "line": line, "side": side})
	}
	say(6, "RIGHT")
	say(7, "RIGHT")
	say(6, "LEFT")
	next := w.write("feature", "n.txt", strings.Replace(text, "1\n", "0\n1\n", 1))
	r := w.ada.want(200, "GET", pulls+"/1/comments", nil)
	r.is("0.line", 7.0)
	r.is("0.original_line", 6.0)
	r.is("0.commit_id", next)
	r.is("0.original_commit_id", head)
	r.is("2.line", 6.0)
	last := w.write("feature", "n.txt", strings.Replace(text, "six\n", "VI\n", 1))
	r = w.ada.want(200, "GET", pulls+"/1/comments", nil)
	r.is("0.line", nil)
	r.is("0.position", nil)
	r.is("0.original_line", 6.0)
	r.is("0.commit_id", next)
	r.is("1.line", 7.0)
	r.is("1.commit_id", last)
}

func TestReviewRequests(t *testing.T) {
	w := newWorld(t)
	w.openPull("feature")
	bob, eve := w.user("bob", "read"), w.user("eve", "")
	at := pulls + "/1/requested_reviewers"
	ask := func(logins ...string) map[string]any { return map[string]any{"reviewers": logins} }
	after := w.seq()
	w.ada.want(422, "POST", at, ask("ada")).is("message", "Review cannot be requested from pull request author.")
	if got := w.ada.want(422, "POST", at, ask("bob", "eve")).at("message").(string); !strings.HasPrefix(got, "Reviews may only be requested from collaborators.") {
		t.Errorf("message = %q", got)
	}
	w.ada.want(422, "POST", at, ask("nobody"))
	eve.want(403, "POST", at, ask("bob"))
	w.ada.want(422, "POST", at, map[string]any{"team_reviewers": []string{"core"}})
	if got := w.changes(after); got != nil {
		t.Errorf("refused requests changed %v", got)
	}
	w.ada.want(201, "POST", at, ask("BOB")).is("requested_reviewers.0.login", "bob")
	w.ada.want(201, "POST", at, ask("bob"))
	w.ada.want(200, "GET", at, nil).is("users.0.login", "bob")
	w.ada.want(200, "DELETE", at, ask("bob")).is("requested_reviewers.0", nil)
	w.ada.want(201, "POST", at, ask("bob"))
	bob.want(200, "POST", reviews, map[string]any{"event": "APPROVE"})
	w.ada.want(200, "GET", pulls+"/1", nil).is("requested_reviewers.0", nil)
	want := []string{"pull_request.review_requested", "pull_request.review_request_removed", "pull_request.review_requested", "pull_request_review.submitted"}
	if got := w.changes(after); !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	if got := payload(t, w.lastEntry("pull_request.review_requested"), "requested_reviewer.login"); got != "bob" {
		t.Errorf("requested reviewer = %v", got)
	}
}

// TestTeamReviewers asks teams for reviews: those that have the repository can be asked, and a review by one of their
// people, or of a team below, answers.
// https://docs.github.com/en/rest/pulls/review-requests
func TestTeamReviewers(t *testing.T) {
	w := newWorld(t)
	w.openPull("feature")
	const at, teams = pulls + "/1/requested_reviewers", "/orgs/acme/teams"
	bob, cyd := w.user("bob", ""), w.user("cyd", "read")
	must(t, w.admin.SetOrgRole("acme", "bob", "read"))
	for _, body := range []map[string]any{{"name": "Core", "privacy": "closed"}, {"name": "Docs"}, {"name": "Parts", "parent_team_id": 1, "privacy": "closed"}} {
		w.ada.want(201, "POST", teams, body)
	}
	ask := func(slugs ...string) map[string]any { return map[string]any{"team_reviewers": slugs} }
	after := w.seq()
	w.ada.want(422, "POST", at, ask("docs"))
	w.ada.want(204, "PUT", teams+"/core/repos/acme/app", map[string]any{"permission": "pull"})
	w.ada.want(204, "PUT", teams+"/docs/repos/acme/app", map[string]any{"permission": "pull"})
	w.ada.want(422, "POST", at, ask("core", "nobody"))
	cyd.want(403, "POST", at, ask("core"))
	both := w.ada.want(201, "POST", at, map[string]any{"team_reviewers": []string{"core", "docs", "core"}, "reviewers": []string{"cyd"}})
	both.is("requested_teams.0.slug", "core")
	both.is("requested_teams.1.slug", "docs")
	both.is("requested_reviewers.0.login", "cyd")
	w.ada.want(200, "GET", at, nil).is("teams.1.name", "Docs")
	if got := payload(t, w.lastEntry("pull_request.review_requested"), "requested_team.slug"); got != "docs" {
		t.Errorf("requested team = %v", got)
	}
	w.ada.want(200, "DELETE", at, map[string]any{"reviewers": []string{}, "team_reviewers": []string{"docs"}}).is("requested_teams.1", nil)
	if got := payload(t, w.lastEntry("pull_request.review_request_removed"), "requested_team.slug"); got != "docs" {
		t.Errorf("team asked no more = %v", got)
	}
	cyd.want(200, "POST", reviews, map[string]any{"event": "COMMENT", "body": "Well"}) // is in no team
	w.ada.want(200, "GET", at, nil).is("teams.0.slug", "core")
	w.ada.want(200, "PUT", teams+"/parts/memberships/bob", nil)
	bob.want(200, "POST", reviews, map[string]any{"event": "APPROVE"})
	w.ada.want(200, "GET", pulls+"/1", nil).is("requested_teams.0", nil)
	w.ada.want(201, "POST", at, ask("docs"))
	w.ada.want(204, "DELETE", teams+"/docs", nil)
	w.ada.want(200, "GET", at, nil).is("teams.0", nil)
	var asked []string
	for _, typ := range w.changes(after) {
		if strings.HasPrefix(typ, "pull_request.") {
			asked = append(asked, typ)
		}
	}
	want := []string{"pull_request.review_requested", "pull_request.review_requested", "pull_request.review_requested", "pull_request.review_request_removed", "pull_request.review_requested"}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
}
