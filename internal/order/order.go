// Package order decides when what is due goes on: deliveries of events to workflows and to webhooks, and
// starts of jobs. Without faults and without a decider everything goes on at once. With a decider
// (run --explore) all of it is held until nothing else goes on and somebody waits in the ledger; then one
// is let go at a time. A fault of a delivery (package fault) holds, doubles or loses that one alone.
//
//	o := order.New(order.Options{Ledger: l, Journal: j, Faults: set})
//	defer o.Close()
//	o.Deliver(order.Delivery{What: "deliver issues.labeled", Event: "issues.labeled", Seq: 41, To: order.Workflows, Go: …})
package order

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/understudy-dev/understudy/internal/fault"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
	"github.com/understudy-dev/understudy/internal/schedule"
)

// Options configure an order. Ledger and Journal are needed.
type Options struct {
	Ledger  *ledger.Ledger
	Journal *journal.Journal
	Decider *schedule.Decider // of what comes next; nil takes things as they come
	Faults  *fault.Set        // of deliveries; nil has none
	// Unattended says that nobody waits in the ledger. What waits for quiet goes on when nothing else does;
	// what waits for other deliveries waits for them alone, and does not count as work.
	Unattended bool
}

// Order is safe for concurrent use.
type Order struct {
	o    Options
	ctx  context.Context // ends with Close
	stop context.CancelFunc
	wg   sync.WaitGroup

	mu         sync.Mutex
	held       []*held
	conducting bool
	closed     bool
	doubled    bool // a delivery comes twice: once in a scenario is enough
}

// held is one thing that waits for its turn.
type held struct {
	what  string             // for people: "deliver issues.labeled to-sort"
	run   int64              // of a job
	ob    *ledger.Obligation // of a delivery, while it is held
	d     *Delivery          // nil is a job
	begin func()             // of a job

	copies []bool // of a delivery, still to be made: whether each comes again
	late   bool   // comes after everything else
	after  int    // or after so many others, if that is sooner; 0 is not counted
	parked bool   // waits for others alone
}

func (h *held) seq() uint64 {
	if h.d == nil {
		return 0
	}
	return h.d.Seq
}

// New returns an order. The caller closes it.
func New(o Options) *Order {
	q := &Order{o: o}
	if o.Unattended {
		o.Ledger.Unattended()
	}
	q.ctx, q.stop = context.WithCancel(context.Background())
	return q
}

// Close forgets what is held, and returns when no goroutine of the order is left.
func (q *Order) Close() {
	q.mu.Lock()
	q.closed = true
	for _, h := range q.held {
		end(h)
	}
	q.held = nil
	q.mu.Unlock()
	q.stop()
	q.wg.Wait()
}

// Deciding reports whether a decider says what comes next, so that jobs ask for their turn. A nil Order has
// none.
func (q *Order) Deciding() bool { return q != nil && q.o.Decider != nil }

// Faults are those of deliveries; nil has none.
func (q *Order) Faults() *fault.Set {
	if q == nil {
		return nil
	}
	return q.o.Faults
}

// Plain reports whether deliveries go on at once now: nothing decides, holds or loses any.
func (q *Order) Plain() bool {
	if q == nil {
		return true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.o.Decider == nil && len(q.held) == 0 && !q.o.Faults.Any()
}

// Job holds the start of a job until its turn; begin is called then. withdraw takes it back.
func (q *Order) Job(what string, run int64, begin func()) (withdraw func()) {
	h := &held{what: what, run: run, begin: begin}
	q.put(h)
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.held = slices.DeleteFunc(q.held, func(other *held) bool { return other == h })
	}
}

// put holds a thing. Deliveries stand before jobs, each in the order in which they came; jobs by run and
// name, which does not depend on who was faster.
func (q *Order) put(h *held) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		end(h)
		return
	}
	if h.d != nil {
		h.ob = q.o.Ledger.Open(h.what)
		h.parked = q.o.Unattended && h.after > 0
		h.each(rest)
	}
	q.held = append(q.held, h)
	slices.SortStableFunc(q.held, func(a, b *held) int {
		if (a.d == nil) != (b.d == nil) {
			return cmp.Compare(b.seq(), a.seq())
		}
		return cmp.Or(cmp.Compare(a.seq(), b.seq()), cmp.Compare(a.run, b.run), strings.Compare(a.what, b.what))
	})
	if !q.conducting {
		q.conducting = true
		q.wg.Go(q.conduct)
	}
}

// conduct lets one held thing go after the other.
func (q *Order) conduct() {
	for q.o.Ledger.Idle(q.ctx) == nil {
		h := q.next()
		switch {
		case h == nil && q.Deciding():
			q.o.Ledger.Fail(errors.New("workflows wait for one another: nothing is left that could go on"))
			return
		case h == nil: // it went on meanwhile
		case h.d == nil:
			h.begin()
		default:
			q.release(h)
		}
	}
}

// next takes the thing whose turn it is, and wakes it. With a delivery that is to come twice a copy stays.
func (q *Order) next() *held {
	q.mu.Lock()
	defer q.mu.Unlock()
	var open, late []*held
	for _, h := range q.held {
		switch {
		case h.parked:
		case h.late:
			late = append(late, h)
		default:
			open = append(open, h)
		}
	}
	switch {
	case len(open) == 0 && len(late) == 0:
		return nil
	case len(open) == 0:
		return q.take(late[0])
	case q.o.Decider == nil:
		return q.take(open[0])
	}
	return q.choose(open)
}

// choose lets the decider take one of several things.
func (q *Order) choose(open []*held) *held {
	var options []string
	for _, h := range open {
		options = append(options, h.what)
	}
	var twice []*held
	for _, h := range open {
		if h.d != nil && !q.doubled {
			options = append(options, h.what+", and once more later")
			twice = append(twice, h)
		}
	}
	took := q.o.Decider.Choose(options)
	if took != 0 {
		q.note(options, took)
	}
	if took < len(open) {
		return q.take(open[took])
	}
	h := twice[took-len(open)]
	q.doubled = true
	first := *h
	first.ob = q.o.Ledger.Open(h.what)
	first.copies = []bool{false}
	first.each(wake)
	h.copies = []bool{true}
	h.what += " once more"
	return &first
}

// take removes one thing from what is held. It counts as going on from now.
func (q *Order) take(h *held) *held {
	q.held = slices.DeleteFunc(q.held, func(other *held) bool { return other == h })
	h.each(wake)
	return h
}

// each does something with the obligations of a delivery: that of its being held, and its own.
func (h *held) each(do func(h *held, ob *ledger.Obligation)) {
	if h.d == nil {
		return
	}
	for _, ob := range []*ledger.Obligation{h.ob, h.d.Work} {
		if ob != nil {
			do(h, ob)
		}
	}
}

func rest(h *held, ob *ledger.Obligation) {
	if h.parked {
		ob.Park()
		return
	}
	ob.Defer()
}

func wake(h *held, ob *ledger.Obligation) {
	if h.parked {
		ob.Resume()
		return
	}
	ob.Continue()
}

// end gives a delivery up.
func end(h *held) { h.each(func(_ *held, ob *ledger.Obligation) { ob.Close() }) }

// note tells the journal of a choice that is not the usual one. It changes nothing that could be seen.
func (q *Order) note(options []string, took int) {
	q.o.Journal.Append(journal.Entry{
		Kind: journal.Read, Type: "order.chosen", Subject: options[took],
		Detail: map[string]string{"point": strconv.Itoa(q.o.Decider.Points()), "option": strconv.Itoa(took), "options": strings.Join(options, "\n")},
	})
}
