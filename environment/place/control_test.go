package place_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/environment/place"
)

// workflow commits a workflow file.
func (c client) workflow(name, text string) {
	c.t.Helper()
	c.do(201, "PUT", "/repos/acme/app/contents/.github/workflows/"+name,
		map[string]any{"message": "m", "content": base64.StdEncoding.EncodeToString([]byte(text))})
}

// jobs lists the jobs of an attempt as "name conclusion attempt".
func (c client) jobs(path string) []string {
	c.t.Helper()
	var v struct {
		Jobs []struct {
			Name, Conclusion string
			RunAttempt       int `json:"run_attempt"`
		}
	}
	if err := json.Unmarshal([]byte(c.do(200, "GET", "/repos/acme/app/actions/runs/"+path, nil)), &v); err != nil {
		c.t.Fatal(err)
	}
	var out []string
	for _, j := range v.Jobs {
		out = append(out, fmt.Sprintf("%s %s %d", j.Name, j.Conclusion, j.RunAttempt))
	}
	return out
}

type runRecord struct {
	Status, Conclusion, Cause string
	Attempt                   int     `json:"run_attempt"`
	Previous                  *string `json:"previous_attempt_url"`
	CauseOf                   string  `json:"understudy_cause"`
}

func (c client) run(path string) runRecord {
	c.t.Helper()
	var r runRecord
	if err := json.Unmarshal([]byte(c.do(200, "GET", "/repos/acme/app/actions/runs/"+path, nil)), &r); err != nil {
		c.t.Fatal(err)
	}
	return r
}

func (c client) log(p *place.Place, job int64) string {
	part, err := p.Forge.Admin().View().Log(job, 0, 1<<20)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(part.Text)
}

// TestRerun goes through the ways to repeat a run: only what failed and what needs it, one cell of a matrix,
// everything.
func TestRerun(t *testing.T) {
	p := open(t)
	c := client{t, p}
	c.do(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app"})
	c.workflow("ci.yml", `
on: workflow_dispatch
jobs:
  once:
    runs-on: ubuntu-latest
    outputs: {n: "${{ steps.n.outputs.n }}"}
    steps: [{id: n, run: 'echo "n=attempt-$GITHUB_RUN_ATTEMPT" >> $GITHUB_OUTPUT; echo "I am $GITHUB_ACTOR"'}]
  behind: {needs: once, runs-on: ubuntu-latest, steps: [{run: "true"}]}
  cell:
    strategy: {fail-fast: false, matrix: {x: [1, 2]}}
    runs-on: ubuntu-latest
    steps: [{run: 'test "${{ matrix.x }}" = 1 -o "$GITHUB_RUN_ATTEMPT" != 1'}]
  after:
    needs: [once, cell]
    runs-on: ubuntu-latest
    steps: [{run: 'echo "once was ${{ needs.once.outputs.n }}, now ${{ github.run_attempt }}, by $GITHUB_TRIGGERING_ACTOR"'}]
`)
	c.do(204, "POST", "/repos/acme/app/actions/workflows/ci.yml/dispatches", map[string]any{"ref": "main"})
	quiet(t, p)
	if got, want := c.jobs("1/jobs"), []string{"once success 1", "behind success 1", "cell (1) success 1", "cell (2) failure 1", "after skipped 1"}; !same(got, want) {
		t.Fatalf("first attempt: %v", got)
	}
	first := c.run("1")
	c.do(201, "POST", "/repos/acme/app/actions/runs/1/rerun-failed-jobs", nil)
	quiet(t, p)
	r := c.run("1")
	if r.Attempt != 2 || r.Conclusion != "success" || r.Previous == nil || !strings.HasSuffix(*r.Previous, "/runs/1/attempts/1") || r.CauseOf == first.CauseOf {
		t.Errorf("run after re-run: %+v", r)
	}
	if got, want := c.jobs("1/jobs"), []string{"once success 2", "behind success 2", "cell (1) success 2", "cell (2) success 2", "after success 2"}; !same(got, want) {
		t.Errorf("second attempt: %v", got)
	}
	if got := executed(p, 2); !same(got, []string{"after", "cell (2)"}) {
		t.Errorf("failed jobs again: %v ran", got)
	}
	if got := c.jobs("1/attempts/1/jobs"); len(got) != 5 || c.run("1/attempts/1").Conclusion != "failure" {
		t.Errorf("first attempt, later: %v, %+v", got, c.run("1/attempts/1"))
	}
	if got := c.jobs("1/jobs?filter=all"); len(got) != 10 {
		t.Errorf("all jobs: %v", got)
	}
	logs := map[string]string{}
	view, err := p.Forge.Admin().View().Run(1)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]int64{}
	for _, j := range view.Jobs {
		logs[j.Name], ids[j.Name] = c.log(p, j.ID), j.ID
	}
	if !strings.Contains(logs["after"], "once was attempt-1, now 2, by ada") {
		t.Errorf("the job after does not see the output that was kept:\n%s", logs["after"])
	}
	if !strings.Contains(logs["once"], "I am ada") {
		t.Errorf("the job that was kept has lost its log: %q", logs["once"])
	}
	c.do(403, "POST", "/repos/acme/app/actions/runs/1/rerun-failed-jobs", nil)
	c.do(201, "POST", fmt.Sprintf("/repos/acme/app/actions/jobs/%d/rerun", ids["cell (1)"]), nil)
	c.do(403, "POST", "/repos/acme/app/actions/jobs/1/rerun", nil) // of another attempt
	quiet(t, p)
	if got := executed(p, 3); !same(got, []string{"after", "cell (1)"}) {
		t.Errorf("one job again: %v ran", got)
	}
	c.do(201, "POST", "/repos/acme/app/actions/runs/1/rerun", nil)
	quiet(t, p)
	if got := executed(p, 4); !same(got, []string{"after", "behind", "cell (1)", "cell (2)", "once"}) {
		t.Errorf("all jobs again: %v ran", got)
	}
	c.do(204, "DELETE", "/repos/acme/app/actions/runs/1", nil)
	c.do(404, "GET", "/repos/acme/app/actions/runs/1", nil)
}

// executed lists the jobs of run 1 that really ran in an attempt.
func executed(p *place.Place, attempt int) []string {
	var out []string
	view, err := p.Forge.Admin().View().Run(1)
	if err != nil || view.Run.Attempt != attempt {
		return []string{fmt.Sprint(view.Run.Attempt, err)}
	}
	for _, j := range view.Jobs {
		if j.Kept == 0 {
			out = append(out, j.Name)
		}
	}
	return out
}

func same(got, want []string) bool {
	return cmp.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want)))
}

// TestRerunOfCalledFiles: jobs of a called file are kept and repeated one by one.
func TestRerunOfCalledFiles(t *testing.T) {
	p := open(t)
	c := client{t, p}
	c.do(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app"})
	c.workflow("lib.yml", `
on: {workflow_call: {outputs: {n: {value: "${{ jobs.good.outputs.n }}"}}}}
jobs:
  good: {runs-on: ubuntu-latest, outputs: {n: "${{ steps.n.outputs.n }}"}, steps: [{id: n, run: 'echo n=$GITHUB_RUN_ATTEMPT >> $GITHUB_OUTPUT'}]}
  bad: {runs-on: ubuntu-latest, steps: [{run: 'test $GITHUB_RUN_ATTEMPT != 1'}]}
`)
	c.workflow("ci.yml", `
on: workflow_dispatch
jobs:
  lib: {uses: ./.github/workflows/lib.yml}
  other: {uses: ./.github/workflows/lib.yml, if: github.run_attempt != 1}
  end: {needs: lib, runs-on: ubuntu-latest, steps: [{run: 'test "${{ needs.lib.outputs.n }}" = 1'}]}
`)
	c.do(204, "POST", "/repos/acme/app/actions/workflows/ci.yml/dispatches", map[string]any{"ref": "main"})
	quiet(t, p)
	if got, want := c.jobs("1/jobs"), []string{"lib / good success 1", "lib / bad failure 1", "other skipped 1", "end skipped 1"}; !same(got, want) {
		t.Fatalf("first attempt: %v", got)
	}
	c.do(201, "POST", "/repos/acme/app/actions/runs/1/rerun-failed-jobs", nil)
	quiet(t, p)
	if got, want := c.jobs("1/jobs"), []string{"lib / good success 2", "lib / bad success 2", "other skipped 2", "end success 2"}; !same(got, want) {
		t.Errorf("second attempt: %v", got)
	}
	if got := executed(p, 2); !same(got, []string{"lib / bad", "end"}) {
		t.Errorf("%v ran", got)
	}
}

// TestCancelAndDisable: a run that waits is ended by request; a disabled workflow starts nothing.
func TestCancelAndDisable(t *testing.T) {
	needCurl(t)
	p := open(t)
	c := client{t, p}
	c.do(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app"})
	c.workflow("ci.yml", `
on: {workflow_dispatch: , push: }
permissions: {issues: write}
env:
  SAY: &say |
    curl -sf -H "Authorization: Bearer $T" $GITHUB_API_URL/repos/acme/app/issues -d '{"title":"I wait"}'
    mkfifo f; cat f
jobs:
  a: {runs-on: ubuntu-latest, env: {T: "${{ github.token }}"}, steps: [{run: *say }, {if: always(), run: 'echo cleaning'}]}
  b: {needs: a, if: always(), runs-on: ubuntu-latest, env: {T: "${{ github.token }}"}, steps: [{run: *say }]}
  c: {needs: b, if: always(), runs-on: ubuntu-latest, steps: [{run: 'true'}]}
`) // the push starts run 1
	until(t, p, "issues.opened", "acme/app#1")
	c.do(202, "POST", "/repos/acme/app/actions/runs/1/cancel", nil)
	until(t, p, "issues.opened", "acme/app#2")
	c.do(202, "POST", "/repos/acme/app/actions/runs/1/force-cancel", nil)
	quiet(t, p)
	if got, want := c.jobs("1/jobs"), []string{"a cancelled 1", "b cancelled 1", "c cancelled 1"}; !same(got, want) || c.run("1").Conclusion != "cancelled" {
		t.Errorf("cancelled: %v, %+v", got, c.run("1"))
	}
	if log := c.log(p, 1); !strings.Contains(log, "cleaning") {
		t.Errorf("a cancelled job did not clean up:\n%s", log)
	}
	c.do(409, "POST", "/repos/acme/app/actions/runs/1/cancel", nil)
	c.do(204, "PUT", "/repos/acme/app/actions/workflows/ci.yml/disable", nil)
	c.workflow("other.txt", "x")
	quiet(t, p)
	if all := c.do(200, "GET", "/repos/acme/app/actions/runs", nil); !strings.Contains(all, `"total_count":1`) {
		t.Errorf("a disabled workflow ran: %s", all)
	}
}

// until waits for an entry of the journal.
func until(t *testing.T, p *place.Place, typ, subject string) {
	t.Helper()
	for seq := uint64(0); ; {
		for _, e := range p.Journal.Entries(0) {
			if e.Type == typ && e.Subject == subject {
				return
			}
		}
		next, quiet, err := p.Ledger.Wait(t.Context(), seq)
		if err != nil || quiet {
			t.Fatalf("no %s of %s: quiet %v, %v", typ, subject, quiet, err)
		}
		seq = next
	}
}
