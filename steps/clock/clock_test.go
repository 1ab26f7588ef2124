package clock_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/steps/clock"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
	"github.com/understudy-dev/understudy/world"
)

// told is a clock that notes what it is told.
type told struct{ at []string }

func (c *told) Advance(_ context.Context, d time.Duration) error {
	c.at = append(c.at, d.String())
	return nil
}

func (c *told) AdvanceTo(_ context.Context, t time.Time) error {
	c.at = append(c.at, t.UTC().Format(time.RFC3339))
	return nil
}

// do has a step done that matches the text.
func do(ctx context.Context, text string) error {
	for _, s := range clock.Pack.Steps {
		m := regexp.MustCompile("^" + s.Pattern + "$").FindStringSubmatch(text)
		switch f := s.Do.(type) {
		case func(context.Context, string, string) error:
			if m != nil {
				return f(ctx, m[1], m[2])
			}
		case func(context.Context, string) error:
			if m != nil {
				return f(ctx, m[1])
			}
		}
	}
	return fmt.Errorf("no step matches %q", text)
}

// TestTimePasses: the words of a step are the time that the clock is put forward by, or to.
func TestTimePasses(t *testing.T) {
	if err := suite.Check([]suite.Pack{clock.Pack}); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{ // what the clock is told, or the error
		"1 minute passes":                               "1m0s",
		"90 minutes pass":                               "1h30m0s",
		"24 hours pass":                                 "24h0m0s",
		"2 days pass":                                   "48h0m0s",
		"99999999 days pass":                            "99999999 days are more than a clock has",
		"99999999999999999999 minutes pass":             "99999999999999999999 minutes are more than a clock has",
		`the clock reaches "2036-12-01T03:00:00Z"`:      "2036-12-01T03:00:00Z",
		`the clock reaches "2036-12-01T03:00:00+02:00"`: "2036-12-01T01:00:00Z",
		`the clock reaches "tomorrow"`:                  `"tomorrow" is no time: want one such as 2036-12-01T03:00:00Z`,
	} {
		c, set := &told{}, driver.Unassigned()
		set.Clock = c
		got := ""
		if err := do(world.Into(t.Context(), world.New(world.Options{Drivers: set})), text); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(want, got+strings.Join(c.at, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestLint(t *testing.T) {
	const tag = "@requires:capability:clock"
	const untagged = "a.feature:4: the scenario has time pass, and is not tagged " + tag
	for _, tt := range []struct{ text, tag, want string }{
		{"24 hours pass", tag, ""},
		{"24 hours pass", "@slow", untagged},
		{"1 day passes", "@slow", untagged},
		{`the clock reaches "2036-12-01T03:00:00Z"`, tag, ""},
		{`the clock reaches "2036-12-01T03:00:00Z"`, "", untagged},
		{`the clock reaches "2036-12-01"`, tag, `a.feature:4: "2036-12-01" is no time: want one such as 2036-12-01T03:00:00Z`},
		{"the clock stands still", "", ""},
	} {
		d := suite.Draft{Scenarios: []feature.Scenario{{URI: "a.feature", Tags: []string{tt.tag}, Steps: []feature.Step{{Text: tt.text, Line: 4}}}}}
		got := ""
		for _, err := range clock.Pack.Lint(d) {
			got += err.Error()
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.tag, tt.text, diff)
		}
	}
}
