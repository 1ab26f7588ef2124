package job

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// keep is how many built executables stay in the cache.
const keep = 5

type module struct {
	Version string
	Dir     string
	Replace *module
}

func listModule(ctx context.Context, env []string) (module, error) {
	var m module
	out, err := goCommand(ctx, "", env, "list", "-m", "-json", Module)
	if err == nil {
		err = json.Unmarshal(out, &m)
	}
	return m, err
}

// held runs a command and ends its process group when the pipe on descriptor 3 does: a build must not
// go on when the kit was killed. The executable that holds every other program is what is built here.
const held = `"$@" & command=$!
{ read -r _ <&3; kill -KILL 0; } & lifeline=$!
wait "$command"; code=$?
kill "$lifeline"; exit "$code"`

// goCommand runs the user's go in the user's environment: proxies, caches and toolchain are theirs.
func goCommand(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	end, lifeline, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	defer lifeline.Close()
	defer end.Close()
	cmd := exec.CommandContext(ctx, "bash", append([]string{"-p", "-c", held, "bash", "go"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	cmd.ExtraFiles = []*os.File{end}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		if said := strings.TrimSpace(complaint.String()); said != "" {
			return nil, fmt.Errorf("go %s: %s", args[0], said)
		}
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	return out.Bytes(), nil
}

// built returns the executable that was made of this source, making it when it is not there.
func (s source) built(ctx context.Context, o Options) (string, error) {
	key, err := s.key(ctx)
	if err != nil {
		return "", fmt.Errorf("find understudy-job: %w; type: %s", err, s.command())
	}
	entry := filepath.Join(o.Cache, key)
	if complete(entry) {
		_ = unix.Utimes(entry, nil) // now: the order of pruning is the order of use
		return filepath.Join(entry, jobName), nil
	}
	if err := s.buildOnce(ctx, o, entry); err != nil {
		return "", fmt.Errorf("build understudy-job: %w; type: %s", err, s.command())
	}
	return filepath.Join(entry, jobName), nil
}

func (s source) buildOnce(ctx context.Context, o Options, entry string) error {
	if err := os.MkdirAll(o.Cache, 0o755); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(o.Cache, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close() // which releases it
	if err := flock(lock); err != nil {
		return fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	if complete(entry) {
		return nil // somebody else was first
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	o.Progress("building understudy-job, once for this version (" + s.String() + ")")
	temp, err := os.MkdirTemp(o.Cache, ".build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := s.build(ctx, temp); err != nil {
		return err
	}
	if !complete(temp) {
		return errors.New("the go command made no executables")
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(entry); err != nil { // one that was not complete
		return err
	}
	if err := os.Rename(temp, entry); err != nil {
		return err
	}
	return prune(o.Cache)
}

func flock(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// buildFlags make small executables that do not depend on the state of the repository. Paths are
// left in: without them nothing that the user has compiled already could be used again.
var buildFlags = [...]string{"-buildvcs=false", "-ldflags=-s -w"}

func (s source) build(ctx context.Context, into string) error {
	args := buildFlags[:]
	if s.version != "" {
		args = append([]string{"install"}, args...)
		args = append(args, Module+"/"+jobPackage+"@"+s.version, Module+"/"+enginePackage+"@"+s.version)
		_, err := goCommand(ctx, into, []string{"CGO_ENABLED=0", "GOBIN=" + into, "GOFLAGS="}, args...)
		return err
	}
	args = append([]string{"build"}, args...)
	args = append(args, "-o", into+"/", "./"+jobPackage, "./"+enginePackage)
	_, err := goCommand(ctx, s.dir, []string{"CGO_ENABLED=0"}, args...)
	return err
}

// command is what a person types to get the executables; they then stand in go's bin directory, which
// is looked at when understudy stands there too, or are named by UNDERSTUDY_JOB.
func (s source) command() string {
	if s.version != "" {
		return "go install " + Module + "/" + jobPackage + "@" + s.version + " " + Module + "/" + enginePackage + "@" + s.version
	}
	return "cd " + s.dir + " && go install ./" + jobPackage + " ./" + enginePackage
}

// String names the source for people.
func (s source) String() string {
	if s.version != "" {
		return s.version
	}
	return s.dir
}

// prune removes the entries that were not used for longest, and what dead builds left.
func prune(cache string) error {
	entries, err := os.ReadDir(cache)
	if err != nil {
		return err
	}
	type used struct {
		name string
		at   time.Time
	}
	var all []used
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() {
			continue
		}
		if strings.HasPrefix(e.Name(), ".build-") { // we hold the lock, so nobody is building
			if err := os.RemoveAll(filepath.Join(cache, e.Name())); err != nil {
				return err
			}
			continue
		}
		all = append(all, used{e.Name(), info.ModTime()})
	}
	slices.SortFunc(all, func(a, b used) int { return b.at.Compare(a.at) })
	for i := keep; i < len(all); i++ {
		if err := os.RemoveAll(filepath.Join(cache, all[i].name)); err != nil {
			return err
		}
	}
	return nil
}
