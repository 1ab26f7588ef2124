//go:build linux

package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
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

// TestNothingOutlivesTheKit ends the kit in the middle of a job, in both isolation forms, by a kill
// it cannot see and by an interrupt.
func TestNothingOutlivesTheKit(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "understudy")
	if out, err := exec.Command("go", "build", "-o", bin, "../cmd/understudy").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, tt := range []struct {
		name   string
		signal os.Signal
		flags  []string
	}{
		{"kill", syscall.SIGKILL, nil},
		{"kill without namespaces", syscall.SIGKILL, []string{"--no-namespaces"}},
		{"interrupt", os.Interrupt, nil},
		{"interrupt without namespaces", os.Interrupt, []string{"--no-namespaces"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tmp, out := t.TempDir(), t.TempDir()
			var text bytes.Buffer
			cmd := exec.Command(bin, append([]string{"run", acceptance, "--repeat", "5", "--out", out}, tt.flags...)...)
			cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
			cmd.Stdout, cmd.Stderr = &text, &text
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "a job runs", func() bool {
				for _, p := range alive(t, tmp) {
					if strings.Contains(p, "crew run") {
						return true
					}
				}
				return false
			})
			if err := cmd.Process.Signal(tt.signal); err != nil {
				t.Fatal(err)
			}
			err := cmd.Wait()
			eventually(t, "no process is left", func() bool { return len(alive(t, tmp)) == 0 })

			left, globErr := filepath.Glob(filepath.Join(tmp, "understudy-*"))
			if globErr != nil {
				t.Fatal(globErr)
			}
			if tt.signal == syscall.SIGKILL {
				if len(left) != 1 {
					t.Errorf("work directories: got %q, want the one of the killed run", left)
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
		})
	}
}
