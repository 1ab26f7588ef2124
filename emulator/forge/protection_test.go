package forge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
)

const protection = "/repos/acme/app/branches/main/protection"

// protect protects main of acme/app; more is merged into what requires nothing.
func (w *world) protect(more map[string]any) reply {
	w.t.Helper()
	body := map[string]any{"required_status_checks": nil, "enforce_admins": nil, "required_pull_request_reviews": nil, "restrictions": nil}
	for k, v := range more {
		body[k] = v
	}
	return w.ada.want(200, "PUT", protection, body)
}

func TestProtectionIsKept(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "write")
	w.ada.want(404, "GET", protection, nil).is("message", "Branch not protected")
	w.ada.want(404, "GET", "/repos/acme/app/branches/none/protection", nil).is("message", "Branch not found")
	bob.want(403, "PUT", protection, map[string]any{})
	w.ada.want(422, "PUT", protection, map[string]any{"enforce_admins": nil})
	r := w.protect(map[string]any{"enforce_admins": true, "required_linear_history": true, "restrictions": map[string]any{"users": []string{"bob"}, "teams": []string{}},
		"required_status_checks":        map[string]any{"strict": true, "contexts": []string{"build"}},
		"required_pull_request_reviews": map[string]any{"required_approving_review_count": 2, "dismiss_stale_reviews": true}})
	for path, want := range map[string]any{"enforce_admins.enabled": true, "required_status_checks.strict": true, "required_status_checks.contexts.0": "build",
		"required_status_checks.checks.0.context": "build", "required_pull_request_reviews.required_approving_review_count": 2.0,
		"required_pull_request_reviews.dismiss_stale_reviews": true, "restrictions.users.0.login": "bob", "required_linear_history.enabled": true,
		"allow_force_pushes.enabled": false} {
		r.is(path, want)
	}
	b := w.ada.want(200, "GET", "/repos/acme/app/branches/main", nil)
	b.is("protected", true)
	b.is("protection.required_status_checks.enforcement_level", "everyone")
	w.ada.want(200, "GET", "/repos/acme/app/branches?protected=true", nil).is("0.name", "main")
	w.ada.want(200, "GET", "/repos/acme/app/branches?protected=false", nil).is("0", nil)
	for _, part := range []string{"", "/enforce_admins", "/required_status_checks", "/required_pull_request_reviews", "/restrictions"} {
		w.ada.want(200, "GET", protection+part, nil)
	}
	w.ada.want(204, "DELETE", protection+"/enforce_admins", nil)
	w.ada.want(200, "POST", protection+"/enforce_admins", nil).is("enabled", true)
	for _, part := range []string{"/required_status_checks", "/required_pull_request_reviews", "/restrictions"} {
		w.ada.want(204, "DELETE", protection+part, nil)
		w.ada.want(404, "GET", protection+part, nil)
	}
	for name, part := range map[string]map[string]any{"require_code_owner_reviews": {"required_pull_request_reviews": map[string]any{"require_code_owner_reviews": true}},
		"lock_branch": {"lock_branch": true}, "teams": {"restrictions": map[string]any{"users": []string{}, "teams": []string{"x"}}}} {
		body := map[string]any{"required_status_checks": nil, "enforce_admins": nil, "required_pull_request_reviews": nil, "restrictions": nil}
		for k, v := range part {
			body[k] = v
		}
		if got := w.ada.want(501, "PUT", protection, body).at("message").(string); !strings.Contains(got, name) {
			t.Errorf("message = %q, want %s in it", got, name)
		}
	}
	w.ada.want(204, "DELETE", protection, nil)
	w.ada.want(404, "DELETE", protection, nil)
}

func TestMergeNeedsReviewsAndChecks(t *testing.T) {
	w := newWorld(t)
	bob, eve := w.user("bob", "write"), w.user("eve", "read")
	head := w.openPull("feature")
	w.protect(map[string]any{"required_status_checks": map[string]any{"strict": false, "contexts": []string{"build", "lint"}},
		"required_pull_request_reviews": map[string]any{"required_approving_review_count": 1, "dismiss_stale_reviews": true}})
	refused := func(want string) {
		t.Helper()
		bob.want(405, "PUT", pulls+"/1/merge", map[string]any{}).is("message", want)
		bob.want(200, "GET", pulls+"/1", nil).is("mergeable_state", "blocked")
	}
	say := func(context, state string) {
		w.ada.want(201, "POST", "/repos/acme/app/statuses/"+head, map[string]any{"state": state, "context": context})
	}
	const one = "At least 1 approving review is required by reviewers with write access."
	refused(one)
	eve.want(200, "POST", reviews, map[string]any{"event": "APPROVE"})
	refused(one)
	bob.want(200, "POST", reviews, map[string]any{"event": "REQUEST_CHANGES", "body": "no"})
	refused("Changes have been requested.")
	bob.want(200, "POST", reviews, map[string]any{"event": "APPROVE"})
	refused("2 of 2 required status checks are expected.")
	say("build", "success")
	refused(`Required status check "lint" is expected.`)
	say("lint", "failure")
	refused(`Required status check "lint" is failing.`)
	say("lint", "pending")
	refused(`Required status check "lint" is pending.`)
	say("lint", "success")
	bob.want(200, "GET", pulls+"/1", nil).is("mergeable_state", "clean")
	after := w.seq()
	head = w.write("feature", "feature.txt", "three\n")
	if got := w.changes(after); strings.Join(got, " ") != "push pull_request.synchronize pull_request_review.dismissed pull_request_review.dismissed" {
		t.Errorf("changes = %v", got)
	}
	refused(one)
	bob.want(200, "POST", reviews, map[string]any{"event": "APPROVE"})
	say("build", "success")
	say("lint", "success")
	bob.want(200, "PUT", pulls+"/1/merge", map[string]any{})
}

func TestAdminsPassUnlessEnforced(t *testing.T) {
	w := newWorld(t)
	w.openPull("feature")
	rule := map[string]any{"required_pull_request_reviews": map[string]any{"required_approving_review_count": 1}}
	rule["enforce_admins"] = true
	w.protect(rule)
	w.ada.want(405, "PUT", pulls+"/1/merge", map[string]any{})
	body := map[string]any{"message": "m", "content": encode("x")}
	w.ada.want(409, "PUT", contents+"direct.txt", body).is("message", "Could not create file: Changes must be made through a pull request.")
	w.ada.want(204, "DELETE", protection+"/enforce_admins", nil)
	w.ada.want(201, "PUT", contents+"direct.txt", body)
	w.ada.want(200, "PUT", pulls+"/1/merge", map[string]any{})
}

func TestMergeBehindAndLinear(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "write")
	head := w.openPull("feature")
	w.write("main", "other.txt", "x\n")
	w.protect(map[string]any{"required_linear_history": true, "required_status_checks": map[string]any{"strict": true, "contexts": []string{"build"}}})
	w.ada.want(201, "POST", "/repos/acme/app/statuses/"+head, map[string]any{"state": "success", "context": "build"})
	bob.want(200, "GET", pulls+"/1", nil).is("mergeable_state", "behind")
	bob.want(405, "PUT", pulls+"/1/merge", map[string]any{"merge_method": "squash"}).is("message", "Head branch is out of date. Review and try the merge again.")
	bob.want(202, "PUT", pulls+"/1/update-branch", nil)
	head = bob.want(200, "GET", pulls+"/1", nil).at("head.sha").(string)
	w.ada.want(201, "POST", "/repos/acme/app/statuses/"+head, map[string]any{"state": "success", "context": "build"})
	bob.want(405, "PUT", pulls+"/1/merge", map[string]any{}).is("message", "This branch must not contain merge commits.")
	bob.want(200, "PUT", pulls+"/1/merge", map[string]any{"merge_method": "squash"})
}

func TestPushToProtectedBranch(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "write")
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote(bob.token, "acme/app"), ".")
	must(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a\n"), 0o644))
	mustGit(t, dir, "add", "-A")
	mustGit(t, dir, "commit", "-qm", "a")
	w.protect(map[string]any{"required_status_checks": map[string]any{"strict": false, "contexts": []string{"build"}},
		"required_pull_request_reviews": map[string]any{}})
	out, err := git(t, dir, "push", "origin", "HEAD:main", "HEAD:other")
	if err == nil {
		t.Fatal("pushed")
	}
	for _, want := range []string{"remote: error: GH006: Protected branch update failed for refs/heads/main.", "remote: - Changes must be made through a pull request.",
		`remote: - Required status check "build" is expected.`, "[remote rejected] HEAD -> main (protected branch hook declined)", "HEAD -> other"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	w.ada.want(404, "GET", "/repos/acme/app/contents/a.txt", nil)
	w.ada.want(200, "GET", "/repos/acme/app/contents/a.txt?ref=other", nil)
	w.protect(nil)
	mustGit(t, dir, "push", "-q", "origin", "HEAD:main")
	mustGit(t, dir, "commit", "-q", "--amend", "-m", "b")
	if out, err := git(t, dir, "push", "-f", "origin", "HEAD:main"); err == nil || !strings.Contains(out, "- Cannot force-push to this branch") {
		t.Errorf("forced: %v\n%s", err, out)
	}
	robot := w.mint(forge.TokenSpec{Login: forge.ActionsLogin, Repo: "acme/app", Permissions: map[string]string{"contents": "write"}})
	w.protect(map[string]any{"required_pull_request_reviews": map[string]any{}})
	must(t, os.WriteFile(filepath.Join(dir, "b.txt"), []byte("b\n"), 0o644))
	mustGit(t, dir, "fetch", "-q", "origin")
	mustGit(t, dir, "reset", "-q", "--hard", "origin/main")
	must(t, os.WriteFile(filepath.Join(dir, "b.txt"), []byte("b\n"), 0o644))
	mustGit(t, dir, "add", "-A")
	mustGit(t, dir, "commit", "-qm", "b")
	if out, err := git(t, dir, "push", w.remote(robot.token, "acme/app"), "HEAD:main"); err == nil || !strings.Contains(out, "GH006") {
		t.Errorf("a job pushed: %v\n%s", err, out)
	}
	w.protect(map[string]any{"allow_force_pushes": true})
	mustGit(t, dir, "push", "-qf", "origin", "HEAD~1:main")
}
