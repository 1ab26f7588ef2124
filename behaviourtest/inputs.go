package behaviourtest

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/understudy-dev/understudy/driver/job"
	"github.com/understudy-dev/understudy/trial"
)

// go test repeats a result from its cache while the files that the test opened or looked at are
// unchanged, but it sees only those inside the module's root and only what this process touches
// itself. The platform is built by another process, so its sources are looked at here.

// maxSources bounds how many files of a platform are looked at; go test would look at all of them
// again before each run.
const maxSources = 20_000

// unseen says which input of the suite go test cannot see, having shown it the others; "" is none.
func (pl place) unseen(p *trial.Prepared, o SuiteOptions) string {
	if o.Environment != nil {
		return "what the environment " + o.Environment.Name() + " depends on is not known"
	}
	if dir := localKit(pl.module); dir != "" && !within(dir, pl.module) {
		return "the kit is replaced by " + dir + ", outside the module"
	}
	for what, path := range map[string]string{
		"features": p.Config.Features, "fixtures": p.Config.Fixtures, "platform file": p.Config.Platform,
		"understudy-job": os.Getenv("UNDERSTUDY_JOB"),
	} {
		if path != "" && !within(path, pl.module) {
			return fmt.Sprintf("%s %s: outside the module", what, path)
		}
	}
	if preset := os.Getenv("BEHAVIOUR_CONFIG_PRESET"); preset != "" && (strings.Contains(preset, "://") || !within(preset, pl.module)) {
		return fmt.Sprintf("preset %s: outside the module", preset)
	}
	if !p.NeedsTools() {
		return ""
	}
	return pl.sources(p)
}

// sources shows go test the files that the platform is built from.
func (pl place) sources(p *trial.Prepared) string {
	get := p.Platform.Get
	if len(get.Run) < 2 || filepath.Base(get.Run[0]) != "go" || get.Run[1] != "build" {
		return fmt.Sprintf("what %q reads is not known", strings.Join(get.Run, " "))
	}
	root, err := moduleRoot(get.Dir)
	if err != nil {
		return err.Error()
	}
	if !within(root, pl.module) {
		return "the platform's source " + root + " is outside the module"
	}
	if why := elsewhere(root); why != "" {
		return why
	}
	seen := 0
	// A directory that was read counts with the size and the time of every file in it.
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if seen++; seen > maxSources {
			return fmt.Errorf("there are more than %d files in %s", maxSources, root)
		}
		if d.Type()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a link", path) // and go test sees the link only
		}
		return nil
	})
	if err != nil {
		return err.Error()
	}
	return ""
}

// elsewhere says whether a Go module is built from other directories too.
func elsewhere(root string) string {
	for dir := root; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return "the platform is built in the workspace of " + dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err.Error()
	}
	for line := range strings.Lines(string(mod)) {
		line, _, _ = strings.Cut(line, "//")
		if _, to, ok := strings.Cut(line, "=>"); ok {
			if to = strings.TrimSpace(to); strings.HasPrefix(to, ".") || filepath.IsAbs(to) {
				return "the platform's go.mod takes a module from " + to
			}
		}
	}
	return ""
}

// localKit is the directory that takes the place of the kit's module in that of the caller, or "".
func localKit(module string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, d := range info.Deps {
		if d.Path == job.Module && d.Replace != nil && d.Replace.Version == "" {
			if filepath.IsAbs(d.Replace.Path) {
				return d.Replace.Path
			}
			return filepath.Join(module, d.Replace.Path)
		}
	}
	return ""
}

// forgetInputs switches the cache off for this run: go test keeps no result without the list of what
// the test looked at.
func forgetInputs() error {
	list := flag.Lookup("test.testlogfile")
	if list == nil || list.Value.String() == "" {
		return nil // the cache is off already
	}
	if err := os.Remove(list.Value.String()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
