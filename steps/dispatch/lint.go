package dispatch

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
	"github.com/understudy-dev/understudy/world/settings"
)

var (
	killText   = regexp.MustCompile("^" + killStep + "$")
	customText = regexp.MustCompile("^" + customStep + "$")
	basedText  = regexp.MustCompile("^" + basedStep + "$")

	// ranText is any step about an agent by its name.
	ranText = regexp.MustCompile(`^the harness "([\w.-]+)" (?:agent|workflow|was dispatched) `)
)

// lint finds agents that no platform could take, settings that the platform file does not say how to
// change, and names of agents that nobody has brought.
func lint(d suite.Draft) (problems []error) {
	if d.Platform.Name == "" {
		return nil
	}
	for _, s := range d.Scenarios {
		brought := map[string]bool{}
		for _, step := range s.Steps {
			if err := judge(d.Platform, step, brought); err != nil {
				problems = append(problems, suite.At(s, step, err))
			}
		}
	}
	return problems
}

// judge says what is wrong with one step. brought are the agents of the steps before.
func judge(p driver.Platform, step feature.Step, brought map[string]bool) error {
	if killText.MatchString(step.Text) {
		return settings.Missing(p, driver.EditKillSwitch)
	}
	if m := ranText.FindStringSubmatch(step.Text); m != nil {
		return known(p, m[1], brought)
	}
	name, needs := "", []string{driver.EditAgent}
	if m := customText.FindStringSubmatch(step.Text); m != nil {
		name = m[2]
		if m[1] != "" {
			needs = append(needs, driver.EditDisable)
		}
	} else if m := basedText.FindStringSubmatch(step.Text); m != nil {
		name, needs = m[1], append(needs, driver.EditBase)
		if err := known(p, m[2], brought); err != nil {
			return fmt.Errorf("the base of %q: %w", name, err)
		}
	}
	if name == "" || step.DocString == nil {
		return nil
	}
	brought[name] = true
	if err := usable(p, name, step.DocString.Content); err != nil {
		return err
	}
	return settings.Missing(p, needs...)
}

// known says that no agent is of this name.
func known(p driver.Platform, name string, brought map[string]bool) error {
	var all []string
	for _, s := range p.Stages {
		all = append(all, s.Name)
	}
	for b := range brought {
		all = append(all, b)
	}
	if slices.Contains(all, name) {
		return nil
	}
	slices.Sort(all)
	return fmt.Errorf("%q is no stage of the platform file, and no step before this one brings such an agent; there are: %s", name, strings.Join(all, ", "))
}
