package ticket

import (
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite"
)

// required is the tag of scenarios that need a tracker.
const required = "@requires:capability:" + string(driver.TrackerCapability)

// lint asks for the tag by which environments without a tracker leave the scenario out.
func lint(d suite.Draft) (problems []error) {
	for _, s := range d.Scenarios {
		for _, step := range s.Steps {
			if strings.Contains(step.Text, "Jira") && !slices.Contains(s.Tags, required) {
				problems = append(problems, suite.At(s, step, fmt.Errorf("the scenario needs an issue tracker, and is not tagged %s", required)))
				break
			}
		}
	}
	return problems
}
