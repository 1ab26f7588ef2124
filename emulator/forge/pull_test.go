package forge_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge"
)

const pulls = "/repos/acme/app/pulls"

// branch makes a branch of acme/app at main.
func (w *world) branch(name string) {
	w.t.Helper()
	main := w.ada.want(200, "GET", "/repos/acme/app/git/ref/heads/main", nil).at("object.sha")
	w.ada.want(201, "POST", "/repos/acme/app/git/refs", map[string]any{"ref": "refs/heads/" + name, "sha": main})
}

// write puts a file on a branch of acme/app and returns the commit.
func (w *world) write(branch, path, text string) string {
	w.t.Helper()
	body := map[string]any{"message": "write " + path, "branch": branch, "content": base64.StdEncoding.EncodeToString([]byte(text))}
	if have := w.ada.send("GET", "/repos/acme/app/contents/"+path+"?ref="+branch, nil); have.status == 200 {
		body["sha"] = have.at("sha")
		return w.ada.want(200, "PUT", "/repos/acme/app/contents/"+path, body).at("commit.sha").(string)
	}
	return w.ada.want(201, "PUT", "/repos/acme/app/contents/"+path, body).at("commit.sha").(string)
}

// openPull opens a pull request of a new branch that adds a file of its name, and returns its head.
func (w *world) openPull(branch string) string {
	w.t.Helper()
	w.branch(branch)
	head := w.write(branch, branch+".txt", "one\ntwo\n")
	w.ada.want(201, "POST", pulls, map[string]any{"title": "Add " + branch, "body": "Please", "head": branch, "base": "main"})
	return head
}

func TestOpenPull(t *testing.T) {
	w := newWorld(t)
	w.branch("feature")
	head := w.write("feature", "a.txt", "one\ntwo\n")
	base := w.ada.want(200, "GET", "/repos/acme/app/git/ref/heads/main", nil).at("object.sha")
	after := w.seq()
	r := w.ada.want(201, "POST", pulls, map[string]any{"title": "Add a", "body": "Please", "head": "feature", "base": "main"})
	if got, want := w.changes(after), []string{"pull_request.opened"}; !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	for path, want := range map[string]any{
		"number": 1.0, "state": "open", "title": "Add a", "body": "Please", "user.login": "ada", "draft": false, "merged": false,
		"head.ref": "feature", "head.sha": head, "head.label": "acme:feature", "head.repo.full_name": "acme/app", "head.user.login": "acme",
		"base.ref": "main", "base.sha": base, "base.label": "acme:main", "commits": 1.0, "additions": 2.0, "deletions": 0.0, "changed_files": 1.0,
		"mergeable": true, "mergeable_state": "clean", "rebaseable": true, "author_association": "MEMBER", "merged_by": nil, "merged_at": nil,
		"html_url": w.forge.URL() + "/acme/app/pull/1", "diff_url": w.forge.URL() + "/acme/app/pull/1.diff",
		"url": w.forge.URL() + "/api/v3/repos/acme/app/pulls/1", "issue_url": w.forge.URL() + "/api/v3/repos/acme/app/issues/1",
		"_links.self.href": w.forge.URL() + "/api/v3/repos/acme/app/pulls/1", "maintainer_can_modify": false,
	} {
		r.is(path, want)
	}
	e := w.lastEntry("pull_request.opened")
	merge := w.ada.want(200, "GET", "/repos/acme/app/git/ref/pull/1/merge", nil).at("object.sha").(string)
	want := map[string]string{"event": "pull_request", "action": "opened", "number": "1", "repo": "acme/app", "ref": "refs/pull/1/merge",
		"sha": merge, "head": head, "paths": "a.txt", "message": "write a.txt"}
	if d := cmp.Diff(want, e.Detail); d != "" {
		t.Errorf("detail (-want +got):\n%s", d)
	}
	for path, want := range map[string]any{"action": "opened", "number": 1.0, "pull_request.head.sha": head, "pull_request.mergeable": nil,
		"pull_request.mergeable_state": "unknown", "pull_request.base.repo.allow_squash_merge": true, "repository.full_name": "acme/app", "sender.login": "ada"} {
		if got := payload(t, e, path); got != want {
			t.Errorf("payload %s = %v, want %v", path, got, want)
		}
	}
	c := w.ada.want(200, "GET", "/repos/acme/app/git/commits/"+merge, nil)
	c.is("parents.0.sha", base)
	c.is("parents.1.sha", head)
	c.is("message", fmt.Sprintf("Merge %s into %s", head, base))
	w.ada.want(200, "GET", pulls+"/1", nil).is("merge_commit_sha", merge)
}

func TestPullIsAnIssue(t *testing.T) {
	w := newWorld(t)
	w.ada.want(201, "POST", issues, map[string]any{"title": "It breaks"})
	w.openPull("feature")
	after := w.seq()
	i := w.ada.want(200, "GET", issues+"/2", nil)
	i.is("pull_request.url", w.forge.URL()+"/api/v3/repos/acme/app/pulls/2")
	i.is("html_url", w.forge.URL()+"/acme/app/pull/2")
	w.ada.want(200, "GET", issues+"/1", nil).is("pull_request", nil)
	w.ada.want(404, "GET", pulls+"/1", nil)
	w.ada.want(200, "POST", issues+"/2/labels", map[string]any{"labels": []string{"bug"}})
	w.ada.want(201, "POST", issues+"/2/comments", map[string]any{"body": "Why?"})
	w.ada.want(200, "PATCH", issues+"/2", map[string]any{"state": "closed"}).is("state_reason", nil)
	w.ada.want(200, "PATCH", pulls+"/2", map[string]any{"state": "open", "title": "Add it"}).is("labels.0.name", "bug")
	want := []string{"pull_request.labeled", "issue_comment.created", "pull_request.closed", "pull_request.edited", "pull_request.reopened"}
	if got := w.changes(after); !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	if got := payload(t, w.lastEntry("issue_comment.created"), "issue.pull_request.html_url"); got != w.forge.URL()+"/acme/app/pull/2" {
		t.Errorf("issue of the comment is of %v", got)
	}
	w.ada.want(200, "GET", pulls+"/2", nil).is("comments", 1.0)
}

func TestPullRefused(t *testing.T) {
	w := newWorld(t)
	w.openPull("feature")
	w.branch("same")
	open := func(status int, head, base string) reply {
		t.Helper()
		return w.ada.want(status, "POST", pulls, map[string]any{"title": "x", "head": head, "base": base})
	}
	r := open(422, "same", "main")
	r.is("message", "Validation Failed")
	r.is("errors.0.resource", "PullRequest")
	r.is("errors.0.code", "custom")
	r.is("errors.0.message", "No commits between main and same")
	open(422, "feature", "main").is("errors.0.message", "A pull request already exists for acme:feature.")
	r = open(422, "nowhere", "main")
	r.is("errors.0.field", "head")
	r.is("errors.0.code", "invalid")
	open(422, "feature", "nowhere").is("errors.0.field", "base")
	open(422, "bob:feature", "main").is("errors.0.field", "head")
	w.ada.want(422, "POST", pulls, map[string]any{"title": " ", "head": "same", "base": "main"}).is("errors.0.field", "title")
	w.ada.want(422, "POST", pulls, map[string]any{"title": "x", "base": "main"})
	w.ada.want(422, "POST", issues+"/1/labels", map[string]any{"labels": []string{""}})
	w.ada.want(404, "GET", pulls+"/9", nil)
	reader := w.user("bob", "")
	w.branch("other")
	w.write("other", "o.txt", "o\n")
	reader.want(422, "POST", pulls, map[string]any{"title": "x", "head": "other", "base": "main"}).is("errors.0.message", "must be a collaborator")
	reader.want(403, "PATCH", pulls+"/1", map[string]any{"title": "mine"})
	if n := len(w.ada.want(200, "GET", issues+"?state=all", nil).names("", "title")); n != 1 {
		t.Errorf("%d issues, want 1: a refused pull request takes no number", n)
	}
}

func TestPullFollowsItsBranches(t *testing.T) {
	w := newWorld(t)
	first := w.openPull("feature")
	after := w.seq()
	second := w.write("feature", "b.txt", "b\n")
	if got, want := w.changes(after), []string{"push", "pull_request.synchronize"}; !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	e := w.lastEntry("pull_request.synchronize")
	if payload(t, e, "before") != first || payload(t, e, "after") != second || e.Detail["paths"] != "b.txt\nfeature.txt" {
		t.Errorf("synchronize = %s %v", e.Payload, e.Detail)
	}
	w.ada.want(200, "GET", pulls+"/1", nil).is("changed_files", 2.0)

	// The base moves: no event, another test merge.
	after = w.seq()
	w.write("main", "feature.txt", "other\n")
	if got, want := w.changes(after), []string{"push"}; !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	r := w.ada.want(200, "GET", pulls+"/1", nil)
	r.is("mergeable", false)
	r.is("mergeable_state", "dirty")
	r.is("rebaseable", false)
	r.is("merge_commit_sha", nil)
	w.ada.want(404, "GET", "/repos/acme/app/git/ref/pull/1/merge", nil)

	// Closed with its branch, and open again once that is back.
	after = w.seq()
	w.ada.want(204, "DELETE", "/repos/acme/app/git/refs/heads/feature", nil)
	if got, want := w.changes(after), []string{"delete", "push", "pull_request.closed"}; !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	w.ada.want(422, "PATCH", pulls+"/1", map[string]any{"state": "open"}).is("errors.0.message", "state cannot be changed. The feature branch has been deleted.")
	w.ada.want(201, "POST", "/repos/acme/app/git/refs", map[string]any{"ref": "refs/heads/feature", "sha": second})
	w.ada.want(200, "PATCH", pulls+"/1", map[string]any{"state": "open"}).is("head.sha", second)
}

func TestPullByGit(t *testing.T) {
	w := newWorld(t)
	head := w.openPull("feature")
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote(w.ada.token, "acme/app"), "app")
	app := filepath.Join(dir, "app")
	if got := mustGit(t, app, "ls-remote", "origin", "refs/pull/1/head"); !strings.HasPrefix(got, head) {
		t.Errorf("refs/pull/1/head = %q, want %s", got, head)
	}
	mustGit(t, app, "fetch", "-q", "origin", "refs/pull/1/merge")
	mustGit(t, app, "checkout", "-q", "FETCH_HEAD")
	mustGit(t, app, "cat-file", "-e", "HEAD:feature.txt")
	out, err := git(t, app, "push", "-q", "origin", "HEAD:refs/pull/1/head")
	if err == nil || !strings.Contains(out, "deny updating a hidden ref") {
		t.Errorf("push to refs/pull = %v, %s", err, out)
	}
	for _, b := range w.ada.want(200, "GET", "/repos/acme/app/branches", nil).names("", "name") {
		if b != "main" && b != "feature" {
			t.Errorf("branch %s", b)
		}
	}
	w.ada.want(422, "PATCH", "/repos/acme/app/git/refs/pull/1/head", map[string]any{"sha": head, "force": true})
	w.ada.want(422, "DELETE", "/repos/acme/app/git/refs/pull/1/head", nil)

	// A force push is a synchronize.
	mustGit(t, app, "checkout", "-q", "-B", "feature", "origin/main")
	mustGit(t, app, "commit", "-q", "--allow-empty", "-m", "empty")
	after := w.seq()
	mustGit(t, app, "push", "-q", "-f", "origin", "feature")
	if got, want := w.changes(after), []string{"push", "pull_request.synchronize"}; !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}

	// What reaches the base otherwise is merged.
	mustGit(t, app, "checkout", "-q", "main")
	mustGit(t, app, "merge", "-q", "--no-ff", "-m", "by hand", "feature")
	after = w.seq()
	mustGit(t, app, "push", "-q", "origin", "main")
	if got, want := w.changes(after), []string{"push", "pull_request.closed"}; !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	r := w.ada.want(200, "GET", pulls+"/1", nil)
	r.is("merged", true)
	r.is("merged_by.login", "ada")
	r.is("merge_commit_sha", mustGit(t, app, "rev-parse", "main"))
	w.ada.want(422, "PATCH", pulls+"/1", map[string]any{"state": "open"})
}

func TestPullList(t *testing.T) {
	w := newWorld(t)
	w.openPull("one")
	w.openPull("two")
	w.openPull("three")
	w.ada.want(200, "PATCH", pulls+"/2", map[string]any{"state": "closed"})
	for query, want := range map[string]string{
		"": "Add three,Add one", "?state=closed": "Add two", "?state=all&sort=created&direction=asc": "Add one,Add two,Add three",
		"?head=acme:one": "Add one", "?base=main": "Add three,Add one", "?base=other": "",
	} {
		if got := strings.Join(w.ada.want(200, "GET", pulls+query, nil).names("", "title"), ","); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	w.ada.want(200, "GET", pulls, nil).is("0.mergeable", nil)
	w.ada.want(422, "GET", pulls+"?state=merged", nil)
}

// TestPullPermissions holds pull requests to the token's own scope, and the routes of issues to either.
func TestPullPermissions(t *testing.T) {
	w := newWorld(t)
	w.openPull("feature")
	w.ada.want(201, "POST", issues, map[string]any{"title": "an issue"})
	token := func(p map[string]string) actor {
		return w.mint(forge.TokenSpec{Login: forge.ActionsLogin, Repo: "acme/app", Permissions: p, Cause: "job:1"})
	}
	onPulls, onIssues, onNone := token(map[string]string{"pull_requests": "write"}), token(map[string]string{"issues": "write"}), token(map[string]string{})
	label := map[string]any{"labels": []string{"bug"}}
	onPulls.want(200, "POST", issues+"/1/labels", label)
	onIssues.want(200, "POST", issues+"/1/labels", label)
	onNone.want(403, "POST", issues+"/1/labels", label)
	onPulls.want(403, "POST", issues+"/2/labels", label)
	onPulls.want(200, "PATCH", pulls+"/1", map[string]any{"title": "x"})
	onIssues.want(403, "PATCH", pulls+"/1", map[string]any{"title": "x"})
	id := onIssues.want(201, "POST", issues+"/1/comments", map[string]any{"body": "x"}).at("id")
	onPulls.want(200, "PATCH", fmt.Sprintf("%s/comments/%v", issues, id), map[string]any{"body": "y"})
	onNone.want(403, "PATCH", fmt.Sprintf("%s/comments/%v", issues, id), map[string]any{"body": "y"})
}

func TestPullFromFork(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "")
	bob.want(202, "POST", "/repos/acme/app/forks", nil)
	main := bob.want(200, "GET", "/repos/bob/app/git/ref/heads/main", nil).at("object.sha")
	bob.want(201, "POST", "/repos/bob/app/git/refs", map[string]any{"ref": "refs/heads/feature", "sha": main})
	put := func(path string) string {
		t.Helper()
		return bob.want(201, "PUT", "/repos/bob/app/contents/"+path, map[string]any{"message": "m", "branch": "feature", "content": "eA=="}).at("commit.sha").(string)
	}
	first := put("a.txt")
	r := bob.want(201, "POST", pulls, map[string]any{"title": "From outside", "head": "bob:feature", "base": "main"})
	for path, want := range map[string]any{"head.label": "bob:feature", "head.repo.full_name": "bob/app", "head.repo.fork": true, "head.user.login": "bob",
		"base.repo.full_name": "acme/app", "mergeable": true, "author_association": "NONE", "maintainer_can_modify": true} {
		r.is(path, want)
	}
	bob.want(422, "POST", pulls, map[string]any{"title": "x", "head": "bob:main", "base": "main"}).is("errors.0.message", "No commits between acme:main and bob:main")
	bob.want(422, "POST", pulls, map[string]any{"title": "x", "head": "bob:feature", "base": "main"}).is("errors.0.message", "A pull request already exists for bob:feature.")
	w.ada.want(200, "GET", "/repos/acme/app/git/ref/pull/1/head", nil).is("object.sha", first)
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote("", "acme/app"), ".")
	mustGit(t, dir, "fetch", "-q", "origin", "refs/pull/1/merge")
	mustGit(t, dir, "cat-file", "-e", "FETCH_HEAD:a.txt")

	after := w.seq()
	second := put("b.txt")
	if got, want := w.changes(after), []string{"push", "pull_request.synchronize"}; !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	if e := w.lastEntry("pull_request.synchronize"); e.Detail["repo"] != "acme/app" || payload(t, e, "after") != second {
		t.Errorf("synchronize = %v", e.Detail)
	}
	w.ada.want(200, "GET", pulls+"?head=bob:feature", nil).is("0.head.sha", second)
	after = w.seq()
	bob.want(204, "DELETE", "/repos/bob/app", nil)
	if got, want := w.changes(after), []string{"repository.deleted", "pull_request.closed"}; !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	r = w.ada.want(200, "GET", pulls+"/1", nil)
	r.is("head.repo", nil)
	r.is("head.label", "bob:feature")
	w.ada.want(422, "PATCH", pulls+"/1", map[string]any{"state": "open"})
}

func TestPullDraft(t *testing.T) {
	w := newWorld(t)
	w.branch("feature")
	w.write("feature", "a.txt", "a\n")
	w.ada.want(201, "POST", pulls, map[string]any{"title": "x", "head": "feature", "base": "main", "draft": true}).is("draft", true)
	after := w.seq()
	must(t, w.admin.SetDraft("acme/app", 1, "ada", false))
	w.ada.want(200, "GET", pulls+"/1", nil).is("mergeable_state", "clean")
	must(t, w.admin.SetDraft("acme/app", 1, "ada", true))
	must(t, w.admin.SetDraft("acme/app", 1, "ada", true))
	if got, want := w.changes(after), []string{"pull_request.ready_for_review", "pull_request.converted_to_draft"}; !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	if err := w.admin.SetDraft("acme/app", 2, "ada", true); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("no pull request: %v", err)
	}
	w.user("bob", "")
	if err := w.admin.SetDraft("acme/app", 1, "bob", false); err == nil {
		t.Error("a stranger made it ready")
	}
}

// TestReopenPull: a branch that went on may be opened again, one that was rewritten may not.
func TestReopenPull(t *testing.T) {
	w := newWorld(t)
	w.openPull("feature")
	base := w.mainHead()
	w.ada.want(200, "PATCH", issues+"/1", map[string]any{"state": "closed"})
	next := w.write("feature", "b.txt", "b\n")
	after := w.seq()
	w.ada.want(200, "PATCH", issues+"/1", map[string]any{"state": "open"})
	if got, want := w.changes(after), []string{"pull_request.reopened", "pull_request.synchronize"}; !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	w.ada.want(200, "GET", pulls+"/1", nil).is("head.sha", next)
	w.ada.want(200, "PATCH", pulls+"/1", map[string]any{"state": "closed"})
	w.ada.want(200, "PATCH", "/repos/acme/app/git/refs/heads/feature", map[string]any{"sha": base, "force": true})
	w.write("feature", "c.txt", "c\n")
	for _, at := range []string{pulls, issues} {
		w.ada.want(422, "PATCH", at+"/1", map[string]any{"state": "open"}).is("errors.0.message",
			"state cannot be changed. The feature branch was force-pushed or recreated.")
	}
}

// TestPullEventsKnowTheMerge: when the base has moved, a label still comes with the test merge of today.
func TestPullEventsKnowTheMerge(t *testing.T) {
	w := newWorld(t)
	head := w.openPull("feature")
	w.write("main", "other.txt", "o\n")
	w.ada.want(200, "POST", issues+"/1/labels", map[string]any{"labels": []string{"bug"}})
	c := w.commitOf(w.lastEntry("pull_request.labeled").Detail["sha"])
	c.is("parents.0.sha", w.mainHead())
	c.is("parents.1.sha", head)
}

// TestPullsAtOnce: pushes to the heads, merges and reads meet; each pull request ends merged, with its file.
func TestPullsAtOnce(t *testing.T) {
	w := newWorld(t)
	const n = 6
	for i := range n {
		w.openPull(fmt.Sprint("b", i))
	}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			at := fmt.Sprint(pulls, "/", i+1)
			for range 3 {
				w.ada.send("GET", at, nil)
			}
			for w.ada.send("PUT", at+"/merge", map[string]any{"merge_method": []string{"merge", "squash", "rebase"}[i%3]}).status != 200 {
				if t.Failed() {
					return
				}
			}
		})
		all.Go(func() {
			w.ada.send("PUT", fmt.Sprintf("/repos/acme/app/contents/late%d.txt", i), map[string]any{"message": "m", "branch": fmt.Sprint("b", i), "content": "eA=="})
			w.ada.send("PATCH", fmt.Sprint(issues, "/", i+1), map[string]any{"title": "else"})
		})
	}
	all.Wait()
	for i := range n {
		w.ada.want(200, "GET", fmt.Sprint(pulls, "/", i+1), nil).is("merged", true)
		w.ada.want(200, "GET", fmt.Sprintf("/repos/acme/app/contents/b%d.txt", i), nil)
	}
}
