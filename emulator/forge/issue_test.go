package forge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const issues = "/repos/acme/app/issues"

func TestIssueLife(t *testing.T) {
	w := newWorld(t)
	w.admin.Mark("step:1")
	after := w.seq()
	r := w.ada.want(201, "POST", issues, map[string]any{"title": "It breaks", "body": "Badly", "labels": []string{"bug", "new"}})
	r.is("number", 1.0)
	r.is("state", "open")
	r.is("user.login", "ada")
	r.is("author_association", "MEMBER")
	r.is("html_url", w.forge.URL()+"/acme/app/issues/1")
	if got := r.names("labels", "name"); !cmp.Equal(got, []string{"bug", "new"}) {
		t.Errorf("labels = %v", got)
	}
	want := []string{"label.created", "issues.opened", "issues.labeled", "issues.labeled"}
	if got := w.changes(after); !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	after = w.seq()
	w.ada.want(200, "PATCH", issues+"/1", map[string]any{"title": "It breaks a lot", "labels": []string{"bug"}, "state": "closed", "state_reason": "not_planned"}).is("state_reason", "not_planned")
	w.ada.want(200, "PATCH", issues+"/1", map[string]any{"state": "open"}).is("closed_at", nil)
	want = []string{"issues.edited", "issues.unlabeled", "issues.closed", "issues.reopened"}
	if got := w.changes(after); !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	w.ada.want(404, "GET", issues+"/2", nil)
	w.ada.want(404, "GET", issues+"/x", nil)
	w.ada.want(422, "POST", issues, map[string]any{"title": " "}).is("errors.0.field", "title")
	w.ada.want(422, "PATCH", issues+"/1", map[string]any{"state": "done"}).is("errors.0.field", "state")
}

func TestIssueEvent(t *testing.T) {
	w := newWorld(t)
	head := w.ada.want(200, "GET", "/repos/acme/app/git/ref/heads/main", nil).at("object.sha")
	w.ada.want(201, "POST", issues, map[string]any{"title": "x"})
	w.admin.Mark("step:7")
	w.ada.want(200, "POST", issues+"/1/labels", map[string]any{"labels": []string{"ready"}})
	e := w.lastEntry("issues.labeled")
	if e.Cause != "step:7" || e.Actor != "ada" || e.Subject != "acme/app#1" {
		t.Errorf("entry = %+v", e)
	}
	if d := cmp.Diff(map[string]string{"repo": "acme/app", "event": "issues", "action": "labeled", "label": "ready", "ref": "refs/heads/main", "sha": head.(string)}, e.Detail); d != "" {
		t.Errorf("detail (-want +got):\n%s", d)
	}
	for path, want := range map[string]any{
		"action": "labeled", "label.name": "ready", "issue.number": 1.0, "issue.labels.0.name": "ready", "issue.user.login": "ada",
		"issue.author_association": "MEMBER", "sender.login": "ada", "sender.type": "User", "repository.full_name": "acme/app",
		"repository.default_branch": "main", "repository.owner.type": "Organization", "organization.login": "acme",
		"issue.url": w.forge.URL() + "/api/v3/repos/acme/app/issues/1",
	} {
		if got := payload(t, e, path); got != want {
			t.Errorf("payload %s = %v, want %v", path, got, want)
		}
	}
}

func TestIssueLabels(t *testing.T) {
	w := newWorld(t)
	w.ada.want(201, "POST", issues, map[string]any{"title": "x"})
	at := issues + "/1/labels"
	w.ada.want(200, "POST", at, []string{"bug", "BUG", "a/b c"})
	after := w.seq()
	w.ada.want(200, "POST", at, map[string]any{"labels": []string{"bug"}})
	if got := w.changes(after); len(got) != 0 {
		t.Errorf("a label that is there made %v", got)
	}
	if got := w.ada.want(200, "GET", at, nil).names("", "name"); !cmp.Equal(got, []string{"bug", "a/b c"}) {
		t.Errorf("labels = %v", got)
	}
	if got := w.ada.want(200, "DELETE", at+"/a%2Fb%20c", nil).names("", "name"); !cmp.Equal(got, []string{"bug"}) {
		t.Errorf("labels = %v", got)
	}
	w.ada.want(404, "DELETE", at+"/ghost", nil).is("message", "Label does not exist")
	if got := w.ada.want(200, "PUT", at, map[string]any{"labels": []string{"question"}}).names("", "name"); !cmp.Equal(got, []string{"question"}) {
		t.Errorf("labels = %v", got)
	}
	w.ada.want(204, "DELETE", at, nil)
	if got := w.ada.want(200, "GET", at, nil).names("", "name"); len(got) != 0 {
		t.Errorf("labels = %v", got)
	}
	w.ada.want(422, "POST", at, []string{" "}).is("errors.0.resource", "Label")
}

func TestIssueRights(t *testing.T) {
	w := newWorld(t)
	out, tri := w.user("out", ""), w.user("tri", "triage")
	mine := out.want(201, "POST", issues, map[string]any{"title": "mine", "labels": []string{"bug"}})
	mine.is("author_association", "NONE")
	if got := mine.names("labels", "name"); len(got) != 0 {
		t.Errorf("labels of an outsider were kept: %v", got)
	}
	out.want(403, "POST", issues+"/1/labels", []string{"bug"}).is("message", "Must have admin rights to Repository.")
	out.want(200, "PATCH", issues+"/1", map[string]any{"title": "mine, better"})
	tri.want(201, "POST", issues, map[string]any{"title": "other"}).is("author_association", "COLLABORATOR")
	out.want(403, "PATCH", issues+"/2", map[string]any{"state": "closed"})
	tri.want(200, "PATCH", issues+"/1", map[string]any{"state": "closed"})
	c := out.want(201, "POST", issues+"/2/comments", map[string]any{"body": "hello"}).at("id").(float64)
	tri.want(403, "PATCH", fmt.Sprintf("%s/comments/%.0f", issues, c), map[string]any{"body": "changed"})
	out.want(200, "PATCH", fmt.Sprintf("%s/comments/%.0f", issues, c), map[string]any{"body": "changed"})
	actor{w, ""}.want(401, "POST", issues, map[string]any{"title": "anonymous"})
	actor{w, ""}.want(200, "GET", issues+"/1", nil)
}

func TestComments(t *testing.T) {
	w := newWorld(t)
	w.ada.want(201, "POST", issues, map[string]any{"title": "x"})
	after := w.seq()
	first := w.ada.want(201, "POST", issues+"/1/comments", map[string]any{"body": "one"})
	first.is("user.login", "ada")
	first.is("html_url", w.forge.URL()+"/acme/app/issues/1#issuecomment-1")
	w.ada.want(201, "POST", issues+"/1/comments", map[string]any{"body": "two"})
	w.ada.want(200, "PATCH", issues+"/comments/1", map[string]any{"body": "eins"}).is("body", "eins")
	w.ada.want(200, "GET", issues+"/comments/1", nil).is("body", "eins")
	w.ada.want(204, "DELETE", issues+"/comments/2", nil)
	w.ada.want(404, "GET", issues+"/comments/2", nil)
	w.ada.want(422, "POST", issues+"/1/comments", map[string]any{"body": ""}).is("message", "Validation Failed")
	w.ada.want(422, "POST", issues+"/1/comments", map[string]any{"body": strings.Repeat("x", 65537)})
	if got := w.ada.want(200, "GET", issues+"/1/comments", nil).names("", "body"); !cmp.Equal(got, []string{"eins"}) {
		t.Errorf("comments = %v", got)
	}
	want := []string{"issue_comment.created", "issue_comment.created", "issue_comment.edited", "issue_comment.deleted"}
	if got := w.changes(after); !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	e := w.lastEntry("issue_comment.edited")
	for path, want := range map[string]any{"comment.body": "eins", "changes.body.from": "one", "issue.number": 1.0, "comment.author_association": "MEMBER"} {
		if got := payload(t, e, path); got != want {
			t.Errorf("payload %s = %v, want %v", path, got, want)
		}
	}
}

func TestIssueListAndPages(t *testing.T) {
	w := newWorld(t)
	for i := 1; i <= 7; i++ {
		in := map[string]any{"title": fmt.Sprint("issue ", i)}
		if i%2 == 0 {
			in["labels"] = []string{"bug"}
		}
		w.ada.want(201, "POST", issues, in)
	}
	w.ada.want(200, "PATCH", issues+"/4", map[string]any{"state": "closed"})
	for query, want := range map[string][]string{
		"?labels=bug":                            {"issue 6", "issue 2"},
		"?state=closed":                          {"issue 4"},
		"?state=all&labels=bug":                  {"issue 6", "issue 4", "issue 2"},
		"?direction=asc&per_page=2":              {"issue 1", "issue 2"},
		"?per_page=4&page=2":                     {"issue 2", "issue 1"},
		"?per_page=4&page=9":                     nil,
		"?creator=nobody":                        nil,
		"?labels=bug,ghost":                      nil,
		"?since=2000-01-01T00:00:00Z&labels=bug": {"issue 6", "issue 2"},
	} {
		if got := w.ada.want(200, "GET", issues+query, nil).names("", "title"); !cmp.Equal(got, want) {
			t.Errorf("%s = %v, want %v", query, got, want)
		}
	}
	link := w.ada.want(200, "GET", "/api/v3"+issues+"?per_page=2&page=2", nil).header.Get("Link")
	at := w.forge.URL() + "/api/v3" + issues
	want := fmt.Sprintf(`<%[1]s?page=1&per_page=2>; rel="prev", <%[1]s?page=3&per_page=2>; rel="next", <%[1]s?page=3&per_page=2>; rel="last", <%[1]s?page=1&per_page=2>; rel="first"`, at)
	if link != want {
		t.Errorf("Link = %s\nwant   %s", link, want)
	}
	w.ada.want(422, "GET", issues+"?state=odd", nil)
	w.ada.want(501, "GET", issues+"?since_when=1", nil)
}

func TestLabels(t *testing.T) {
	w := newWorld(t)
	const labels = "/repos/acme/app/labels"
	w.ada.want(201, "POST", labels, map[string]any{"name": "size/XL", "color": "FF0000", "description": "big"}).is("color", "ff0000")
	w.ada.want(422, "POST", labels, map[string]any{"name": "SIZE/xl", "color": "ff0000"}).is("errors.0.code", "already_exists")
	w.ada.want(422, "POST", labels, map[string]any{"name": "y", "color": "red"}).is("errors.0.field", "color")
	w.ada.want(200, "GET", labels+"/size%2FXL", nil).is("description", "big")
	w.ada.want(200, "PATCH", labels+"/size%2FXL", map[string]any{"new_name": "huge"}).is("name", "huge")
	w.ada.want(404, "GET", labels+"/size%2FXL", nil)
	w.ada.want(201, "POST", issues, map[string]any{"title": "x", "labels": []string{"huge"}})
	w.ada.want(204, "DELETE", labels+"/huge", nil)
	if got := w.ada.want(200, "GET", issues+"/1", nil).names("labels", "name"); len(got) != 0 {
		t.Errorf("labels = %v", got)
	}
	if got := w.ada.want(200, "GET", labels, nil).names("", "name"); len(got) != 9 {
		t.Errorf("labels = %v", got)
	}
	w.user("tri", "triage").want(403, "POST", labels, map[string]any{"name": "z"})
}
