package oracletest_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-github/v88/github"

	"github.com/understudy-dev/understudy/environment/place"
)

const controlled = `on:
  workflow_dispatch:
    inputs:
      who: {required: true}
      how: {type: choice, options: [kindly, rudely], default: kindly}
      hang: {type: boolean}
run-name: greet ${{ inputs.who }} ${{ inputs.how }}
permissions: {issues: write}
env:
  TELL: &tell |
    curl -sf -H "Authorization: Bearer ${{ github.token }}" $GITHUB_API_URL/repos/acme/app/issues -d '{"title":"I wait"}'
    rm -f f; mkfifo f; cat f
jobs:
  greet: {runs-on: ubuntu-latest, steps: [{run: 'echo "hello ${{ inputs.who }}, attempt $GITHUB_RUN_ATTEMPT"'}]}
  flaky: {runs-on: ubuntu-latest, steps: [{run: 'test $GITHUB_RUN_ATTEMPT != 1'}]}
  end: {needs: flaky, runs-on: ubuntu-latest, steps: [{run: 'true'}]}
  hang:
    if: inputs.hang
    runs-on: ubuntu-latest
    steps: [{run: *tell}, {if: always(), run: *tell}]
`

// controller is a go-github client of a repository with one workflow.
type controller struct {
	*github.Client
	t *testing.T
	p *place.Place
}

func openController(t *testing.T) controller {
	p := openPlace(t)
	c, err := github.NewClient(github.WithAuthToken(p.Tokens["ada"]), github.WithEnterpriseURLs(p.Forge.URL(), p.Forge.URL()))
	check(t, err)
	_, _, err = c.Repositories.Create(t.Context(), "acme", &github.Repository{Name: github.Ptr("app"), AutoInit: github.Ptr(true)})
	check(t, err)
	_, _, err = c.Repositories.CreateFile(t.Context(), "acme", "app", ".github/workflows/ci.yml",
		&github.RepositoryContentFileOptions{Message: github.Ptr("ci"), Content: []byte(controlled)})
	check(t, err)
	return controller{c, t, p}
}

// dispatch starts a run and returns its id.
func (c controller) dispatch(inputs map[string]any) int64 {
	c.t.Helper()
	runs := func() *github.WorkflowRuns {
		runs, _, err := c.Actions.ListWorkflowRunsByFileName(c.t.Context(), "acme", "app", "ci.yml", nil)
		check(c.t, err)
		return runs
	}
	before := runs().GetTotalCount()
	_, _, err := c.Actions.CreateWorkflowDispatchEventByFileName(c.t.Context(), "acme", "app", "ci.yml", github.CreateWorkflowDispatchEventRequest{Ref: "main", Inputs: inputs})
	check(c.t, err)
	var id int64
	c.until("the run", func() bool {
		now := runs()
		if now.GetTotalCount() > before {
			id = now.WorkflowRuns[0].GetID()
		}
		return id != 0
	})
	return id
}

// until waits until something holds.
func (c controller) until(what string, holds func() bool) {
	c.t.Helper()
	for seq := uint64(0); !holds(); {
		next, quiet, err := c.p.Ledger.Wait(c.t.Context(), seq)
		if err != nil || quiet && !holds() {
			c.t.Fatalf("%s never came: quiet %v, %v", what, quiet, err)
		}
		seq = next
	}
}

// jobs lists an attempt's jobs as "greet success".
func (c controller) jobs(run, attempt int64) (names []string, ids map[string]int64) {
	c.t.Helper()
	jobs, _, err := c.Actions.ListWorkflowJobsAttempt(c.t.Context(), "acme", "app", run, attempt, nil)
	check(c.t, err)
	ids = map[string]int64{}
	for _, j := range jobs.Jobs {
		names = append(names, j.GetName()+" "+j.GetConclusion())
		ids[j.GetName()] = j.GetID()
		if j.GetRunAttempt() != attempt || j.GetRunID() != run {
			c.t.Errorf("job of another attempt: %v", j)
		}
	}
	slices.Sort(names)
	return names, ids
}

// want holds the attempt's jobs and the run's conclusion.
func (c controller) want(run int64, attempt int, conclusion string, jobs ...string) map[string]int64 {
	c.t.Helper()
	r, _, err := c.Actions.GetWorkflowRunAttempt(c.t.Context(), "acme", "app", run, attempt, nil)
	check(c.t, err)
	got, ids := c.jobs(run, int64(attempt))
	if r.GetConclusion() != conclusion || r.GetStatus() != "completed" || r.GetRunAttempt() != attempt || !slices.Equal(got, jobs) {
		c.t.Fatalf("run %d, attempt %d: %s %s, jobs %q; want %s, %q", run, r.GetRunAttempt(), r.GetStatus(), r.GetConclusion(), got, conclusion, jobs)
	}
	return ids
}

// refused holds that a call ended with a status.
func (c controller) refused(what string, err error, status int) {
	c.t.Helper()
	var e *github.ErrorResponse
	if !errors.As(err, &e) || e.Response.StatusCode != status {
		c.t.Errorf("%s: %v, want status %d", what, err, status)
	}
}

func TestForgeRerunsWithGoGithub(t *testing.T) {
	c := openController(t)
	ctx := t.Context()
	_, _, err := c.Actions.CreateWorkflowDispatchEventByFileName(ctx, "acme", "app", "ci.yml", github.CreateWorkflowDispatchEventRequest{Ref: "main"})
	c.refused("a dispatch without what is required", err, http.StatusUnprocessableEntity)
	run := c.dispatch(map[string]any{"who": "Mona"})
	settle(t, c.p)
	c.want(run, 1, "failure", "end skipped", "flaky failure", "greet success", "hang skipped")
	r, _, err := c.Actions.GetWorkflowRunByID(ctx, "acme", "app", run)
	check(t, err)
	if r.GetDisplayTitle() != "greet Mona kindly" || r.GetEvent() != "workflow_dispatch" || r.GetPreviousAttemptURL() != "" {
		t.Errorf("run = %v", r)
	}

	_, err = c.Actions.RerunFailedJobsByID(ctx, "acme", "app", run)
	check(t, err)
	settle(t, c.p)
	ids := c.want(run, 2, "success", "end success", "flaky success", "greet success", "hang skipped")
	c.want(run, 1, "failure", "end skipped", "flaky failure", "greet success", "hang skipped")
	_, err = c.Actions.RerunJobByID(ctx, "acme", "app", ids["greet"])
	check(t, err)
	settle(t, c.p)
	c.want(run, 3, "success", "end success", "flaky success", "greet success", "hang skipped")
	_, err = c.Actions.RerunWorkflowByID(ctx, "acme", "app", run)
	check(t, err)
	settle(t, c.p)
	c.want(run, 4, "success", "end success", "flaky success", "greet success", "hang skipped")
	r, _, err = c.Actions.GetWorkflowRunByID(ctx, "acme", "app", run)
	check(t, err)
	if r.GetRunAttempt() != 4 || !strings.HasSuffix(r.GetPreviousAttemptURL(), "/attempts/3") || r.GetTriggeringActor().GetLogin() != "ada" {
		t.Errorf("run after three re-runs = %v", r)
	}
	all, _, err := c.Actions.ListWorkflowJobs(ctx, "acme", "app", run, &github.ListWorkflowJobsOptions{Filter: "all"})
	check(t, err)
	if all.GetTotalCount() != 16 {
		t.Errorf("%d jobs of four attempts", all.GetTotalCount())
	}
	c.logs(run)
	_, err = c.Actions.DeleteWorkflowRun(ctx, "acme", "app", run)
	check(t, err)
	_, _, err = c.Actions.GetWorkflowRunByID(ctx, "acme", "app", run)
	c.refused("a run that was deleted", err, http.StatusNotFound)
}

// logs holds the address of all logs of a run and of an attempt, and that they go.
func (c controller) logs(run int64) {
	c.t.Helper()
	ctx := c.t.Context()
	for attempt, want := range map[int]string{1: "hello Mona, attempt 1", 4: "hello Mona, attempt 4"} {
		at, _, err := c.Actions.GetWorkflowRunAttemptLogs(ctx, "acme", "app", run, attempt, 1)
		check(c.t, err)
		if log := zipped(c.t, fetch(c.t, at.String())); !strings.Contains(log, want) {
			c.t.Errorf("logs of attempt %d lack %q:\n%s", attempt, want, log)
		}
	}
	at, _, err := c.Actions.GetWorkflowRunLogs(ctx, "acme", "app", run, 1)
	check(c.t, err)
	if log := zipped(c.t, fetch(c.t, at.String())); !strings.Contains(log, "hello Mona, attempt 4") {
		c.t.Errorf("logs of the run:\n%s", log)
	}
	_, err = c.Actions.DeleteWorkflowRunLogs(ctx, "acme", "app", run)
	check(c.t, err)
	at, _, err = c.Actions.GetWorkflowRunLogs(ctx, "acme", "app", run, 1)
	if err == nil && strings.Contains(fetch(c.t, at.String()), "hello") {
		c.t.Errorf("logs that were deleted are at %s", at)
	}
}

// zipped is the text of all files of an archive.
func zipped(t *testing.T, data string) string {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(data), int64(len(data)))
	check(t, err)
	var all bytes.Buffer
	for _, f := range z.File {
		r, err := f.Open()
		check(t, err)
		_, err = io.Copy(&all, r)
		check(t, err)
	}
	return all.String()
}

func TestForgeCancelsWithGoGithub(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("skipped: curl is not installed, so no job called the API")
	}
	c := openController(t)
	ctx := t.Context()
	run := c.dispatch(map[string]any{"who": "Mona", "hang": true})
	c.untilIssues(1)
	var accepted *github.AcceptedError
	if _, err := c.Actions.CancelWorkflowRunByID(ctx, "acme", "app", run); err != nil && !errors.As(err, &accepted) {
		t.Fatal(err)
	}
	c.untilIssues(2) // if: always() goes on
	req, err := c.NewRequest(ctx, http.MethodPost, fmt.Sprintf("repos/acme/app/actions/runs/%d/force-cancel", run), nil)
	check(t, err)
	if _, err := c.Do(req, nil); err != nil && !errors.As(err, &accepted) { // go-github has no method for it
		t.Fatal(err)
	}
	settle(t, c.p)
	r, _, err := c.Actions.GetWorkflowRunByID(ctx, "acme", "app", run)
	check(t, err)
	names, _ := c.jobs(run, 1)
	if r.GetConclusion() != "cancelled" || !slices.Contains(names, "hang cancelled") {
		t.Errorf("cancelled: %s, jobs %q", r.GetConclusion(), names)
	}
	_, err = c.Actions.CancelWorkflowRunByID(ctx, "acme", "app", run)
	c.refused("cancelling a run that has ended", err, http.StatusConflict)

	_, err = c.Actions.DisableWorkflowByFileName(ctx, "acme", "app", "ci.yml")
	check(t, err)
	w, _, err := c.Actions.GetWorkflowByFileName(ctx, "acme", "app", "ci.yml")
	check(t, err)
	if w.GetState() != "disabled_manually" {
		t.Errorf("state of a disabled workflow: %s", w.GetState())
	}
	_, _, err = c.Actions.CreateWorkflowDispatchEventByID(ctx, "acme", "app", w.GetID(), github.CreateWorkflowDispatchEventRequest{Ref: "main", Inputs: map[string]any{"who": "x"}})
	c.refused("dispatching a disabled workflow", err, http.StatusUnprocessableEntity)
	_, err = c.Actions.EnableWorkflowByID(ctx, "acme", "app", w.GetID())
	check(t, err)
	again := c.dispatch(map[string]any{"who": "x", "how": "rudely"})
	settle(t, c.p)
	runs, _, err := c.Actions.ListWorkflowRunsByID(ctx, "acme", "app", w.GetID(), nil)
	check(t, err)
	if runs.GetTotalCount() != 2 || runs.WorkflowRuns[0].GetID() != again || runs.WorkflowRuns[0].GetDisplayTitle() != "greet x rudely" {
		t.Errorf("runs = %v", runs)
	}
}

// untilIssues waits until the steps of the job that hangs have opened so many issues.
func (c controller) untilIssues(n int) {
	c.t.Helper()
	c.until(fmt.Sprintf("issue %d", n), func() bool {
		issues, _, err := c.Issues.ListByRepo(c.t.Context(), "acme", "app", nil)
		check(c.t, err)
		return len(issues) >= n
	})
}
