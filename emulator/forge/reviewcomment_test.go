package forge_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPendingReviewIsSilent: what its author changes in it nobody hears of, and what he throws away is gone.
func TestPendingReviewIsSilent(t *testing.T) {
	w := newWorld(t)
	head := w.openPull("feature")
	bob := w.user("bob", "write")
	line := map[string]any{"path": "feature.txt", "line": 2, "body": "Why two?"}
	after := w.seq()
	bob.want(422, "POST", reviews, map[string]any{"comments": []any{map[string]any{"path": "feature.txt", "line": 2, "body": " "}}}).
		is("errors.0", "Pull request review comment body is blank or too long")
	bob.want(422, "POST", reviews, map[string]any{"event": "COMMENT", "body": strings.Repeat("x", 65537)})
	bob.want(200, "POST", reviews, map[string]any{"body": "first", "comments": []any{line}})
	bob.want(200, "PUT", reviews+"/1", map[string]any{"body": "second"}).is("body", "second")
	bob.want(422, "POST", pulls+"/1/comments", map[string]any{"body": "x", "commit_id": head, "path": "feature.txt", "line": 1}).is("errors.0.field", "user_id")
	w.ada.want(200, "GET", pulls+"/1", nil).is("review_comments", 0.0)
	bob.want(200, "DELETE", reviews+"/1", nil)
	bob.want(200, "GET", pulls+"/1/comments", nil).is("0", nil)
	if got := w.changes(after); got != nil {
		t.Errorf("a pending review changed %v", got)
	}
	bob.want(200, "POST", reviews, map[string]any{"body": "first"})
	bob.want(200, "POST", reviews+"/2/events", map[string]any{"event": "COMMENT", "body": "second"}).is("body", "second")
	bob.want(200, "POST", reviews, map[string]any{"event": "APPROVE"})
	w.user("eve", "read").want(403, "PUT", reviews+"/3/dismissals", map[string]any{"message": "no"})
}

func TestLineCommentsAreHeardOf(t *testing.T) {
	w := newWorld(t)
	head := w.openPull("feature")
	w.ada.want(201, "POST", pulls+"/1/comments", map[string]any{"body": "x", "commit_id": head, "path": "feature.txt", "line": 1})
	w.ada.want(200, "GET", pulls+"/1/comments?since=2999-01-01T00:00:00Z", nil).is("0", nil)
	w.user("eve", "read").want(403, "PATCH", pulls+"/comments/1", map[string]any{"body": "y"})
	after := w.seq()
	w.ada.want(200, "PATCH", pulls+"/comments/1", map[string]any{"body": "y"})
	w.ada.want(204, "DELETE", pulls+"/comments/1", nil)
	want := []string{"pull_request_review_comment.edited", "pull_request_review_comment.deleted"}
	if got := w.changes(after); !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	if got := payload(t, w.lastEntry(want[0]), "changes.body.from"); got != "x" {
		t.Errorf("it was %v", got)
	}
}
