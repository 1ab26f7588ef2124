package oracletest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cucumber/godog"
	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/trial"
)

const foreignFeature = `Feature: A foreign pack

  Background:
    Given a basket

  Scenario: Passes
    Given 3 apples
    And 4 apples
    When I eat 2
    Then 5 are left

  Scenario: Fails
    Given 3 apples
    When I eat 1
    Then 3 are left

  Scenario: A context is carried on to later steps
    Given 1 apples
    When nothing is done
    Then 1 are left

  Scenario: Only the keyword tells two definitions apart
    Given the day
    When the day
    Then the day
    And 11 are left

  Scenario: Undefined for want of the right keyword
    Given 1 are left

  Scenario: A pattern that is not anchored
    Then somewhere in here stands the word needle, indeed

  Scenario: An argument that does not convert
    Given a weight of "heavy"

  Scenario: Arguments
    Given a weight of "2.5"
    And the table
      | a | b |
      | c | d |
    And the text
      """
      some text
      """
    And the bytes
      """
      some text
      """
    And the value 1 of 2 values

  Scenario: Undefined
    Given what nobody knows

  Scenario: Ambiguous
    Given one and the same

  Scenario: Panics
    When it panics

  Scenario: Returns an error with its context
    When it errs with a context

  Scenario: Wants more than there is
    When it wants more

  Scenario: Pending
    When it is pending

  Scenario Outline: Outline <n>
    Given <n> apples
    Then 2 are left
    Examples:
      | n |
      | 2 |
      | 3 |
`

type apples struct{}

func count(ctx context.Context) int {
	n, _ := ctx.Value(apples{}).(int)
	return n
}

func more(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, apples{}, count(ctx)+n)
}

func same(got, want string) error {
	if got != want {
		return fmt.Errorf("got %q, want %q", got, want)
	}
	return nil
}

// register is a pack in godog's form; the same function serves both.
func register(r suite.Registrar) {
	r.Given("^a basket$", func() {})
	r.Given(regexp.MustCompile(`^(\d+) apples$`), func(ctx context.Context, n int64) (context.Context, error) { return more(ctx, int(n)), nil })
	r.When(`^I eat (\d+)$`, func(ctx context.Context, n uint8) context.Context { return more(ctx, -int(n)) })
	r.When("^nothing is done$", func() error { return nil })
	r.Then([]byte(`^(\d+) are left$`), func(ctx context.Context, want int) error { return same(fmt.Sprint(count(ctx)), fmt.Sprint(want)) })
	r.Given("^the day$", func(ctx context.Context) context.Context { return more(ctx, 1) })
	r.When("^the day$", func(ctx context.Context) context.Context { return more(ctx, 10) })
	r.Then("^the day$", func() {})
	r.Step("needle", func() {})
	r.Step(`^a weight of "([^"]*)"$`, func(float32) {})
	r.Step("^the table$", func(t *godog.Table) error { return same(t.Rows[1].Cells[0].Value, "c") })
	r.Step("^the text$", func(d *godog.DocString) error { return same(d.Content, "some text") })
	r.Step("^the bytes$", func(b []byte) error { return same(string(b), "some text") })
	r.Step(`^the value (\d) of (\d) values$`, func(v string) error { return same(v, "1") })
	r.Step("^one and (.*)$", func(string) {})
	r.Step("^(.*) the same$", func(string) {})
	r.Step("^it panics$", func() { panic("no") })
	r.Step("^it errs with a context$", func(ctx context.Context) (context.Context, error) { return ctx, errors.New("no") })
	r.Step("^it wants more$", func(string) {})
	r.Step("^it is pending$", func() error { return godog.ErrPending })
}

// TestForeignPackLikeGodog runs one pack in godog and here: each scenario passes in both or in neither.
func TestForeignPackLikeGodog(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/foreign.feature", []byte(foreignFeature), 0o644); err != nil {
		t.Fatal(err)
	}
	want, got := inGodog(t, dir), here(t, dir)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("godog (-) and here (+):\n%s", diff)
	}
	passed := 0
	for _, ok := range want {
		if ok {
			passed++
		}
	}
	if len(want) != 16 || passed != 6 {
		t.Errorf("godog: %d scenarios, %d passed: the feature does not test what it should: %v", len(want), passed, want)
	}
}

func inGodog(t *testing.T, dir string) map[string]bool {
	t.Helper()
	passed := map[string]bool{}
	s := godog.TestSuite{
		ScenarioInitializer: func(sc *godog.ScenarioContext) {
			register(sc)
			sc.After(func(ctx context.Context, s *godog.Scenario, err error) (context.Context, error) {
				passed[s.Name] = err == nil
				return ctx, nil
			})
		},
		Options: &godog.Options{
			Format: "progress", Output: io.Discard, Strict: true, NoColors: true,
			FeatureContents: []godog.Feature{{Name: "foreign.feature", Contents: []byte(foreignFeature)}},
			FS:              fstest.MapFS{},
		},
	}
	if s.Run() == 0 {
		t.Error("godog passed a suite with scenarios that fail")
	}
	return passed
}

func here(t *testing.T, dir string) map[string]bool {
	t.Helper()
	p, err := trial.Prepare(trial.Options{
		Config: &trial.Config{Name: "foreign", Features: dir, Fixtures: dir}, Paths: []string{dir},
		Packs: []suite.Pack{suite.FromGodog("foreign", register)},
	})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := p.Run(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	passed := map[string]bool{}
	for s := range rec.Scenarios() {
		passed[s.Name] = s.Verdict == result.Passed
		if want := map[string]result.Verdict{"Fails": result.Failed, "Undefined": result.Broken, "Panics": result.Broken, "Pending": result.Broken}[s.Name]; want != "" && s.Verdict != want {
			t.Errorf("%s: got %s, want %s", s.Name, s.Verdict, want)
		}
		if s.Name == "Fails" && !strings.Contains(s.Steps[3].Problem.What, `got "2", want "3"`) {
			t.Errorf("%s: the step's own words are lost: %+v", s.Name, s.Steps[3].Problem)
		}
	}
	return passed
}
