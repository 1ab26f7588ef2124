package behaviourtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/understudy-dev/understudy/trial"
)

// place is where a suite's files are.
type place struct {
	test   string // the test's own directory
	module string // the module's root
	config trial.Config
	paths  []string // what to run; empty is all of config.Features
}

// locate finds the suite's files.
func locate(o SuiteOptions) (place, error) {
	var p place
	var err error
	if p.test, err = os.Getwd(); err != nil {
		return p, fmt.Errorf("find the test's directory: %w", err)
	}
	if p.module, err = moduleRoot(p.test); err != nil {
		return p, err
	}
	nearest := p.test
	for i, path := range o.FeaturePaths {
		file, line := cutLine(path)
		if filepath.IsAbs(file) {
			return p, fmt.Errorf("feature path %s: it is relative to the test's directory", path)
		}
		file = filepath.Join(p.test, file)
		if _, err := os.Stat(file); err != nil {
			return p, fmt.Errorf("feature path %s: there is no %s in %s", path, path, p.test)
		}
		if i == 0 {
			nearest = file
		}
		p.paths = append(p.paths, file+line)
	}
	p.config, err = trial.FindConfig(nearest, p.module)
	found := err == nil
	if err != nil && !errors.Is(err, trial.ErrNoConfig) {
		return p, err
	}
	if !found {
		if len(o.FeaturePaths) == 0 {
			return p, fmt.Errorf("no FeaturePaths are given, and there is no %s at %s or above it in the module", trial.ConfigFile, p.test)
		}
		p.config = trial.Config{Root: p.test, Name: filepath.Base(p.test), Fixtures: p.test}
	}
	return p, p.override(o)
}

// override puts what the options say before what understudy.yaml says.
func (p *place) override(o SuiteOptions) error {
	if root := commonDir(p.paths); root != "" && !within(root, p.config.Features) {
		p.config.Features = root
	}
	if len(p.paths) == 0 {
		p.paths = []string{p.config.Features}
	}
	for _, f := range []struct {
		name, value, base string
		to                *string
	}{
		{"FixturesRoot", o.FixturesRoot, p.module, &p.config.Fixtures},
		{"Platform", o.Platform, p.test, &p.config.Platform},
	} {
		if f.value == "" {
			continue
		}
		if filepath.IsAbs(f.value) {
			return fmt.Errorf("%s %s: it is relative to %s", f.name, f.value, f.base)
		}
		*f.to = filepath.Join(f.base, f.value)
		if _, err := os.Stat(*f.to); err != nil {
			return fmt.Errorf("%s: there is no %s in %s", f.name, f.value, f.base)
		}
	}
	return nil
}

// moduleRoot returns the nearest directory with a go.mod, at dir or above it.
func moduleRoot(dir string) (string, error) {
	for d := dir; ; d = filepath.Dir(d) {
		_, err := os.Stat(filepath.Join(d, "go.mod"))
		switch {
		case err == nil:
			return d, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("find the module of %s: %w", dir, err)
		case d == filepath.Dir(d):
			return "", fmt.Errorf("find the module of %s: there is no go.mod there or in a directory above", dir)
		}
	}
}

// cutLine takes "file:12" apart into "file" and ":12".
func cutLine(path string) (file, line string) {
	i := strings.LastIndexByte(path, ':')
	if i > 0 && i+1 < len(path) && strings.Trim(path[i+1:], "0123456789") == "" {
		return path[:i], path[i:]
	}
	return path, ""
}

// commonDir returns the directory in which all paths lie, or "".
func commonDir(paths []string) string {
	common := ""
	for i, p := range paths {
		dir, _ := cutLine(p)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			dir = filepath.Dir(dir)
		}
		if i == 0 {
			common = dir
		}
		for !within(dir, common) {
			common = filepath.Dir(common)
		}
	}
	return common
}

// within reports whether path is dir or lies below it. An empty dir holds nothing.
func within(path, dir string) bool {
	if dir == "" {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
