package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/result"
)

// Level is what a policy's finding does to its scenario.
type Level string

// The levels. The zero value is the policy's own default.
const (
	Red  Level = "red"  // it fails the scenario
	Warn Level = "warn" // it is told, and the verdict stays
	Off  Level = "off"  // it is not told
)

// Strictness is how grave each policy is that can be told: as `strictness:` of understudy.yaml and the record
// have it. What is missing has its default.
type Strictness map[string]Level

// defaults are the policies that can be told how grave they are.
func defaults() Strictness {
	return Strictness{UnclaimedOperation: Red, UnexpectedRun: Red, UnreadOutput: Warn, OverBudget: Warn}
}

// ReadStrictness checks names and levels; the error names what there is.
func ReadStrictness(told map[string]string) (Strictness, error) {
	s, known := Strictness{}, defaults()
	for _, name := range slices.Sorted(maps.Keys(told)) {
		if _, ok := known[name]; !ok {
			return nil, fmt.Errorf("there is no policy %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
		switch level := Level(told[name]); level {
		case Red, Warn, Off:
			s[name] = level
		default:
			return nil, fmt.Errorf("%s: %q is no level; it is %s, %s or %s", name, told[name], Red, Warn, Off)
		}
	}
	return s, nil
}

// of is the level of a policy; the ones that cannot be told are red.
func (s Strictness) of(policy string) Level {
	if level, ok := s[policy]; ok && level != "" {
		return level
	}
	if level, ok := defaults()[policy]; ok {
		return level
	}
	return Red
}

// weigh gives each finding the verdict of its policy's level. A warning has the verdict passed, and stands last.
func (s Strictness) weigh(findings []result.Finding) []result.Finding {
	var red, warned []result.Finding
	for _, f := range findings {
		switch s.of(f.Policy) {
		case Red:
			red = append(red, f)
		case Warn:
			f.Problem.Verdict = result.Passed
			warned = append(warned, f)
		}
	}
	return append(red, warned...)
}
