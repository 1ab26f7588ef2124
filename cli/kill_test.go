//go:build linux

package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/report/html"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/trial"
)

// alive lists the processes that have anything to do with dir: in their arguments, their
// environment or their working directory.
func alive(t *testing.T, dir string) []string {
	t.Helper()
	procs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range procs {
		args, err := os.ReadFile(filepath.Join(p, "cmdline"))
		if err != nil || len(args) == 0 {
			continue // gone, or a zombie that only waits to be read
		}
		env, _ := os.ReadFile(filepath.Join(p, "environ"))
		cwd, _ := os.Readlink(filepath.Join(p, "cwd"))
		if bytes.Contains(args, []byte(dir)) || bytes.Contains(env, []byte(dir)) || strings.HasPrefix(cwd, dir) {
			out = append(out, filepath.Base(p)+" "+strings.ReplaceAll(string(args), "\x00", " "))
		}
	}
	return out
}

// eventually tries check until it holds or a generous time has passed.
func eventually(t *testing.T, what string, check func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !check() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not within 30 s: %s", what)
		}
	}
}

// sleepy is a platform that hangs in a phase: with a child of its own in a session of its own.
func sleepy(t *testing.T, phase string) string {
	t.Helper()
	hang := `[bash, -c, "setsid sleep 601 & sleep 602"]`
	platform := ""
	switch phase {
	case "get":
		platform = strings.Replace(platformYAML, `[bash, -c, "printf '#!/bin/sh\n' > {gives}; chmod +x {gives}"]`, hang, 1)
	case "install":
		platform = strings.Replace(platformYAML, "install: {run: [noop]}", "install: {run: "+hang+"}", 1)
	}
	if !strings.Contains(platform, "sleep 602") {
		t.Fatal("the platform does not hang")
	}
	return writeSuite(t, map[string]string{
		"platform.yaml":      platform,
		"features/f.feature": "Feature: F\n\n  Scenario: S\n    Given the enrolled test repository\n",
	})
}

// TestNothingOutlivesTheKit ends the kit in each phase, in both isolation forms, by a kill it cannot
// see and by an interrupt.
func TestNothingOutlivesTheKit(t *testing.T) {
	bin := understudy(t)
	for _, phase := range []struct{ name, suite, sign string }{
		{"build", sleepy(t, "get"), "sleep 602"},
		{"install", sleepy(t, "install"), "sleep 602"},
		{"job", acceptance, "crew run"},
	} {
		for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT} {
			for _, flags := range [][]string{nil, {"--no-namespaces"}} {
				t.Run(strings.Join(append([]string{phase.name, signal.String()}, flags...), " "), func(t *testing.T) {
					end(t, bin, phase.suite, phase.sign, signal, flags)
				})
			}
		}
	}
}

// end starts a run, waits until a process with sign in its arguments is there, sends the signal and
// looks for what is left.
func end(t *testing.T, bin, suite, sign string, signal syscall.Signal, flags []string) {
	tmp, out := t.TempDir(), t.TempDir()
	var text bytes.Buffer
	cmd := exec.Command(bin, append([]string{"run", suite, "--repeat", "5", "--out", out}, flags...)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	cmd.Stdout, cmd.Stderr = &text, &text
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, sign+" runs", func() bool {
		for _, p := range alive(t, tmp) {
			if strings.Contains(p, sign) {
				return true
			}
		}
		return false
	})
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	eventually(t, "no process is left", func() bool { return len(alive(t, tmp)) == 0 })

	left, globErr := filepath.Glob(filepath.Join(tmp, "*"))
	if globErr != nil {
		t.Fatal(globErr)
	}
	if signal == syscall.SIGKILL {
		if len(left) != 1 || !strings.HasPrefix(filepath.Base(left[0]), "understudy-") {
			t.Errorf("left in the temp directory: got %q, want the work directory of the killed run alone", left)
		}
		return
	}
	if len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
	if code := cmd.ProcessState.ExitCode(); code != 3 || !strings.Contains(text.String(), "interrupted") {
		t.Errorf("exit code %d (%v), want 3\n%s", code, err, text.String())
	}
	if _, err := os.Stat(filepath.Join(out, "record.json")); err != nil {
		t.Errorf("no record of what was seen so far: %v", err)
	}
}

// TestKilledRunLeavesWhatItSaw kills a run after its first scenarios: what they saw can be read.
func TestKilledRunLeavesWhatItSaw(t *testing.T) {
	bin := understudy(t)
	tmp, out := t.TempDir(), t.TempDir()
	cmd := exec.Command(bin, "run", acceptance, "--repeat", "5", "--out", out)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := func() []byte {
		files, err := filepath.Glob(filepath.Join(out, "runs", "*", trial.SoFar))
		if err != nil || len(files) != 1 {
			return nil
		}
		data, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	eventually(t, "two scenarios have finished", func() bool { return bytes.Count(read(), []byte("\n")) >= 2 })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	eventually(t, "no process is left", func() bool { return len(alive(t, tmp)) == 0 })
	line, _, _ := bytes.Cut(read(), []byte("\n"))
	var seen struct {
		Scenario result.Scenario `json:"scenario"`
	}
	if err := json.Unmarshal(line, &seen); err != nil {
		t.Fatal(err)
	}
	if seen.Scenario.Verdict != result.Passed || len(seen.Scenario.Journal) == 0 || len(seen.Scenario.Evidence) == 0 {
		t.Errorf("got %s %s with %d entries and %d pieces of evidence", seen.Scenario.ID, seen.Scenario.Verdict,
			len(seen.Scenario.Journal), len(seen.Scenario.Evidence))
	}
	for _, ref := range seen.Scenario.Evidence {
		if left, err := filepath.Glob(filepath.Join(out, "runs", "*", ref.Path)); err != nil || len(left) != 1 {
			t.Errorf("evidence %s is not there: %v", ref.Name, err)
		}
	}
	runs, err := filepath.Glob(filepath.Join(out, "runs", "*"))
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	if code, said := run(t, cli.Options{}, "report", runs[0]); code != 2 || !strings.Contains(said, "hint: what had finished stands in "+filepath.Join(runs[0], trial.SoFar)) {
		t.Errorf("exit code %d: %s", code, said)
	}
}

// TestSecondInterruptIsImmediate interrupts a run whose step hears nothing, twice.
func TestSecondInterruptIsImmediate(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "stuck")
	if out, err := exec.Command("go", "build", "-o", bin, "./testdata/stuck").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir := writeSuite(t, map[string]string{
		"understudy.yaml":    "features: features\n",
		"features/f.feature": "Feature: F\n\n  Scenario: S\n    Given a step that ignores everything\n",
	})
	cmd := exec.Command(bin, "run", dir, "--out", t.TempDir())
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for _, sign := range []string{"stuck", "interrupted"} {
		for lines.Scan() && !strings.Contains(lines.Text(), sign) {
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	_ = cmd.Wait() // it exits with the code that is looked at
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130: the second interrupt waits for nothing", code)
	}
}

// TestTwoAtOnce runs the same suite twice at once into the same directory.
func TestTwoAtOnce(t *testing.T) {
	out := t.TempDir()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if code, text := run(t, cli.Options{}, "run", acceptance+"/features/triage.feature:6", "--out", out); code != 0 {
				t.Errorf("exit code %d\n%s", code, text)
			}
		})
	}
	wg.Wait()
	top, err := os.ReadFile(filepath.Join(out, "record.json"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(out, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	dirs, err := filepath.Glob(filepath.Join(out, "runs", "*"))
	if err != nil || len(dirs) != 2 {
		t.Fatalf("runs: %q, %v", dirs, err)
	}
	for _, dir := range dirs {
		own, err := os.ReadFile(filepath.Join(dir, "record.json"))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(own, top) {
			rec, err := result.Read(filepath.Join(dir, "record.json"))
			if err != nil {
				t.Fatal(err)
			}
			var want bytes.Buffer
			if err := (html.Format{Base: "runs/" + filepath.Base(dir) + "/"}).Write(&want, rec); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(page, want.Bytes()) {
				t.Error("the page and the record at the top are of different runs")
			}
			return
		}
	}
	t.Error("the record at the top is of neither run")
}
