package cli

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

// tools are what a run needs of this machine.
type tools struct {
	path       string // PATH of the platform's programs
	runner     string // understudy-job
	namespaces bool
	refused    error // why there are no namespaces, nil otherwise
}

// gitNewest is the oldest git that has what the forge uses.
const gitMajor, gitMinor = 2, 38

// checkTools finds the programs without which nothing runs, by name, before anything else.
func checkTools(ctx context.Context) (path string, err error) {
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

// findTools finds or builds what a run needs.
func findTools(ctx context.Context, env []string, noNamespaces bool, status func(string)) (tools, error) {
	var t tools
	var err error
	if t.path, err = checkTools(ctx); err != nil {
		return t, err
	}
	o := job.Options{Progress: status, Explicit: lookup(env, "UNDERSTUDY_JOB")}
	if self, err := os.Executable(); err == nil {
		o.Beside = filepath.Dir(self)
	}
	if t.runner, err = job.Find(ctx, o); err != nil {
		return t, err
	}
	if noNamespaces {
		return t, nil
	}
	t.refused = process.Namespaces(ctx, t.runner)
	t.namespaces = t.refused == nil
	return t, nil
}

func lookup(env []string, name string) string {
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}
