package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"example.com/crew/internal/defect"
)

const maxLog = 4 << 20

func workspace(place string) string { return filepath.Join(place, "workspace") }

// start runs the runtime's command in its place for the n-th time and returns its exit code. -1
// means that it was killed, by time or by a signal. The error is non-nil only when it never ran.
func (t *task) start(ctx context.Context, n int, feedback string) (int, error) {
	if err := t.furnish(n, feedback); err != nil {
		return 0, err
	}
	log, err := os.Create(filepath.Join(IterationDir(t.Output, n), LogFile))
	if err != nil {
		return 0, err
	}
	defer log.Close()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	argv := t.command(n)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = workspace(t.place)
	cmd.Env = t.environment(n, feedback)
	if t.Defect == defect.EnvironmentLeaks {
		cmd.Env = append(os.Environ(), cmd.Env...)
	}
	if t.Defect == defect.CommandFilesLeak {
		for _, name := range []string{"GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH"} {
			cmd.Env = append(cmd.Env, name+"="+os.Getenv(name))
		}
	}
	out := &bounded{w: io.MultiWriter(log, t.Log), left: maxLog}
	cmd.Stdout, cmd.Stderr = out, out
	// The agent and what it started end together.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start runtime %s: %w", t.selected.Runtime.Value, err)
	}
	err = cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left behind; usually nothing
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok && !errors.Is(err, exec.ErrWaitDelay) {
		return -1, fmt.Errorf("run runtime %s: %w", t.selected.Runtime.Value, err)
	}
	return cmd.ProcessState.ExitCode(), nil
}

// furnish makes the agent's place ready for the n-th iteration. The workspace stays as the agent left
// it, but for its output, its figures and its input: nothing of an earlier iteration can count.
func (t *task) furnish(n int, feedback string) error {
	ws := workspace(t.place)
	for _, name := range []string{"output", inputDir, usageFile} {
		if name == "output" && t.Defect == defect.StaleIterationTaken {
			continue
		}
		if err := os.RemoveAll(filepath.Join(ws, name)); err != nil {
			return err
		}
	}
	for _, dir := range []string{filepath.Join(ws, "output"), filepath.Join(ws, inputDir), filepath.Join(t.place, "home"), filepath.Join(t.place, "tmp"), IterationDir(t.Output, n)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return t.tell(n, feedback)
}

// command is the runtime's command line. A value that takes a placeholder's place is one argument, or
// a part of one, whatever it holds.
func (t *task) command(n int) []string {
	values := strings.NewReplacer("{dir}", t.config.Dir, "{script}", script(t.config.Dir, t.Agent), "{workspace}", workspace(t.place), "{repo}", t.Checkout, "{proxy}", t.proxy,
		"{agent}", t.Agent, "{model}", t.selected.Model.Value, "{effort}", t.selected.Effort.Value, "{iteration}", strconv.Itoa(n), "{round}", strconv.Itoa(t.Round))
	argv := slices.Clone(t.config.Commands[t.selected.Runtime.Value])
	for i, a := range argv {
		argv[i] = values.Replace(a)
	}
	return argv
}

// environment is complete: no variable of the job, and so none of its tokens, reaches the agent.
func (t *task) environment(n int, feedback string) []string {
	env := []string{
		"PATH=" + t.Path,
		"HOME=" + filepath.Join(t.place, "home"),
		"TMPDIR=" + filepath.Join(t.place, "tmp"),
		"LANG=C.UTF-8",
		"GITHUB_REPOSITORY=" + t.Repo,
		"CREW_AGENT=" + t.Agent,
		"CREW_ROLE=" + t.harness.Role,
		"CREW_NUMBER=" + strconv.Itoa(t.Issue),
		"CREW_ISSUE=" + strconv.Itoa(t.Issue),
		"CREW_ITERATION=" + strconv.Itoa(n),
		"HTTP_PROXY=" + t.proxy, "http_proxy=" + t.proxy,
		"HTTPS_PROXY=" + t.proxy, "https_proxy=" + t.proxy,
		"NO_PROXY=", "no_proxy=",
	}
	if feedback != "" && t.Defect != defect.FeedbackLost {
		env = append(env, "CREW_FEEDBACK="+t.input(feedbackFile))
	}
	if t.event != nil && t.Defect != defect.PayloadNotDelivered {
		env = append(env, "CREW_EVENT_PATH="+t.input(eventFile))
		env = append(env, t.event.variables(t.Defect)...)
	}
	for name, value := range t.harness.Env {
		env = append(env, name+"="+value)
	}
	return env
}

// reserved reports whether a variable is one that environment sets: a harness may not.
func reserved(name string) bool {
	switch up := strings.ToUpper(name); {
	case strings.HasPrefix(up, "CREW_"), strings.HasPrefix(up, "GITHUB_"), strings.HasSuffix(up, "_PROXY"), strings.HasPrefix(up, "LD_"):
		return true
	default:
		return slices.Contains([]string{"PATH", "HOME", "TMPDIR", "LANG"}, up)
	}
}

// bounded drops what exceeds its bound, so that a chatty agent cannot fill the disk.
type bounded struct {
	w    io.Writer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.left -= n
	if n > 0 {
		if _, err := b.w.Write(p[:n]); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// oneLine makes a text that others chose safe for a workflow command.
func oneLine(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}
