package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
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
	get     provision
	// try has the program at a path do what it is for; nil is that telling its version is enough.
	try func(ctx context.Context, m machine, path string) error
}

// provision is what provides a thing on three systems.
type provision struct {
	Debian string `json:"debian,omitempty"`
	Fedora string `json:"fedora,omitempty"`
	MacOS  string `json:"macos,omitempty"`
}

// packaged is the provision of a thing whose package has one name everywhere, or one for each system.
func packaged(name string, others ...string) provision {
	names := append([]string{name}, others...)
	at := func(i int) string { return names[min(i, len(names)-1)] }
	return provision{"apt-get install " + at(0), "dnf install " + at(1), "brew install " + at(2)}
}

// programs are what doctor looks for, beside understudy-job and the machine itself.
func programs() []program {
	ask := []string{"--version"}
	newGo := provision{"https://go.dev/dl/", "dnf install golang", "brew install go"}
	return []program{
		{name: "go", use: "builds understudy-job and platforms written in Go", needed: true, version: []string{"version"}, least: [2]int{1, 26}, get: newGo},
		{name: "git", use: "the forge keeps real repositories", needed: true, version: ask, least: [2]int{2, 38}, get: packaged("git"), try: tryGit},
		{name: "bash", use: "workflow steps are bash scripts", needed: true, version: ask, get: packaged("bash"), try: tryBash},
		{name: "curl", use: "the commands that `understudy serve` prints; platforms whose scripts call it", version: ask, get: packaged("curl"), try: tryCurl},
		{name: "node", use: "platforms, agents and actions written in JavaScript", version: ask, get: packaged("nodejs", "nodejs", "node"), try: tryNode},
		{name: "npm", use: "installs agents that are distributed with npm", version: ask, get: packaged("npm", "npm", "node")},
		{name: "python3", use: "platforms and agents written in Python", version: ask, get: packaged("python3", "python3", "python"), try: tryPython},
		{name: "gh", use: "platforms whose workflows call GitHub's own command line", version: ask, get: packaged("gh")},
		{name: "chromium", also: []string{"chromium-browser", "google-chrome", "google-chrome-stable", "chrome-headless-shell"},
			use: "scenarios that look at a page", version: ask, get: packaged("chromium", "chromium", "--cask chromium"), try: tryChromium},
		{name: "docker", also: []string{"podman"}, use: "platforms that ship as images", version: ask, get: packaged("podman"), try: tryDocker},
		{name: "kubectl", use: "scenarios that look into a cluster", version: []string{"version", "--client"},
			get: packaged("kubernetes-client", "kubernetes-client", "kubectl")},
	}
}

// examine looks at the machine.
func examine(ctx context.Context, m machine) diagnosis {
	d := diagnosis{Version: Version, Missing: []string{}}
	all := programs()
	d.Things = make([]finding, len(all))
	var wg sync.WaitGroup
	for i, p := range all { // most of the time goes into waiting for them
		wg.Go(func() { d.Things[i] = p.look(ctx, m) })
	}
	wg.Wait()
	runner := lookJob(ctx, m.env)
	d.Things = append(d.Things, runner, m.lookTemp(ctx), m.lookSpace(), m.lookFiles())
	d.Things = append(d.Things, lookNamespaces(ctx, runner))
	d.Things = append(d.Things, m.lookKinds(ctx)...)
	for _, f := range d.Things {
		if f.Needed && !f.Found {
			d.Missing = append(d.Missing, f.Name)
		}
	}
	return d
}

var numbers = regexp.MustCompile(`(\d+)\.(\d+)(?:\.\d+)*`)

func (p program) look(ctx context.Context, m machine) finding {
	f := finding{Name: p.name, For: p.use, Needed: p.needed, Get: &p.get}
	for _, name := range append([]string{p.name}, p.also...) {
		if f.Path = onPath(m.env, name); f.Path != "" {
			break
		}
	}
	if f.Path == "" {
		return f
	}
	out, err := m.output(ctx, 10*time.Second, f.Path, p.version...)
	if err != nil {
		f.Note = fmt.Sprintf("%s %s: %v", f.Path, strings.Join(p.version, " "), err)
		return f
	}
	v := numbers.FindStringSubmatch(string(out))
	if v == nil {
		f.Found, f.Note = p.least == [2]int{}, "it does not tell its version"
		return f
	}
	f.Version = v[0]
	major, _ := strconv.Atoi(v[1])
	minor, _ := strconv.Atoi(v[2])
	if major < p.least[0] || major == p.least[0] && minor < p.least[1] {
		f.Note = fmt.Sprintf("%s %s is too old: %d.%d is needed", f.Path, f.Version, p.least[0], p.least[1])
		return f
	}
	if p.try != nil {
		if err := p.try(ctx, m, f.Path); err != nil {
			f.Note = fmt.Sprintf("%s %s is there, but does not work: %v", f.Path, f.Version, err)
			f.Do = "run it by hand and see what it lacks"
			return f
		}
	}
	f.Found = true
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
			f.Do = "unset UNDERSTUDY_JOB, or name another"
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
	{"/proc/sys/user/max_net_namespaces", "0", "sysctl user.max_net_namespaces=10000"},
}

func lookNamespaces(ctx context.Context, runner finding) finding {
	f := finding{Name: "namespaces", For: "keep programs apart; without them process groups do"}
	if runner.Path == "" {
		f.Note = "not tried, as understudy-job is not built yet"
		return f
	}
	if err := process.Namespaces(ctx, runner.Path); err != nil {
		f.Note = fmt.Sprintf("refused here: %v", err)
		f.Do = namespacesFrom()
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
