// Package hello is the smallest suite: one feature, one step, no platform.
package hello

import (
	"context"
	"testing"

	"github.com/understudy-dev/understudy/behaviourtest"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

var pack = suite.Pack{Name: "hello", Steps: []suite.Step{{
	Pattern: `the greeting of "([^"]*)" is "([^"]*)"`, Do: greeted,
	Doc:     "Greets somebody and compares.",
	Example: `the greeting of "Ada" is "Hello, Ada"`,
}}}

func greeted(ctx context.Context, name, want string) error {
	return world.From(ctx).Expect(ctx, "greeting", "Hello, "+name, match.Equal(want))
}

func TestHello(t *testing.T) {
	behaviourtest.RunSuite(t, behaviourtest.SuiteOptions{FeaturePaths: []string{"features"}, Packs: []suite.Pack{pack}})
}
