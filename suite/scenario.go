package suite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite/feature"
	"github.com/understudy-dev/understudy/world"
)

// life is one scenario while it is run. Only the worker's goroutine touches it; what runs in
// goroutines that can be given up reports through the log and through return values.
type life struct {
	*runner
	trial   int
	plan    feature.Scenario
	res     result.Scenario
	calls   []func(context.Context) error
	log     *world.Log
	drivers *driver.Set
	given   bool // given up: its World is never touched again
}

// play runs one scenario from its lease to its verdict.
func (r *runner) play(ctx context.Context, t task, worker int) result.Scenario {
	p := r.Planned.Scenarios[t.place]
	l := &life{runner: r, trial: t.trial + 1, plan: p.Scenario, log: world.NewLog()}
	l.res = result.Scenario{
		ID: p.ID, Feature: p.Feature, Rule: p.Rule, Name: p.Name, Tags: p.Tags,
		Worker: worker, Started: r.Now(), Steps: make([]result.Step, len(p.Steps)),
	}
	for i, s := range p.Steps {
		l.res.Steps[i] = result.Step{Number: i + 1, Keyword: s.Keyword, Text: s.Text,
			Argument: argument(s), Line: s.Line, Verdict: result.Skipped}
	}
	switch {
	case p.Skip != "":
		l.res.Verdict, l.res.Reason = result.Skipped, p.Skip
	case ctx.Err() != nil:
		l.find("interrupted", interrupted())
	case len(p.Steps) == 0:
		l.find("steps", &result.Problem{Verdict: result.Broken, What: "the scenario has no steps",
			Hint: "a step begins with Given, When, Then, And, But or *; other text below the name is its description"})
	case l.bind():
		l.tell(result.Event{Kind: "started", Trial: l.trial, Scenario: p.ID, Name: p.Name, Steps: len(p.Steps)})
		l.inPlace(ctx)
	}
	if p.Skip == "" {
		l.res.Verdict = l.res.Judged()
	}
	shown := l.res
	l.tell(result.Event{Kind: "finished", Trial: l.trial, Scenario: p.ID, Name: p.Name, Steps: len(p.Steps), Result: &shown})
	return l.res
}

// bind finds what each step means. Nothing runs unless all of them mean something.
func (l *life) bind() bool {
	ok := true
	for i, s := range l.plan.Steps {
		do, problem := l.words.resolve(s)
		if problem != nil {
			l.spoil(i, problem)
			ok = false
		}
		l.calls = append(l.calls, do)
	}
	return ok
}

// inPlace runs the scenario in a place of its own.
func (l *life) inPlace(ctx context.Context) {
	asked := l.Now()
	lease, err := l.lease(ctx)
	if err != nil {
		if ctx.Err() != nil {
			l.find("interrupted", interrupted())
			return
		}
		l.find("lease", problemOf(err, "getting a place"))
		return
	}
	l.drivers = lease.Drivers
	start := l.Now()
	l.res.Started, l.res.LeaseSeconds = start, start.Sub(asked).Seconds()
	w := world.New(world.Options{Drivers: lease.Drivers, Scenario: l.plan.ID, Tags: l.plan.Tags, Log: l.log, Sink: l.Sink})
	carried := world.Into(ctx, w)
	l.body(carried)
	l.collect(ctx)
	switch {
	case ctx.Err() == nil:
		l.judge()
	case !slices.ContainsFunc(l.res.Steps, func(s result.Step) bool { return s.Problem != nil }):
		l.find("interrupted", interrupted()) // otherwise the step says so
	}
	l.cleanUp(carried)
	l.res.Evidence = l.log.Attachments()
	l.archive(ctx)
	l.release(ctx, lease)
	l.res.Seconds = l.seconds(start)
}

// handover passes a lease from the call that gets it to the scenario, or takes it back.
type handover struct {
	mu    sync.Mutex
	lease *environment.Lease
	late  bool // nobody waits any more
}

// offer reports whether somebody still waits for the lease.
func (h *handover) offer(lease *environment.Lease) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.late {
		return false
	}
	h.lease = lease
	return true
}

// close ends the waiting and returns what was offered until now, or nil.
func (h *handover) close() *environment.Lease {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.late = true
	return h.lease
}

// lease gets a place. One that comes after the waiting was given up is given back.
func (l *life) lease(ctx context.Context) (*environment.Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, l.LeaseTimeout)
	defer cancel()
	site, id, timeout := l.Site, l.plan.ID, l.CleanupTimeout
	var h handover
	err := call(ctx, l.Grace, func(ctx context.Context) error {
		lease, err := site.Lease(ctx, id)
		if err != nil {
			return err
		}
		if lease == nil || lease.Drivers == nil || lease.Release == nil {
			return errors.New("the environment gave an empty lease")
		}
		if h.offer(lease) {
			return nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		defer cancel()
		return lease.Release(ctx)
	})
	if lease := h.close(); lease != nil {
		return lease, nil
	}
	return nil, err
}

// body runs what the scenario consists of, up to the last observation.
func (l *life) body(ctx context.Context) {
	inner, cancel := context.WithTimeout(ctx, l.ScenarioTimeout)
	defer cancel()
	if l.hooks(inner, "before", func(p Pack) func(context.Context) error { return p.Before }) {
		l.steps(ctx, inner)
	}
	l.log.Begin(0)
	if l.given || ctx.Err() != nil {
		return
	}
	l.settle(ctx, inner)
	if l.given || ctx.Err() != nil {
		return
	}
	l.hooks(ctx, "after", func(p Pack) func(context.Context) error { return p.After })
}

// hooks runs one hook of each pack, each under the deadline of a step.
func (l *life) hooks(ctx context.Context, name string, pick func(Pack) func(context.Context) error) bool {
	ok := true
	for _, p := range l.Packs {
		f := pick(p)
		if f == nil || l.given {
			continue
		}
		err := l.world(ctx, l.StepTimeout, f)
		if err != nil {
			ok = false
			l.find(name, problemOf(err, name+" of pack "+p.Name))
		}
	}
	return ok
}

// world calls f, which may touch the World, and gives the World up if f does not return.
func (l *life) world(ctx context.Context, timeout time.Duration, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := call(ctx, l.Grace, f)
	var gone *abandonedError
	if errors.As(err, &gone) {
		l.log.Quarantine()
		l.given = true
	}
	return err
}

// steps runs the steps up to the first that does not pass. ctx ends with the scenario's deadline,
// run with the whole run.
func (l *life) steps(run, ctx context.Context) {
	for i, do := range l.calls {
		n := i + 1
		step := &l.res.Steps[i]
		l.tell(result.Event{Kind: "step", Trial: l.trial, Scenario: l.plan.ID, Name: l.plan.Name,
			Step: n, Steps: len(l.calls), Text: step.Text})
		l.log.Begin(n)
		start := l.Now()
		marker := l.drivers.Marker
		err := l.world(ctx, l.StepTimeout, func(ctx context.Context) error {
			err := marker.Mark(ctx, driver.Cause(fmt.Sprintf("step:%d", n)), step.Text)
			if err != nil && !errors.Is(err, driver.ErrUnsupported) {
				return fmt.Errorf("mark the step: %w", err)
			}
			return do(ctx)
		})
		step.Seconds = l.seconds(start)
		step.Observations = l.log.Observations(n)
		l.keep(run, n)
		if ignored := unheld(step.Observations); err == nil && ignored != nil {
			l.spoil(i, ignored)
			return
		}
		if err == nil {
			step.Verdict = result.Passed
			continue
		}
		l.spoil(i, l.stepProblem(run, err))
		return
	}
}

// unheld finds an expectation that did not hold in a step that says it passed: its author forgot to
// return what Expect said.
func unheld(all []result.Observation) *result.Problem {
	for _, o := range all {
		if o.Want != "" && !o.OK {
			return &result.Problem{Verdict: result.Broken, Expected: o.Want, Seen: string(o.Got),
				What: "the step passed although " + o.Subject + " was not as expected", Hint: "return the error of Expect"}
		}
	}
	return nil
}

func (l *life) stepProblem(run context.Context, err error) *result.Problem {
	p := problemOf(err, "the step")
	if l.given {
		p.Pending = l.drivers.Ledger.Pending()
	} else if run.Err() != nil {
		p = interrupted()
		p.Hint = "when it was interrupted: " + err.Error()
	}
	return p
}

// spoil records why step i did not pass.
func (l *life) spoil(i int, p *result.Problem) {
	step := &l.res.Steps[i]
	p.Where = fmt.Sprintf("%s:%d", l.plan.URI, step.Line)
	step.Verdict, step.Problem = p.Verdict, p
}

func (l *life) find(policy string, p *result.Problem) {
	l.res.Findings = append(l.res.Findings, result.Finding{Policy: policy, Problem: *p})
}

func interrupted() *result.Problem {
	return &result.Problem{Verdict: result.Broken, What: "interrupted"}
}

// argument renders a step's argument as it was written.
func argument(s feature.Step) string {
	if s.DocString != nil {
		return s.DocString.Content
	}
	if s.Table == nil {
		return ""
	}
	var b strings.Builder
	for _, row := range s.Table.Rows {
		b.WriteString("|")
		for _, c := range row.Cells {
			b.WriteString(" " + c.Value + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}
