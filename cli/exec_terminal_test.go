//go:build linux

package cli_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// lines is output that may be looked at while it grows.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// terminal is one that a test types at.
type terminal struct {
	typed *os.File
	shown *lines
	wg    sync.WaitGroup
}

// inTerminal starts a command as the first one of a terminal: see pty(7).
func inTerminal(t *testing.T, cmd *exec.Cmd) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	term := &terminal{typed: master, shown: &lines{}}
	term.wg.Go(func() {
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf) // ends with an error when nobody has the terminal any more
			if n > 0 {
				_, _ = term.shown.Write(buf[:n])
			}
			if err != nil {
				return
			}
		}
	})
	t.Cleanup(func() { master.Close(); term.wg.Wait() })
	return term
}

func (term *terminal) until(t *testing.T, what string) {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the terminal shows:\n%s", term.shown)
		}
	})
	eventually(t, what, func() bool { return strings.Contains(term.shown.String(), what) })
}

func (term *terminal) enter(t *testing.T, text string) {
	t.Helper()
	if _, err := term.typed.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// TestExecInterruptsOnce types an interrupt: the terminal sends it to everyone in the foreground, and
// the program has to see one. What is sent to the command alone comes after it, and also once.
func TestExecInterruptsOnce(t *testing.T) {
	bin := understudy(t)
	onRungs(t, func(t *testing.T, rung string) {
		// printf writes once, so that what exec itself says on the terminal comes before or after it.
		cmd, tmp := command(t, bin, rung, "--", "bash", "-c", `n=0; trap 'n=$((n+1)); echo int $n' INT; trap 'echo term after $n; exit $n' TERM
			test -t 0 && test -t 1 && test -t 2 && printf 'terminal\nup\n'; while :; do sleep 0.1; done`)
		term := inTerminal(t, cmd)
		term.until(t, "terminal\r\nup")
		term.enter(t, "\x03")
		term.until(t, "int 1")
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // with the code that is looked at
		term.until(t, "term after 1")
		if code := cmd.ProcessState.ExitCode(); code != 1 {
			t.Errorf("exit code %d", code)
		}
		eventually(t, "nothing is left", func() bool { return len(alive(t, tmp)) == 0 })
	})
}

// TestExecShell lives in an interactive shell: it controls jobs, and ends when it is left.
func TestExecShell(t *testing.T) {
	bin := understudy(t)
	onRungs(t, func(t *testing.T, rung string) {
		cmd, tmp := command(t, bin, rung, "--", "bash", "--norc", "--noprofile", "-i")
		cmd.Env = append(cmd.Env, "PS1=ready> ", "TERM=dumb")
		term := inTerminal(t, cmd)
		term.until(t, "ready> ")
		term.enter(t, "sleep 603\n")
		eventually(t, "it sleeps", func() bool { return sleeps(t, tmp, "603") })
		term.enter(t, "\x1a")
		term.until(t, "Stopped")
		term.enter(t, "kill -KILL %1; wait; curl -s https://api.github.com/user; exit 6\n")
		_ = cmd.Wait() // with the code that is looked at
		term.until(t, "updated_at")
		if code := cmd.ProcessState.ExitCode(); code != 6 || strings.Contains(term.shown.String(), "no job control") {
			t.Errorf("exit code %d", code)
		}
	})
}

// TestExecStopsAndGoesOn is one job to the shell that started it.
func TestExecStopsAndGoesOn(t *testing.T) {
	bin := understudy(t)
	onRungs(t, func(t *testing.T, rung string) {
		inner, tmp := command(t, bin, rung, "--", "bash", "-c", `trap 'echo continued; exit 7' CONT; echo started; while :; do sleep 0.1; done`)
		shell := exec.CommandContext(t.Context(), "bash", "--norc", "--noprofile", "-i")
		shell.Dir, shell.Env = inner.Dir, append(inner.Env, "PS1=ready> ", "TERM=dumb")
		term := inTerminal(t, shell)
		term.until(t, "ready> ")
		quoted := make([]string, len(inner.Args))
		for i, a := range inner.Args {
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		term.enter(t, "set +o emacs; "+strings.Join(quoted, " ")+"\n")
		term.until(t, "\nstarted")
		term.enter(t, "\x1a")
		term.until(t, "Stopped")
		term.enter(t, "fg; echo ended with $?; exit\n")
		term.until(t, "ended with 7")
		_ = shell.Wait()
		eventually(t, "nothing is left", func() bool { return len(alive(t, tmp)) == 0 })
	})
}
