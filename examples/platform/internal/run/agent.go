package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"example.com/crew/internal/config"
	"example.com/crew/internal/defect"
)

const (
	maxOutput = 64 << 20 // of an agent's files together
	maxLog    = 4 << 20
)

// start runs the runtime's command in its place and returns its exit code. -1 means that it was
// killed, by time or by a signal. The error is non-nil only when it never ran.
func start(ctx context.Context, c config.Config, o Options, place, proxy string) (int, error) {
	for _, dir := range []string{"workspace/output", "home", "tmp"} {
		if err := os.MkdirAll(filepath.Join(place, dir), 0o755); err != nil {
			return 0, err
		}
	}
	log, err := os.Create(filepath.Join(IterationDir(o.Output, iterations), LogFile))
	if err != nil {
		return 0, err
	}
	defer log.Close()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	values := strings.NewReplacer("{dir}", c.Dir, "{script}", script(c.Dir, o.Agent), "{workspace}", workspace(place), "{repo}", o.Checkout, "{proxy}", proxy)
	var argv []string
	for _, a := range c.Commands[c.Runtime] {
		argv = append(argv, values.Replace(a))
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = workspace(place)
	cmd.Env = environment(o, place, proxy)
	if o.Defect == defect.EnvironmentLeaks {
		cmd.Env = append(os.Environ(), cmd.Env...)
	}
	out := &bounded{w: io.MultiWriter(log, o.Log), left: maxLog}
	cmd.Stdout, cmd.Stderr = out, out
	// The agent and what it started end together.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start runtime %s: %w", c.Runtime, err)
	}
	err = cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left behind; usually nothing
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok && !errors.Is(err, exec.ErrWaitDelay) {
		return -1, fmt.Errorf("run runtime %s: %w", c.Runtime, err)
	}
	return cmd.ProcessState.ExitCode(), nil
}

// environment is complete: no variable of the job, and so none of its tokens, reaches the agent.
func environment(o Options, place, proxy string) []string {
	return []string{
		"PATH=" + o.Path,
		"HOME=" + filepath.Join(place, "home"),
		"TMPDIR=" + filepath.Join(place, "tmp"),
		"LANG=C.UTF-8",
		"CREW_AGENT=" + o.Agent,
		"CREW_ISSUE=" + strconv.Itoa(o.Issue),
		"HTTP_PROXY=" + proxy, "http_proxy=" + proxy,
		"HTTPS_PROXY=" + proxy, "https_proxy=" + proxy,
		"NO_PROXY=", "no_proxy=",
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

// collect copies the workspace's output directory into dir. Links and other things that are no
// files stay behind: what is uploaded comes from the agent's own hand.
func collect(workspace, dir string, log io.Writer) error {
	from, err := os.OpenRoot(workspace)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer to.Close()
	total := int64(0)
	return fs.WalkDir(from.FS(), "output", func(name string, d fs.DirEntry, err error) error {
		if name == "output" && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("collect the agent's output: %w", err)
		}
		if d.IsDir() {
			return nil
		}
		if !d.Type().IsRegular() {
			fmt.Fprintf(log, "::warning::%s is not a regular file and was left out\n", oneLine(name))
			return nil
		}
		n, err := copyFile(from, to, name, maxOutput-total)
		total += n
		return err
	})
}

func copyFile(from, to *os.Root, name string, left int64) (int64, error) {
	src, err := from.Open(name)
	if err != nil {
		return 0, fmt.Errorf("collect the agent's output: %w", err)
	}
	defer src.Close()
	if err := to.MkdirAll(path.Dir(name), 0o755); err != nil {
		return 0, err
	}
	dst, err := to.Create(name)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(dst, io.LimitReader(src, left+1))
	if n > left {
		err = fmt.Errorf("the agent's output exceeds %d bytes", int64(maxOutput))
	}
	return n, errors.Join(err, dst.Close())
}

// oneLine makes a name that an agent chose safe for a workflow command.
func oneLine(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}
