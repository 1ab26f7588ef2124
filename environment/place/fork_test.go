package place_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/internal/journal"
)

// TestForksGetNoSecrets shows two pull requests to one workflow, one of the repository itself and one of a
// fork: only the first one's job gets the secrets, of the repository and of its environment.
func TestForksGetNoSecrets(t *testing.T) {
	p := open(t)
	c := client{t, p}
	c.do(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app"})
	c.do(200, "PUT", "/repos/acme/app/environments/stage", map[string]any{})
	c.seal("/repos/acme/app/actions/secrets", "REPO", "repo-secret", nil)
	c.seal("/repos/acme/app/environments/stage/secrets", "ENV", "env-secret", nil)
	c.workflow("ci.yml", `
on: pull_request
jobs:
  look:
    name: ${{ github.event.pull_request.head.repo.full_name }}
    runs-on: ubuntu-latest
    environment: stage
    env: {GOT: "${{ secrets.REPO }}-${{ secrets.ENV }}", WANT: "${{ github.event.pull_request.head.repo.full_name == 'acme/app' && 'repo-secret-env-secret' || '-' }}"}
    steps: [{run: 'test "$GOT" = "$WANT" && test -n "${{ github.token }}"'}]
`)
	sha, err := p.Forge.Admin().ResolveRef("acme/app", "refs/heads/main")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for n, from := range []string{"acme/app", "mallory/app"} {
		payload, err := json.Marshal(map[string]any{"action": "opened", "pull_request": map[string]any{
			"number": n + 1, "merge_commit_sha": sha, "base": map[string]any{"ref": "main"},
			"head": map[string]any{"ref": "fix", "repo": map[string]any{"full_name": from}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		p.Journal.Append(journal.Entry{
			Kind: journal.Change, Type: "pull_request.opened", Actor: "ada", Payload: payload,
			Detail: map[string]string{"repo": "acme/app", "event": "pull_request", "action": "opened"},
		})
		quiet(t, p)
		got = append(got, c.jobs([]string{"1/jobs", "2/jobs"}[n])...)
	}
	if diff := cmp.Diff([]string{"acme/app success 1", "mallory/app success 1"}, got); diff != "" {
		t.Error(diff)
	}
}
