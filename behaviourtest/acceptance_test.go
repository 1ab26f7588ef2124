package behaviourtest_test

import (
	"testing"

	"github.com/understudy-dev/understudy/behaviourtest"
)

// TestAcceptance runs the suite of crew, the platform in examples/platform.
func TestAcceptance(t *testing.T) {
	behaviourtest.RunSuite(t, behaviourtest.SuiteOptions{FeaturePaths: []string{"../examples/acceptance/features"}})
}
