package agent

import (
	"fmt"
	"slices"
	"strings"

	dummyagent "github.com/understudy-dev/understudy/agent/dummy"
	"github.com/understudy-dev/understudy/suite"
)

// Fixture is what is known of one fixture: what the suite says of it, and who writes it.
type Fixture struct {
	Path    string
	Stage   string   // "none", or "" when the suite does not say and no stage's result is written with it
	Schema  string   // file of the stage's schema, "" when there is none
	Purpose string   // "" when the suite does not say
	Invalid bool     // on purpose
	Users   []string // places of the steps whose tables write it: "triage.feature:9"
}

// Inventory lists the fixtures of a draft: those that the suite declares, in its order, then others
// that dummy agent tables write, in theirs. The draft has passed Lint.
func Inventory(d suite.Draft) ([]Fixture, error) {
	c, problems := readCatalogue(d.Fixtures, d.Platform.Stages)
	if len(problems) > 0 {
		return nil, problems[0]
	}
	var out []Fixture
	for _, e := range c.entries {
		s, _ := stage(d.Platform.Stages, e.Stage)
		out = append(out, Fixture{Path: e.Path, Stage: e.Stage, Schema: s.Schema.File, Purpose: e.Purpose, Invalid: e.Invalid})
	}
	for _, s := range d.Scenarios {
		for _, step := range s.Steps {
			if !dummyText.MatchString(step.Text) || step.Table == nil {
				continue
			}
			ops, err := operations(step.Table, d.Fixtures)
			if err != nil {
				return nil, suite.At(s, step, err)
			}
			for _, o := range ops {
				if o.Op == dummyagent.WriteFixture {
					out = used(out, o, d, fmt.Sprintf("%s:%d", s.URI, step.Line))
				}
			}
		}
	}
	return out, nil
}

// used notes that the step at a place writes a fixture.
func used(all []Fixture, o op, d suite.Draft, place string) []Fixture {
	i := slices.IndexFunc(all, func(f Fixture) bool { return f.Path == o.Fixture })
	if i < 0 {
		f := Fixture{Path: o.Fixture}
		for _, s := range d.Platform.Stages {
			if s.Result != "" && s.Result == o.Args {
				f.Stage, f.Schema = s.Name, s.Schema.File
			}
		}
		all, i = append(all, f), len(all)
	}
	if !slices.Contains(all[i].Users, place) { // scenarios share the tables of their background
		all[i].Users = append(all[i].Users, place)
	}
	return all
}

// String is the fixture in two lines for a person.
func (f Fixture) String() string {
	var what []string
	switch f.Stage {
	case "":
		what = append(what, "no stage is known")
	case noStage:
		what = append(what, "of no stage")
	default:
		what = append(what, "result of stage "+f.Stage)
	}
	if f.Schema != "" {
		what = append(what, "schema "+f.Schema)
	}
	if f.Invalid {
		what = append(what, "invalid on purpose")
	}
	if f.Purpose != "" {
		what = append(what, f.Purpose)
	}
	users := "nobody here"
	if len(f.Users) > 0 {
		users = strings.Join(f.Users, ", ")
	}
	return f.Path + "\n    " + strings.Join(what, " · ") + "\n    used by " + users
}
