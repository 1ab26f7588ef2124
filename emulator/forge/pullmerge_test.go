package forge_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// commitOf reads a commit of acme/app.
func (w *world) commitOf(sha any) reply {
	w.t.Helper()
	return w.ada.want(200, "GET", fmt.Sprint("/repos/acme/app/git/commits/", sha), nil)
}

func (w *world) mainHead() string {
	w.t.Helper()
	return w.ada.want(200, "GET", "/repos/acme/app/git/ref/heads/main", nil).at("object.sha").(string)
}

func TestMergePull(t *testing.T) {
	w := newWorld(t)
	base, head := w.mainHead(), w.openPull("feature")
	w.ada.want(404, "GET", pulls+"/1/merge", nil)
	after := w.seq()
	r := w.ada.want(200, "PUT", pulls+"/1/merge", map[string]any{"sha": head})
	r.is("merged", true)
	r.is("message", "Pull Request successfully merged")
	r.is("sha", w.mainHead())
	if got, want := w.changes(after), []string{"push", "pull_request.closed"}; !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	if e := w.lastEntry("pull_request.closed"); payload(t, e, "pull_request.merged") != true || payload(t, e, "pull_request.merge_commit_sha") != w.mainHead() {
		t.Errorf("closed = %s", e.Payload)
	}
	c := w.commitOf(w.mainHead())
	for path, want := range map[string]any{"message": "Merge pull request #1 from acme/feature\n\nAdd feature", "parents.0.sha": base, "parents.1.sha": head,
		"author.name": "ada", "committer.name": "GitHub", "committer.email": "noreply@github.com"} {
		c.is(path, want)
	}
	w.ada.want(204, "GET", pulls+"/1/merge", nil)
	p := w.ada.want(200, "GET", pulls+"/1", nil)
	for path, want := range map[string]any{"state": "closed", "merged": true, "merged_by.login": "ada", "merge_commit_sha": w.mainHead(), "mergeable": nil,
		"mergeable_state": "unknown", "commits": 1.0, "head.sha": head, "base.sha": base} {
		p.is(path, want)
	}
	w.ada.want(200, "GET", "/repos/acme/app/contents/feature.txt", nil)
	if w.ada.want(200, "GET", issues+"/1", nil).at("pull_request.merged_at") == nil {
		t.Error("the issue does not say when it was merged")
	}
}

func TestSquashPull(t *testing.T) {
	w := newWorld(t)
	base := w.mainHead()
	w.openPull("one")
	w.ada.want(200, "PUT", pulls+"/1/merge", map[string]any{"merge_method": "squash"})
	c := w.commitOf(w.mainHead())
	c.is("message", "write one.txt (#1)")
	c.is("parents.0.sha", base)
	c.is("parents.1", nil)
	c.is("author.name", "ada")
	c.is("committer.name", "GitHub")

	w.openPull("two")
	bob := w.user("bob", "write")
	bob.want(201, "PUT", contents+"more.txt", map[string]any{"message": "more\n\nof it", "branch": "two", "content": "eA=="})
	w.ada.want(200, "PUT", pulls+"/2/merge", map[string]any{"merge_method": "squash"})
	by := w.ada.want(200, "GET", "/repos/acme/app/commits/two", nil).at("commit.author.email")
	w.commitOf(w.mainHead()).is("message", fmt.Sprintf("Add two (#2)\n\n* write two.txt\n\n* more\n\nof it\n\n---------\n\nCo-authored-by: bob <%v>", by))

	w.openPull("three")
	w.ada.want(200, "PUT", pulls+"/3/merge", map[string]any{"merge_method": "squash", "commit_title": "Third", "commit_message": "by hand"})
	w.commitOf(w.mainHead()).is("message", "Third\n\nby hand")
}

func TestRebasePull(t *testing.T) {
	w := newWorld(t)
	w.openPull("feature")
	w.write("feature", "b.txt", "b\n")
	w.write("main", "other.txt", "o\n")
	base := w.mainHead()
	w.ada.want(200, "PUT", pulls+"/1/merge", map[string]any{"merge_method": "rebase"})
	last := w.commitOf(w.mainHead())
	last.is("message", "write b.txt")
	first := w.commitOf(last.at("parents.0.sha"))
	first.is("message", "write feature.txt")
	first.is("parents.0.sha", base)
	for _, path := range []string{"feature.txt", "b.txt", "other.txt"} {
		w.ada.want(200, "GET", contents+path, nil)
	}
	w.ada.want(200, "GET", pulls+"/1", nil).is("merged", true)
}

func TestMergeRefused(t *testing.T) {
	w := newWorld(t)
	head := w.openPull("feature")
	merge := func(status int, body map[string]any) reply {
		t.Helper()
		return w.ada.want(status, "PUT", pulls+"/1/merge", body)
	}
	merge(409, map[string]any{"sha": strings.Repeat("1", 40)}).is("message", "Head branch was modified. Review and try the merge again.")
	merge(422, map[string]any{"merge_method": "octopus"})
	for method, text := range map[string]string{"merge": "Merge commits are", "squash": "Squash merges are", "rebase": "Rebase merges are"} {
		setting := map[string]string{"merge": "allow_merge_commit", "squash": "allow_squash_merge", "rebase": "allow_rebase_merge"}[method]
		w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{setting: false}).is(setting, false)
		merge(405, map[string]any{"merge_method": method}).is("message", text+" not allowed on this repository.")
		w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{setting: true})
	}
	w.ada.want(422, "PATCH", "/repos/acme/app", map[string]any{"allow_merge_commit": false, "allow_squash_merge": false, "allow_rebase_merge": false})
	w.user("bob", "triage").want(403, "PUT", pulls+"/1/merge", map[string]any{})
	before := w.mainHead()
	w.write("main", "feature.txt", "conflict\n")
	merge(405, nil).is("message", "Pull Request is not mergeable")
	w.ada.want(200, "PATCH", pulls+"/1", map[string]any{"state": "closed"})
	merge(405, nil).is("message", "Pull Request is not mergeable")
	w.ada.want(404, "PUT", pulls+"/7/merge", nil)
	w.branch("wip")
	w.write("wip", "wip.txt", "w\n")
	w.ada.want(201, "POST", pulls, map[string]any{"title": "x", "head": "wip", "base": "main", "draft": true}).is("mergeable_state", "draft")
	w.ada.want(405, "PUT", pulls+"/2/merge", nil).is("message", "Pull Request is still a draft")
	if w.mainHead() == before || w.ada.want(200, "GET", pulls+"/1", nil).at("head.sha") != head {
		t.Error("a refused merge has moved something")
	}
}

func TestMergeClosesIssues(t *testing.T) {
	w := newWorld(t)
	for n := range 6 {
		w.ada.want(201, "POST", issues, map[string]any{"title": fmt.Sprint("issue ", n+1)})
	}
	w.branch("feature")
	w.ada.want(201, "PUT", contents+"a.txt", map[string]any{"message": "a\n\nResolves: #2", "branch": "feature", "content": "eA=="})
	w.ada.want(201, "POST", pulls, map[string]any{"title": "About #3", "body": "Closes #1, fixed acme/app#4 and see #5; closes bob/x#6", "head": "feature", "base": "main"})
	after := w.seq()
	w.ada.want(200, "PUT", pulls+"/7/merge", nil)
	want := []string{"push", "pull_request.closed", "issues.closed", "issues.closed", "issues.closed"}
	if got := w.changes(after); !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	closed := strings.Join(w.ada.want(200, "GET", issues+"?state=closed&direction=asc", nil).names("", "title"), ",")
	if closed != "issue 1,issue 2,issue 4,About #3" {
		t.Errorf("closed are %s", closed)
	}
	w.ada.want(200, "GET", issues+"/1", nil).is("state_reason", "completed")
	// A push to the default branch closes as well, one to another branch does not.
	w.branch("side")
	w.ada.want(201, "PUT", contents+"s.txt", map[string]any{"message": "fix #5", "branch": "side", "content": "eA=="})
	w.ada.want(200, "GET", issues+"/5", nil).is("state", "open")
	w.ada.want(201, "PUT", contents+"s.txt", map[string]any{"message": "fix #5", "content": "eQ=="})
	w.ada.want(200, "GET", issues+"/5", nil).is("state", "closed")
}

func TestDeleteBranchOnMerge(t *testing.T) {
	w := newWorld(t)
	w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{"delete_branch_on_merge": true})
	w.openPull("feature")
	w.ada.want(201, "POST", "/repos/acme/app/git/refs", map[string]any{"ref": "refs/heads/top", "sha": w.ada.want(200, "GET", pulls+"/1", nil).at("head.sha")})
	w.write("top", "top.txt", "t\n")
	w.ada.want(201, "POST", pulls, map[string]any{"title": "On top", "head": "top", "base": "feature"}).is("commits", 1.0)
	after := w.seq()
	w.ada.want(200, "PUT", pulls+"/1/merge", nil)
	want := []string{"push", "pull_request.closed", "delete", "push", "pull_request.edited"}
	if got := w.changes(after); !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	w.ada.want(404, "GET", "/repos/acme/app/git/ref/heads/feature", nil)
	w.ada.want(200, "GET", "/repos/acme/app/git/ref/pull/1/head", nil)
	r := w.ada.want(200, "GET", pulls+"/2", nil)
	r.is("state", "open")
	r.is("base.ref", "main")
	r.is("mergeable", true)
}

func TestUpdateBranch(t *testing.T) {
	w := newWorld(t)
	head := w.openPull("feature")
	w.ada.want(422, "PUT", pulls+"/1/update-branch", nil).is("message", "There are no new commits on the base branch.")
	w.write("main", "other.txt", "o\n")
	w.ada.want(422, "PUT", pulls+"/1/update-branch", map[string]any{"expected_head_sha": strings.Repeat("1", 40)})
	after := w.seq()
	w.ada.want(202, "PUT", pulls+"/1/update-branch", map[string]any{"expected_head_sha": head}).is("message", "Updating pull request branch.")
	if got, want := w.changes(after), []string{"push", "pull_request.synchronize"}; !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	r := w.ada.want(200, "GET", pulls+"/1", nil)
	r.is("commits", 2.0)
	r.is("changed_files", 1.0)
	r.is("rebaseable", false)
	r.is("base.sha", w.mainHead())
	w.commitOf(r.at("head.sha")).is("message", "Merge branch 'main' into feature")
	w.ada.want(405, "PUT", pulls+"/1/merge", map[string]any{"merge_method": "rebase"}).is("message", "This branch can't be rebased")
	w.write("main", "feature.txt", "conflict\n")
	w.ada.want(422, "PUT", pulls+"/1/update-branch", nil).is("message", "merge conflict between base and head")
}

func TestUpdateBranchOfFork(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "")
	bob.want(202, "POST", "/repos/acme/app/forks", nil)
	bob.want(201, "PUT", "/repos/bob/app/contents/a.txt", map[string]any{"message": "m", "content": "eA=="})
	bob.want(201, "POST", pulls, map[string]any{"title": "x", "head": "bob:main", "base": "main", "maintainer_can_modify": false})
	w.write("main", "other.txt", "o\n")
	w.ada.want(403, "PUT", pulls+"/1/update-branch", nil)
	bob.want(200, "PATCH", pulls+"/1", map[string]any{"maintainer_can_modify": true})
	w.ada.want(202, "PUT", pulls+"/1/update-branch", nil)
	w.ada.want(200, "GET", pulls+"/1", nil).is("commits", 2.0)
	w.ada.want(200, "PUT", pulls+"/1/merge", nil)
	w.ada.want(200, "GET", contents+"a.txt", nil)
	w.commitOf(w.mainHead()).is("message", "Merge pull request #1 from bob/main\n\nx")
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote("", "acme/app"), "app")
	mustGit(t, filepath.Join(dir, "app"), "fsck", "--full")
}

func TestPullFilesAndCommits(t *testing.T) {
	w := newWorld(t)
	w.write("main", "long.txt", strings.Repeat("line\n", 20))
	w.branch("feature")
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", "-b", "feature", w.remote(w.ada.token, "acme/app"), ".")
	mustGit(t, dir, "mv", "long.txt", "moved.txt")
	mustGit(t, dir, "rm", "-q", "README.md")
	mustGit(t, dir, "commit", "-q", "-m", "move")
	mustGit(t, dir, "push", "-q")
	w.write("feature", "new.txt", "one\n")
	w.ada.want(201, "POST", pulls, map[string]any{"title": "x", "head": "feature", "base": "main"})
	w.write("main", "elsewhere.txt", "e\n") // is none of its files
	r := w.ada.want(200, "GET", pulls+"/1/files", nil)
	for path, want := range map[string]any{"0.filename": "README.md", "0.status": "removed", "0.deletions": 1.0, "1.filename": "moved.txt", "1.status": "renamed",
		"1.previous_filename": "long.txt", "1.changes": 0.0, "2.filename": "new.txt", "2.status": "added", "2.patch": "@@ -0,0 +1 @@\n+one", "3": nil} {
		r.is(path, want)
	}
	c := w.ada.want(200, "GET", pulls+"/1/commits", nil)
	if got, want := strings.Join([]string{fmt.Sprint(c.at("0.commit.message")), fmt.Sprint(c.at("1.commit.message")), fmt.Sprint(c.at("2"))}, ","), "move,write new.txt,<nil>"; got != want {
		t.Errorf("commits = %s, want %s", got, want)
	}
	diff := w.ada.want(200, "GET", pulls+"/1", nil, "Accept", "application/vnd.github.diff")
	if !strings.Contains(string(diff.body), "rename to moved.txt") || strings.Contains(string(diff.body), "elsewhere") {
		t.Errorf("diff = %s", diff.body)
	}
	patch := w.ada.want(200, "GET", pulls+"/1", nil, "Accept", "application/vnd.github.patch")
	if strings.Count(string(patch.body), "Subject: [PATCH") != 2 {
		t.Errorf("patch = %s", patch.body)
	}
	sha := c.at("0.sha")
	w.ada.want(200, "GET", fmt.Sprint("/repos/acme/app/commits/", sha, "/pulls"), nil).is("0.number", 1.0)
	w.ada.want(200, "GET", "/repos/acme/app/commits/main/pulls", nil).is("0", nil)
	w.ada.want(200, "PUT", pulls+"/1/merge", nil)
	w.ada.want(200, "GET", "/repos/acme/app/commits/main/pulls", nil).is("0.number", 1.0)
	w.ada.want(200, "GET", pulls+"/1/files", nil).is("2.filename", "new.txt")
	w.ada.want(200, "GET", pulls+"/1/commits", nil).is("1.commit.message", "write new.txt")
}

// TestMergeByToken: what a job's token merges starts nothing, and needs contents: write.
func TestMergeByToken(t *testing.T) {
	w := newWorld(t)
	w.openPull("feature")
	token := func(p map[string]string) actor {
		return w.mint(forge.TokenSpec{Login: forge.ActionsLogin, Repo: "acme/app", Permissions: p, Cause: "job:1", StartsNoRuns: true})
	}
	token(map[string]string{"pull_requests": "write"}).want(403, "PUT", pulls+"/1/merge", nil)
	token(map[string]string{"contents": "write"}).want(200, "PUT", pulls+"/1/merge", nil)
	for _, typ := range []string{"push", "pull_request.closed"} {
		if e := w.lastEntry(typ); e.Detail["starts_runs"] != "no" {
			t.Errorf("%s: %v", typ, e.Detail)
		}
	}
}

// TestActionsMayNotPull: a job's token opens no pull request and approves none until the repository lets it.
func TestActionsMayNotPull(t *testing.T) {
	w := newWorld(t)
	w.branch("feature")
	w.write("feature", "a.txt", "a\n")
	job := w.mint(forge.TokenSpec{Login: forge.ActionsLogin, Repo: "acme/app", Permissions: map[string]string{"pull_requests": "write"}, Cause: "job:1"})
	in := map[string]any{"title": "x", "head": "feature", "base": "main"}
	job.want(403, "POST", pulls, in).is("message", "GitHub Actions is not permitted to create or approve pull requests.")
	const setting = "/repos/acme/app/actions/permissions/workflow"
	w.ada.want(200, "GET", setting, nil).is("can_approve_pull_request_reviews", false)
	w.ada.want(204, "PUT", setting, map[string]any{"can_approve_pull_request_reviews": true})
	w.ada.want(204, "PUT", setting, map[string]any{"default_workflow_permissions": "read"})
	w.ada.want(409, "PUT", setting, map[string]any{"default_workflow_permissions": "write"})
	w.ada.want(422, "PUT", setting, map[string]any{"default_workflow_permissions": "all"})
	w.ada.want(200, "GET", setting, nil).is("can_approve_pull_request_reviews", true)
	job.want(201, "POST", pulls, in).is("user.login", forge.ActionsLogin)
	w.user("bob", "write").want(403, "PUT", setting, map[string]any{"can_approve_pull_request_reviews": false})

	// Nor does it approve one, at once or after it has thought about it; what it says otherwise is welcome.
	w.openPull("other")
	const at, barred = pulls + "/2/reviews", "GitHub Actions is not permitted to approve pull requests."
	approve := map[string]any{"event": "APPROVE"}
	w.ada.want(204, "PUT", setting, map[string]any{"can_approve_pull_request_reviews": false})
	job.want(422, "POST", at, approve).is("errors.0", barred)
	job.want(200, "POST", at, nil).is("state", "PENDING")
	job.want(422, "POST", at+"/1/events", approve).is("errors.0", barred)
	job.want(200, "POST", at+"/1/events", map[string]any{"event": "COMMENT", "body": "Hm"})
	w.ada.want(204, "PUT", setting, map[string]any{"can_approve_pull_request_reviews": true})
	job.want(200, "POST", at, approve).is("state", "APPROVED")
}

// TestMaintainersPush: who may write to the base of an open pull request pushes to its head in a person's fork, as
// far as the author lets him, and to nothing else there.
// https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/working-with-forks/allowing-changes-to-a-pull-request-branch-created-from-a-fork
func TestMaintainersPush(t *testing.T) {
	w := newWorld(t)
	bob, wes, rod := w.user("bob", ""), w.user("wes", "write"), w.user("rod", "read")
	bob.want(202, "POST", "/repos/acme/app/forks", nil)
	for _, branch := range []string{"fix", "more"} {
		bob.want(201, "POST", "/repos/bob/app/git/refs", map[string]any{"ref": "refs/heads/" + branch, "sha": w.head("bob/app", "main")})
	}
	bob.want(201, "PUT", "/repos/bob/app/contents/a.txt", map[string]any{"message": "m", "content": "eA==", "branch": "fix"})
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", "-b", "fix", w.remote(wes.token, "bob/app"), ".")
	mustGit(t, dir, "commit", "-q", "--allow-empty", "-m", "mend")
	refused := func(who actor, say string, refs ...string) {
		t.Helper()
		out, err := git(t, dir, append([]string{"push", w.remote(who.token, "bob/app")}, refs...)...)
		if err == nil || !strings.Contains(out, say) {
			t.Errorf("push %v: %v, want %q: %s", refs, err, say, out)
		}
	}
	const denied = "Permission to bob/app.git denied to wes."
	refused(wes, denied, "fix") // there is no pull request yet
	bob.want(201, "POST", pulls, map[string]any{"title": "x", "head": "bob:fix", "base": "main"}).is("maintainer_can_modify", true)
	bob.want(200, "PATCH", pulls+"/1", map[string]any{"maintainer_can_modify": false}).is("maintainer_can_modify", false)
	refused(wes, denied, "fix")
	bob.want(200, "PATCH", pulls+"/1", map[string]any{"maintainer_can_modify": true})
	refused(rod, "denied to rod", "fix")
	refused(wes, "fix -> more (permission denied)", "fix:more")
	refused(wes, "fix -> new (permission denied)", "fix:new")
	refused(wes, "v1 (permission denied)", "fix:refs/tags/v1")
	refused(wes, "fix (permission denied)", ":fix")
	refused(wes, "fix -> main (permission denied)", "fix:main", "fix") // one of two goes through
	if got := mustGit(t, dir, "rev-parse", "fix"); w.head("bob/app", "fix") != got || w.head("bob/app", "main") == got {
		t.Errorf("fix is %s and main %s after the push of %s", w.head("bob/app", "fix"), w.head("bob/app", "main"), got)
	}
	e := w.lastEntry("pull_request.synchronize")
	if e.Actor != "wes" || e.Detail["repo"] != "acme/app" {
		t.Errorf("synchronize: %+v", e)
	}
	w.ada.want(200, "GET", pulls+"/1", nil).is("commits", 2.0)
	mustGit(t, dir, "commit", "-q", "--amend", "--allow-empty", "-m", "mend again")
	mustGit(t, dir, "push", "-q", "-f", w.remote(wes.token, "bob/app"), "fix")
	refused(w.classic("wes"), "", "fix") // a token without scopes
	refused(w.mint(forge.TokenSpec{Login: "wes", Owner: "wes", Permissions: map[string]string{"contents": "write"}}), "denied to wes", "fix")

	// A protected branch stays so, and a closed pull request lets nobody in.
	mustGit(t, dir, "commit", "-q", "--amend", "--allow-empty", "-m", "once more")
	bob.want(200, "PUT", "/repos/bob/app/branches/fix/protection", map[string]any{"enforce_admins": true, "restrictions": nil,
		"required_status_checks": nil, "required_pull_request_reviews": nil})
	refused(wes, "protected branch hook declined", "-f", "fix")
	bob.want(204, "DELETE", "/repos/bob/app/branches/fix/protection", nil)
	bob.want(200, "PATCH", pulls+"/1", map[string]any{"state": "closed"})
	refused(wes, denied, "-f", "fix")

	// An organisation's fork is the organisation's.
	w.ada.want(202, "POST", "/repos/acme/app/forks", map[string]any{"organization": "acme", "name": "fork"})
	w.ada.want(201, "PUT", "/repos/acme/fork/contents/b.txt", map[string]any{"message": "m", "content": "eA=="})
	w.ada.want(201, "POST", pulls, map[string]any{"title": "y", "head": "acme:main", "head_repo": "fork", "base": "main"}).is("maintainer_can_modify", false)
}
