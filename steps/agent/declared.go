package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/strictyaml"
)

// declarations are the files in which a suite says what its fixtures are for, by whether the
// fixtures root is the suite's directory or the fixtures' own. At most one of them is there.
var declarations = []string{"fixtures/fixtures.yaml", "fixtures.yaml"}

// noStage stands for the stage of a fixture that is no stage's result.
const noStage = "none"

// declared is what a suite says of one fixture.
type declared struct {
	Path    string
	Stage   string // a stage of the platform, or "none"
	Purpose string
	Invalid bool // on purpose: the stage must not accept it
	file    string
	line    int
}

// catalogue is what a suite says of its fixtures, by path, in the file's order.
type catalogue struct {
	file    string
	entries []declared
}

func (c catalogue) of(path string) (declared, bool) {
	for _, d := range c.entries {
		if d.Path == path {
			return d, true
		}
	}
	return declared{}, false
}

// name is where declarations are, or would be.
func (c catalogue) name() string {
	if c.file != "" {
		return c.file
	}
	return declarations[0]
}

// readCatalogue reads the declarations, if there are any.
func readCatalogue(fixtures fs.FS, stages []driver.Stage) (c catalogue, problems []error) {
	var text []byte
	for _, name := range declarations {
		data, err := fs.ReadFile(fixtures, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return c, []error{fmt.Errorf("read %s: %w", name, err)}
		case c.file != "":
			return c, []error{fmt.Errorf("%s and %s both say what the fixtures are for; keep one", c.file, name)}
		default:
			c.file, text = name, data
		}
	}
	if c.file == "" {
		return c, nil
	}
	var doc yaml.Node
	if err := strictyaml.Decode(c.file, text, &doc); err != nil {
		return c, []error{err}
	}
	if root := doc.Content[0]; root.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(root.Content); i += 2 {
			d, err := c.entry(root.Content[i], root.Content[i+1], fixtures, stages)
			if err != nil {
				problems = append(problems, err)
				continue
			}
			c.entries = append(c.entries, d)
		}
		return c, problems
	}
	return c, []error{strictyaml.Errorf(c.file, 1, "it is a mapping from each fixture's path to its stage and purpose")}
}

func (c catalogue) entry(key, value *yaml.Node, fixtures fs.FS, stages []driver.Stage) (declared, error) {
	var w struct {
		Stage   string `yaml:"stage"`
		Purpose string `yaml:"purpose"`
		Invalid bool   `yaml:"invalid"`
	}
	if err := strictyaml.DecodeNode(c.file, value, &w); err != nil {
		return declared{}, err
	}
	d := declared{key.Value, w.Stage, w.Purpose, w.Invalid, c.file, key.Line}
	_, twice := c.of(d.Path)
	_, known := stage(stages, d.Stage)
	err := checkFixture(fixtures, d.Path)
	switch {
	case twice:
		return d, d.errorf("is given twice")
	case err != nil:
		return d, d.errorf("%v", err)
	case strings.TrimSpace(d.Purpose) == "":
		return d, d.errorf("has no purpose")
	case d.Stage != noStage && !known:
		return d, d.errorf("has stage %q; it is %q or one of the platform's: %s", d.Stage, noStage, names(stages))
	case d.Stage == noStage && d.Invalid:
		return d, d.errorf("is marked invalid on purpose, but no stage says what is valid")
	}
	return d, nil
}

func (d declared) errorf(format string, args ...any) error {
	return strictyaml.Errorf(d.file, d.line, "fixture %s %s", d.Path, fmt.Sprintf(format, args...))
}

func stage(stages []driver.Stage, name string) (driver.Stage, bool) {
	for _, s := range stages {
		if s.Name == name {
			return s, true
		}
	}
	return driver.Stage{}, false
}

func names(stages []driver.Stage) string {
	all := make([]string, len(stages))
	for i, s := range stages {
		all[i] = s.Name
	}
	return strings.Join(all, ", ")
}
