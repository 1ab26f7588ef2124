package suite

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite/feature"
)

// Draft is what a pack can look at before anything runs.
type Draft struct {
	Scenarios []feature.Scenario // those that will run, in file order
	Platform  driver.Platform    // the zero value when the suite has no platform
	Fixtures  fs.FS              // the suite's fixtures root
}

// Running returns the scenarios of the plan that will run, in file order.
func (p Planned) Running() []feature.Scenario {
	var out []feature.Scenario
	for _, s := range p.Scenarios {
		if s.Skip == "" {
			out = append(out, s.Scenario)
		}
	}
	return out
}

// Lint asks each pack what is wrong with the draft, and reports all of it; the same problem only
// once, since scenarios share the steps of their background.
func Lint(packs []Pack, d Draft) error {
	var problems []error
	seen := map[string]bool{}
	for _, p := range packs {
		if p.Lint == nil {
			continue
		}
		for _, err := range p.Lint(d) {
			if text := err.Error(); !seen[text] {
				seen[text] = true
				problems = append(problems, err)
			}
		}
	}
	return errors.Join(problems...)
}

// At places a problem at a step of a scenario: "triage.feature:9: what".
func At(s feature.Scenario, step feature.Step, err error) error {
	return fmt.Errorf("%s:%d: %w", s.URI, step.Line, err)
}
