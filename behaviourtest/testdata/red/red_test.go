// Package red holds suites that do not pass. The tests of behaviourtest run it as a program.
package red

import (
	"context"
	"fmt"
	"testing"

	"github.com/understudy-dev/understudy/behaviourtest"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

var pack = suite.Pack{Name: "red", Steps: []suite.Step{
	{Pattern: `(\d+) is (\d+)`, Do: is, Doc: "Compares two numbers.", Example: "1 is 1"},
	{Pattern: "it waits", Do: waits, Doc: "Waits until it is interrupted.", Example: "it waits"},
}}

func is(ctx context.Context, got, want int) error {
	return world.From(ctx).Expect(ctx, "number", got, match.Equal(want))
}

func waits(ctx context.Context) error {
	fmt.Println("waiting")
	<-ctx.Done()
	return ctx.Err()
}

func TestRed(t *testing.T) {
	behaviourtest.RunSuite(t, behaviourtest.SuiteOptions{FeaturePaths: []string{"features"}, Packs: []suite.Pack{pack}})
}

func TestSlow(t *testing.T) {
	behaviourtest.RunSuite(t, behaviourtest.SuiteOptions{FeaturePaths: []string{"slow.feature"}, Packs: []suite.Pack{pack}})
}

// TestWaitsInVain comes after TestSlow; an interrupt of that one must not let it run.
func TestWaitsInVain(t *testing.T) { t.Log("this was run") }

func TestNeeds(t *testing.T) {
	behaviourtest.RunSuite(t, behaviourtest.SuiteOptions{FeaturePaths: []string{"needs.feature"}, Packs: []suite.Pack{pack}})
}

func TestUnbuildable(t *testing.T) {
	behaviourtest.RunSuite(t, behaviourtest.SuiteOptions{
		FeaturePaths: []string{"features"}, Platform: "unbuildable.yaml", Packs: []suite.Pack{pack},
	})
}

func TestMistaken(t *testing.T) {
	for name, o := range map[string]behaviourtest.SuiteOptions{
		"features": {FeaturePaths: []string{"feature"}},
		"none":     {},
		"fixtures": {FeaturePaths: []string{"features"}, FixturesRoot: "no/such"},
		"platform": {FeaturePaths: []string{"features"}, Platform: "platform.yaml"},
		"line":     {FeaturePaths: []string{"features/red.feature:1"}},
		"pack":     {FeaturePaths: []string{"features"}, Godog: func(r suite.Registrar) { r.Step("(", func() {}) }},
	} {
		t.Run(name, func(t *testing.T) { behaviourtest.RunSuite(t, o) })
	}
}
