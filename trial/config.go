package trial

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/internal/strictyaml"
	"github.com/understudy-dev/understudy/result/policy"
	"github.com/understudy-dev/understudy/suite/budget"
	"github.com/understudy-dev/understudy/suite/hole"
)

// ConfigFile is the name of the file at a suite's root.
const ConfigFile = "understudy.yaml"

// Config is a suite's understudy.yaml, with paths made absolute.
type Config struct {
	Root     string // directory of the file
	Name     string // of the suite; the directory's name unless given
	Platform string // platform file, "" for a suite whose steps need no platform
	Features string // directory of the features; scenario ids are relative to it
	Fixtures string // fixtures root
	Defects  string // file of seeded defects, "" for none
	Jobs     int    // scenarios at once; 0 is the environment's capacity

	Strictness policy.Strictness // of policies that are not as grave as by default

	Runs      []Run        // that the suite is configured for, by name; Configured has them with the default
	Holes     []hole.Entry // what is known to be covered by no configured run
	HolesLine int          // where they are told, or would be

	Budget *budget.Budget // of time; nil is none
}

// file is the suite's understudy.yaml as people see it.
func (c Config) file() string { return relative(filepath.Join(c.Root, ConfigFile)) }

// ErrNoConfig says that a suite has no understudy.yaml.
var ErrNoConfig = errors.New("there is no " + ConfigFile + " there or in a directory above")

// FindConfig reads the nearest understudy.yaml at path or above it, no further up than top; "" is
// the root of the file system. Where there is none the error is ErrNoConfig.
func FindConfig(path, top string) (Config, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Config{}, fmt.Errorf("find suite of %s: %w", path, err)
	}
	if _, err := os.Stat(abs); errors.Is(err, fs.ErrNotExist) {
		return Config{}, fmt.Errorf("there is no %s: %w", path, fs.ErrNotExist)
	}
	for dir := abs; ; dir = filepath.Dir(dir) {
		file := filepath.Join(dir, ConfigFile)
		data, err := strictyaml.Read(file)
		if err == nil {
			return ParseConfig(file, data)
		}
		if _, ok := errors.AsType[*strictyaml.Error](err); ok {
			return Config{}, err
		}
		if !errors.Is(err, fs.ErrNotExist) && !strings.Contains(err.Error(), "not a directory") {
			return Config{}, fmt.Errorf("find suite of %s: %w", path, err)
		}
		if dir == top || dir == filepath.Dir(dir) {
			return Config{}, fmt.Errorf("find suite of %s: %w", path, ErrNoConfig)
		}
	}
}

// ParseConfig is FindConfig for text that was read already, from file.
func ParseConfig(file string, data []byte) (Config, error) {
	var w wireConfig
	shown := relative(file)
	if err := strictyaml.Decode(shown, data, &w); err != nil {
		return Config{}, err
	}
	root := filepath.Dir(file)
	c := Config{Root: root, Name: w.Name, Jobs: w.Jobs}
	if c.Name == "" {
		c.Name = filepath.Base(root)
	}
	if w.Jobs < 0 {
		return Config{}, strictyaml.Errorf(shown, lineOf(data, "jobs"), "jobs is %d; it is 0 (capacity) or more", w.Jobs)
	}
	if err := cmp.Or(c.readPolicies(shown, data, w), c.readPaths(shown, data, w)); err != nil {
		return Config{}, err
	}
	if c.Fixtures == "" {
		c.Fixtures = root
	}
	return c, nil
}

// wireConfig is the file's form.
type wireConfig struct {
	Name     string `yaml:"name"`
	Platform string `yaml:"platform"`
	Features string `yaml:"features"`
	Fixtures string `yaml:"fixtures"`
	Defects  string `yaml:"defects"`
	Jobs     int    `yaml:"jobs"`

	Strictness map[string]string `yaml:"strictness"`
	Runs       yaml.Node         `yaml:"runs"`
	Holes      yaml.Node         `yaml:"holes"`
	Budget     yaml.Node         `yaml:"budget"`
}

// readPolicies reads what a suite is judged by besides its scenarios.
func (c *Config) readPolicies(shown string, data []byte, w wireConfig) error {
	var err error
	if c.Strictness, err = policy.ReadStrictness(w.Strictness); err != nil {
		return strictyaml.Errorf(shown, lineOf(data, "strictness"), "strictness: %v", err)
	}
	if c.Runs, err = readRuns(shown, &w.Runs); err != nil {
		return err
	}
	if c.Holes, err = readHoles(shown, &w.Holes); err != nil {
		return err
	}
	c.HolesLine = lineOf(data, "holes")
	c.Budget, err = readBudget(shown, c.Root, &w.Budget)
	return err
}

// readPaths makes the paths absolute, and looks whether they are there.
func (c *Config) readPaths(shown string, data []byte, w wireConfig) error {
	for _, p := range []struct {
		to    *string
		value string
		key   string
		need  bool
		dir   bool
	}{
		{&c.Platform, w.Platform, "platform", false, false}, {&c.Features, w.Features, "features", true, true},
		{&c.Fixtures, w.Fixtures, "fixtures", false, true}, {&c.Defects, w.Defects, "defects", false, false},
	} {
		switch {
		case p.value != "":
			if *p.to = p.value; !filepath.IsAbs(p.value) {
				*p.to = filepath.Join(c.Root, p.value)
			}
			switch info, err := os.Stat(*p.to); {
			case err != nil:
				return strictyaml.Errorf(shown, lineOf(data, p.key), "%s: there is no %s", p.key, p.value).Hinted("paths are relative to this file")
			case p.dir && !info.IsDir():
				return strictyaml.Errorf(shown, lineOf(data, p.key), "%s: %s is no directory", p.key, p.value)
			case !p.dir && !info.Mode().IsRegular():
				return strictyaml.Errorf(shown, lineOf(data, p.key), "%s: %s is no file", p.key, p.value)
			}
		case p.need:
			return strictyaml.Errorf(shown, 1, "%s is missing", p.key).Hinted("such as `%s: %s`", p.key, p.key)
		}
	}
	return nil
}

// lineOf is the line of a key at the top of a YAML file, 1 when it is not to be found.
func lineOf(data []byte, key string) int {
	for i, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(line, key+":") {
			return i + 1
		}
	}
	return 1
}

// relative shows a path from the working directory when it lies below it.
func relative(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return path
	}
	return rel
}

// selection turns paths given by a person into paths below the features directory. A path at or
// above that directory, or the suite's own, selects everything.
func (c Config) selection(paths []string) ([]string, error) {
	var out []string
	for _, p := range paths {
		file, line := p, ""
		if i := strings.LastIndexByte(p, ':'); i > 0 && strings.Trim(p[i+1:], "0123456789") == "" && i+1 < len(p) {
			file, line = p[:i], p[i:]
		}
		abs, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(abs); err != nil {
			return nil, fmt.Errorf("select %s: there is no %s", p, file)
		}
		rel, err := filepath.Rel(c.Features, abs)
		if err != nil {
			return nil, err
		}
		switch {
		case below(abs, c.Features), below(abs, filepath.Join(c.Root, ConfigFile)): // the features may lie elsewhere
			out = append(out, ".")
		case strings.HasPrefix(rel, ".."):
			return nil, fmt.Errorf("select %s: it is outside %s, the features of suite %s", p, relative(c.Features), c.Name)
		default:
			out = append(out, filepath.ToSlash(rel)+line)
		}
	}
	return out, nil
}

// below reports whether path is dir or lies in it.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
