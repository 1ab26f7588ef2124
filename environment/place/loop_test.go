package place_test

import (
	"encoding/base64"
	"os/exec"
	"strings"
	"testing"
)

// needCurl leaves a test out whose job calls the API, where there is nothing to do it with.
func needCurl(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("skipped: curl is not installed, so no job called the API")
	}
}

// TestWorkflowThatStartsItselfIsStopped: a job comments with a person's token, which starts the next run. The
// place becomes quiet, and the journal says what was refused.
func TestWorkflowThatStartsItselfIsStopped(t *testing.T) {
	needCurl(t)
	p := open(t)
	c := client{t, p}
	c.do(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app"})
	c.do(201, "PUT", "/repos/acme/app/contents/.github/workflows/echo.yml", map[string]any{"message": "m", "content": base64.StdEncoding.EncodeToString([]byte(`
on: issue_comment
jobs:
  echo:
    runs-on: ubuntu-latest
    steps: [{run: 'curl -sSf -H "Authorization: Bearer $TOKEN" -d "{\"body\":\"again\"}" "$GITHUB_API_URL/repos/acme/app/issues/1/comments"', env: {TOKEN: '${{ secrets.PERSON }}'}}]
`))})
	c.seal("/repos/acme/app/actions/secrets", "PERSON", p.Tokens["ada"], nil)
	c.do(201, "POST", "/repos/acme/app/issues", map[string]any{"title": "Echo"})
	c.do(201, "POST", "/repos/acme/app/issues/1/comments", map[string]any{"body": "hello"})
	quiet(t, p)
	if runs := c.do(200, "GET", "/repos/acme/app/actions/runs", nil); !strings.Contains(runs, `"total_count":50,`) {
		t.Errorf("want 50 runs: %.300s", runs)
	}
	refused := 0
	for _, e := range p.Journal.Entries(0) {
		if e.Type == "run.refused" {
			refused++
			if !strings.Contains(e.Detail["message"], "50 runs have caused one another up to this issue_comment") || !strings.HasPrefix(e.Cause, "event:") {
				t.Errorf("refused: %+v", e)
			}
		}
	}
	if refused != 1 {
		t.Errorf("%d runs were refused, want 1", refused)
	}
}
