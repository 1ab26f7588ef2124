package suite_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
	"github.com/understudy-dev/understudy/world"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site gives each scenario a lease with a real ledger and a real journal, and nothing else.
type site struct {
	capacity int
	lease    func(ctx context.Context, scenario string) error // before a lease is given; may be nil
	release  func(ctx context.Context, scenario string) error // when it is given back; may be nil

	mu       sync.Mutex
	leased   []string
	released []string
	out      int
	most     int // leases out at once
}

func (s *site) Capacity() int { return max(s.capacity, 1) }

func (s *site) Close(context.Context) error { return nil }

func (s *site) Lease(ctx context.Context, scenario string) (*environment.Lease, error) {
	if s.lease != nil {
		if err := s.lease(ctx, scenario); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leased = append(s.leased, scenario)
	s.out++
	s.most = max(s.most, s.out)
	p := newPlace()
	set := driver.Unassigned()
	set.Ledger, set.Journal, set.Marker, set.Launcher = p.ledger, p, p, p
	return &environment.Lease{Drivers: set, Release: func(ctx context.Context) error {
		s.mu.Lock()
		s.released = append(s.released, scenario)
		s.out--
		s.mu.Unlock()
		if s.release != nil {
			return s.release(ctx, scenario)
		}
		return nil
	}}, nil
}

// place is one lease. Its Launcher "program" is how steps reach the ledger and the journal.
type place struct {
	ledger *ledger.Ledger
	*journal.Journal
}

func newPlace() *place {
	l := ledger.New()
	return &place{l, journal.New(l, func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) })}
}

func (p *place) Entries(_ context.Context, after uint64) ([]driver.Entry, error) {
	var out []driver.Entry
	for _, e := range p.Journal.Entries(after) {
		out = append(out, driver.Entry{Seq: e.Seq, Change: e.Kind == journal.Change, Type: e.Type,
			Cause: driver.Cause(e.Cause), Subject: e.Subject, Detail: e.Detail})
	}
	return out, nil
}

func (p *place) Mark(_ context.Context, cause driver.Cause, text string) error {
	p.Append(journal.Entry{Kind: journal.Read, Type: "step", Subject: string(cause), Detail: map[string]string{"text": text}})
	return nil
}

func (p *place) Start(context.Context, driver.Spec) (driver.Process, error) {
	return nil, errors.New("this place starts no programs")
}

// here returns the place of the scenario that runs.
func here(ctx context.Context) *place { return world.From(ctx).Drivers().Launcher.(*place) }

// features makes a plan of feature texts by file name.
func features(t testing.TB, texts map[string]string) suite.Planned {
	t.Helper()
	p, err := suite.Plan(load(t, texts), suite.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func load(t testing.TB, texts map[string]string) []feature.File {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range texts {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	files, err := feature.Load(fsys, []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// one makes a plan of one scenario with these steps.
func one(t testing.TB, steps string) suite.Planned {
	t.Helper()
	return features(t, map[string]string{"one.feature": "Feature: F\n\n  Scenario: S\n" + steps})
}

// run runs a plan with short deadlines and returns the first trial.
func run(t testing.TB, o suite.Options) []result.Scenario {
	t.Helper()
	trials, err := suite.Run(t.Context(), hasty(o))
	if err != nil {
		t.Fatal(err)
	}
	return trials[0].Scenarios
}

func hasty(o suite.Options) suite.Options {
	if o.Site == nil {
		o.Site = &site{}
	}
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&o.ScenarioTimeout, 20*time.Second)
	set(&o.StepTimeout, 10*time.Second)
	set(&o.CleanupTimeout, 100*time.Millisecond)
	set(&o.Grace, 50*time.Millisecond)
	return o
}

// step is a definition with the documentation that Check asks for.
func step(pattern, example string, do any) suite.Step {
	return suite.Step{Pattern: pattern, Example: example, Do: do, Doc: "For tests."}
}

func pack(steps ...suite.Step) suite.Pack { return suite.Pack{Name: "test", Steps: steps} }

// passes is a step that passes, noting what was asked for.
func passes(pattern string) suite.Step {
	return step(pattern, pattern, func(context.Context) error { return nil })
}

func problems(s result.Scenario) string {
	out := fmt.Sprintf("%s %s", s.ID, s.Verdict)
	for _, st := range s.Steps {
		out += fmt.Sprintf("\n  %d %s", st.Number, st.Verdict)
		if st.Problem != nil {
			out += fmt.Sprintf(" %s: %s [%s]", st.Problem.Where, st.Problem.What, st.Problem.Hint)
		}
	}
	for _, f := range s.Findings {
		out += fmt.Sprintf("\n  %s: %s %s", f.Policy, f.Problem.Verdict, f.Problem.What)
		if f.Problem.Hint != "" {
			out += " [" + f.Problem.Hint + "]"
		}
	}
	return out
}
