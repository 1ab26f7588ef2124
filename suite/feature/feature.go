// Package feature reads Gherkin feature files into values: scenarios with their backgrounds, tags
// and example rows resolved. It runs nothing.
//
//	files, err := feature.Load(os.DirFS("features"), []string{"triage.feature:6"})
package feature

import (
	"io/fs"

	messages "github.com/cucumber/messages/go/v34"
)

// Table and DocString are the arguments of steps.
type (
	Table     = messages.PickleTable
	DocString = messages.PickleDocString
)

// File is one feature file and those of its scenarios that were asked for.
type File struct {
	URI       string // path below the root that was given to Load
	Source    string // the text as read
	Scenarios []Scenario
}

// Scenario is one scenario, or one example row of an outline, ready to run.
type Scenario struct {
	ID      string // "triage.feature:6": URI and line
	URI     string
	Line    int // of the scenario, or of the example row
	Feature string
	Rule    string // "" outside of a rule
	Name    string
	Tags    []string // with "@", inherited ones first
	Steps   []Step   // background steps first
}

// Step is one step with the values of its example row filled in. At most one argument is not nil.
type Step struct {
	Keyword   string // "Given", as written
	Type      string // "Given", "When" or "Then", also for what "And" and "But" go on with; "" for "*"
	Text      string
	Line      int
	Table     *Table
	DocString *DocString
}

// Load reads the feature files at paths: directories, files, and "file:line" for the scenarios or
// the example row at a line. A path or line that selects nothing is an error that names it.
func Load(fsys fs.FS, paths []string) ([]File, error) { return load(fsys, paths) }
