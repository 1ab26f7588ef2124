package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// machine is where doctor looks: an environment, and a directory to try things in.
type machine struct {
	env []string
	dir string
}

// output runs a program for a while, without anything from outside it.
func (m machine) output(ctx context.Context, limit time.Duration, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = m.dir
	cmd.Env = append(m.env[:len(m.env):len(m.env)], "GOTOOLCHAIN=local", // which would fetch another go
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // with what it started
	cmd.WaitDelay = time.Second
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	switch first, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n"); {
	case ctx.Err() != nil:
		return out, fmt.Errorf("no answer within %s", limit)
	case err != nil && first != "":
		return out, fmt.Errorf("%w: %s", err, first)
	}
	return out, err
}

const briefly = 10 * time.Second

func tryGit(ctx context.Context, m machine, git string) error {
	dir := filepath.Join(m.dir, "repository")
	for _, args := range [][]string{
		{"init", "-q", "--initial-branch=main", dir},
		{"-C", dir, "-c", "user.name=doctor", "-c", "user.email=doctor@localhost", "commit", "-q", "--allow-empty", "-m", "A commit"},
	} {
		if _, err := m.output(ctx, briefly, git, args...); err != nil {
			return fmt.Errorf("git %s: %w", args[0], err)
		}
	}
	return nil
}

func tryBash(ctx context.Context, m machine, bash string) error {
	_, err := m.output(ctx, briefly, bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", `[[ $((40 + 2)) == 42 ]]`)
	return err
}

// tryCurl has it fetch something from this process.
func tryCurl(ctx context.Context, m machine, curl string) (err error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen on the loopback interface: %w", err)
	}
	s := http.Server{Handler: http.NotFoundHandler(), ReadHeaderTimeout: briefly}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	defer func() {
		if e := errors.Join(s.Close(), <-served); err == nil && !errors.Is(e, http.ErrServerClosed) {
			err = e
		}
	}()
	_, err = m.output(ctx, briefly, curl, "-sS", "--noproxy", "*", "http://"+ln.Addr().String()+"/")
	return err
}

func tryNode(ctx context.Context, m machine, node string) error {
	_, err := m.output(ctx, briefly, node, "-e", "if (40 + 2 !== 42) process.exit(1)")
	return err
}

func tryPython(ctx context.Context, m machine, python string) error {
	_, err := m.output(ctx, briefly, python, "-c", "import json, ssl; assert 40 + 2 == 42")
	return err
}

// tryChromium starts it on an empty page. Its own sandbox is left out: root has none.
func tryChromium(ctx context.Context, m machine, chromium string) error {
	_, err := m.output(ctx, 2*briefly, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--user-data-dir="+filepath.Join(m.dir, "chromium"), "--dump-dom", "about:blank")
	return err
}

func tryDocker(ctx context.Context, m machine, docker string) error {
	_, err := m.output(ctx, briefly, docker, "info")
	return err
}

// lookTemp finds out whether a program can be started where runs keep theirs.
func (m machine) lookTemp(ctx context.Context) finding {
	f := finding{Name: "temp-dir", For: "runs keep the platform and its processes' directories there", Needed: true, Path: filepath.Dir(m.dir)}
	script := filepath.Join(m.dir, "script")
	err := os.WriteFile(script, []byte("#!/bin/sh\nexit 0\n"), 0o700)
	if err == nil {
		_, err = m.output(ctx, briefly, script)
	}
	if f.Found = err == nil; !f.Found {
		f.Note = fmt.Sprintf("no program can be started in %s: %v", f.Path, err)
		f.Do = "set TMPDIR to a directory on a file system that is not mounted noexec"
	}
	return f
}

// What a run of a usual suite can need.
const (
	enoughSpace = 500 << 20
	enoughFiles = 1024
)

func (m machine) lookSpace() finding {
	f := finding{Name: "disk-space", For: "builds, repositories and evidence", Needed: true, Path: filepath.Dir(m.dir)}
	var s syscall.Statfs_t
	if err := syscall.Statfs(m.dir, &s); err != nil {
		f.Note = err.Error()
		return f
	}
	free := uint64(s.Bavail) * uint64(s.Bsize)
	f.Version = fmt.Sprintf("%d MB free", free>>20)
	if f.Found = free >= enoughSpace; !f.Found {
		f.Note = fmt.Sprintf("%s in %s; %d MB are needed", f.Version, f.Path, enoughSpace>>20)
		f.Do = "make room, or set TMPDIR to a directory that has it"
	}
	return f
}

func (m machine) lookFiles() finding {
	f := finding{Name: "open-files", For: "each scenario holds pipes and connections", Needed: true}
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		f.Note = err.Error()
		return f
	}
	f.Version = fmt.Sprintf("%d at once", l.Cur)
	if l.Cur > 1<<40 {
		f.Version = "without limit"
	}
	if f.Found = l.Cur >= enoughFiles; !f.Found {
		f.Note = fmt.Sprintf("%s; %d are needed", f.Version, enoughFiles)
		f.Do = fmt.Sprintf("ulimit -n %d", 4*enoughFiles)
	}
	return f
}

// kind is a kind of namespace, and a script that shows from inside that there is one. $1 is a
// directory.
type kind struct{ name, use, script string }

func kinds() []kind {
	return []kind{
		{"namespace.user", "the other namespaces, for whoever is not root", `exit 0`},
		{"namespace.pid", "no process outlives its scenario", `[ $$ = 1 ]`},
		{"namespace.mount", "a program sees the files that it is meant to see", `mount -t tmpfs none "$1" && : >"$1/mine"`},
		{"namespace.net", "`understudy exec` by name: nothing but the kit can be reached", `[ "$(grep -c : /proc/net/dev)" = 1 ]`},
	}
}

// lookKinds tries each kind of namespace by itself.
func (m machine) lookKinds(ctx context.Context) (all []finding) {
	for _, k := range kinds() {
		f := finding{Name: k.name, For: k.use}
		inside := filepath.Join(m.dir, k.name)
		err := os.Mkdir(inside, 0o700)
		if err == nil {
			err = m.tryKind(ctx, k, inside)
		}
		if f.Found = err == nil; !f.Found {
			f.Note = fmt.Sprintf("refused here: %v", err)
			f.Do = namespacesFrom()
		}
		all = append(all, f)
	}
	return all
}
