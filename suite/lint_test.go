package suite_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
)

func TestMissteps(t *testing.T) {
	files := load(t, map[string]string{"f.feature": `Feature: F
  Background:
    Given nobody knows "it"
    And a thing
  Scenario: 1
    Given a two-fold thing
    When a 3 thing
  Scenario Outline: 2
    Given a <n> thing
    And a thing
      | x |
    Examples:
      | n         |
      | 1         |
      | x         |
      | 9999999999999999999 |
`})
	yes := func(context.Context) error { return nil }
	p := pack(step(`a thing`, `a thing`, yes), step(`a (\d+) thing`, `a 1 thing`, func(context.Context, int) error { return nil }),
		step(`a (\w+)-fold thing`, `a one-fold thing`, func(context.Context, string) error { return nil }),
		step(`a two-(\w+) thing`, `a two-part thing`, func(context.Context, string) error { return nil }))
	var all []feature.Scenario
	for _, f := range files {
		all = append(all, f.Scenarios...)
	}
	found, err := suite.Missteps([]suite.Pack{p}, all)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range found {
		if (m.Kind == "undefined") != strings.HasPrefix(m.Hint, "define it: ") {
			t.Errorf("hint of %+v", m)
		}
		got = append(got, fmt.Sprintf("%s:%d %s", m.URI, m.Line, m.Kind))
	}
	want := []string{"f.feature:3 undefined", "f.feature:6 ambiguous", "f.feature:10 unfit", "f.feature:9 undefined", "f.feature:9 unfit"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s\n%+v", diff, found)
	}
	unused, err := suite.Unused([]suite.Pack{p, {Name: "other", Steps: []suite.Step{step(`nobody`, `nobody`, yes)}}}, files[0].Scenarios[:1],
		func(name string) bool { return name == p.Name })
	if err != nil || len(unused) != 0 {
		t.Errorf("unused: %q, %v", unused, err)
	}
	unused, _ = suite.Unused([]suite.Pack{p}, nil, func(string) bool { return true })
	if len(unused) != 4 {
		t.Errorf("unused by nobody: %q", unused)
	}
	if _, err := suite.Missteps([]suite.Pack{{}}, nil); err == nil {
		t.Error("a pack without a name is accepted")
	}
}
