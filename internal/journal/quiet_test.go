package journal_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
)

// -defect plants the mistake that the rule "open before you close" is about, to see that the test
// notices it: go test -run NeverAFalseQuiet -defect ./internal/journal
var defect = flag.Bool("defect", false, "close the old obligation before opening the new one")

// table is where parties pass balls to and fro. A ball is in the air from its first throw to its
// last catch; the test knows the truth by counting, the ledger has to find it.
type table struct {
	l       *ledger.Ledger
	j       *journal.Journal
	parties int
	inAir   atomic.Int64
	work    sync.WaitGroup // catches that go on outside of a cursor's goroutine
}

// throw puts a ball into the journal for one party. The caller holds an obligation.
func (tb *table) throw(to, left int) {
	tb.j.Append(journal.Entry{Kind: journal.Change, Type: "ball", Subject: strconv.Itoa(to),
		Detail: map[string]string{"left": strconv.Itoa(left)}})
}

// play is one party: it reads the journal and throws each ball addressed to it on, sometimes at
// once, sometimes from a goroutine of its own with an obligation of its own.
func (tb *table) play(ctx context.Context, me int, c *journal.Cursor, rnd *rand.Rand) {
	for {
		e, err := c.Next(ctx)
		if err != nil {
			return
		}
		if e.Subject != strconv.Itoa(me) {
			continue
		}
		left, _ := strconv.Atoi(e.Detail["left"])
		to := rnd.IntN(tb.parties)
		pass := func(pause int) {
			for range pause {
				runtime.Gosched()
			}
			if left > 0 {
				tb.throw(to, left-1)
			} else {
				tb.inAir.Add(-1)
			}
		}
		pause := rnd.IntN(4)
		if rnd.IntN(2) == 0 {
			pass(pause)
			continue
		}
		if *defect {
			// The obligation is opened by the goroutine, after Next may have closed the lag.
			tb.work.Go(func() {
				runtime.Gosched()
				defer tb.l.Open("pass").Close()
				pass(pause)
			})
			continue
		}
		ob := tb.l.Open("pass")
		parked := rnd.IntN(4) == 0
		tb.work.Go(func() {
			defer ob.Close()
			if parked {
				waker := tb.l.Open("waker") // whoever ends the waiting is at work himself
				ob.Park()
				runtime.Gosched()
				ob.Resume()
				waker.Close()
			}
			pass(pause)
		})
	}
}

// TestNeverAFalseQuietNeverAHang lets two and more parties pass balls to and fro through journal,
// cursors and obligations. Whenever the ledger says quiet, no ball may be in the air; and quiet
// must come.
func TestNeverAFalseQuietNeverAHang(t *testing.T) {
	rounds := 400
	if testing.Short() {
		rounds = 50
	}
	for round := range rounds {
		rnd := rand.New(rand.NewPCG(uint64(round), 1))
		parties, balls, hops := 2+rnd.IntN(3), 1+rnd.IntN(3), 1+rnd.IntN(20)
		if err := playRound(t, rnd, parties, balls, hops); err != nil {
			t.Fatalf("round %d (%d parties, %d balls, %d hops): %v", round, parties, balls, hops, err)
		}
	}
}

func playRound(t *testing.T, rnd *rand.Rand, parties, balls, hops int) error {
	l := ledger.New()
	tb := &table{l: l, j: journal.New(l, fixed), parties: parties}
	ctx, stop := context.WithCancel(soon(t))
	var players sync.WaitGroup
	for me := range parties {
		c := tb.j.Subscribe("party " + strconv.Itoa(me))
		seed := rnd.Uint64()
		players.Go(func() { tb.play(ctx, me, c, rand.New(rand.NewPCG(seed, 2))) })
	}
	defer func() { stop(); players.Wait(); tb.work.Wait() }()

	for serve := range balls {
		ob := l.Open("serve")
		tb.inAir.Add(1)
		tb.throw(rnd.IntN(parties), hops)
		ob.Close()
		if serve%2 == 1 {
			if err := untilQuiet(ctx, tb); err != nil {
				return err
			}
		}
	}
	return untilQuiet(ctx, tb)
}

// untilQuiet waits as a scenario does: from change to change, until it is quiet.
func untilQuiet(ctx context.Context, tb *table) error {
	after := uint64(0)
	for {
		seq, quiet, err := tb.l.Wait(ctx, after)
		if err != nil {
			return fmt.Errorf("hang: %w; open: %q, %d balls in the air", err, tb.l.Pending(), tb.inAir.Load())
		}
		if seq < after {
			return fmt.Errorf("the sequence went back from %d to %d", after, seq)
		}
		after = seq
		if !quiet {
			continue
		}
		if n := tb.inAir.Load(); n != 0 {
			return fmt.Errorf("false quiet at change %d: %d balls in the air", seq, n)
		}
		if now := tb.l.Seq(); now != seq {
			return fmt.Errorf("false quiet: the sequence moved from %d to %d after it", seq, now)
		}
		return nil
	}
}
