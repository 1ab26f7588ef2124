// Package step runs the script of one workflow step between the engine and the script's shell.
//
// A step's shell does not run under act directly but under "understudy-job step", because act gives
// its child a terminal and, when the child fails, closes it before all output was read. The wrapper
// gives the shell a pipe, as GitHub's runner does, passes all output on, and then says a word that
// only the job knows; it exits when the job has answered that the word came through.
//
// The pipe is a FIFO that the job holds open: a server that a step leaves running for the next steps
// can go on writing.
//
//	understudy-job step CONTROL-DIR SCRIPT SHELL
package step

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/kballard/go-shellquote"
	"golang.org/x/sys/unix"
)

// Control is the directory through which a job and the wrappers of its steps talk.
type Control struct{ Dir string }

// The files of a control directory.
const (
	Out   = "out"   // FIFO: output of the steps
	Ack   = "ack"   // FIFO: one byte for each word seen
	Word  = "word"  // the word
	Group = "group" // of the running step: its tracking id, then its process group
	Event = "event.json"
	// Unread is there when an expression of the step that comes could not be evaluated: it must not run.
	Unread = "unread"
	// Minute is there when a minute of a time-out is not one.
	Minute = "minute"
)

// Path returns the path of a file of the directory.
func (c Control) Path(name string) string { return filepath.Join(c.Dir, name) }

// NoContainers is a DOCKER_HOST at which nobody is: act must not start containers.
func (c Control) NoContainers() string { return "unix://" + c.Path("no-containers") }

// privateVariables are act's own; a step on GitHub does not see them.
var privateVariables = map[string]bool{"ACT": true, "SHA_REF": true, trackingID: true}

// Main runs the wrapper and returns its exit code, which is the script's.
func Main(args []string, stderr io.Writer) int {
	if len(args) != 3 {
		fmt.Fprintln(stderr, "understudy-job: error: step: want control directory, script and shell")
		return 2
	}
	c, script := Control{Dir: args[0]}, args[1]
	return c.Wrap(func(ctx context.Context) (int, error) {
		argv, err := shellArgv(Revive(args[2]), script)
		if err != nil {
			return 0, err
		}
		if err := reviveFile(script); err != nil {
			return 0, err
		}
		return c.run(ctx, argv)
	}, stderr)
}

// Wrap runs what a step does and makes sure that the job has read all of its output before this
// process ends. An error of do is shown in the step's log and fails it.
func (c Control) Wrap(do func(context.Context) (int, error), stderr io.Writer) int {
	Seal(3)
	code, err := 0, c.leaveShims()
	switch unread := os.Remove(c.Path(Unread)); {
	case err != nil:
	case unread == nil:
		code = 1 // the log says why
	default:
		code, err = c.within(do)
	}
	if err == nil {
		err = c.disarmCommandFiles()
	}
	if err != nil {
		fmt.Printf("::error::%s\n", escape(err.Error()))
		code = 1
	}
	if err := c.sayWord(); err != nil {
		fmt.Fprintln(stderr, "understudy-job: error: step:", err)
		return 1
	}
	return code
}

// escape keeps a message on the one line of a workflow command.
func escape(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// shellArgv says how GitHub runs a script with a shell of this name.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsshell
func shellArgv(shell, script string) ([]string, error) {
	switch shell {
	case "":
		return []string{"bash", "-e", script}, nil
	case "bash":
		return []string{"bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script}, nil
	case "sh":
		return []string{"sh", "-e", script}, nil
	case "python":
		return []string{"python", script}, nil
	case "pwsh", "powershell", "cmd":
		return nil, fmt.Errorf("shell: %s is not supported", shell)
	}
	if !strings.Contains(shell, "{0}") {
		return nil, fmt.Errorf("shell: %q is neither a known shell nor a command with {0}", shell)
	}
	argv, err := shellquote.Split(strings.ReplaceAll(shell, "{0}", script))
	if err != nil {
		return nil, fmt.Errorf("shell: %q: %w", shell, err)
	}
	return argv, nil
}

func (c Control) run(ctx context.Context, argv []string) (code int, err error) {
	// Both ends at once: this end of file must not depend on what the step leaves behind.
	out, err := os.OpenFile(c.Path(Out), os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	in, err := os.OpenFile(c.Path(Out), os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	// The id stands in the file before the program runs: this process can be killed at any time.
	id := "understudy_" + rand.Text()
	cmd.Env = append(c.Environ(), trackingID+"="+id)
	cmd.Stdout, cmd.Stderr = in, in
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	group := c.Path(Group)
	if err := os.WriteFile(group, []byte(id), 0o600); err != nil {
		in.Close()
		return 0, err
	}
	err = cmd.Start()
	in.Close()
	if err != nil {
		return 0, errors.Join(err, os.Remove(group))
	}
	if err := os.WriteFile(group, []byte(id+" "+strconv.Itoa(cmd.Process.Pid)), 0o600); err != nil {
		return 0, err
	}
	defer endWithUs(cmd.Process.Pid)()
	defer context.AfterFunc(ctx, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })()
	copied := make(chan error, 1)
	end := &stream{w: os.Stdout}
	go func() { _, err := io.Copy(end, readOnly{out}); copied <- err }()
	waitErr := cmd.Wait()
	_ = os.Remove(group)
	_ = out.SetReadDeadline(time.Unix(1, 0)) // ends the copying; what is still inside comes next
	if err := <-copied; err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return 0, err
	}
	if err := Drain(out, end); err != nil {
		return 0, err
	}
	if err := end.close(); err != nil {
		return 0, err
	}
	if ctx.Err() != nil {
		return 1, nil // of which the caller tells
	}
	return exitCode(cmd, waitErr)
}

// endWithUs ends the step's processes when this one is told to end, or loses its terminal because
// act is gone. It returns what undoes that.
func endWithUs(pid int) (undo func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		if _, told := <-signals; told {
			_ = syscall.Kill(-pid, syscall.SIGKILL)
		}
	}()
	return func() { signal.Stop(signals); close(signals) }
}

func exitCode(cmd *exec.Cmd, err error) (int, error) {
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return 0, err
	}
	ws := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		fmt.Printf("::error::The script was ended by %s.\n", unix.SignalName(ws.Signal()))
		return 128 + int(ws.Signal()), nil
	}
	return ws.ExitStatus(), nil
}

// Environ is the environment that the step's program sees.
func (c Control) Environ() []string {
	var env []string
	for _, kv := range os.Environ() {
		switch name, _, _ := strings.Cut(kv, "="); {
		case privateVariables[name], kv == "DOCKER_HOST="+c.NoContainers():
		case name == "GITHUB_EVENT_PATH":
			env = append(env, name+"="+c.Path(Event))
		default:
			env = append(env, Revive(kv))
		}
	}
	return env
}

// Drain passes on what is in the pipe now, without waiting for more.
func Drain(f *os.File, w io.Writer) error {
	_ = f.SetReadDeadline(time.Time{})
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	buf := make([]byte, 64<<10)
	var failed error
	err = conn.Read(func(fd uintptr) bool {
		for {
			n, err := unix.Read(int(fd), buf)
			if errors.Is(err, unix.EINTR) {
				continue
			}
			if n <= 0 {
				if err != nil && !errors.Is(err, unix.EAGAIN) {
					failed = err
				}
				return true
			}
			if _, failed = w.Write(buf[:n]); failed != nil {
				return true
			}
		}
	})
	return errors.Join(err, failed)
}

// sayWord tells the job that all output is out, and waits until the job has read that far.
func (c Control) sayWord() error {
	word, err := os.ReadFile(c.Path(Word))
	if err != nil {
		return err
	}
	if _, err := fmt.Printf("::%s::\n", word); err != nil {
		return err
	}
	ack, err := os.Open(c.Path(Ack))
	if err != nil {
		return err
	}
	defer ack.Close()
	_, err = ack.Read(make([]byte, 1))
	return err
}

// readOnly hides the other methods of a file: io.Copy would hand it to the kernel, which cannot be
// interrupted by a deadline.
type readOnly struct{ io.Reader }
