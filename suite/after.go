package suite

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/result"
)

// settle waits until the platform is quiet, so that what is judged does not move. A step that has
// already waited in vain is not waited for twice.
func (l *life) settle(run, ctx context.Context) {
	for _, s := range l.res.Steps {
		if s.Problem != nil && len(s.Problem.Pending) > 0 {
			return
		}
	}
	ledger := l.drivers.Ledger
	err := call(ctx, l.Grace, func(ctx context.Context) error {
		var seq uint64
		for {
			now, quiet, err := ledger.Wait(ctx, seq)
			if err != nil || quiet {
				return err
			}
			seq = now
		}
	})
	switch {
	case err == nil, errors.Is(err, driver.ErrUnsupported), run.Err() != nil:
	case errors.Is(ctx.Err(), context.DeadlineExceeded) && errors.Is(err, context.DeadlineExceeded):
		l.find("quiet", result.Of(&result.Deadline{Pending: ledger.Pending()}))
	default:
		l.find("quiet", problemOf(err, "waiting for quiet"))
	}
}

// collect copies what the scenario left: observations made after the steps, and the journal.
func (l *life) collect(ctx context.Context) {
	l.res.After = l.log.Observations(0)
	l.keep(ctx, len(l.res.Steps)+1)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.CleanupTimeout)
	defer cancel()
	journal := l.drivers.Journal
	read := make(chan []driver.Entry, 1)
	err := call(ctx, l.Grace, func(ctx context.Context) error {
		entries, err := journal.Entries(ctx, 0)
		read <- entries
		return err
	})
	switch {
	case err == nil:
		l.res.Journal = <-read
	case !errors.Is(err, driver.ErrUnsupported):
		l.find("journal", problemOf(fmt.Errorf("read the journal: %w", err), "reading the journal"))
	}
}

func (l *life) judge() {
	if l.Judge == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			l.find("judge", &result.Problem{Verdict: result.Broken,
				What: fmt.Sprintf("judging panicked: %v", v), Stack: string(debug.Stack())})
		}
	}()
	l.res.Findings = append(l.res.Findings, l.Judge(l.res)...)
}

// cleanUp runs the clean-ups, last first. It outlives the deadline that ended the scenario. In a
// scenario that was given up they would touch what its goroutine may still use, so they are named
// instead of run; the lease takes back what they would have.
func (l *life) cleanUp(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	var left []string
	for {
		c, ok := l.log.PopCleanup()
		if !ok {
			break
		}
		if l.given {
			left = append(left, c.Name)
			continue
		}
		if err := l.world(ctx, l.CleanupTimeout, c.Run); err != nil {
			what := "clean-up " + c.Name
			l.broken("cleanup", problemOf(fmt.Errorf("%s: %w", what, err), what))
		}
	}
	if len(left) > 0 {
		l.find("cleanup", &result.Problem{Verdict: result.Broken,
			What: "the scenario was given up, so these clean-ups did not run: " + strings.Join(left, ", ")})
	}
}

// broken records a problem that is never the product's fault.
func (l *life) broken(policy string, p *result.Problem) {
	p.Verdict = result.Broken
	l.find(policy, p)
}

func (l *life) release(ctx context.Context, lease *environment.Lease) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.CleanupTimeout)
	defer cancel()
	if err := call(ctx, l.Grace, lease.Release); err != nil {
		l.broken("lease", problemOf(fmt.Errorf("give back the place: %w", err), "giving back the place"))
	}
}
