package step

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// The steps of an action that is committed in the repository are started by act itself, with shells and
// node by name. Programs of those names stand first on the job's PATH: links to this executable, which do
// for such a step what the wrapper does for others. No program that a step starts sees them.

// Shims are the programs that act starts by name.
var shims = []string{"bash", "sh", "python", "node"}

// controlVariable tells a shim where the control directory is.
const controlVariable = "UNDERSTUDY_STEP_CONTROL"

// IsShim reports whether this process was started under the name of a shim.
func IsShim(name string) bool {
	return slices.Contains(shims, name) && os.Getenv(controlVariable) != ""
}

// shimDir is where the shims of a control directory stand.
func (c Control) shimDir() string { return filepath.Join(c.Dir, "shims") }

// MakeShims makes the shims: links to self. It returns the variables of a job whose PATH is path.
func (c Control) MakeShims(self, path string) (map[string]string, error) {
	if err := os.MkdirAll(c.shimDir(), 0o755); err != nil {
		return nil, err
	}
	for _, name := range shims {
		if err := os.Symlink(self, filepath.Join(c.shimDir(), name)); err != nil {
			return nil, fmt.Errorf("make shims: %w", err)
		}
	}
	return map[string]string{"PATH": c.shimDir() + string(filepath.ListSeparator) + path, controlVariable: c.Dir}, nil
}

// leaveShims takes the shims out of this process's own environment.
func (c Control) leaveShims() error {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	dirs = slices.DeleteFunc(dirs, func(dir string) bool { return dir == c.shimDir() })
	return errors.Join(os.Setenv("PATH", strings.Join(dirs, string(filepath.ListSeparator))), os.Unsetenv(controlVariable))
}

// OfEnvironment is the control directory that a shim is told.
func OfEnvironment() Control { return Control{Dir: os.Getenv(controlVariable)} }

// Shim runs the program that it stands for, as a step.
func Shim(name string, args []string, stderr io.Writer) int {
	c := OfEnvironment()
	if err := c.leaveShims(); err != nil {
		fmt.Fprintln(stderr, "understudy-job: error:", err)
		return 1
	}
	program, err := exec.LookPath(name)
	if os.Getenv("ACT") == "" && err == nil { // not act: a program that kept the PATH of one
		err = syscall.Exec(program, append([]string{name}, args...), os.Environ())
		fmt.Fprintln(stderr, "understudy-job: error:", err)
		return 1
	}
	return c.Wrap(func(ctx context.Context) (int, error) {
		if err != nil {
			return 0, err
		}
		if name != "node" && len(args) > 0 {
			if err := reviveFile(args[len(args)-1]); err != nil {
				return 0, err
			}
		}
		return c.run(ctx, append([]string{program}, args...))
	}, stderr)
}
