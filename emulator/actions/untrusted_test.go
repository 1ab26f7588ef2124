package actions_test

import "testing"

// TestForksOnlyRead: whatever a file grants, the job of a fork's pull request gets a token that only reads,
// and no id-token. pull_request_target runs with the repository's own rights.
// https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#pull_request
func TestForksOnlyRead(t *testing.T) {
	p := start(t, `on: {pull_request: {}, pull_request_target: {types: [opened]}}
permissions: write-all
jobs:
  a: {runs-on: ubuntu-latest, steps: [{run: "true"}]}
  b: {runs-on: ubuntu-latest, permissions: {issues: write, contents: none}, steps: [{run: "true"}]}
`)
	p.happen("pull_request.opened fork=eve/app")
	p.settle()
	p.happen(`pull_request.reopened pull={"head":{"ref":"fix","repo":null}}`) // the fork is gone
	p.settle()
	events := map[int64]string{}
	for _, r := range p.runs {
		events[r.ID] = r.Event
	}
	seen := 0
	for _, j := range p.jobs {
		forked := events[j.RunID] == "pull_request"
		issues, id := j.Permissions["issues"], j.Permissions["id-token"]
		switch {
		case forked && (!j.Untrusted || issues != "read" || id == "write"):
			t.Errorf("%s of a fork: untrusted %t, issues %s, id-token %s", j.Name, j.Untrusted, issues, id)
		case !forked && (j.Untrusted || issues != "write"):
			t.Errorf("%s of the target: untrusted %t, issues %s", j.Name, j.Untrusted, issues)
		}
		for scope, level := range j.Permissions {
			if forked && level == "write" {
				t.Errorf("%s of a fork may write %s", j.Name, scope)
			}
		}
		seen++
	}
	if seen != 6 {
		t.Errorf("%d jobs, want 6", seen)
	}
}
