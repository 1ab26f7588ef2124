package forge_test

import (
	"strings"
	"testing"
)

// TestLinearBranchTakesNoMerge: neither by git nor by the API.
func TestLinearBranchTakesNoMerge(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "write")
	w.openPull("feature")
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote(bob.token, "acme/app"), ".")
	mustGit(t, dir, "merge", "-q", "--no-ff", "-m", "m", "origin/feature")
	sha := strings.TrimSpace(mustGit(t, dir, "rev-parse", "HEAD"))
	w.protect(map[string]any{"required_linear_history": true})
	const why = "This branch must not contain merge commits."
	if out, err := git(t, dir, "push", "origin", "HEAD:main"); err == nil || !strings.Contains(out, "- "+why) {
		t.Errorf("pushed: %v\n%s", err, out)
	}
	mustGit(t, dir, "push", "-q", "origin", "HEAD:side")
	bob.want(422, "PATCH", "/repos/acme/app/git/refs/heads/main", map[string]any{"sha": sha}).is("message", why)
	w.ada.want(200, "PATCH", "/repos/acme/app/git/refs/heads/main", map[string]any{"sha": sha})
}

// TestRestrictedBranch: who is not named neither writes nor merges.
func TestRestrictedBranch(t *testing.T) {
	w := newWorld(t)
	bob, cyd := w.user("bob", "write"), w.user("cyd", "write")
	w.openPull("feature")
	w.ada.want(422, "PUT", protection, map[string]any{"required_status_checks": nil, "enforce_admins": nil, "required_pull_request_reviews": nil,
		"restrictions": map[string]any{"users": []string{"nobody"}, "teams": []string{}}})
	w.protect(map[string]any{"restrictions": map[string]any{"users": []string{"BOB"}, "teams": []string{}}}).is("restrictions.users.0.login", "bob")
	body := map[string]any{"message": "m", "content": encode("x")}
	for _, r := range []reply{cyd.want(409, "PUT", contents+"direct.txt", body), cyd.want(405, "PUT", pulls+"/1/merge", nil)} {
		if got := r.at("message").(string); !strings.Contains(got, "You're not authorized to push to this branch.") {
			t.Errorf("message = %q", got)
		}
	}
	bob.want(201, "PUT", contents+"direct.txt", body)
	bob.want(200, "PUT", pulls+"/1/merge", nil)
}

func TestProtectedBranchIsNotDeleted(t *testing.T) {
	w := newWorld(t)
	const dev, ref = "/repos/acme/app/branches/dev/protection", "/repos/acme/app/git/refs/heads/dev"
	w.branch("dev")
	body := map[string]any{"required_status_checks": nil, "enforce_admins": true, "required_pull_request_reviews": map[string]any{}, "restrictions": nil}
	w.ada.want(200, "PUT", dev, body)
	w.ada.want(422, "DELETE", ref, nil).is("message", "Cannot delete this branch")
	w.ada.want(201, "POST", "/repos/acme/app/branches/dev/rename", map[string]any{"new_name": "next"})
	w.ada.want(200, "GET", "/repos/acme/app/branches/next/protection", nil).is("enforce_admins.enabled", true)
}

func TestRequiredCheckOfAnApp(t *testing.T) {
	w := newWorld(t)
	head := w.openPull("feature")
	status := func(state string) {
		w.ada.want(201, "POST", "/repos/acme/app/statuses/"+head, map[string]any{"state": state, "context": "build"})
	}
	status("failure")
	w.ada.want(200, "GET", pulls+"/1", nil).is("mergeable_state", "unstable")
	status("success")
	w.ada.want(200, "GET", pulls+"/1", nil).is("mergeable_state", "clean")
	r := w.protect(map[string]any{"required_status_checks": map[string]any{"strict": false, "contexts": []string{"build"},
		"checks": []any{map[string]any{"context": "build", "app_id": 999}}}})
	r.is("required_status_checks.checks.0.app_id", 999.0)
	r.is("required_status_checks.checks.1", nil)
	w.ada.want(200, "GET", pulls+"/1", nil).is("mergeable_state", "blocked")
	w.ada.want(422, "PUT", protection, map[string]any{"required_status_checks": nil, "enforce_admins": nil, "restrictions": nil,
		"required_pull_request_reviews": map[string]any{"required_approving_review_count": 7}})
}

// TestCommentKeepsAnApproval: what only comments changes no verdict.
func TestCommentKeepsAnApproval(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "write")
	w.openPull("feature")
	w.protect(map[string]any{"required_pull_request_reviews": map[string]any{"required_approving_review_count": 1}})
	bob.want(200, "POST", reviews, map[string]any{"event": "APPROVE"})
	bob.want(200, "POST", reviews, map[string]any{"event": "COMMENT", "body": "Nice"})
	w.ada.want(200, "GET", pulls+"/1", nil).is("mergeable_state", "clean")
}
