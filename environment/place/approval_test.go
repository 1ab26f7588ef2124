package place_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// stranger is an account without a role, and its token.
func (c client) stranger(login string) string {
	c.t.Helper()
	admin := c.p.Forge.Admin()
	if err := admin.AddUser(forge.User{Login: login}); err != nil {
		c.t.Fatal(err)
	}
	token, err := admin.MintToken(forge.TokenSpec{Login: login})
	if err != nil {
		c.t.Fatal(err)
	}
	return token
}

// contribute opens a pull request from a branch of a stranger's fork, with a file in it, and returns the path of
// the pull request.
func (c client) contribute(login, token, branch string) string {
	c.t.Helper()
	c.as(token, 202, "POST", "/repos/acme/app/forks", nil)
	_, rest, _ := strings.Cut(c.as(token, 200, "GET", "/repos/"+login+"/app/git/ref/heads/main", nil), `"sha":"`)
	c.as(token, 201, "POST", "/repos/"+login+"/app/git/refs", map[string]any{"ref": "refs/heads/" + branch, "sha": rest[:40]})
	c.as(token, 201, "PUT", "/repos/"+login+"/app/contents/"+branch, map[string]any{"message": "m", "branch": branch, "content": "eA=="})
	opened := c.as(token, 201, "POST", "/repos/acme/app/pulls", map[string]any{"title": branch, "head": login + ":" + branch, "base": "main"})
	_, rest, _ = strings.Cut(opened, `"number":`)
	number, _, _ := strings.Cut(rest, ",")
	return "/repos/acme/app/pulls/" + number
}

// TestFirstContributionWaits opens the first pull request of a stranger's fork: what runs on its commit waits until
// somebody who may write approves, what runs on the base's does not, and his next one runs at once.
// https://docs.github.com/en/actions/how-tos/manage-workflow-runs/approve-runs-from-forks
func TestFirstContributionWaits(t *testing.T) {
	p := open(t)
	c := client{t, p}
	c.do(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	c.workflow("ci.yml", "on: pull_request\njobs:\n  test: {runs-on: ubuntu-latest, steps: [{uses: actions/checkout@v4}, {run: test -e one -o -e two}]}\n")
	c.workflow("base.yml", "on: {pull_request_target: {types: [opened]}}\njobs:\n  look: {runs-on: ubuntu-latest, steps: [{uses: actions/checkout@v4}, {run: test ! -e one}]}\n")
	c.do(200, "PUT", "/repos/acme/app/branches/main/protection", map[string]any{
		"required_status_checks": map[string]any{"strict": false, "contexts": []string{"test"}}, "required_pull_request_reviews": nil,
		"enforce_admins": true, "restrictions": nil,
	})
	eve := c.stranger("eve")
	pull := c.contribute("eve", eve, "one")
	quiet(t, p)
	want := []string{"pull_request_target success", "pull_request action_required"}
	if d := cmp.Diff(want, sorted(c.ran())); d != "" {
		t.Fatalf("opened (-want +got):\n%s", d)
	}
	held := c.newest("pull_request")
	if got := c.do(200, "GET", held+"/jobs", nil); !strings.Contains(got, `"total_count":0`) {
		t.Errorf("a run that waits has jobs: %s", got)
	}
	c.do(405, "PUT", pull+"/merge", map[string]any{}) // the required check is missing
	c.as(eve, 403, "POST", held+"/approve", nil)
	c.do(201, "POST", held+"/approve", nil)
	quiet(t, p)
	if got := c.do(200, "GET", held, nil); !strings.Contains(got, `"conclusion":"success"`) || !strings.Contains(got, `"run_attempt":1,`) ||
		!strings.Contains(got, `"triggering_actor":{"login":"eve"`) {
		t.Errorf("approved: %s", got)
	}
	c.do(403, "POST", held+"/approve", nil)
	c.do(201, "POST", held+"/rerun", nil) // what started it is found again
	quiet(t, p)
	if got := c.do(200, "GET", held, nil); !strings.Contains(got, `"conclusion":"success"`) || !strings.Contains(got, `"run_attempt":2,`) {
		t.Errorf("again: %s", got)
	}
	c.do(200, "PUT", pull+"/merge", map[string]any{})

	c.contribute("eve", eve, "two")
	quiet(t, p)
	if got := c.ran(); len(got) != 4 || strings.Contains(strings.Join(got[2:], " "), "action_required") {
		t.Errorf("the second one: %v", got)
	}
}

// sorted are runs with those that wait last: workflows start in the order of their events, not of their files.
func sorted(runs []string) []string {
	var now, later []string
	for _, r := range runs {
		if strings.HasSuffix(r, "action_required") {
			later = append(later, r)
		} else {
			now = append(now, r)
		}
	}
	return append(now, later...)
}

// newest is the path of the newest run of an event.
func (c client) newest(event string) string {
	c.t.Helper()
	_, rest, found := strings.Cut(c.do(200, "GET", "/repos/acme/app/actions/runs?event="+event, nil), `"workflow_runs":[{"id":`)
	id, _, _ := strings.Cut(rest, ",")
	if !found {
		c.t.Fatalf("no run of %s", event)
	}
	return "/repos/acme/app/actions/runs/" + id
}

// TestWhoWaits goes through the policies: whose runs wait, of a pull request and of a review on it.
func TestWhoWaits(t *testing.T) {
	const first, newcomers, all = "first_time_contributors", "first_time_contributors_new_to_github", "all_external_contributors"
	p := open(t)
	c := client{t, p}
	c.do(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	c.do(201, "POST", "/orgs/acme/repos", map[string]any{"name": "other", "auto_init": true})
	c.workflow("ci.yml", "on: [pull_request, pull_request_review]\njobs:\n  test: {runs-on: ubuntu-latest, steps: [{run: \"true\"}]}\n")
	const setting = "/repos/acme/app/actions/permissions/fork-pr-contributor-approval"
	waits := func(event string) bool {
		quiet(t, p)
		return strings.Contains(c.do(200, "GET", c.newest(event), nil), `"conclusion":"action_required"`)
	}
	newcomer, known, member := c.stranger("nel"), c.stranger("kim"), c.stranger("moe")
	c.do(204, "PUT", "/repos/acme/app/collaborators/moe", map[string]any{"permission": "triage"})
	// kim has a pull request in another repository.
	c.as(known, 202, "POST", "/repos/acme/other/forks", nil)
	c.as(known, 201, "PUT", "/repos/kim/other/contents/x", map[string]any{"message": "m", "content": "eA=="})
	c.as(known, 201, "POST", "/repos/acme/other/pulls", map[string]any{"title": "x", "head": "kim:main", "base": "main"})
	c.do(200, "PUT", "/repos/acme/other/pulls/1/merge", map[string]any{})
	for i, x := range []struct {
		policy, login, token string
		want                 bool
	}{
		{newcomers, "nel", newcomer, true}, {newcomers, "kim", known, false}, {first, "kim", known, true},
		{first, "moe", member, false}, {all, "kim", known, true}, {all, "kim", known, true}, {all, "moe", member, false},
	} {
		c.do(204, "PUT", setting, map[string]any{"approval_policy": x.policy})
		pull := c.contribute(x.login, x.token, fmt.Sprint("b", i))
		if got := waits("pull_request"); got != x.want {
			t.Errorf("%s, %s waits: %t", x.policy, x.login, got)
		}
		if x.policy == all { // the second one comes from a contributor
			c.do(200, "PUT", pull+"/merge", map[string]any{})
		}
	}
	c.do(204, "PUT", setting, map[string]any{"approval_policy": first})
	pull := c.contribute("kim", known, "more")
	if waits("pull_request") {
		t.Error("kim contributed before, and waits")
	}
	c.as(c.stranger("sue"), 200, "POST", pull+"/reviews", map[string]any{"event": "COMMENT", "body": "hm"})
	if !waits("pull_request_review") {
		t.Error("the review of one who never contributed runs at once")
	}
	c.do(403, "POST", c.newest("pull_request_review")+"/approve", nil)
	c.do(201, "POST", c.newest("pull_request_review")+"/rerun", nil)
	if waits("pull_request_review") {
		t.Error("run again by one who may write, it waits")
	}
	c.do(204, "PUT", "/orgs/acme/actions/permissions/fork-pr-contributor-approval", map[string]any{"approval_policy": all})
	if got := c.do(200, "GET", "/repos/acme/other/actions/permissions/fork-pr-contributor-approval", nil); got != `{"approval_policy":"`+all+`"}` {
		t.Errorf("of the organisation: %s", got)
	}
	if got := c.do(200, "GET", setting, nil); got != `{"approval_policy":"`+first+`"}` {
		t.Errorf("of its own: %s", got)
	}
	c.do(422, "PUT", setting, map[string]any{"approval_policy": "none"})
}

// TestTokensDefault: a file that says nothing of permissions gets what the repository's setting gives, and a fork's
// pull request never more than to read.
// https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/enabling-features-for-your-repository/managing-github-actions-settings-for-a-repository#configuring-the-default-github_token-permissions
func TestTokensDefault(t *testing.T) {
	p := open(t)
	c := client{t, p}
	c.do(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	c.do(204, "PUT", "/repos/acme/app/actions/permissions/fork-pr-contributor-approval", map[string]any{"approval_policy": "first_time_contributors_new_to_github"})
	c.workflow("say.yml", `
on: [issues, pull_request]
jobs:
  say:
    runs-on: ubuntu-latest
    steps: [{run: 'curl -fsS -H "Authorization: Bearer ${{ github.token }}" -d "{\"title\": \"from a job\"}" "$GITHUB_API_URL/repos/acme/app/issues"'}]
  called: {uses: ./.github/workflows/called.yml}
`)
	c.workflow("called.yml", `
on: workflow_call
jobs:
  close:
    runs-on: ubuntu-latest
    steps: [{run: 'curl -fsS -X PATCH -H "Authorization: Bearer ${{ github.token }}" -d "{\"state\": \"closed\"}" "$GITHUB_API_URL/repos/acme/app/issues/1"'}]
`)
	const repo, org = "/repos/acme/app/actions/permissions/workflow", "/orgs/acme/actions/permissions/workflow"
	tell := func(body map[string]any) string {
		t.Helper()
		c.do(201, "POST", "/repos/acme/app/issues", body)
		quiet(t, p)
		got := c.ran()
		return got[len(got)-1]
	}
	if got := tell(map[string]any{"title": "one"}); got != "issues failure" {
		t.Errorf("restricted: %s", got)
	}
	c.do(409, "PUT", repo, map[string]any{"default_workflow_permissions": "write"})
	c.do(204, "PUT", org, map[string]any{"default_workflow_permissions": "write"})
	if got := tell(map[string]any{"title": "two"}); got != "issues success" {
		t.Errorf("permissive in the organisation: %s\n%s", got, c.log(p, 3))
	}
	c.do(204, "PUT", repo, map[string]any{"default_workflow_permissions": "read"})
	if got := tell(map[string]any{"title": "three"}); got != "issues failure" {
		t.Errorf("restricted in the repository: %s", got)
	}
	c.do(204, "PUT", repo, map[string]any{"default_workflow_permissions": "write"})
	if got := c.do(200, "GET", repo, nil); got != `{"default_workflow_permissions":"write","can_approve_pull_request_reviews":false}` {
		t.Errorf("setting: %s", got)
	}
	token := c.stranger("eve")
	c.do(204, "PUT", "/repos/acme/app/collaborators/eve", map[string]any{"permission": "triage"})
	c.contribute("eve", token, "fix")
	quiet(t, p)
	if got := c.ran(); got[len(got)-1] != "pull_request failure" {
		t.Errorf("of a fork: %v", got)
	}
}
