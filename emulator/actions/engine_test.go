package actions_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/actions"
	"github.com/understudy-dev/understudy/internal/ledger"
	"github.com/understudy-dev/understudy/internal/outline"
	"github.com/understudy-dev/understudy/internal/schedule"
)

const hello = `name: CI
on:
  issues:
    types: [labeled]
jobs:
  greet:
    runs-on: ubuntu-latest
    if: github.event.label.name == 'bug'
    steps:
      - run: echo "hello $GREETING ${{ github.event.issue.number }} in ${HOME##*/}"
        env: {GREETING: "${{ github.event.label.name }}"}
`

func TestLabelStartsRun(t *testing.T) {
	p := start(t, hello)
	seq := p.label("bug")
	p.settle()
	if diff := cmp.Diff("run ci.yml success\n  greet success\n", p.report()); diff != "" {
		t.Fatalf("%s\n%s", diff, p.log("greet"))
	}
	r := p.runs[0]
	got := []string{r.Repo, r.Workflow, r.Name, r.Title, r.Event, r.Actor, r.Cause, r.HeadSHA, r.HeadBranch}
	want := []string{"acme/app", ".github/workflows/ci.yml", "CI", "It breaks", "issues", "alice", "event:1", sha, "main"}
	if diff := cmp.Diff(want, got); diff != "" || seq != 1 {
		t.Error(seq, diff)
	}
	if line := regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z hello bug 1 in home$`); !line.MatchString(p.log("greet")) {
		t.Errorf("log:\n%s", p.log("greet"))
	}
	wantHistory := []string{"job 1 queued", "job 1 in_progress", "job 1 in_progress", "job 1 in_progress", "job 1 completed"}
	if diff := cmp.Diff(wantHistory, p.history); diff != "" {
		t.Error(diff)
	}
	steps := p.jobs[0].Steps
	if len(steps) != 1 || steps[0].Conclusion != "success" || steps[0].Completed.IsZero() {
		t.Errorf("steps %+v", steps)
	}
	if !p.revoked["ghs_token_of_job_1"] {
		t.Error("the job's token was not revoked")
	}
	if left, _ := filepath.Glob(filepath.Join(p.dir, "job-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestConditionSkipsJob(t *testing.T) {
	p := start(t, hello)
	p.label("question")
	p.settle()
	if diff := cmp.Diff("run ci.yml skipped\n  greet skipped\n", p.report()); diff != "" {
		t.Error(diff)
	}
	if len(p.granted) != 0 {
		t.Error("a skipped job got a token")
	}
}

func TestEventsThatStartNothing(t *testing.T) {
	p := start(t, hello)
	p.label("bug", "starts_runs", "no")
	p.emit("issues", "opened", map[string]any{"action": "opened"})
	p.emit("issue_comment", "created", map[string]any{"action": "created"})
	p.emit("pull_request", "opened", map[string]any{"action": "opened"})
	p.settle()
	if got := p.report(); got != "" {
		t.Errorf("runs started:\n%s", got)
	}
}

func TestDispatchByTokenStartsRuns(t *testing.T) {
	p := start(t, `on:
  workflow_dispatch:
    inputs:
      deep: {type: boolean, default: false}
      who: {required: true}
run-name: greet ${{ inputs.who }}
jobs:
  a: {if: inputs.deep, runs-on: ubuntu-latest, steps: [{run: "echo ${{ inputs.who }}"}]}
-- .github/workflows/other.yml --
on: workflow_dispatch
jobs:
  a: {runs-on: ubuntu-latest, steps: [{run: "true"}]}
`)
	inputs := map[string]any{"workflow": ".github/workflows/ci.yml", "inputs": map[string]any{"who": "bob", "deep": "true"}}
	p.emit("workflow_dispatch", "", inputs, "starts_runs", "no")
	p.settle()
	p.emit("workflow_dispatch", "", map[string]any{"workflow": "ci.yml"})
	p.settle()
	if diff := cmp.Diff("run ci.yml success\n  a success\nrun ci.yml startup_failure\n", p.report()); diff != "" {
		t.Fatal(diff)
	}
	if p.runs[0].Title != "greet bob" || !strings.Contains(p.runs[1].Reason, `input "who" is required`) {
		t.Errorf("title %q, reason %q", p.runs[0].Title, p.runs[1].Reason)
	}
}

// At every quiet moment that follows an event, all runs that the event starts have completed.
func TestQuietMeansCompleted(t *testing.T) {
	p := start(t, hello)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 4 {
				seq := p.label("bug")
				p.settle()
				cause := "event:" + itoa(seq)
				p.mu.Lock()
				done := false
				for _, r := range p.runs {
					done = done || r.Cause == cause && r.Status == "completed"
				}
				p.mu.Unlock()
				if !done {
					t.Errorf("quiet, but the run of %s has not completed", cause)
				}
			}
		})
	}
	wg.Wait()
	if n := strings.Count(p.report(), "greet success"); n != 16 {
		t.Errorf("%d jobs succeeded", n)
	}
}

func TestRefusedBeforeTheRun(t *testing.T) {
	p := start(t, `on: issues
jobs:
  a:
    runs-on: windows-latest
    container: node:20
    steps: [{uses: "actions/setup-ruby@v4"}]
`)
	p.label("bug")
	p.settle()
	if diff := cmp.Diff("run ci.yml startup_failure\n", p.report()); diff != "" {
		t.Error(diff)
	}
	want := ".github/workflows/ci.yml:4: `runs-on:` no runner has the label \"windows-latest\"; there are: ubuntu-*, self-hosted, linux, x64\n" +
		".github/workflows/ci.yml:5: `container:` is not supported; jobs run on this machine; drop it\n" +
		".github/workflows/ci.yml:6: `uses: actions/setup-ruby@v4`: this action is not built in; there are: actions/checkout, actions/upload-artifact, actions/download-artifact, " +
		"actions/cache, actions/cache/restore, actions/cache/save, actions/setup-go, actions/setup-node, actions/setup-python, actions/setup-java, each from @v4 on"
	if diff := cmp.Diff(want, p.runs[0].Reason); diff != "" {
		t.Error(diff)
	}
}

func TestUnreadableFileIsRefusedAtEveryEvent(t *testing.T) {
	p := start(t, "on: [issues\njobs: {}\n")
	p.label("bug")
	p.settle()
	if p.report() != "run ci.yml startup_failure\n" || !strings.HasPrefix(p.runs[0].Reason, ".github/workflows/ci.yml:") {
		t.Errorf("%s%+v", p.report(), p.runs)
	}
}

func TestHostFailureEndsTheLease(t *testing.T) {
	p := start(t, hello, func(_ *actions.Options, m *memory) { m.sourceErr = errors.New("disk on fire") })
	p.label("bug")
	for {
		_, quiet, err := p.l.Wait(t.Context(), 1<<60)
		if err != nil {
			if !strings.Contains(err.Error(), "disk on fire") {
				t.Error(err)
			}
			return
		}
		if quiet {
			// The failure is told before the entry counts as delivered.
			t.Fatal("quiet without an error")
		}
	}
}

func TestCloseStopsJobs(t *testing.T) {
	p := start(t, blocking)
	p.label("bug")
	p.until("running", func() bool { return strings.Contains(p.report(), "a in_progress") })
	if err := p.engine.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("run ci.yml cancelled\n  a cancelled\n", p.report()); diff != "" {
		t.Error(diff)
	}
	p.settle()
}

const blocking = `on: {issues: {types: [labeled]}}
jobs:
  a: {runs-on: ubuntu-latest, steps: [{run: 'mkfifo "$DIR/hold" 2>/dev/null; read x < "$DIR/hold"'}]}
`

func TestCancel(t *testing.T) {
	p := start(t, blocking+`  tidy: {needs: a, if: always(), runs-on: ubuntu-latest, steps: [{run: "true"}]}
  next: {needs: a, runs-on: ubuntu-latest, steps: [{run: "true"}]}
`)
	p.label("bug")
	p.until("running", func() bool { return strings.Contains(p.report(), "a in_progress") })
	if !p.engine.Cancel(1) {
		t.Fatal("no run 1")
	}
	p.settle()
	if diff := cmp.Diff("run ci.yml cancelled\n  a cancelled\n  tidy success\n  next cancelled\n", p.report()); diff != "" {
		t.Error(diff)
	}
	if p.engine.Cancel(1) {
		t.Error("a completed run was cancelled")
	}
}

func TestRunnerThatBreaks(t *testing.T) {
	for name, tc := range map[string]struct{ script, want string }{
		"no result":     {"cat >/dev/null; echo 'bad token ghs_token_of_job_1' >&2; exit 2", "runner ended: exit code 2, without a result; the end of its standard error: bad token ***"},
		"no JSON":       {"echo hello; cat >/dev/null", `runner: event "hello"`},
		"unknown event": {`cat >/dev/null; echo '{"type":"job.paused","time":"2026-01-01T00:00:00Z"}'`, `runner: unknown event "job.paused"`},
		"unknown field": {`cat >/dev/null; echo '{"type":"log","lines":[]}'`, `unknown field "lines"`},
		"says so":       {`cat >/dev/null; echo '{"type":"job.completed","conclusion":"failure","error":"no bash"}'; exit 1`, "runner: no bash"},
		"no conclusion": {`cat >/dev/null; echo '{"type":"job.completed","conclusion":"fine"}'`, `has the conclusion "fine"`},
		"goes on":       {`cat >/dev/null; for i in 1 2; do echo '{"type":"job.completed","conclusion":"success"}'; done`, "event job.completed after job.completed"},
	} {
		t.Run(name, func(t *testing.T) {
			runner := filepath.Join(t.TempDir(), "runner")
			if err := os.WriteFile(runner, []byte("#!/bin/sh\n"+tc.script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			p := start(t, hello, func(o *actions.Options, _ *memory) { o.Runner = runner })
			p.label("bug")
			p.settle()
			if diff := cmp.Diff("run ci.yml failure\n  greet failure\n", p.report()); diff != "" {
				t.Error(diff)
			}
			if log := p.log("greet"); !strings.Contains(log, "##[error]") || !strings.Contains(log, tc.want) {
				t.Errorf("log %q lacks %q", log, tc.want)
			}
		})
	}
}

func TestRunnerThatIsNotThere(t *testing.T) {
	p := start(t, hello, func(o *actions.Options, _ *memory) { o.Runner = "/nonexistent/understudy-job" })
	p.label("bug")
	p.settle()
	if !strings.Contains(p.report(), "greet failure") || !strings.Contains(p.log("greet"), "start the runner: ") {
		t.Errorf("%s%s", p.report(), p.log("greet"))
	}
}

func TestMissingOptionIsNamed(t *testing.T) {
	_, err := actions.New(actions.Options{Ledger: ledger.New()})
	if err == nil || !strings.Contains(err.Error(), "option Journal is missing") {
		t.Errorf("got %v", err)
	}
}

func itoa(n uint64) string { return strconv.FormatUint(n, 10) }

// The time from a label to the completed one-step run, with a real job process.
func BenchmarkLabel(b *testing.B) {
	p := start(b, hello)
	for b.Loop() {
		p.label("bug")
		p.settle()
	}
}

// TestCopiedEventsStartNothing: what an event led to has come with the copy, or there was nothing. The files are
// told of as if it had happened here.
func TestCopiedEventsStartNothing(t *testing.T) {
	for _, ordered := range []func(*actions.Options, *memory){func(*actions.Options, *memory) {}, ordered(schedule.Schedule{}.Decider())} {
		p := start(t, "-- .github/workflows/w.yml --\non: issues\njobs:\n  a: {runs-on: ubuntu-latest, steps: [{run: 'true'}]}\n"+
			"-- .github/workflows/broken.yml --\non: issues\njobs: 1\n", ordered)
		at := p.label("bug", "starts_runs", "no")
		e := p.j.Entries(at - 1)[0]
		e.Copied, e.Detail = true, maps.Clone(e.Detail)
		delete(e.Detail, "starts_runs")
		ob := p.l.Open("copy")
		p.j.Append(e)
		ob.Close()
		p.settle()
		if n := len(p.runs); n != 0 {
			t.Errorf("%d runs", n)
		}
		files := 0
		for _, e := range p.j.Entries(0) {
			if e.Type == outline.FileEntry {
				files++
			}
		}
		if files != 2 {
			t.Errorf("the journal tells of %d files, want 2", files)
		}
	}
}
