package suite_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite"
)

const tagged = `@all
Feature: F
  @a @b
  Scenario: 1
    Given x
  @a @requires:capability:browser
  Scenario: 2
    Given x
  @c @skip:local
  Scenario: 3
    Given x
`

func TestPlan(t *testing.T) {
	files := load(t, map[string]string{"f.feature": tagged})
	known := []driver.Capability{"browser", "cluster"}
	for _, c := range []struct {
		name string
		o    suite.PlanOptions
		want []string // "line reason"
		err  string
	}{
		{name: "all", o: suite.PlanOptions{Known: known, Environment: "live"},
			want: []string{"4 ", "7 capability browser is not there", "10 "}},
		{name: "how to", o: suite.PlanOptions{Known: known, Tags: "@a", HowTo: map[driver.Capability]string{"browser": "declare it: --x browser"}},
			want: []string{"4 ", "7 capability browser is not there (declare it: --x browser)"}},
		{name: "unknown beside others", o: suite.PlanOptions{Capabilities: []driver.Capability{"journal"}, Known: []driver.Capability{"cluster", "journal"}},
			err: "nobody knows a capability of this name; known: cluster, journal"},
		{name: "offered", o: suite.PlanOptions{Capabilities: known, Environment: "local"},
			want: []string{"4 ", "7 ", "10 tagged @skip:local"}},
		{name: "tags", o: suite.PlanOptions{Known: known, Tags: "@a and not @requires:capability:browser"}, want: []string{"4 "}},
		{name: "inherited", o: suite.PlanOptions{Capabilities: known, Tags: "@all and (@c or @b)"}, want: []string{"4 ", "10 "}},
		{name: "precedence", o: suite.PlanOptions{Capabilities: known, Tags: "@c or @a and @b"}, want: []string{"4 ", "10 "}},
		{name: "double not", o: suite.PlanOptions{Tags: "not not @c"}, want: []string{"10 "}},
		{name: "unknown capability", err: "f.feature:7: @requires:capability:browser: nobody knows"},
		{name: "none", o: suite.PlanOptions{Tags: "@d"}, err: suite.ErrNothingSelected.Error()},
		{name: "all skipped", o: suite.PlanOptions{Tags: "@c", Environment: "local"}, err: "no scenario is selected to run: all are skipped here (tagged @skip:local)"},
		{name: "bad tags", o: suite.PlanOptions{Tags: "@a and"}, err: "ends too early"},
		{name: "no tag", o: suite.PlanOptions{Tags: "a"}, err: "tags begin with @"},
		{name: "open", o: suite.PlanOptions{Tags: "(@a"}, err: "parenthesis is missing"},
		{name: "closed", o: suite.PlanOptions{Tags: "@a)"}, err: `")" is not expected`},
		{name: "two tags", o: suite.PlanOptions{Tags: "@a @b"}, err: `"@b" is not expected`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := suite.Plan(files, c.o)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("got %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range p.Scenarios {
				got = append(got, strings.TrimPrefix(s.ID, "f.feature:")+" "+s.Skip)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := suite.Plan(nil, suite.PlanOptions{}); !errors.Is(err, suite.ErrNothingSelected) {
		t.Errorf("no files: got %v", err)
	}
}

func TestPlanRefusesTagsWithoutAName(t *testing.T) {
	for _, tag := range []string{"@requires:capability:", "@requires:browser", "@requires", "@requires:", "@skip", "@skip:"} {
		files := load(t, map[string]string{"f.feature": tag + "\nFeature: F\n  Scenario: S\n    Given x\n"})
		if _, err := suite.Plan(files, suite.PlanOptions{}); err == nil || !strings.Contains(err.Error(), tag) {
			t.Errorf("%s: got %v", tag, err)
		}
	}
}

func FuzzTagExpression(f *testing.F) {
	f.Add("@a and not (@b or @c)")
	f.Add("((((")
	f.Add("not not not @a")
	files := load(f, map[string]string{"f.feature": tagged})
	f.Fuzz(func(t *testing.T, expr string) {
		p, err := suite.Plan(files, suite.PlanOptions{Tags: expr, Known: []driver.Capability{"browser"}})
		if err == nil && len(p.Scenarios) == 0 {
			t.Error("an empty plan is no error")
		}
	})
}
