package policy

import (
	"strings"

	"github.com/understudy-dev/understudy/internal/fault"
	"github.com/understudy-dev/understudy/result"
)

// faults looks for those that a step put in force and that never struck: what the scenario says of them it has
// not shown.
func (j *judgement) faults(s result.Scenario) {
	if j.grave == result.Broken {
		return // steps that were not reached might have been what they strike
	}
	struck := map[string]bool{}
	for _, e := range s.Journal {
		struck[e.Subject] = struck[e.Subject] || e.Type == fault.StruckEntry
	}
	for _, e := range s.Journal {
		if e.Type == fault.SetEntry && strings.HasPrefix(string(e.Cause), "step:") && !struck[e.Subject] {
			j.find(IdleFault, string(e.Cause), result.Problem{Verdict: result.Broken,
				What: "the fault " + e.Subject + " was in force and never struck", Hint: "name what happens in the scenario, or leave the fault out"})
		}
	}
}
