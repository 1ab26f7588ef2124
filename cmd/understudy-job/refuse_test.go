package main_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/internal/jobwire"
)

func TestWhatCannotRunIsRefusedByName(t *testing.T) {
	for _, tc := range []struct{ name, head, steps, want string }{
		{"container", "container: {image: x}", "- run: 'true'", "job a: container: is not supported"},
		{"services", "services: {db: {image: x}}", "- run: 'true'", "job a: services: is not supported"},
		{"docker action", "", "- uses: docker://alpine", "step 1: uses: docker://alpine is not supported"},
		{"neither run nor uses", "", "- name: x", "step 1: it needs exactly one of run and uses"},
		{"unknown input", "", "- run: 'true'\n- uses: actions/checkout@v4\n  with: {lfs: true}", `step 2: actions/checkout: the built-in action has no input "lfs"; it has fetch-depth, `},
		{"unknown need", "needs: z", "- run: 'true'", "job a needs z, whose result is unknown"},
		{"malformed env", "env: [x]", "- run: 'true'", ""},
		{"malformed needs", "needs: {x: y}", "- run: 'true'", ""},
	} {
		r := run(t, spec(t, workflow(tc.head, tc.steps)))
		if tc.want == "" {
			continue // act is lenient; it must not end the process, which run checks
		}
		if last := r.last(); last.Conclusion != "failure" || !strings.Contains(last.Error, tc.want) || r.code != 1 {
			t.Errorf("%s: exit %d, %+v, want an error with %q", tc.name, r.code, last, tc.want)
		}
	}
	r := run(t, spec(t, workflow("", "- run: 'true'\n- uses: acme/thing@v1")))
	if got := r.log(2); r.last().Conclusion != "failure" || !strings.Contains(got, "action acme/thing@v1 is not built in") {
		t.Errorf("unknown action: %+v\n%s", r.last(), got)
	}
}

func TestMalformedSpecIsReported(t *testing.T) {
	for _, in := range []string{"", "{", `{"unknown": 1}`, `{"dir": "relative"}`} {
		cmd := exec.Command(job(), "run")
		cmd.Stdin = strings.NewReader(in)
		out, _ := cmd.Output()
		var e jobwire.Event
		if err := json.Unmarshal(out, &e); err != nil || e.Type != jobwire.JobCompleted || e.Error == "" || cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("%q: exit %d, %s", in, cmd.ProcessState.ExitCode(), out)
		}
	}
}

func TestCancelledJobRunsItsAlwaysSteps(t *testing.T) {
	s := spec(t, workflow("", `
- run: exec 7> "$HELD"; setsid sleep 600 & echo ready > "$MARK"; sleep 600
- run: echo never
- if: always()
  run: echo clean
- if: cancelled()
  run: echo cancelled
`))
	mark, held := filepath.Join(t.TempDir(), "mark"), filepath.Join(t.TempDir(), "held")
	for _, fifo := range []string{mark, held} {
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.Env["MARK"], s.Env["HELD"] = mark, held
	alive, err := os.OpenFile(held, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	in, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := exec.Command(job(), "run")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(mark); err != nil { // returns when the step has written
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("wait: %v", err)
	}
	// All processes of the step hold the FIFO's other end.
	if err := alive.SetReadDeadline(time.Now().Add(2 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(alive); err != nil {
		t.Errorf("processes of the cancelled step are left: %v", err)
	}
	r := ran{}
	for dec := json.NewDecoder(&out); dec.More(); {
		var e jobwire.Event
		if err := dec.Decode(&e); err != nil {
			t.Fatal(err)
		}
		r.events = append(r.events, e)
	}
	if got, want := r.conclusions(), "cancelled skipped success success cancelled"; got != want {
		t.Errorf("conclusions %q, want %q", got, want)
	}
	if got := r.log(3) + r.log(4); got != "clean\ncancelled\n" {
		t.Errorf("after the cancellation: %q", got)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"nothing"}, {"hold"}, {"hold", "--nope", "--", "true"}, {"step"}, {"action"}, {"agent"}, {"agent", "other"}} {
		cmd := exec.Command(job(), args...)
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 2 || len(out) == 0 {
			t.Errorf("%v: exit %d, %q", args, cmd.ProcessState.ExitCode(), out)
		}
	}
	out, err := exec.Command(job(), "version").Output()
	if err != nil || !strings.HasPrefix(string(out), "understudy-job ") {
		t.Errorf("version: %q, %v", out, err)
	}
}
