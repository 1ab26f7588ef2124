package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/internal/schedule"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite"
)

// abreast is how many orders are tried at once. It does not depend on the machine, so that a seed
// explores the same everywhere.
const abreast = 8

// orderPolicy names the finding of a scenario that fails in another order.
const orderPolicy = "order"

// inOrder reports whether the order of deliveries is decided here.
func (p *Prepared) inOrder() bool { return p.o.Explore > 0 || p.o.Schedule != "" }

// checkOrder refuses what cannot be meant.
func (p *Prepared) checkOrder() (err error) {
	switch {
	case !p.inOrder():
		return nil
	case p.o.Explore > 0 && p.o.Schedule != "":
		return errors.New("exploring tries many schedules, and one is given: ask for one of the two")
	case p.o.Repeat > 1:
		return errors.New("with a schedule, or exploring, a scenario comes to the same each time: there is nothing to repeat")
	case p.Config.Platform == "":
		return errors.New("the suite has no platform: there are no deliveries whose order could be decided")
	case p.o.Schedule != "" && len(p.plan.Running()) != 1:
		return fmt.Errorf("a schedule belongs to one scenario; %d are selected: name one as file:line", len(p.plan.Running()))
	case p.o.Schedule != "":
		p.schedule, err = schedule.Parse(p.o.Schedule)
	}
	return err
}

// orderly is a site that can let a Decider say what comes next.
type orderly interface {
	LeaseInOrder(ctx context.Context, scenario string, d *schedule.Decider) (*environment.Lease, error)
}

// decided is a site in which d says what comes next. What is only tried keeps nothing.
type decided struct {
	environment.Site
	d     *schedule.Decider
	tried bool
}

func (s decided) Lease(ctx context.Context, scenario string) (*environment.Lease, error) {
	site, ok := s.Site.(orderly)
	if !ok {
		return nil, fmt.Errorf("decide the order of deliveries: %w", driver.ErrUnsupported)
	}
	lease, err := site.LeaseInOrder(ctx, scenario, s.d)
	if err == nil && s.tried {
		lease.Drivers.Keeper = driver.Unassigned().Keeper
	}
	return lease, err
}

// nowhere takes evidence that nobody will look at.
type nowhere struct{}

func (nowhere) Put(_ context.Context, m evidence.Meta, r io.Reader) (evidence.Ref, error) {
	n, err := io.Copy(io.Discard, r)
	return evidence.Ref{Meta: m, Size: n}, err
}

// runInOrder is suite.Run where the order of deliveries is decided.
func (p *Prepared) runInOrder(ctx context.Context, o suite.Options) ([]result.Trial, error) {
	t := result.Trial{Number: 1}
	for i := range p.plan.Scenarios {
		e := explorer{Prepared: p, o: o}
		e.o.Planned = suite.Planned{Scenarios: p.plan.Scenarios[i : i+1]}
		s, err := e.scenario(ctx)
		if err != nil {
			return nil, err
		}
		t.Scenarios = append(t.Scenarios, s)
	}
	return []result.Trial{t}, nil
}

// explorer runs one scenario in many orders.
type explorer struct {
	*Prepared
	o suite.Options
}

// scenario runs the scenario in the usual or the given order, and explores from there.
func (e *explorer) scenario(ctx context.Context) (result.Scenario, error) {
	if e.o.Planned.Scenarios[0].Skip != "" {
		return e.play(ctx, nil, e.o.Progress)
	}
	d := e.schedule.Decider()
	progress := e.o.Progress
	if e.Prepared.o.Explore > 0 {
		progress = e.unfinished
	}
	s, err := e.play(ctx, d, progress)
	if err != nil || e.Prepared.o.Explore == 0 {
		return s, err
	}
	if s.Verdict == result.Passed {
		if s, err = e.explore(ctx, s, d); err != nil {
			return s, err
		}
	}
	e.tell(result.Event{Kind: "finished", Trial: 1, Scenario: s.ID, Name: s.Name, Steps: len(s.Steps), Result: &s})
	return s, nil
}

func (e *explorer) tell(ev result.Event) {
	if e.o.Progress != nil {
		e.o.Progress(ev)
	}
}

// unfinished tells nothing of the end: there are more runs to come.
func (e *explorer) unfinished(ev result.Event) {
	if ev.Kind != "finished" {
		e.tell(ev)
	}
}

// play runs the scenario once and keeps what it leaves. A schedule that does not fit is broken.
func (e *explorer) play(ctx context.Context, d *schedule.Decider, progress func(result.Event)) (result.Scenario, error) {
	o := e.o
	o.Progress = nil
	var finished result.Event
	if progress != nil {
		o.Progress = func(ev result.Event) {
			if ev.Kind == "finished" {
				finished = ev
				return
			}
			progress(ev)
		}
	}
	s, err := e.once(ctx, o, d, false)
	if err != nil {
		return s, err
	}
	if d != nil {
		s.Order = &result.Order{Schedule: d.Schedule().String(), Choices: d.Words()}
		if err := d.Misfit(); err != nil && s.Verdict != result.Failed {
			s.Findings = append(s.Findings, finding(result.Broken, err.Error(), "it belongs to another scenario, or to another version of this one; --explore finds a new one"))
			s.Verdict = s.Judged()
		}
	}
	if progress != nil {
		finished.Result = &s
		progress(finished)
	}
	return s, nil
}

// once runs the scenario under a decider; one that is only tried leaves nothing.
func (e *explorer) once(ctx context.Context, o suite.Options, d *schedule.Decider, tried bool) (result.Scenario, error) {
	o.Jobs, o.Repeat = 1, 1
	if d != nil {
		o.Site = decided{o.Site, d, tried}
	}
	if tried {
		o.Sink, o.Progress = nowhere{}, nil
	}
	trials, err := suite.Run(ctx, o)
	if err != nil {
		return result.Scenario{}, err
	}
	return trials[0].Scenarios[0], nil
}

// try runs a schedule, and returns the choices that were really made and whether the scenario failed.
func (e *explorer) try(ctx context.Context, s schedule.Schedule) (schedule.Schedule, bool) {
	d := s.Decider()
	res, err := e.once(ctx, e.o, d, true)
	return d.Schedule(), err == nil && res.Verdict == result.Failed
}

// outcome is one order that was tried.
type outcome struct {
	d   *schedule.Decider
	s   result.Scenario
	err error
}

// explore tries other orders of a scenario that passed in the usual one, which first decided.
func (e *explorer) explore(ctx context.Context, passed result.Scenario, first *schedule.Decider) (result.Scenario, error) {
	orders := schedule.NewExplorer(e.o.Seed)
	orders.Add(first.Made())
	passed.Order.Tried = 1
	for passed.Order.Tried < e.Prepared.o.Explore && ctx.Err() == nil {
		batch := e.batch(ctx, orders, min(abreast, e.Prepared.o.Explore-passed.Order.Tried))
		if len(batch) == 0 {
			passed.Order.All = true
			break
		}
		for _, b := range batch {
			if orders.Add(b.d.Made()) {
				passed.Order.Tried++
			}
			switch {
			case b.err != nil:
				return passed, b.err
			case b.s.Verdict == result.Failed:
				return e.shortest(ctx, b.d.Made(), passed.Order.Tried)
			case b.s.Verdict != result.Passed && ctx.Err() == nil:
				b.s.Order = &result.Order{Schedule: b.d.Schedule().String(), Choices: b.d.Words(), Tried: passed.Order.Tried}
				b.s.Findings = append(b.s.Findings, finding(result.Broken, "the scenario is broken in another order: "+strings.Join(b.d.Words(), "; "), e.replay(b.d.Schedule())))
				return b.s, nil
			}
		}
		e.tell(result.Event{Kind: "step", Trial: 1, Scenario: passed.ID, Name: passed.Name, Step: passed.Order.Tried, Steps: e.Prepared.o.Explore, Text: "orders"})
	}
	return passed, nil
}

func (e *explorer) batch(ctx context.Context, orders *schedule.Explorer, n int) []outcome {
	var batch []outcome
	for range n {
		if d := orders.Next(); d != nil {
			batch = append(batch, outcome{d: d})
		}
	}
	var wg sync.WaitGroup
	for i := range batch {
		wg.Go(func() { batch[i].s, batch[i].err = e.once(ctx, e.o, batch[i].d, true) })
	}
	wg.Wait()
	return batch
}

// shortest looks for the shortest schedule that fails, and runs it once more for the record.
func (e *explorer) shortest(ctx context.Context, failing []schedule.Decision, tried int) (result.Scenario, error) {
	short := schedule.Shrink(failing, func(s schedule.Schedule) (schedule.Schedule, bool) { return e.try(ctx, s) })
	s, err := e.play(ctx, short.Decider(), nil)
	if err != nil {
		return s, err
	}
	s.Order.Tried = tried
	verdict, what := result.Failed, "the scenario passes in the usual order and fails in another: "+strings.Join(s.Order.Choices, "; ")
	if s.Verdict != result.Failed {
		verdict, what = result.Broken, fmt.Sprintf("the scenario failed under schedule %s, and not when that was run again: something else than the order decides, too", short)
	}
	s.Findings = append(s.Findings, finding(verdict, what, e.replay(short)))
	s.Verdict = s.Judged()
	return s, nil
}

func finding(v result.Verdict, what, hint string) result.Finding {
	return result.Finding{Policy: orderPolicy, Problem: result.Problem{Verdict: v, What: what, Hint: hint}}
}

// replay is the command that runs the scenario under the schedule.
func (e *explorer) replay(s schedule.Schedule) string {
	command := fmt.Sprintf("understudy run %s/%s --schedule '%s'", relative(e.Config.Features), e.o.Planned.Scenarios[0].ID, s)
	for _, f := range e.Prepared.o.Faults {
		command += fmt.Sprintf(" --fault '%s'", f)
	}
	if len(e.Prepared.o.Faults) > 0 {
		command += fmt.Sprintf(" --seed %d", e.o.Seed) // decides where one has a chance
	}
	return command
}
