package forge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
)

const readOnly = "Repository was archived so is read-only."

// TestArchived: whoever may change a repository is told that it is archived, whoever may not is told that as ever.
// https://docs.github.com/en/repositories/archiving-a-github-repository/archiving-repositories
func TestArchived(t *testing.T) {
	w := newWorld(t)
	writer, maintainer, outsider := w.user("wes", "write"), w.user("mia", "maintain"), w.user("olaf", "")
	w.ada.want(201, "POST", issues, map[string]any{"title": "one"})
	w.ada.want(201, "POST", "/orgs/acme/teams", map[string]any{"name": "crew"})
	w.ada.want(204, "PUT", "/orgs/acme/teams/crew/repos/acme/app", nil)
	maintainer.want(403, "PATCH", "/repos/acme/app", map[string]any{"archived": true})
	w.ada.want(200, "GET", "/repos/acme/app", nil).is("archived", false)
	before := w.seq()
	w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{"archived": true, "description": "done"}).is("archived", true)
	if got := w.changes(before); !slices.Contains(got, "repository.archived") {
		t.Errorf("journal: %q", got)
	}
	before = w.seq()
	for _, c := range []struct {
		who          actor
		method, path string
		body         any
	}{
		{writer, "POST", issues, map[string]any{"title": "two"}},
		{outsider, "POST", issues + "/1/comments", map[string]any{"body": "hello"}},
		{outsider, "POST", issues + "/1/reactions", map[string]any{"content": "heart"}},
		{writer, "POST", issues + "/1/labels", map[string]any{"labels": []string{"bug"}}},
		{writer, "PUT", contents + "new.txt", map[string]any{"message": "m", "content": encode("x")}},
		{w.ada, "PATCH", "/repos/acme/app", map[string]any{"description": "other"}},
		{w.ada, "PATCH", "/repos/acme/app", map[string]any{"archived": true}},
		{w.ada, "PUT", "/repos/acme/app/collaborators/olaf", nil},
		{w.ada, "PUT", "/orgs/acme/teams/crew/repos/acme/app", nil},
		{w.ada, "DELETE", "/orgs/acme/teams/crew/repos/acme/app", nil},
		{w.ada, "POST", actions + "/variables", map[string]any{"name": "A", "value": "b"}},
		{writer, "POST", "/repos/acme/app/dispatches", map[string]any{"event_type": "go"}},
	} {
		if r := c.who.want(403, c.method, c.path, c.body); r.at("message") != readOnly {
			t.Errorf("%s %s: %s", c.method, c.path, r.body)
		}
	}
	if r := writer.want(403, "PUT", "/repos/acme/app/collaborators/olaf", nil); r.at("message") == readOnly {
		t.Errorf("who may not is told more than that: %s", r.body)
	}
	if got := w.changes(before); len(got) > 0 {
		t.Errorf("something happened: %q", got)
	}
	w.ada.want(200, "GET", "/search/issues?q=is:issue+archived:true", nil).is("total_count", 1.0)
	w.ada.want(200, "GET", "/search/issues?q=is:issue+archived:false", nil).is("total_count", 0.0)
	writer.want(202, "POST", "/repos/acme/app/forks", nil).is("archived", false)

	maintainer.want(403, "PATCH", "/repos/acme/app", map[string]any{"archived": false})
	before = w.seq()
	w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{"archived": false}).is("description", "done")
	if got := w.changes(before); !slices.Contains(got, "repository.unarchived") {
		t.Errorf("journal: %q", got)
	}
	writer.want(201, "POST", issues, map[string]any{"title": "two"})
	w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{"archived": true})
	w.ada.want(204, "DELETE", "/repos/acme/app", nil)
}

func TestArchivedRefusesPushes(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	remote := w.remote(w.ada.token, "acme/app")
	mustGit(t, dir, "clone", "-q", remote, ".")
	mustGit(t, dir, "commit", "-q", "--allow-empty", "-m", "late")
	w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{"archived": true})
	out, err := git(t, dir, "push", remote, "HEAD")
	for _, want := range []string{"remote: This repository was archived so it is read-only.", "error: 403"} {
		if err == nil || !strings.Contains(out, want) {
			t.Errorf("push: %v, want %q\n%s", err, want, out)
		}
	}
	mustGit(t, dir, "fetch", "-q", remote)
	outsider := w.user("olaf", "")
	if out, err := git(t, dir, "push", w.remote(outsider.token, "acme/app"), "HEAD"); err == nil || !strings.Contains(out, "denied to olaf") {
		t.Errorf("outsider: %v\n%s", err, out)
	}
	w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{"archived": false})
	mustGit(t, dir, "push", "-q", remote, "HEAD")
}

// TestArchivedStartsNothing: neither do its workflows, known or new; a snapshot knows.
func TestArchivedStartsNothing(t *testing.T) {
	w := newWorld(t)
	w.ada.want(201, "PUT", contents+".github/workflows/ci.yml", map[string]any{"message": "m", "content": encode("on: fork\n")})
	files := []string{".github/workflows/ci.yml", ".github/workflows/new.yml"}
	if got := w.admin.DisabledWorkflows("acme/app", files...); len(got) > 0 {
		t.Errorf("disabled before: %q", got)
	}
	w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{"archived": true})
	copied := w.newFrom(forge.Options{From: w.snapshot()})
	for _, x := range []*world{w, copied} {
		if got := x.admin.DisabledWorkflows("acme/app", files...); !slices.Equal(got, files) {
			t.Errorf("disabled: %q", got)
		}
		x.ada.want(200, "GET", "/repos/acme/app", nil).is("archived", true)
	}
}
