package fault

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/understudy-dev/understudy/driver"
	faults "github.com/understudy-dev/understudy/internal/fault"
	"github.com/understudy-dev/understudy/suite"
)

// required is the tag of scenarios that have the forge misbehave.
var required = "@requires:capability:" + string(driver.FaultsCapability)

var struckText = regexp.MustCompile("^(?:" + struckStep + "|" + onceStep + ")$")

// lint reads the fault of each step that puts one in force, and asks for the tag by which other environments
// leave the scenario out.
func lint(d suite.Draft) (problems []error) {
	for _, s := range d.Scenarios {
		for _, step := range s.Steps {
			text, ok := Asked(step.Text)
			if !ok {
				if m := struckText.FindStringSubmatch(step.Text); m != nil && !slices.Contains(faults.Names(), m[1]+m[3]) {
					_, err := faults.Parse(m[1] + m[3])
					problems = append(problems, suite.At(s, step, err))
				}
				continue
			}
			if _, err := faults.Parse(text); err != nil {
				problems = append(problems, suite.At(s, step, err))
			}
			if !slices.Contains(s.Tags, required) {
				problems = append(problems, suite.At(s, step, fmt.Errorf("the scenario needs a forge that misbehaves on demand, and is not tagged %s", required)))
			}
		}
	}
	return problems
}

// Asked is the fault, in text form, that a step with this text puts in force; false is that it does not.
func Asked(text string) (fault string, ok bool) {
	for _, a := range asking() {
		if m := a.text.FindStringSubmatch(text); m != nil {
			return a.fault + m[1], true
		}
	}
	return "", false
}

// asked is a step that puts a fault in force.
type asked struct {
	text  *regexp.Regexp
	fault string // followed by the step's value
}

// asking are those steps, each read once.
var asking = sync.OnceValue(func() []asked {
	var out []asked
	for _, s := range sayings() {
		out = append(out, asked{regexp.MustCompile("^" + s.step + "$"), s.fault})
	}
	return append(out, asked{regexp.MustCompile("^" + anyStep + "$"), ""})
})
