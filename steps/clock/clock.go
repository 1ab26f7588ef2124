// Package clock has time pass in scenarios. The clock is the forge's and that of its workflows; programs have their
// own. A scenario that has time pass says @requires:capability:clock.
package clock

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

// The texts of the steps, which lint reads.
const (
	passStep  = `(\d+) (minute|hour|day)s? pass(?:es)?`
	reachStep = `the clock reaches "([^"]+)"`
)

// Pack holds the steps.
var Pack = suite.Pack{Name: "clock", Lint: lint, Steps: []suite.Step{
	{
		Pattern: passStep, Do: pass,
		Doc:     "Puts the clock forward. Workflows with `on: schedule` that are due meanwhile start, one run for each time; tokens, artifacts and caches whose time is over are gone. Without this step nothing is ever due.",
		Example: `24 hours pass`,
	},
	{
		Pattern: reachStep, Do: reach,
		Doc:     "Puts the clock forward to a time in the form of RFC 3339, as the step above.",
		Example: `the clock reaches "2036-12-01T03:00:00Z"`,
	},
}}

// required is the tag by which environments without a clock of their own leave a scenario out.
const required = "@requires:capability:" + string(driver.ClockCapability)

func lint(d suite.Draft) (problems []error) {
	asks, reaches := regexp.MustCompile("^("+passStep+"|"+reachStep+")$"), regexp.MustCompile("^"+reachStep+"$")
	for _, s := range d.Scenarios {
		for _, step := range s.Steps {
			if m := reaches.FindStringSubmatch(step.Text); m != nil {
				if _, err := readTime(m[1]); err != nil {
					problems = append(problems, suite.At(s, step, err))
				}
			}
			if asks.MatchString(step.Text) && !slices.Contains(s.Tags, required) {
				problems = append(problems, suite.At(s, step, fmt.Errorf("the scenario has time pass, and is not tagged %s", required)))
			}
		}
	}
	return problems
}

func readTime(text string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, fmt.Errorf("%q is no time: want one such as 2036-12-01T03:00:00Z", text)
	}
	return at, nil
}

func pass(ctx context.Context, count, unit string) error {
	n, err := strconv.Atoi(count)
	of := map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour}[unit]
	if err != nil || int64(n) > int64(1<<62/of) {
		return fmt.Errorf("%s %ss are more than a clock has", count, unit)
	}
	return world.From(ctx).Drivers().Clock.Advance(ctx, time.Duration(n)*of)
}

func reach(ctx context.Context, text string) error {
	at, err := readTime(text)
	if err != nil {
		return err
	}
	return world.From(ctx).Drivers().Clock.AdvanceTo(ctx, at)
}
