package fault_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/steps/fault"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
)

const tag = "@requires:capability:faults"

func TestLint(t *testing.T) {
	for _, tt := range []struct{ text, tag, want string }{
		{`the forge delivers the next "issues.labeled" event twice`, tag, ""},
		{`the forge delivers the next "issues.labeled" event twice`, "@slow", "a.feature:4: the scenario needs a forge that misbehaves on demand, and is not tagged " + tag},
		{`the forge delivers the next "isues" event late`, tag, `a.feature:4: fault delivery.late: "isues" is no event that GitHub has; @ is followed by an event, such as issues.labeled, or issues for all its actions`},
		{`the forge has the fault "delivery.late=2@push"`, tag, ""},
		{`the forge has the fault "delivery.late=0"`, tag, `a.feature:4: fault delivery.late: after is a whole number from 1 to 1000000, not "0"`},
		{`the fault "delivery.late" struck 1 time`, "", ""},
		{`the forge is well`, "", ""},
	} {
		d := suite.Draft{Scenarios: []feature.Scenario{{URI: "a.feature", Tags: []string{tt.tag}, Steps: []feature.Step{{Text: tt.text, Line: 4}}}}}
		got := ""
		for _, err := range fault.Pack.Lint(d) {
			got += err.Error()
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.tag, tt.text, diff)
		}
	}
	for _, text := range []string{`the fault "delivery.lat" struck 2 times`, `the fault "delivery.lat" has struck`} {
		d := suite.Draft{Scenarios: []feature.Scenario{{URI: "a.feature", Steps: []feature.Step{{Text: text, Line: 4}}}}}
		if got := fmt.Sprint(fault.Pack.Lint(d)); !strings.Contains(got, `there is no fault "delivery.lat"`) {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// TestEachStepAsksForAFaultThatThereIs: what the words of a step stand for can be put in force.
func TestEachStepAsksForAFaultThatThereIs(t *testing.T) {
	asking := 0
	for _, s := range fault.Pack.Steps {
		if text, ok := fault.Asked(s.Example); ok {
			asking++
			if text == "" {
				t.Errorf("%s asks for nothing", s.Example)
			}
		}
	}
	if asking != len(fault.Pack.Steps)-3 {
		t.Errorf("%d of %d steps ask for a fault", asking, len(fault.Pack.Steps))
	}
}
