package behaviourtest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/understudy-dev/understudy/report/text"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite"
)

// reporter passes results from the suite, which runs scenarios in an order of its own, to subtests
// in file order.
type reporter struct {
	plan    suite.Planned
	results map[string]chan result.Scenario // by id; each holds one
	begun   chan struct{}
	once    sync.Once
}

func newReporter(p suite.Planned) *reporter {
	r := &reporter{plan: p, results: map[string]chan result.Scenario{}, begun: make(chan struct{})}
	for _, s := range p.Scenarios {
		r.results[s.ID] = make(chan result.Scenario, 1)
	}
	return r
}

// progress is told by the suite what happens.
func (r *reporter) progress(e result.Event) {
	r.once.Do(func() { close(r.begun) })
	if e.Kind == "finished" {
		r.results[e.Scenario] <- *e.Result
	}
}

// subtests runs a subtest for each scenario. What comes before the first scenario, such as a build,
// is not counted as its time; when that fails there are no subtests.
func (r *reporter) subtests(t *testing.T, ended <-chan struct{}, k kept) {
	t.Helper()
	select {
	case <-r.begun:
	case <-ended:
		select {
		case <-r.begun:
		default:
			t.Fail() // the record says why
			return
		}
	}
	for _, s := range r.plan.Scenarios {
		t.Run(s.ID, func(t *testing.T) {
			got, ok := wait(r.results[s.ID], ended)
			if !ok {
				fmt.Fprintln(t.Output(), "the run ended before this scenario did")
				t.FailNow()
			}
			show(t, got, k)
		})
	}
}

// wait returns the result; it is false when the run ended without one.
func wait(result <-chan result.Scenario, ended <-chan struct{}) (got result.Scenario, ok bool) {
	select {
	case got = <-result:
		return got, true
	case <-ended:
	}
	select {
	case got = <-result:
		return got, true
	default:
		return got, false
	}
}

func show(t *testing.T, s result.Scenario, k kept) {
	t.Helper()
	o := text.Options{Base: k.shown()}
	switch s.Verdict {
	case result.Passed:
		fmt.Fprintln(t.Output(), text.Line(s, o))
	case result.Skipped:
		t.Skip(s.Reason)
	default:
		fmt.Fprint(t.Output(), text.Block(s, o))
		t.Fail()
	}
}
