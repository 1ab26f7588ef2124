package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/result"
)

// OverBudget is the policy that holds the times of a run to its budget.
const OverBudget = "over-budget"

const overBudget = OverBudget + ": "

// Spend returns r with what it says of its budget: a warning, or a problem where the policy is red, for each
// time that was exceeded. What an earlier judgement said of it is taken out.
func (s Strictness) Spend(r result.Record) result.Record {
	r.Warnings = slices.DeleteFunc(slices.Clone(r.Warnings), func(w string) bool { return strings.HasPrefix(w, overBudget) })
	r.Problems = slices.DeleteFunc(slices.Clone(r.Problems), func(p result.Problem) bool { return strings.HasPrefix(p.What, overBudget) })
	for _, what := range exceeded(r) {
		switch s.of(OverBudget) {
		case Warn:
			r.Warnings = append(r.Warnings, overBudget+what)
		case Red:
			r.Problems = append(r.Problems, result.Problem{Verdict: result.Broken, What: overBudget + what,
				Hint: "make it faster, or change budget: of understudy.yaml and what belongs to it"})
		}
	}
	return r
}

// exceeded are the times that were more than the budget has.
func exceeded(r result.Record) (out []string) {
	if r.Budget == nil {
		return nil
	}
	if b := r.Budget.Limit; b > 0 && r.Took().Seconds() > b {
		out = append(out, fmt.Sprintf("the run took %s, more than its test command has: %s", result.Span(r.Took().Seconds()), result.Span(b)))
	}
	var lease, scenario mean
	for s := range r.Scenarios() {
		if s.Verdict != result.Skipped && s.Seconds > 0 {
			lease.add(s.ID, s.LeaseSeconds)
			scenario.add(s.ID, s.Seconds)
		}
	}
	out = append(out, lease.over("leases", r.Budget.Lease)...)
	return append(out, scenario.over("scenarios", r.Budget.Scenario)...)
}

// mean is that of times, and the longest of them.
type mean struct {
	sum, most float64
	n         int
	longest   string
}

func (m *mean) add(id string, seconds float64) {
	m.sum += seconds
	if m.n++; seconds > m.most {
		m.most, m.longest = seconds, id
	}
}

func (m mean) over(what string, budget float64) []string {
	if m.n == 0 || budget <= 0 || m.sum/float64(m.n) <= budget {
		return nil
	}
	return []string{fmt.Sprintf("%s took %s on average, not %s; the longest, of %s, took %s",
		what, result.Span(m.sum/float64(m.n)), result.Span(budget), m.longest, result.Span(m.most))}
}
