package issue_test

import (
	"strings"
	"testing"

	messages "github.com/cucumber/messages/go/v34"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/steps/issue"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
)

func TestLint(t *testing.T) {
	step := func(text string, cells ...string) feature.Step {
		s := feature.Step{Text: text, Line: 4}
		if cells != nil {
			row := &messages.PickleTableRow{}
			for _, c := range cells {
				row.Cells = append(row.Cells, &messages.PickleTableCell{Value: c})
			}
			s.Table = &suite.Table{Rows: []*messages.PickleTableRow{row}}
		}
		return s
	}
	opens := step(`an issue with title "a" and body containing "b"`)
	branch := step(`branch "x/<issue>" exists`)
	for _, tt := range []struct {
		name  string
		steps []feature.Step
		bad   bool
	}{
		{"after it", []feature.Step{opens, branch}, false},
		{"before it", []feature.Step{branch, opens}, true},
		{"before an issue alone", []feature.Step{branch, step("an issue")}, true},
		{"before an issue is created", []feature.Step{branch, step(`an issue "A" is created`)}, true},
		{"before one for owners", []feature.Step{branch, step(`the outsider opens an issue for OWNERS auth testing`)}, true},
		{"before a step that only speaks of one", []feature.Step{branch, step(`an issue is looked at`)}, false},
		{"in a table before it", []feature.Step{step("a dummy agent that would:", "Go", "checkout_branch", "x/<issue>"), opens}, true},
		{"text that nobody replaces", []feature.Step{step("a dummy agent that would:", "Go", "url_get", "http://a.test/<issue>"), opens}, false},
		{"somebody else's issue", []feature.Step{branch}, false},
	} {
		problems := issue.Pack.Lint(suite.Draft{Scenarios: []feature.Scenario{{URI: "a.feature", Steps: tt.steps}}})
		if (len(problems) > 0) != tt.bad || tt.bad && !strings.Contains(problems[0].Error(), "a later step opens") {
			t.Errorf("%s: got %v", tt.name, problems)
		}
	}
}

func TestLintAsksForTheEdit(t *testing.T) {
	d := suite.Draft{Scenarios: []feature.Scenario{{URI: "a.feature", Steps: []feature.Step{{Text: "status notification reactions are enabled", Line: 4}}}}}
	d.Platform.Name = "crew"
	if problems := issue.Pack.Lint(d); len(problems) != 1 || !strings.Contains(problems[0].Error(), "names no edits.reactions") {
		t.Errorf("got %v", problems)
	}
	d.Platform.Edits = map[string]driver.Edit{driver.EditReactions: {}}
	if problems := issue.Pack.Lint(d); len(problems) > 0 {
		t.Errorf("got %v", problems)
	}
}
