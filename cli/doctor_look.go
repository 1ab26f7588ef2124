package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/driver/job"
	"github.com/understudy-dev/understudy/driver/process"
)

// program is something to look for on the PATH.
type program struct {
	name    string
	also    []string // other names of it
	use     string
	needed  bool
	version []string // arguments that make it tell its version
	least   [2]int   // oldest that will do; zero is any
	get     string
}

// programs are what doctor looks for, beside understudy-job and namespaces.
func programs() []program {
	ask := []string{"--version"}
	return []program{
		{name: "go", use: "builds understudy-job and platforms written in Go", needed: true, version: []string{"version"}, least: [2]int{1, 26}, get: "https://go.dev/dl/"},
		{name: "git", use: "the forge keeps real repositories", needed: true, version: ask, least: [2]int{2, 38}, get: "the system's package git, 2.38 or newer"},
		{name: "bash", use: "workflow steps are bash scripts", needed: true, version: ask, get: "the system's package bash"},
		{name: "node", use: "platforms, agents and actions written in JavaScript", version: ask, get: "https://nodejs.org, or the system's package nodejs"},
		{name: "npm", use: "installs agents that are distributed with npm", version: ask, get: "comes with node"},
		{name: "python3", use: "platforms and agents written in Python", version: ask, get: "the system's package python3"},
		{name: "gh", use: "platforms whose workflows call GitHub's own command line", version: ask, get: "https://cli.github.com"},
		{name: "chromium", also: []string{"chromium-browser", "google-chrome", "google-chrome-stable", "chrome-headless-shell"},
			use: "scenarios that look at a page", version: ask, get: "the system's package chromium"},
		{name: "docker", also: []string{"podman"}, use: "platforms that ship as images", version: ask, get: "the system's package podman or docker"},
		{name: "kubectl", use: "scenarios that look into a cluster", version: []string{"version", "--client"}, get: "https://kubernetes.io/docs/tasks/tools/"},
	}
}

// examine looks at the machine. env is the caller's environment.
func examine(ctx context.Context, env []string) diagnosis {
	d := diagnosis{Version: Version, Missing: []string{}}
	for _, p := range programs() {
		d.Things = append(d.Things, p.look(ctx, env))
	}
	runner := lookJob(ctx, env)
	d.Things = append(d.Things, runner, lookNamespaces(ctx, runner))
	for _, f := range d.Things {
		if f.Needed && !f.Found {
			d.Missing = append(d.Missing, f.Name)
		}
	}
	return d
}

var numbers = regexp.MustCompile(`(\d+)\.(\d+)(?:\.\d+)*`)

func (p program) look(ctx context.Context, env []string) finding {
	f := finding{Name: p.name, For: p.use, Needed: p.needed, Get: p.get}
	for _, name := range append([]string{p.name}, p.also...) {
		if f.Path = onPath(env, name); f.Path != "" {
			break
		}
	}
	if f.Path == "" {
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, f.Path, p.version...)
	cmd.Env = append(env[:len(env):len(env)], "GOTOOLCHAIN=local") // which would fetch another go
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		f.Note = fmt.Sprintf("%s %s: %v", f.Path, strings.Join(p.version, " "), err)
		return f
	}
	m := numbers.FindStringSubmatch(string(out))
	if m == nil {
		f.Found, f.Note = p.least == [2]int{}, "it does not tell its version"
		return f
	}
	f.Version = m[0]
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	f.Found = major > p.least[0] || major == p.least[0] && minor >= p.least[1]
	if !f.Found {
		f.Note = fmt.Sprintf("%s %s is too old: %d.%d is needed", f.Path, f.Version, p.least[0], p.least[1])
	}
	return f
}

// onPath is exec.LookPath in a given environment.
func onPath(env []string, name string) string {
	for _, dir := range filepath.SplitList(variable(env, "PATH")) {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && filepath.IsAbs(file) {
			return file
		}
	}
	return ""
}

func variable(env []string, name string) string {
	value := ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v // the last one counts, as for programs
		}
	}
	return value
}

func lookJob(ctx context.Context, env []string) finding {
	f := finding{Name: "understudy-job", For: "runs workflow jobs and holds the platform's programs", Needed: true}
	o := job.Options{Explicit: variable(env, "UNDERSTUDY_JOB")}
	if self, err := os.Executable(); err == nil {
		o.Beside = filepath.Dir(self)
	}
	found, err := job.Look(ctx, o)
	switch {
	case err != nil:
		f.Note = err.Error()
		if o.Explicit != "" {
			f.Get = "unset UNDERSTUDY_JOB, or name another"
		}
	case found.Path == "":
		f.Found, f.Note = true, "not built yet: the first run builds it from "+found.From
	default:
		f.Found, f.Path = true, found.Path
		if found.From != "" {
			f.Note = "built from " + found.From
		}
	}
	return f
}

// forbidding are settings of the kernel that refuse namespaces to ordinary users.
var forbidding = []struct{ file, value, set string }{
	{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "sysctl kernel.apparmor_restrict_unprivileged_userns=0"},
	{"/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"},
	{"/proc/sys/user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000"},
}

func lookNamespaces(ctx context.Context, runner finding) finding {
	f := finding{Name: "namespaces", For: "keep programs apart; without them process groups do"}
	if runner.Path == "" {
		f.Note = "not tried, as understudy-job is not built yet"
		return f
	}
	if err := process.Namespaces(ctx, runner.Path); err != nil {
		f.Note = fmt.Sprintf("refused here: %v", err)
		f.Get = namespacesFrom()
		return f
	}
	f.Found = true
	return f
}

// namespacesFrom says what would bring namespaces.
func namespacesFrom() string {
	for _, r := range forbidding {
		if b, err := os.ReadFile(r.file); err == nil && strings.TrimSpace(string(b)) == r.value {
			return r.set
		}
	}
	return "a machine or container that allows unprivileged user namespaces"
}
