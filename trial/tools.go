package trial

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/driver/job"
	"github.com/understudy-dev/understudy/driver/process"
)

// Tools are what a run with a platform needs of this machine.
type Tools struct {
	Path       string // PATH of the platform's programs
	JobRunner  string // understudy-job
	Namespaces bool
	Refused    error // why there are no namespaces; nil when there are, or none were wanted
}

// ToolOptions say how tools are looked for.
type ToolOptions struct {
	Env           []string // UNDERSTUDY_JOB in it names a ready understudy-job
	ProcessGroups bool     // keep programs in process groups even where namespaces are allowed
	Status        func(string)
}

// gitNewest is the oldest git that has what the forge uses.
const gitMajor, gitMinor = 2, 38

// CheckTools finds the programs without which nothing runs, by name, before anything else. It returns
// the PATH on which they are.
func CheckTools(ctx context.Context) (path string, err error) {
	var dirs []string
	for name, why := range map[string]string{"git": "the forge keeps real repositories", "bash": "workflow steps are bash scripts"} {
		file, err := exec.LookPath(name)
		if err != nil {
			return "", &hinted{fmt.Errorf("%s is not installed: %s", name, why), "install " + name + " and put it on the PATH"}
		}
		if file, err = filepath.Abs(file); err != nil {
			return "", err
		}
		dirs = append(dirs, filepath.Dir(file))
	}
	if err := checkGit(ctx); err != nil {
		return "", err
	}
	dirs = append(dirs, "/usr/local/bin", "/usr/bin", "/bin")
	slices.Sort(dirs[:2])
	var unique []string
	for _, d := range dirs {
		if !slices.Contains(unique, d) {
			unique = append(unique, d)
		}
	}
	return strings.Join(unique, ":"), nil
}

var gitVersion = regexp.MustCompile(`version (\d+)\.(\d+)`)

func checkGit(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "git", "--version").Output()
	if err != nil {
		return fmt.Errorf("run git --version: %w", err)
	}
	m := gitVersion.FindStringSubmatch(string(out))
	if m == nil {
		return fmt.Errorf("git --version says %q, which names no version", strings.TrimSpace(string(out)))
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	if major < gitMajor || major == gitMajor && minor < gitMinor {
		return &hinted{fmt.Errorf("git %s.%s is too old: %d.%d is needed", m[1], m[2], gitMajor, gitMinor), "install a newer git"}
	}
	return nil
}

// FindTools finds or builds what a run needs. What is missing is named, with what to do about it.
func FindTools(ctx context.Context, o ToolOptions) (Tools, error) {
	var t Tools
	var err error
	if t.Path, err = CheckTools(ctx); err != nil {
		return t, err
	}
	find := job.Options{Progress: o.Status, Explicit: lookup(o.Env, "UNDERSTUDY_JOB")}
	if self, err := os.Executable(); err == nil {
		find.Beside = filepath.Dir(self)
	}
	if t.JobRunner, err = job.Find(ctx, find); err != nil {
		return t, err
	}
	if o.ProcessGroups {
		return t, nil
	}
	t.Refused = process.Namespaces(ctx, t.JobRunner)
	t.Namespaces = t.Refused == nil
	return t, nil
}

// hinted is an error with something to do about it.
type hinted struct {
	err  error
	hint string
}

func (h *hinted) Error() string { return h.err.Error() }
func (h *hinted) Unwrap() error { return h.err }
func (h *hinted) Hint() string  { return h.hint }

func lookup(env []string, name string) string {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}
