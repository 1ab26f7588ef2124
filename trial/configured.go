package trial

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/nearest"
	"github.com/understudy-dev/understudy/internal/strictyaml"
	"github.com/understudy-dev/understudy/suite/hole"
)

// Run is one of the runs that a suite is configured for, in which what is tested is tested.
type Run struct {
	Name         string
	Tags         string              // tag expression; "" selects all
	Capabilities []driver.Capability // declared; nil is what the platform file declares, empty is none
	Line         int                 // in understudy.yaml; 0 for the run that a file without `runs` has
}

// theOnly is the run of a suite that configures none.
const theOnly = "default"

// Configured returns the suite's runs, by name: without `runs` in understudy.yaml the one that `understudy
// run` does without flags.
func (c Config) Configured() []Run {
	if len(c.Runs) == 0 {
		return []Run{{Name: theOnly}}
	}
	return c.Runs
}

// configured is the run of that name.
func (c Config) configured(name string) (Run, error) {
	var names []string
	for _, r := range c.Configured() {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	err := fmt.Errorf("%s configures no run %q; there are %s", ConfigFile, name, strings.Join(names, ", "))
	if near := nearest.Of(name, names); near != "" {
		err = fmt.Errorf("%w: did you mean %s?", err, near)
	}
	return Run{}, err
}

// as makes the options those of the configured run.
func (p *Prepared) as() error {
	if p.o.As == "" {
		return nil
	}
	r, err := p.Config.configured(p.o.As)
	if err != nil {
		return err
	}
	if p.o.Tags = r.Tags; r.Capabilities != nil {
		p.o.Declared = r.Capabilities
	}
	return nil
}

// Declared are the capabilities of these names; nil stays nil, which is that nobody names any.
func Declared(names []string) []driver.Capability {
	if names == nil {
		return nil
	}
	out := []driver.Capability{}
	for _, name := range names {
		out = append(out, driver.Capability(name))
	}
	return out
}

type wireRun struct {
	Tags         string   `yaml:"tags"`
	Capabilities []string `yaml:"capabilities"`
}

type wireHole struct {
	What   yaml.Node `yaml:"what"` // one or a list
	Reason string    `yaml:"reason"`
	Since  string    `yaml:"since"`
}

// readRuns reads `runs`, whose keys are anybody's.
func readRuns(file string, n *yaml.Node) ([]Run, error) {
	var wire map[string]wireRun
	if err := decodePart(file, "runs", n, &wire); err != nil {
		return nil, err
	}
	var runs []Run
	for _, name := range slices.Sorted(maps.Keys(wire)) {
		r := Run{Name: name, Tags: wire[name].Tags, Line: keyLine(n, name)}
		if strings.TrimSpace(name) != name || strings.ContainsAny(name, " \t\n") || name == "" {
			return nil, strictyaml.Errorf(file, r.Line, "the name of run %q is not one word", name)
		}
		r.Capabilities = Declared(wire[name].Capabilities)
		runs = append(runs, r)
	}
	return runs, nil
}

// readHoles reads `holes`. What an entry lacks is told by lint, with all that is wrong with the list.
func readHoles(file string, n *yaml.Node) ([]hole.Entry, error) {
	var wire []wireHole
	if err := decodePart(file, "holes", n, &wire); err != nil {
		return nil, err
	}
	var entries []hole.Entry
	for i, w := range wire {
		e := hole.Entry{Reason: w.Reason, Since: w.Since, Line: n.Content[i].Line}
		what := w.What
		if what.Kind == yaml.ScalarNode && what.ShortTag() != "!!null" {
			what = yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{&w.What}, Line: w.What.Line}
		}
		if what.Kind != 0 && what.ShortTag() != "!!null" {
			if err := strictyaml.DecodePart(file, fmt.Sprintf("holes.%d.what", i+1), &what, &e.What); err != nil {
				return nil, err
			}
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// decodePart decodes a key that may not be there.
func decodePart(file, key string, n *yaml.Node, v any) error {
	if n.Kind == 0 {
		return nil
	}
	return strictyaml.DecodePart(file, key, n, v)
}

// keyLine is the line of a key of a mapping.
func keyLine(n *yaml.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i].Line
		}
	}
	return n.Line
}
