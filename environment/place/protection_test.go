package place_test

import (
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// TestProtectedBranch lets an agent try to merge its own pull request: the branch asks for a job of a workflow
// and for somebody's approval, and the agent gets neither by itself.
// https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches
func TestProtectedBranch(t *testing.T) {
	p := open(t)
	c := client{t, p}
	c.do(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	c.workflow("ci.yml", "on: pull_request\njobs:\n  test: {runs-on: ubuntu-latest, steps: [{uses: actions/checkout@v4}, {run: test ! -e broken}]}\n")
	admin := p.Forge.Admin()
	if err := admin.AddUser(forge.User{Login: "agent[bot]", Bot: true}); err != nil {
		t.Fatal(err)
	}
	token, err := admin.MintToken(forge.TokenSpec{Login: "agent[bot]", Repo: "acme/app", Permissions: map[string]string{"contents": "write", "pull_requests": "write"}})
	if err != nil {
		t.Fatal(err)
	}
	c.branch("fix")
	c.put("fix", "broken", "not yet\n")
	c.do(200, "PUT", "/repos/acme/app/branches/main/protection", map[string]any{
		"required_status_checks":        map[string]any{"strict": false, "contexts": []string{"test"}},
		"required_pull_request_reviews": map[string]any{"required_approving_review_count": 1},
		"enforce_admins":                true, "restrictions": nil,
	})
	c.as(token, 201, "POST", "/repos/acme/app/pulls", map[string]any{"title": "Fix", "head": "fix", "base": "main"})
	quiet(t, p)
	refused := func(who, why string) {
		t.Helper()
		if got := c.as(who, 405, "PUT", "/repos/acme/app/pulls/1/merge", map[string]any{}); !strings.Contains(got, why) {
			t.Errorf("merge: %s, want %s", got, why)
		}
	}
	state := func(want string) {
		t.Helper()
		if got := c.do(200, "GET", "/repos/acme/app/pulls/1", nil); !strings.Contains(got, `"mergeable_state":"`+want+`"`) {
			t.Errorf("want %s: %s", want, got)
		}
	}
	state("blocked")
	refused(token, "At least 1 approving review is required by reviewers with write access.")
	refused(p.Tokens["ada"], "At least 1 approving review is required")
	c.as(token, 422, "POST", "/repos/acme/app/pulls/1/reviews", map[string]any{"event": "APPROVE"})

	c.do(200, "POST", "/repos/acme/app/pulls/1/reviews", map[string]any{"event": "APPROVE"})
	state("blocked")
	refused(token, `Required status check \"test\" is failing.`)

	_, rest, _ := strings.Cut(c.do(200, "GET", "/repos/acme/app/contents/broken?ref=fix", nil), `"sha":"`)
	c.as(token, 200, "DELETE", "/repos/acme/app/contents/broken", map[string]any{"message": "Mend", "branch": "fix", "sha": rest[:40]})
	c.put("fix", "fixed", "now\n")
	quiet(t, p)
	state("clean")
	c.as(token, 200, "PUT", "/repos/acme/app/pulls/1/merge", map[string]any{})
	c.do(409, "PUT", "/repos/acme/app/contents/x", map[string]any{"message": "m", "branch": "main", "content": ""})
}
