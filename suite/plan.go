package suite

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite/feature"
)

// Tags that the plan itself understands; a name follows.
const (
	requiresTag = "@requires:"
	neededTag   = "@requires:capability:"
	skipTag     = "@skip:"
)

// PlanOptions say which scenarios are to run. The zero value selects all of them.
type PlanOptions struct {
	Tags         string              // tag expression, such as "@triage and not @slow"; "" selects all
	Environment  string              // name; scenarios tagged @skip:NAME are skipped in it
	Capabilities []driver.Capability // what the environment offers, and what was declared
	Known        []driver.Capability // every name a scenario may ask for, besides those offered
	// HowTo says how to get a capability that is known and missing, such as "declare it: --capabilities
	// NAME"; it becomes part of the reason for skipping.
	HowTo map[driver.Capability]string
}

// Planned is a plan: what runs, and what is skipped and why, in file order.
type Planned struct {
	Scenarios []PlannedScenario
}

// PlannedScenario is one selected scenario. Skip is the reason why it will not run; "" runs it.
type PlannedScenario struct {
	feature.Scenario
	Skip string
}

// Plan selects scenarios. Only the plan skips: a scenario that asks for a capability that is neither
// offered by the environment nor declared stays in the plan, with the reason. Asking for a name that nobody
// knows is an error; so is a plan with nothing to run (ErrNothingSelected).
func Plan(files []feature.File, o PlanOptions) (Planned, error) {
	meant, err := parseTags(o.Tags)
	if err != nil {
		return Planned{}, err
	}
	var p Planned
	var problems []error
	runs, reasons := 0, []string{}
	for _, f := range files {
		for _, s := range f.Scenarios {
			if !meant(s.Tags) {
				continue
			}
			why, err := o.skip(s.Tags)
			if err = errors.Join(err, checkLocks(s.Tags)); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", s.ID, err))
			}
			if why == "" {
				runs++
			} else if !slices.Contains(reasons, why) {
				reasons = append(reasons, why)
			}
			p.Scenarios = append(p.Scenarios, PlannedScenario{Scenario: s, Skip: why})
		}
	}
	switch {
	case len(problems) > 0:
		return Planned{}, errors.Join(problems...)
	case len(p.Scenarios) == 0 && o.Tags != "":
		return Planned{}, fmt.Errorf("tags %q: %w", o.Tags, ErrNothingSelected)
	case len(p.Scenarios) == 0:
		return Planned{}, ErrNothingSelected
	case runs == 0:
		return Planned{}, fmt.Errorf("%w to run: all are skipped here (%s)", ErrNothingSelected, strings.Join(reasons, "; "))
	}
	return p, nil
}

// names lists all capabilities that a scenario may ask for.
func (o PlanOptions) names() string {
	var all []string
	for _, c := range slices.Concat(o.Capabilities, o.Known) {
		all = append(all, string(c))
	}
	slices.Sort(all)
	if all = slices.Compact(all); len(all) == 0 {
		return "none"
	}
	return strings.Join(all, ", ")
}

// skip says why a scenario with these tags does not run here; "" is that it does.
func (o PlanOptions) skip(tags []string) (string, error) {
	var why []string
	for _, tag := range tags {
		switch {
		case strings.HasPrefix(tag, neededTag):
			name := driver.Capability(tag[len(neededTag):])
			if name == "" {
				return "", fmt.Errorf("%s names no capability", tag)
			}
			if slices.Contains(o.Capabilities, name) {
				continue
			}
			if !slices.Contains(o.Known, name) {
				return "", fmt.Errorf("%s: nobody knows a capability of this name; known: %s", tag, o.names())
			}
			reason := fmt.Sprintf("capability %s is not there", name)
			if how := o.HowTo[name]; how != "" {
				reason += " (" + how + ")"
			}
			why = append(why, reason)
		case strings.HasPrefix(tag, requiresTag), tag == strings.TrimSuffix(requiresTag, ":"):
			return "", fmt.Errorf("%s: the form is %sNAME", tag, neededTag)
		case tag == skipTag, tag == strings.TrimSuffix(skipTag, ":"):
			return "", fmt.Errorf("%s: the form is %sENVIRONMENT", tag, skipTag)
		case o.Environment != "" && tag == skipTag+o.Environment:
			why = append(why, "tagged "+tag)
		}
	}
	return strings.Join(why, "; "), nil
}
