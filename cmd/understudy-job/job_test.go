package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/internal/jobwire"
)

// bin holds understudy-job and understudy-act, built once for all tests.
var bin string

func TestMain(m *testing.M) {
	code, err := build(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func build(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "understudy-job-test")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	out, err := exec.Command("go", "build", "-o", dir+"/", ".", "./understudy-act").CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("go build: %w\n%s", err, out)
	}
	bin = dir
	return m.Run(), nil
}

func job() string { return filepath.Join(bin, "understudy-job") }

// workflow wraps the steps of the one job "a" and what stands before its steps.
func workflow(head, steps string) []byte {
	return []byte("name: test\non: issues\njobs:\n  z:\n    runs-on: x\n    steps: [{run: 'true'}]\n  a:\n    runs-on: ubuntu-latest\n" +
		indent(head, "    ") + "    steps:\n" + indent(steps, "    "))
}

func indent(s, by string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString(by + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}

func spec(t testing.TB, wf []byte) jobwire.Spec {
	t.Helper()
	return jobwire.Spec{
		Workflow: wf, WorkflowPath: ".github/workflows/test.yml", Job: "a", Event: "issues",
		Payload: json.RawMessage(`{"action":"labeled","label":{"name":"bug"},"issue":{"title":"a ${{ secrets.HUSH }} title","number":7}}`),
		Repo:    "acme/app", Ref: "refs/heads/main", SHA: strings.Repeat("a", 40), Actor: "alice",
		RunID: 7, RunNumber: 2, JobID: 9,
		ServerURL: "http://127.0.0.1:1", APIURL: "http://127.0.0.1:1/api/v3", ResultsURL: "http://127.0.0.1:1/",
		RuntimeToken: "runtime-token", Token: "ghs_thetoken",
		Secrets: map[string]string{"HUSH": "hush-hush"}, Variables: map[string]string{"V": "variable"},
		Env: map[string]string{"PATH": os.Getenv("PATH"), "FROM": "spec"}, Dir: t.TempDir(),
	}
}

// ran is what a job reported.
type ran struct {
	events []jobwire.Event
	stderr string
	code   int
}

func run(t testing.TB, s jobwire.Spec) ran {
	t.Helper()
	in, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(job(), "run")
	var out, complaint bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &complaint
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	_ = cmd.Run()
	r := ran{stderr: complaint.String(), code: cmd.ProcessState.ExitCode()}
	dec := json.NewDecoder(&out)
	dec.DisallowUnknownFields()
	for dec.More() {
		var e jobwire.Event
		if err := dec.Decode(&e); err != nil {
			t.Fatalf("standard output holds something else than events: %v", err)
		}
		r.events = append(r.events, e)
	}
	if len(r.events) == 0 || r.last().Type != jobwire.JobCompleted {
		t.Fatalf("no last event: %v\n%s", r.events, r.stderr)
	}
	return r
}

func (r ran) last() jobwire.Event { return r.events[len(r.events)-1] }

// log returns a step's lines, each ended.
func (r ran) log(step int) string {
	var b strings.Builder
	for _, e := range r.events {
		if e.Type == jobwire.Log && e.Step == step {
			b.WriteString(e.Line + "\n")
		}
	}
	return b.String()
}

// conclusions returns those of the steps in order, and the job's.
func (r ran) conclusions() string {
	var all []string
	for _, e := range r.events {
		if e.Conclusion != "" {
			all = append(all, e.Conclusion)
		}
	}
	return strings.Join(all, " ")
}

func TestEventsComeInOrder(t *testing.T) {
	r := run(t, spec(t, workflow("", `
- run: echo one
- name: two ${{ github.actor }}
  run: |
    echo two
    echo three
- if: github.actor == 'bob'
  run: echo skipped
- run: exit 3
- run: echo skipped too
- if: failure()
  run: printf 'no newline'
- if: always()
  run: exit 4
  continue-on-error: true
`)))
	type line struct {
		Type       jobwire.EventType
		Step       int
		Text, Done string
	}
	var got []line
	for _, e := range r.events {
		if e.Time.IsZero() {
			t.Errorf("%v has no time", e)
		}
		got = append(got, line{e.Type, e.Step, e.Name + e.Line, e.Conclusion})
	}
	want := []line{
		{jobwire.JobStarted, 0, "a", ""},
		{jobwire.StepStarted, 1, "Run echo one", ""},
		{jobwire.Log, 1, "one", ""},
		{jobwire.StepCompleted, 1, "Run echo one", "success"},
		{jobwire.StepStarted, 2, "two alice", ""},
		{jobwire.Log, 2, "two", ""},
		{jobwire.Log, 2, "three", ""},
		{jobwire.StepCompleted, 2, "two alice", "success"},
		{jobwire.StepCompleted, 3, "Run echo skipped", "skipped"},
		{jobwire.StepStarted, 4, "Run exit 3", ""},
		{jobwire.StepCompleted, 4, "Run exit 3", "failure"},
		{jobwire.Log, 4, "##[error]Process completed with exit code 3.", ""},
		{jobwire.Annotated, 4, "", ""},
		{jobwire.StepCompleted, 5, "Run echo skipped too", "skipped"},
		{jobwire.StepStarted, 6, "Run printf 'no newline'", ""},
		{jobwire.Log, 6, "no newline", ""},
		{jobwire.StepCompleted, 6, "Run printf 'no newline'", "success"},
		{jobwire.StepStarted, 7, "Run exit 4", ""},
		{jobwire.StepCompleted, 7, "Run exit 4", "success"},
		{jobwire.JobCompleted, 0, "", "failure"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if r.code != 0 || r.stderr != "" {
		t.Errorf("exit %d, stderr %q", r.code, r.stderr)
	}
}

func TestContextsReachTheSteps(t *testing.T) {
	s := spec(t, workflow(`
needs: [z]
if: github.actor == 'nobody'
strategy: {matrix: {os: [x], n: [1, 2], who: [{name: w}]}}
outputs: {o: "${{ steps.s.outputs.o }}", many: "${{ steps.s.outputs.many }}"}
env: {FROM: "workflow ${{ vars.V }}"}
`, `
- id: s
  env: {O: "${{ needs.z.result }} ${{ needs.z.outputs.k }} ${{ matrix.os }} ${{ matrix.n }} ${{ matrix.who.name }}"}
  run: |
    echo "o=$O" >> "$GITHUB_OUTPUT"
    { echo 'many<<EOF'; echo l1; echo l2; echo EOF; } >> "$GITHUB_OUTPUT"
    echo "LATER=set" >> "$GITHUB_ENV"; mkdir -p "$HOME/tools"; echo "$HOME/tools" >> "$GITHUB_PATH"; echo '# sum' >> "$GITHUB_STEP_SUMMARY"
    printf '#!/bin/sh\necho tool\n' > "$HOME/tools/own"; chmod +x "$HOME/tools/own"
- run: |
    echo "$LATER / $FROM / ${{ github.event.label.name }} / ${{ github.event.issue.number }} / ${{ github.event_name }} / ${{ github.workflow }}"
    own; cat "$GITHUB_EVENT_PATH"
- run: echo "$GITHUB_REPOSITORY $GITHUB_REF $GITHUB_REF_NAME $GITHUB_SHA $GITHUB_RUN_ID $GITHUB_RUN_NUMBER $GITHUB_RUN_ATTEMPT $GITHUB_ACTOR $GITHUB_SERVER_URL $GITHUB_API_URL $GITHUB_GRAPHQL_URL"
- run: printf '%s\n' "$RUNNER_TEMP" "$HOME" "$PWD" "$GITHUB_WORKSPACE"
`))
	s.Cell = map[string]any{"os": "o", "n": 2, "who": map[string]any{"name": "w ${{ secrets.HUSH }}"}}
	s.Needs = map[string]jobwire.Need{"z": {Result: "failure", Outputs: map[string]string{"k": "out"}}}
	r := run(t, s)
	if got, want := r.conclusions(), "success success success success success"; got != want {
		t.Fatalf("conclusions %q, want %q\n%v", got, want, r.events)
	}
	want := map[string]string{"o": "failure out o 2 w ${{ secrets.HUSH }}", "many": "l1\nl2"}
	if diff := cmp.Diff(want, r.last().Outputs); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	if got, want := r.log(2), "set / workflow variable / bug / 7 / issues / test\ntool\n"+string(s.Payload)+"\n"; got != want {
		t.Errorf("step 2 says %q, want %q", got, want)
	}
	if got, want := r.log(3), "acme/app refs/heads/main main "+s.SHA+" 7 2 1 alice http://127.0.0.1:1 http://127.0.0.1:1/api/v3 http://127.0.0.1:1/api/v3/graphql\n"; got != want {
		t.Errorf("step 3 says %q, want %q", got, want)
	}
	for path := range strings.Lines(r.log(4)) {
		if !strings.HasPrefix(path, s.Dir+"/") {
			t.Errorf("a step works in %s, outside of %s", path, s.Dir)
		}
	}
}

func TestTextFromOutsideIsNoExpression(t *testing.T) {
	r := run(t, spec(t, workflow("env: {TITLE: \"${{ github.event.issue.title }}\"}", `
- run: echo "$TITLE"; echo 'PASSED=on ${{ '${{' }} secrets.HUSH }}' >> "$GITHUB_ENV"; echo 'o=${{ '${{' }} github.token }}' >> "$GITHUB_OUTPUT"
  id: s
- run: echo "$PASSED, $O"
  env: {O: "${{ steps.s.outputs.o }}"}
`)))
	if got, want := r.log(1), "a ${{ secrets.HUSH }} title\n"; got != want {
		t.Errorf("the title is %q, want %q", got, want)
	}
	if got, want := r.log(2), "on ${{ secrets.HUSH }}, ${{ github.token }}\n"; got != want {
		t.Errorf("passed on is %q, want %q", got, want)
	}
}

func TestSecretsAreMasked(t *testing.T) {
	s := spec(t, workflow("outputs: {leak: \"x${{ secrets.HUSH }}\", fine: fine}", `
- name: with ${{ secrets.HUSH }}
  run: |
    echo "${{ secrets.HUSH }} ${{ secrets.GITHUB_TOKEN }} $ACTIONS_RUNTIME_TOKEN"
    printf '%s\n' "$KEY"; printf 'x-access-token:%s' ghs_thetoken | base64
    echo "::add-mask::later"; echo sooner or later; echo "::error::hush-hush"
  env: {KEY: "${{ secrets.KEY }}"}
- run: echo later; exit 1
`))
	s.Secrets["KEY"] = "-----BEGIN-----\nfirst line\nsecond line\n-----END-----\n"
	r := run(t, s)
	if got, want := r.log(1), "*** *** ***\n***\n***\n***\n***\n\n***\nsooner or ***\n##[error]***\n"; got != want {
		t.Errorf("step 1 says %q, want %q", got, want)
	}
	if got, want := r.log(2), "***\n##[error]Process completed with exit code 1.\n"; got != want {
		t.Errorf("step 2 says %q, want %q", got, want)
	}
	all, err := json.Marshal(r.events)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"hush-hush", "ghs_thetoken", "runtime-token", "second line"} {
		if bytes.Contains(all, []byte(secret)) {
			t.Errorf("%q is in the events", secret)
		}
	}
	if diff := cmp.Diff(map[string]string{"fine": "fine"}, r.last().Outputs); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
}

func TestCommandsStayReadable(t *testing.T) {
	r := run(t, spec(t, workflow("", `
- run: |
    echo "::error file=a.go,line=3::bad thing"
    echo "::warning title=T::careful"
    echo "::notice::hello"
    echo "::group::G"
    echo "::endgroup::"
    echo "::debug::hidden"
    echo "::unknown::kept"
    echo "plain"
`)))
	want := "##[error]bad thing\n##[warning]careful\n##[notice]hello\n##[group]G\n##[endgroup]\n::unknown::kept\nplain\n"
	if diff := cmp.Diff(want, r.log(1)); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

func TestEnvironmentOfStepsIsComplete(t *testing.T) {
	t.Setenv("LEAK", "leaky")
	t.Setenv("SSH_AUTH_SOCK", "/leaky")
	r := run(t, spec(t, workflow("", "- run: env\n- run: test ! -t 0 && test ! -t 1 && test ! -t 2; ls /proc/self/fd | wc -l")))
	for line := range strings.Lines(r.log(1)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch {
		case strings.HasPrefix(name, "GITHUB_"), strings.HasPrefix(name, "RUNNER_"), strings.HasPrefix(name, "ACTIONS_"):
		case strings.Contains("PATH FROM HOME CI TERM GIT_PAGER GIT_TERMINAL_PROMPT ImageOS PWD SHLVL _", name):
		default:
			t.Errorf("the step sees %s=%s", name, value)
		}
	}
	// Standard input, output and error, and the directory that ls reads.
	if got := r.log(2); got != "4\n" {
		t.Errorf("a step's descriptors: %q", got)
	}
}

// TestOutputIsComplete: act alone loses the end of a failing step's output now and then.
func TestOutputIsComplete(t *testing.T) {
	for range 10 {
		r := run(t, spec(t, workflow("", "- run: seq 1 3000; echo last >&2; exit 1")))
		got := r.log(1)
		if want := "3000\nlast\n##[error]Process completed with exit code 1.\n"; !strings.HasSuffix(got, want) || strings.Count(got, "\n") != 3002 {
			t.Fatalf("%d lines, ending in %q", strings.Count(got, "\n"), got[max(0, len(got)-60):])
		}
	}
}

func TestBackgroundProcessLivesOnToTheNextStep(t *testing.T) {
	r := run(t, spec(t, workflow("", `
- run: |
    mkfifo ask; (exec 3<>ask; while read q <&3 && test $q != quit; do echo "got $q"; touch done-$q; done) &
    echo started
- run: echo q1 > ask; until test -e done-q1; do :; done; echo answered; echo quit > ask
`)))
	if got, want := r.log(1), "started\n"; got != want {
		t.Errorf("step 1 says %q, want %q", got, want)
	}
	if got, want := r.log(2), "got q1\nanswered\n"; got != want {
		t.Errorf("step 2 says %q, want %q", got, want)
	}
}

func TestShells(t *testing.T) {
	r := run(t, spec(t, workflow("defaults: {run: {shell: sh}}", `
- run: echo $0 "$BASH_VERSION"
- {shell: bash, run: 'false | true'}
- {if: always(), shell: 'cat {0}', run: text}
- {if: always(), shell: pwsh, run: Write-Host}
`)))
	if got, want := r.conclusions(), "success failure success failure failure"; got != want {
		t.Errorf("conclusions %q, want %q", got, want)
	}
	if got := strings.TrimSpace(r.log(3)); got != "text" {
		t.Errorf("step 3 says %q", got)
	}
	if got := r.log(4); !strings.Contains(got, "shell: pwsh is not supported") {
		t.Errorf("step 4 says %q", got)
	}
}

// An action that runs in a container fails in plain words, also where there is a daemon that could run it.
func TestNoContainers(t *testing.T) {
	r := run(t, spec(t, workflow("", `
- run: |
    mkdir boxed
    printf 'name: boxed\nruns: {using: docker, image: "docker://alpine"}\n' > boxed/action.yml
- uses: ./boxed
`)))
	if got, want := r.conclusions(), "success failure failure"; got != want {
		t.Errorf("conclusions %q, want %q", got, want)
	}
	if got := r.log(2); !strings.Contains(got, "containers are not supported") {
		t.Errorf("step 2 says %q", got)
	}
}
