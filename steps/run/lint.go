package run

import (
	"fmt"
	"regexp"

	"github.com/understudy-dev/understudy/suite"
)

// reportingStep is the text of the step that looks for the platform's failure comment.
const reportingStep = `the (?:harness "([\w-]+)"|([\w-]+)) workflow fails reporting "([^"]+)"`

var reportingText = regexp.MustCompile("^" + reportingStep + "$")

// lint finds the steps that ask for a failure comment of a platform that does not say how to know one:
// any comment would do.
func lint(d suite.Draft) (problems []error) {
	if d.Platform.Name == "" || d.Platform.FailureMarker != "" {
		return nil
	}
	for _, s := range d.Scenarios {
		for _, step := range s.Steps {
			if reportingText.MatchString(step.Text) {
				problems = append(problems, suite.At(s, step, fmt.Errorf(
					"the platform file of %s names no names.failure, the text by which its failure comments are known", d.Platform.Name)))
			}
		}
	}
	return problems
}
