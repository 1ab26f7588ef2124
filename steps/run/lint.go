package run

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/understudy-dev/understudy/suite"
)

// reportingStep is the text of the step that looks for the platform's failure comment.
const reportingStep = `the (?:harness "([\w.-]+)"|([\w-]+)) workflow fails reporting "([^"]+)"`

// The texts of the steps that say whether a stage runs.
const (
	succeedingStep = `the (?:harness "([\w.-]+)"|([\w-]+)) workflow completes successfully`
	countingStep   = `the harness "([\w.-]+)" was dispatched exactly (\d+) times?`
	absentStep     = `the harness "([\w.-]+)" agent did not run`
)

var (
	reportingText  = regexp.MustCompile("^" + reportingStep + "$")
	succeedingText = regexp.MustCompile("^" + succeedingStep + "$")
	countingText   = regexp.MustCompile("^" + countingStep + "$")
	absentText     = regexp.MustCompile("^" + absentStep + "$")
)

// Claim is what a step says that a stage comes to.
type Claim int

// What a stage can be said to come to.
const (
	NoClaim Claim = iota
	Runs          // it is dispatched, and its run does not fail
	Fails         // its run fails
	Absent        // it is not dispatched
)

// Claimed is what a step with this text says of which stage.
func Claimed(text string) (stage string, c Claim) {
	if m := succeedingText.FindStringSubmatch(text); m != nil {
		return either(m[1], m[2]), Runs
	}
	if m := reportingText.FindStringSubmatch(text); m != nil {
		return either(m[1], m[2]), Fails
	}
	if m := absentText.FindStringSubmatch(text); m != nil {
		return m[1], Absent
	}
	if m := countingText.FindStringSubmatch(text); m != nil {
		if strings.Trim(m[2], "0") == "" {
			return m[1], Absent
		}
		return m[1], Runs
	}
	return "", NoClaim
}

// lint finds the steps that ask for a failure comment of a platform that does not say how to know one:
// any comment would do.
func lint(d suite.Draft) (problems []error) {
	if d.Platform.Name == "" {
		return nil
	}
	for _, s := range d.Scenarios {
		for _, step := range s.Steps {
			if step.Text == unownedStep && d.Platform.OwnersMarker == "" {
				problems = append(problems, suite.At(s, step, fmt.Errorf(
					"the platform file of %s names no names.owners, the text by which a run says that an OWNERS file decided", d.Platform.Name)))
			}
			if d.Platform.FailureMarker == "" && reportingText.MatchString(step.Text) {
				problems = append(problems, suite.At(s, step, fmt.Errorf(
					"the platform file of %s names no names.failure, the text by which its failure comments are known", d.Platform.Name)))
			}
		}
	}
	return problems
}
