package trial

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/environment/local"
	"github.com/understudy-dev/understudy/internal/strictyaml"
	"github.com/understudy-dev/understudy/steps/agent"
	"github.com/understudy-dev/understudy/steps/run"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
	"github.com/understudy-dev/understudy/suite/hole"
)

// Reach is what the configured runs of a suite cover of it.
type Reach struct {
	Suite hole.Suite
	Runs  []Reached
}

// Reached is how many scenarios a configured run runs.
type Reached struct {
	Run
	Scenarios int
}

// Most is the number of scenarios of the run with the most.
func (r Reach) Most() (most int) {
	for _, one := range r.Runs {
		most = max(most, one.Scenarios)
	}
	return most
}

// ReadReach is Reach of what is on disk.
func (c Config) ReadReach() (Reach, error) {
	var p environment.Platform
	var err error
	if c.Platform != "" {
		if p, err = environment.ReadPlatform(relative(c.Platform)); err != nil {
			return Reach{}, err
		}
	}
	files, err := feature.Load(os.DirFS(c.Features), []string{"."})
	if err != nil {
		return Reach{}, fmt.Errorf("load features of %s: %w", relative(c.Features), err)
	}
	if files, err = feature.Expand(files, p.Words, p.File); err != nil {
		return Reach{}, err
	}
	return c.Reach(files, p)
}

// Reach plans each configured run. A run that cannot be planned, such as one that selects nothing or that
// declares a capability that there is not, is an error with its place, and counts as one that covers nothing.
func (c Config) Reach(files []feature.File, p environment.Platform) (Reach, error) {
	var r Reach
	for name := range p.Capabilities {
		r.Suite.Capabilities = append(r.Suite.Capabilities, string(name))
	}
	for _, rt := range p.Runtimes {
		r.Suite.Runtimes = append(r.Suite.Runtimes, rt.Name)
	}
	for _, st := range p.Stages {
		r.Suite.Stages = append(r.Suite.Stages, st.Name)
	}
	running := map[string]bool{}
	var problems []error
	for _, one := range c.Configured() {
		ids, err := c.running(one, files, p)
		if err != nil && !(one.Line == 0 && errors.Is(err, suite.ErrNothingSelected)) { // nobody asked for the default run
			problems = append(problems, strictyaml.Errorf(c.file(), one.Line, "run %s: %v", one.Name, err))
		}
		for _, id := range ids {
			running[id] = true
		}
		r.Runs = append(r.Runs, Reached{one, len(ids)})
	}
	for _, f := range files {
		for _, s := range f.Scenarios {
			r.Suite.Scenarios = append(r.Suite.Scenarios, covered(s, running[s.ID]))
		}
	}
	return r, errors.Join(problems...)
}

// running are the ids of the scenarios that a configured run runs.
func (c Config) running(r Run, files []feature.File, p environment.Platform) (ids []string, err error) {
	name, offered := c.place()
	o := suite.PlanOptions{Tags: r.Tags, Environment: name, Capabilities: slices.Clone(offered)}
	for name, on := range p.Capabilities {
		o.Known = append(o.Known, name)
		if on && r.Capabilities == nil {
			o.Capabilities = append(o.Capabilities, name)
		}
	}
	for _, name := range r.Capabilities {
		if c.Platform != "" && !slices.Contains(o.Known, name) && !slices.Contains(offered, name) {
			err = errors.Join(err, fmt.Errorf("it declares the capability %q, which there is not", name))
		}
		o.Capabilities = append(o.Capabilities, name)
	}
	plan, planErr := suite.Plan(files, o)
	for _, s := range plan.Running() {
		ids = append(ids, s.ID)
	}
	return ids, errors.Join(err, planErr)
}

// place is where the suite runs, and what is there.
func (c Config) place() (name string, offered []driver.Capability) {
	if c.Platform == "" {
		b := bare{}
		return b.Name(), b.Capabilities()
	}
	l := local.New(local.Options{})
	return l.Name(), l.Capabilities()
}

// covered is what a scenario covers when it runs.
func covered(s feature.Scenario, runs bool) hole.Case {
	c := hole.Case{ID: s.ID, Name: s.Name, Tags: s.Tags, Runs: runs}
	last := ""
	for _, step := range s.Steps {
		if stage, claim := run.Claimed(step.Text); claim == run.Runs || claim == run.Fails {
			last = stage
			c.Stages = append(c.Stages, stage)
		}
		if runtime, ok := agent.Selected(step.Text); ok {
			c.Selected = append(c.Selected, hole.Selected{Runtime: runtime, Stage: last})
		}
	}
	return c
}
