package issue

import (
	"errors"
	"regexp"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
	"github.com/understudy-dev/understudy/world/settings"
)

// opensText is the text of a step that opens an issue.
var opensText = regexp.MustCompile(`^an issue($| with title "| ".* is created$)|for OWNERS auth testing$`)

// lint finds the number of an issue where the scenario opens that only later. Where no step of this pack
// opens one, a step of somebody else may.
func lint(d suite.Draft) (problems []error) {
	for _, s := range d.Scenarios {
		for _, step := range s.Steps {
			if step.Text == reactionsStep && d.Platform.Name != "" {
				if err := settings.Missing(d.Platform, driver.EditReactions); err != nil {
					problems = append(problems, suite.At(s, step, err))
				}
			}
		}
		opened := len(s.Steps)
		for i, step := range s.Steps {
			if opensText.MatchString(step.Text) {
				opened = i
				break
			}
		}
		if opened == len(s.Steps) {
			continue
		}
		for _, step := range s.Steps[:opened] {
			if numbered(step) {
				problems = append(problems, suite.At(s, step, errors.New(
					"<issue> is the number of an issue that a later step opens; put that step before this one")))
			}
		}
	}
	return problems
}

// numbered reports whether a step asks for the number of the issue: in its text, or in its table for the
// name of a branch.
func numbered(step feature.Step) bool {
	if strings.Contains(step.Text, "<issue>") {
		return true
	}
	if step.Table == nil {
		return false
	}
	for _, row := range step.Table.Rows {
		branch, number := false, false
		for _, c := range row.Cells {
			branch = branch || c.Value == "checkout_branch"
			number = number || strings.Contains(c.Value, "<issue>")
		}
		if branch && number {
			return true
		}
	}
	return false
}
