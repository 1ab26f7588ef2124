package ledger_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/understudy-dev/understudy/internal/ledger"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// soon bounds waits that must end by themselves.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// ended is a context whose time is over: a Wait with it answers only what holds now.
func ended(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func TestWaitAnswersQuietAtOnce(t *testing.T) {
	l := ledger.New()
	seq, quiet, err := l.Wait(soon(t), 0)
	if seq != 0 || !quiet || err != nil {
		t.Fatalf("got %d, %v, %v; want 0, true, nil", seq, quiet, err)
	}
}

func TestOpenWorkHoldsBackQuiet(t *testing.T) {
	l := ledger.New()
	ob := l.Open("run 7")
	if _, _, err := l.Wait(ended(t), 0); !errors.Is(err, context.Canceled) {
		t.Fatalf("with open work: got %v, want context.Canceled", err)
	}
	if diff := cmp.Diff([]string{"run 7"}, l.Pending()); diff != "" {
		t.Error(diff)
	}
	ob.Park()
	if _, quiet, err := l.Wait(soon(t), 0); !quiet || err != nil {
		t.Fatalf("parked: got quiet %v, %v", quiet, err)
	}
	if len(l.Pending()) != 0 {
		t.Errorf("parked work is pending: %q", l.Pending())
	}
	ob.Resume()
	if _, _, err := l.Wait(ended(t), 0); !errors.Is(err, context.Canceled) {
		t.Fatalf("resumed: got %v, want context.Canceled", err)
	}
	ob.Close()
	ob.Close() // does nothing
	ob.Resume()
	if _, quiet, err := l.Wait(soon(t), 0); !quiet || err != nil {
		t.Fatalf("closed: got quiet %v, %v", quiet, err)
	}
}

func TestWaitReturnsAtEachChange(t *testing.T) {
	l := ledger.New()
	defer l.Open("work").Close()
	got := make(chan uint64)
	ctx := soon(t)
	go func() {
		after := uint64(0)
		for range 3 {
			seq, _, err := l.Wait(ctx, after)
			if err != nil {
				t.Error(err)
			}
			after = seq
			got <- seq
		}
	}()
	for want := uint64(1); want <= 3; want++ {
		if seq := l.Changed(); seq != want {
			t.Errorf("Changed gave %d, want %d", seq, want)
		}
		if seq := <-got; seq != want {
			t.Errorf("Wait gave %d, want %d", seq, want)
		}
	}
	if l.Seq() != 3 {
		t.Errorf("Seq is %d, want 3", l.Seq())
	}
}

func TestPendingIsOldestFirst(t *testing.T) {
	l := ledger.New()
	var want []string
	for _, what := range []string{"c", "a", "b"} {
		l.Open(what)
		want = append(want, what)
	}
	if diff := cmp.Diff(want, l.Pending()); diff != "" {
		t.Error(diff)
	}
}

func TestFailEndsEveryWait(t *testing.T) {
	l := ledger.New()
	l.Open("work")
	done := make(chan error)
	ctx := soon(t)
	for range 2 {
		go func() {
			_, _, err := l.Wait(ctx, 0)
			done <- err
		}()
	}
	first := errors.New("the forge is gone")
	l.Fail(first)
	l.Fail(errors.New("a later one"))
	for range 2 {
		if err := <-done; !errors.Is(err, first) {
			t.Errorf("got %v, want %v", err, first)
		}
	}
	if _, _, err := l.Wait(ctx, 0); !errors.Is(err, first) {
		t.Errorf("a later wait: got %v, want %v", err, first)
	}
}

// TestIdleIsWhenSomebodyWaitsForDeferredWork: open work, a scenario that does something else, and an
// unseen change each hold it back.
func TestIdleIsWhenSomebodyWaitsForDeferredWork(t *testing.T) {
	l := ledger.New()
	held, other := l.Open("delivery 1"), l.Open("run 1")
	held.Defer()
	other.Close()
	if err := l.Idle(ended(t)); !errors.Is(err, context.Canceled) {
		t.Fatalf("nobody waits: got %v", err)
	}
	other = l.Open("request")
	type answer struct {
		quiet bool
		err   error
	}
	waited := make(chan answer, 1)
	ctx := soon(t)
	go func() {
		_, quiet, err := l.Wait(ctx, l.Seq())
		waited <- answer{quiet, err}
	}()
	if err := l.Idle(ended(t)); !errors.Is(err, context.Canceled) {
		t.Fatalf("a request is open: got %v", err)
	}
	other.Close()
	if err := l.Idle(ctx); err != nil {
		t.Fatal(err)
	}
	select {
	case a := <-waited:
		t.Fatalf("deferred work did not hold back quiet: %+v", a)
	default:
	}
	held.Continue()
	if err := l.Idle(ended(t)); !errors.Is(err, context.Canceled) {
		t.Fatalf("the work goes on: got %v", err)
	}
	held.Close()
	if a := <-waited; !a.quiet || a.err != nil {
		t.Fatalf("got %+v, want quiet", a)
	}
}

// TestAWaiterThatGaveUpDoesNotCount: idle is for those who still wait.
func TestAWaiterThatGaveUpDoesNotCount(t *testing.T) {
	l := ledger.New()
	l.Open("delivery 1").Defer()
	if _, _, err := l.Wait(ended(t), 0); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := l.Idle(ended(t)); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", err)
	}
}

// TestWatchLeavesDeferredWorkAlone: it returns at a change and at rest, and is nobody for whom deferred
// work goes on.
func TestWatchLeavesDeferredWorkAlone(t *testing.T) {
	l := ledger.New()
	held, other := l.Open("delivery 1"), l.Open("request")
	l.Open("process").Park()
	type answer struct {
		Seq  uint64
		Rest bool
		Err  error
	}
	ctx := soon(t)
	watch := func(after uint64) <-chan answer {
		out := make(chan answer, 1)
		go func() {
			seq, rest, err := l.Watch(ctx, after)
			out <- answer{seq, rest, err}
		}()
		return out
	}
	changed := watch(0)
	l.Changed()
	if got := <-changed; got != (answer{Seq: 1}) {
		t.Errorf("at a change: %+v", got)
	}
	rested := watch(1)
	held.Defer()
	if err := l.Idle(ended(t)); !errors.Is(err, context.Canceled) {
		t.Fatalf("the watch brought deferred work on: %v", err)
	}
	other.Close()
	if got := <-rested; got != (answer{Seq: 1, Rest: true}) {
		t.Errorf("at rest: %+v", got)
	}
	if err := l.Idle(ended(t)); !errors.Is(err, context.Canceled) {
		t.Fatalf("the watch brought deferred work on: %v", err)
	}
	if diff := cmp.Diff([]string{"delivery 1"}, l.Pending()); diff != "" {
		t.Error(diff)
	}
	held.Close()
	l.Open("for ever")
	failed := watch(1)
	l.Fail(errors.New("the forge is gone"))
	if got := <-failed; got.Err == nil {
		t.Errorf("got %+v", got)
	}
	if _, _, err := l.Watch(ended(t), 9); err == nil {
		t.Error("no error")
	}
}
