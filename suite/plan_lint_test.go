package suite_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/suite"
)

func TestLint(t *testing.T) {
	files := load(t, map[string]string{"f.feature": "Feature: F\n  Background:\n    Given x\n  Scenario: 1\n    Given y\n  @skip:here\n  Scenario: 2\n    Given z\n  Scenario: 3\n    Given w\n"})
	p, err := suite.Plan(files, suite.PlanOptions{Environment: "here"})
	if err != nil {
		t.Fatal(err)
	}
	each := func(d suite.Draft) (problems []error) {
		for _, s := range d.Scenarios {
			for _, st := range s.Steps {
				problems = append(problems, suite.At(s, st, errors.New(d.Platform.Name+" knows no "+st.Text)))
			}
		}
		return problems
	}
	d := suite.Draft{Scenarios: p.Running()}
	d.Platform.Name = "crew"
	err = suite.Lint([]suite.Pack{{Name: "silent"}, {Name: "a", Lint: each}}, d)
	want := "f.feature:3: crew knows no x\nf.feature:5: crew knows no y\nf.feature:10: crew knows no w"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, strings.TrimSpace(want))
	}
	if err := suite.Lint([]suite.Pack{{Name: "silent"}}, d); err != nil {
		t.Errorf("nobody looks: got %v", err)
	}
}
