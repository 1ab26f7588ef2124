package ledger_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/internal/ledger"
)

// turns are works that yield, each told by name when it goes on.
type turns struct {
	t  *testing.T
	l  *ledger.Ledger
	wg sync.WaitGroup
	on chan string
	of map[string]*ledger.Obligation
}

func yielding(t *testing.T) *turns {
	x := &turns{t: t, l: ledger.New(), on: make(chan string), of: map[string]*ledger.Obligation{}}
	t.Cleanup(x.wg.Wait)
	return x
}

// yield puts a work off, in a goroutine of its own.
func (x *turns) yield(name string, sooner <-chan struct{}, alone bool, owners ...string) {
	x.t.Helper()
	o := x.l.Open(name)
	x.of[name] = o
	x.wg.Go(func() {
		if err := o.Yield(x.t.Context(), sooner, alone, owners...); err == nil {
			x.on <- name
		}
	})
}

// waits is somebody who waits for quiet, until stop is called.
func (x *turns) waits() (stop func()) {
	ctx, cancel := context.WithCancel(x.t.Context())
	done := make(chan struct{})
	x.wg.Go(func() {
		defer close(done)
		for seq := uint64(0); ; {
			var err error
			if seq, _, err = x.l.Wait(ctx, seq); err != nil {
				return
			}
		}
	})
	return func() { cancel(); <-done }
}

func (x *turns) next() string {
	select {
	case name := <-x.on:
		return name
	case <-time.After(5 * time.Second):
		x.t.Fatalf("nobody goes on; open: %q", x.l.Pending())
		return ""
	}
}

// TestYield: the oldest goes on when nothing else does but what waits for it, and the next one after its end.
func TestYield(t *testing.T) {
	x := yielding(t)
	run, other, asleep, unknown := x.l.OpenOf("job:1", "job 1"), x.l.OpenOf("job:9", "job 9"), x.l.OpenOf("run:1", "run 1"), x.l.Open("process sh")
	defer run.Close()
	defer asleep.Close()
	defer unknown.Close()
	asleep.Sleep()
	defer x.waits()()
	sooner := make(chan struct{})
	x.yield("late", nil, false, "job:1")
	x.yield("counted", sooner, false, "job:1")
	for x.l.Yielded() < 2 && t.Context().Err() == nil {
		runtime.Gosched()
	}
	close(sooner)
	if got := x.next(); got != "counted" {
		t.Errorf("%s goes on while job 9 does", got)
	}
	other.Close()
	if got := x.l.Yielded(); got != 1 {
		t.Errorf("%d wait for their turn before the other has ended", got)
	}
	x.of["counted"].Close()
	if got := x.next(); got != "late" {
		t.Errorf("%s goes on", got)
	}
	if got := strings.Join(x.l.Pending(), ", "); got != "job 1, run 1, process sh, late" {
		t.Errorf("open: %s", got)
	}
	x.of["late"].Close()
}

// TestYieldOfWhoeverWaits: without anybody in Wait nothing goes on, unless the work is what the scenario waits for.
func TestYieldOfWhoeverWaits(t *testing.T) {
	x := yielding(t)
	x.yield("of a job", nil, false, "job:1")
	x.yield("of a step", nil, true)
	first := x.next() // the scenario waits for the step's, and the job's may be older
	x.of[first].Close()
	if first == "of a step" {
		defer x.waits()()
	}
	x.of[x.next()].Close()

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := x.l.Open("gone").Yield(ctx, nil, false); !errors.Is(err, context.Canceled) {
		t.Errorf("%v of one that was given up", err)
	}
}
