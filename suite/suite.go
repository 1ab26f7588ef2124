// Package suite runs scenarios: it finds the definition of each step, gives each scenario a place
// of its own, holds every deadline, and says what each scenario came to. Whatever is not plainly
// passed is failed or broken; nothing passes by accident.
//
// A step pack is data:
//
//	var Pack = suite.Pack{Name: "issue", Steps: []suite.Step{{
//		Pattern: `the issue has label "([^"]*)"`, Do: hasLabel,
//		Doc:     "Holds as soon as the label is there; at quiet it is decided.",
//		Example: `the issue has label "bug"`,
//	}}}
package suite

import (
	"context"
	"errors"

	"github.com/understudy-dev/understudy/suite/feature"
)

var (
	// ErrPending is returned by a step that is defined but not written yet. Its scenario is broken.
	ErrPending = errors.New("the step is not written yet")
	// ErrNothingSelected says that a plan holds no scenario to run.
	ErrNothingSelected = errors.New("no scenario is selected")
)

// Table and DocString are the optional last parameter of a step function.
type (
	Table     = feature.Table
	DocString = feature.DocString
)

// Pack is the vocabulary of one noun.
type Pack struct {
	Name   string
	Steps  []Step
	Before func(ctx context.Context) error // before the first step of each scenario; may be nil
	After  func(ctx context.Context) error // after the last step, at quiet, whatever the steps came to; may be nil
	// Lint says what is wrong with the scenarios as they are written, before anything runs. It starts
	// nothing and may be nil. At gives a problem its place.
	Lint func(d Draft) []error
}

// Step defines what a step's text means.
type Step struct {
	// Pattern is a regular expression for the whole text; it need not be anchored.
	Pattern string
	// Do is a func(context.Context, …) error with one parameter per group of Pattern (string, int,
	// int64, float64 or bool) and, if the step takes one, a last *Table or *DocString.
	Do      any
	Doc     string // one sentence for people
	Example string // a text that Pattern matches

	foreign *foreign // made by FromGodog; nil for all others
}

// Check validates packs before anything runs: names, patterns, signatures, documentation, and that
// each example is matched by its own definition alone. It reports everything it finds.
func Check(packs []Pack) error {
	_, err := compile(packs)
	return err
}
