package world

import (
	"context"
	"errors"
	"fmt"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/result"
)

// exact marks observations that were made while the platform was quiet.
const exact = "exact"

// wait is one wait that is going on.
type wait struct {
	tries  int
	buffer []result.Observation // of the current try
	last   error                // last mismatch or absence
}

// Until returns nil as soon as check holds. It is tried at once, at each change, and a last time
// when the platform is quiet. A *match.Mismatch or driver.ErrNotFound is tried again; any other
// error ends the wait. When ctx's deadline passes first it returns a *result.Deadline.
func (w *World) Until(ctx context.Context, check func(context.Context) error) error {
	return w.waiting(ctx, func(cur *wait) (string, error) {
		after, quiet := w.seen, false
		for {
			err := cur.try(ctx, check)
			if err == nil || !again(err) {
				return decided(quiet), err
			}
			seq, nowQuiet, werr := w.drivers.Ledger.Wait(ctx, after)
			if werr != nil {
				return "", werr
			}
			w.seen = seq
			if quiet && nowQuiet && seq == after {
				return exact, err
			}
			after, quiet = seq, nowQuiet
		}
	})
}

// Settled evaluates check only while the platform is quiet, which is how absence and number are
// decided. After a check the ledger's sequence number is read again; if it has moved, the answer
// does not count. Errors are treated as in Until.
func (w *World) Settled(ctx context.Context, check func(context.Context) error) error {
	return w.waiting(ctx, func(cur *wait) (string, error) {
		seq, quiet := w.seen, false
		for {
			var err error
			for !quiet {
				if seq, quiet, err = w.drivers.Ledger.Wait(ctx, seq); err != nil {
					return "", err
				}
			}
			w.seen = seq
			err = cur.try(ctx, check)
			if err != nil && !again(err) {
				return "", err
			}
			now, still, werr := w.drivers.Ledger.Wait(ctx, seq)
			if werr != nil {
				return "", werr
			}
			if still && now == seq {
				return exact, err
			}
			seq, quiet = now, still
		}
	})
}

// waiting runs one wait and stores the observations of its last try.
func (w *World) waiting(ctx context.Context, loop func(*wait) (string, error)) error {
	if err := w.usable(); err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	if w.wait != nil {
		return errors.New("a wait inside the check of another wait")
	}
	cur := &wait{}
	w.wait = cur
	defer func() {
		// Also when check panics: the suite goes on with After and clean-ups.
		w.wait = nil
	}()
	how, err := loop(cur)
	for i := range cur.buffer {
		cur.buffer[i].Tries = cur.tries
		cur.buffer[i].Decided = how
	}
	w.log.addObservations(cur.buffer...)
	return w.ended(ctx, cur, err)
}

// ended turns the end of the context into what it means for the scenario.
func (w *World) ended(ctx context.Context, cur *wait, err error) error {
	var mis *match.Mismatch
	switch {
	case err == nil || errors.As(err, &mis):
		return err
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &result.Deadline{Pending: w.drivers.Ledger.Pending(), Last: cur.last}
	case cur.last != nil && !errors.Is(err, driver.ErrNotFound):
		return fmt.Errorf("%w; last seen: %v", err, cur.last) // %v: the end of the wait decides the verdict
	}
	return err
}

// try evaluates check once. The last try's observations replace those of the one before, except
// when the context's end cut it short before it saw anything.
func (t *wait) try(ctx context.Context, check func(context.Context) error) error {
	before := t.buffer
	t.buffer = nil
	t.tries++
	err := check(ctx)
	if err != nil && ctx.Err() != nil && len(t.buffer) == 0 {
		t.buffer = before
	}
	if err != nil && again(err) {
		t.last = err
	}
	return err
}

func again(err error) bool {
	var mis *match.Mismatch
	return errors.As(err, &mis) || errors.Is(err, driver.ErrNotFound)
}

func decided(quiet bool) string {
	if quiet {
		return exact
	}
	return ""
}
