package world_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/world"
)

// reaches returns a check that holds once the ledger has seen n changes, and records each look.
func (s stage) reaches(n uint64, also func()) func(context.Context) error {
	return func(ctx context.Context) error {
		at := s.ledger.Seq()
		if also != nil {
			also()
		}
		return s.Expect(ctx, "changes", at, match.Equal(n))
	}
}

func (s stage) kept() []string {
	var out []string
	for _, o := range s.log.Observations(0) {
		out = append(out, fmt.Sprintf("%s %s %v tries %d %s", o.Subject, o.Got, o.OK, o.Tries, o.Decided))
	}
	return out
}

func TestUntilLooksAtOnce(t *testing.T) {
	s := newStage(t)
	defer s.ledger.Open("busy").Close()
	if err := s.Until(s.ctx, s.reaches(0, nil)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"changes 0 true tries 1 "}, s.kept()); diff != "" {
		t.Error(diff)
	}
}

func TestUntilLooksAgainAtEachChangeAndKeepsTheLastTry(t *testing.T) {
	s := newStage(t)
	ob := s.ledger.Open("busy")
	defer ob.Close()
	looks := 0
	err := s.Until(s.ctx, s.reaches(3, func() {
		looks++
		s.ledger.Changed() // after what this look sees
	}))
	if err != nil {
		t.Fatal(err)
	}
	if looks != 4 {
		t.Errorf("%d looks, want 4", looks)
	}
	if diff := cmp.Diff([]string{"changes 3 true tries 4 "}, s.kept()); diff != "" {
		t.Error(diff)
	}
}

func TestUntilLooksALastTimeAtQuiet(t *testing.T) {
	s := newStage(t)
	ob := s.ledger.Open("busy")
	var hidden atomic.Bool // what changes without a change in the ledger
	err := s.Until(s.ctx, func(ctx context.Context) error {
		now := hidden.Load()
		if !now {
			go func() { hidden.Store(true); ob.Close() }()
		}
		return s.Expect(ctx, "hidden", now, match.Equal(true))
	})
	if err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"hidden true true tries 2 exact"}, s.kept()); diff != "" {
		t.Error(diff)
	}
}

func TestUntilIsDecidedAtQuiet(t *testing.T) {
	s := newStage(t)
	s.ledger.Changed()
	err := s.Until(s.ctx, s.reaches(9, nil))
	var mis *match.Mismatch
	var late *result.Deadline
	if !errors.As(err, &mis) || errors.As(err, &late) {
		t.Errorf("got %v, want a mismatch", err)
	}
	if o := s.log.Observations(0); len(o) != 1 || o[0].Decided != "exact" || o[0].OK {
		t.Errorf("kept %+v", o)
	}
}

func TestAnAnswerFromBeforeAChangeDoesNotCount(t *testing.T) {
	for name, wait := range map[string]func(stage) func(context.Context, func(context.Context) error) error{
		"until": func(s stage) func(context.Context, func(context.Context) error) error { return s.Until },
		"settled": func(s stage) func(context.Context, func(context.Context) error) error {
			return s.Settled
		},
	} {
		s := newStage(t)
		looks := 0
		// The platform starts again while the check is under way, and ends in the expected state.
		err := wait(s)(s.ctx, s.reaches(2, func() {
			if looks++; looks <= 2 {
				ob := s.ledger.Open("again")
				s.ledger.Changed()
				ob.Close()
			}
		}))
		if err != nil || looks != 3 {
			t.Errorf("%s: got %v after %d looks, want nil after 3", name, err, looks)
		}
	}
}

func TestSettledLooksOnlyAtQuiet(t *testing.T) {
	s := newStage(t)
	ob := s.ledger.Open("busy")
	started := make(chan struct{})
	go func() {
		<-started
		for range 5 {
			s.ledger.Changed()
		}
		ob.Close()
	}()
	looks := 0
	close(started)
	err := s.Settled(s.ctx, s.reaches(5, func() { looks++ }))
	if err != nil || looks != 1 {
		t.Errorf("got %v after %d looks, want nil after 1", err, looks)
	}
	if diff := cmp.Diff([]string{"changes 5 true tries 1 exact"}, s.kept()); diff != "" {
		t.Error(diff)
	}
}

func TestSettledDoesNotTrustAPassThatTheLedgerOverran(t *testing.T) {
	s := newStage(t)
	looks := 0
	err := s.Settled(s.ctx, s.reaches(0, func() {
		if looks++; looks == 1 {
			s.ledger.Changed() // the passing answer is stale before it is given
		}
	}))
	var mis *match.Mismatch
	if !errors.As(err, &mis) || looks != 2 {
		t.Errorf("got %v after %d looks, want a mismatch after 2", err, looks)
	}
}

func TestAnotherErrorEndsTheWait(t *testing.T) {
	s := newStage(t)
	defer s.ledger.Open("busy").Close()
	bad := errors.New("no route to host")
	looks := 0
	err := s.Until(s.ctx, func(context.Context) error {
		if looks++; looks == 1 {
			s.ledger.Changed()
			return fmt.Errorf("get issue: %w", driver.ErrNotFound)
		}
		return bad
	})
	if !errors.Is(err, bad) || looks != 2 || result.Of(err).Verdict != result.Broken {
		t.Errorf("got %v after %d looks", err, looks)
	}
}

func TestTheDeadlineNamesWhatIsOpenAndWhatWasSeen(t *testing.T) {
	for _, settled := range []bool{false, true} {
		s := newStage(t)
		if settled {
			err := s.Settled(s.ctx, s.reaches(0, nil)) // so that there is a quiet moment first
			if err != nil {
				t.Fatal(err)
			}
		}
		s.ledger.Open("run 7")
		wait := s.Until
		if settled {
			wait = s.Settled
		}
		err := wait(deadline(t, s.ctx), s.reaches(9, nil))
		var late *result.Deadline
		if !errors.As(err, &late) {
			t.Fatalf("got %v, want a deadline", err)
		}
		if diff := cmp.Diff([]string{"run 7"}, late.Pending); diff != "" {
			t.Error(diff)
		}
		p := result.Of(err)
		if p.Verdict != result.Failed {
			t.Errorf("verdict %s", p.Verdict)
		}
		if !settled && (p.Seen != "0" || len(s.kept()) != 1) {
			t.Errorf("seen %q, kept %q", p.Seen, s.kept())
		}
	}
}

func TestACheckThatIsCutOffKeepsTheTryBefore(t *testing.T) {
	s := newStage(t)
	s.ledger.Open("run 7")
	looks := 0
	err := s.Until(deadline(t, s.ctx), func(ctx context.Context) error {
		if looks++; looks == 1 {
			s.ledger.Changed()
			return s.Expect(ctx, "thing", 1, match.Equal(2))
		}
		<-ctx.Done()
		return fmt.Errorf("get issue: %w", ctx.Err())
	})
	p := result.Of(err)
	if p.Verdict != result.Failed || p.Seen != "1" || len(p.Pending) != 1 {
		t.Errorf("got %+v", p)
	}
	if diff := cmp.Diff([]string{"thing 1 false tries 2 "}, s.kept()); diff != "" {
		t.Error(diff)
	}
}

func TestAnEndedRunIsNoDeadline(t *testing.T) {
	s := newStage(t)
	s.ledger.Open("run 7")
	ctx, cancel := context.WithCancel(s.ctx)
	err := s.Until(ctx, s.reaches(9, cancel))
	var mis *match.Mismatch
	if !errors.Is(err, context.Canceled) || errors.As(err, &mis) {
		t.Errorf("got %v", err)
	}
}

func TestAFailedLedgerBreaksTheWait(t *testing.T) {
	s := newStage(t)
	gone := errors.New("the forge is gone")
	s.ledger.Fail(gone)
	err := s.Until(s.ctx, s.reaches(9, nil))
	if !errors.Is(err, gone) || result.Of(err).Verdict != result.Broken {
		t.Errorf("got %v", err)
	}
}

func TestWithoutALedger(t *testing.T) {
	w := world.New(world.Options{})
	ctx := world.Into(t.Context(), w)
	if err := w.Until(ctx, func(context.Context) error { return nil }); err != nil {
		t.Errorf("what holds at once needs no ledger: %v", err)
	}
	for _, err := range []error{
		w.Until(ctx, func(ctx context.Context) error { return w.Expect(ctx, "a", 1, match.Equal(2)) }),
		w.Settled(ctx, func(context.Context) error { return nil }),
	} {
		if !errors.Is(err, driver.ErrUnsupported) || result.Of(err).Verdict != result.Broken {
			t.Errorf("got %v", err)
		}
	}
}

func TestAWaitInsideAWaitIsRefused(t *testing.T) {
	s := newStage(t)
	err := s.Until(s.ctx, func(ctx context.Context) error {
		return s.Settled(ctx, func(context.Context) error { return nil })
	})
	if err == nil || result.Of(err).Verdict != result.Broken {
		t.Errorf("got %v", err)
	}
}
