package actions

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
)

// order holds what could come next until it is its turn: deliveries, and with Options.Order also the
// starts of jobs. One is let go at a time, when nothing else goes on and somebody waits for it.
type order struct {
	e         *Engine
	accepting sync.Mutex // held while an event is shown to workflows

	mu      sync.Mutex
	held    []*held
	doubled bool // a delivery comes twice: once in a scenario is enough
}

// held is one thing that waits for its turn.
type held struct {
	what  string             // for people: "deliver issues.labeled to-sort"
	seq   uint64             // of a delivery's event; 0 is a job
	run   int64              // of a job
	ob    *ledger.Obligation // of a delivery
	hs    []happening        // of a delivery
	begin func()             // of a job
}

// exploring reports whether the engine decides the order of everything.
func (e *Engine) exploring() bool { return e.o.Order != nil }

// put holds a thing. Deliveries stand before jobs, each in the order in which they came; jobs by run and
// name, which does not depend on who was faster.
func (q *order) put(h *held) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.held = append(q.held, h)
	slices.SortStableFunc(q.held, func(a, b *held) int {
		if (a.seq == 0) != (b.seq == 0) {
			return cmp.Compare(b.seq, a.seq)
		}
		return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(a.run, b.run), strings.Compare(a.what, b.what))
	})
}

// withdraw takes a thing back that is not wanted any more.
func (q *order) withdraw(h *held) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.held = slices.DeleteFunc(q.held, func(other *held) bool { return other == h })
}

// conduct lets one held thing go after the other.
func (q *order) conduct() {
	for q.e.o.Ledger.Idle(q.e.ctx) == nil {
		h := q.next()
		if h == nil {
			q.e.broken(errors.New("workflows wait for one another: nothing is left that could go on"))
			return
		}
		if h.seq == 0 {
			h.begin()
			continue
		}
		h.ob.Continue()
		if err := q.show(h.hs); err != nil {
			q.e.broken(fmt.Errorf("%s: %w", h.what, err))
		}
		h.ob.Close()
	}
}

func (q *order) show(hs []happening) error {
	q.accepting.Lock()
	defer q.accepting.Unlock()
	return q.e.offerAll(hs)
}

// next takes the thing whose turn it is. With a delivery that is to come twice a copy stays.
func (q *order) next() *held {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.held) == 0 {
		return nil
	}
	options := make([]string, 0, len(q.held))
	for _, h := range q.held {
		options = append(options, h.what)
	}
	twice := []int{}
	for i, h := range q.held {
		if q.e.exploring() && h.seq > 0 && !q.doubled {
			options = append(options, h.what+", and once more later")
			twice = append(twice, i)
		}
	}
	took := 0
	if q.e.exploring() {
		took = q.e.o.Order.Choose(options)
	}
	if took != 0 {
		q.note(options, took)
	}
	if took >= len(q.held) {
		h := q.held[twice[took-len(q.held)]]
		q.doubled = true
		first := *h
		first.ob = q.e.o.Ledger.Open(h.what)
		h.what += " once more"
		return &first
	}
	h := q.held[took]
	q.held = slices.Delete(q.held, took, took+1)
	return h
}

// note tells the journal of a choice that is not the usual one. It changes nothing that could be seen.
func (q *order) note(options []string, took int) {
	q.e.o.Journal.Append(journal.Entry{
		Kind: journal.Read, Type: "order.chosen", Subject: options[took],
		Detail: map[string]string{"point": strconv.Itoa(q.e.o.Order.Points()), "option": strconv.Itoa(took), "options": strings.Join(options, "\n")},
	})
}

// deliver shows an event to the workflows, or holds it. The caller's own obligation is open.
func (q *order) deliver(entry journal.Entry, hs []happening) error {
	q.accepting.Lock()
	defer q.accepting.Unlock()
	if q.e.exploring() {
		asked, err := q.e.asks(hs)
		if err != nil {
			return err
		}
		if asked {
			q.hold(entry, hs)
			return nil
		}
	}
	return q.e.offerAll(hs)
}

// hold keeps a delivery until its turn. Which workflow files count for it is decided then.
func (q *order) hold(entry journal.Entry, hs []happening) {
	what := "deliver " + entry.Type
	if label := expr.String(at(hs[0].payload, "label", "name")); label != "" {
		what += " " + label
	}
	h := &held{what: what, seq: entry.Seq, ob: q.e.o.Ledger.Open(what), hs: hs}
	q.put(h)
	h.ob.Defer()
}

// asks reports whether an event would start anything now.
func (e *Engine) asks(hs []happening) (bool, error) {
	for _, h := range hs {
		h, src, err := e.source(h)
		if err != nil {
			return false, err
		}
		for _, f := range src.Files {
			if workflowFile(f) {
				if h.asked(e.parsed.parse(f).wf) {
					return true, nil
				}
			}
		}
	}
	return false, nil
}

func (e *Engine) offerAll(hs []happening) error {
	for _, h := range hs {
		if err := e.offer(h); err != nil {
			return err
		}
	}
	return nil
}

// rest is an obligation whose owner can sleep, so that the conductor knows when all do. Without
// Options.Order it does nothing.
type rest struct {
	mu      sync.Mutex
	ob      *ledger.Obligation // nil: nobody asks
	signals int                // under way to the owner, who does not sleep before he has taken them
}

// own says whose sleep it is.
func (r *rest) own(e *Engine, ob *ledger.Obligation) {
	if e.exploring() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ob = ob
	}
}

// signal is called before a signal is given to the owner.
func (r *rest) signal() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.signals++
	if r.ob != nil {
		r.ob.Continue()
	}
}

// taken is called by the owner when he has got a signal.
func (r *rest) taken() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.signals--
}

// sleep is called by the owner before he waits for a signal, awake when he has one.
func (r *rest) sleep() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ob != nil && r.signals == 0 {
		r.ob.Defer()
	}
}

func (r *rest) awake() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ob != nil {
		r.ob.Continue()
	}
}

// turn returns when the job may start; false when it was cancelled first.
func (c *cell) turn() bool {
	e := c.node.r.e
	if !e.exploring() {
		return true
	}
	begun := make(chan struct{})
	h := &held{what: fmt.Sprintf("start job %s of run %d", c.rec.Name, c.rec.RunID), run: c.rec.RunID}
	h.begin = func() {
		c.rest.signal()
		close(begun)
	}
	e.order.put(h)
	c.rest.sleep()
	defer c.rest.awake()
	select {
	case <-begun:
		c.rest.taken()
		return true
	case <-c.ctx.Done():
		e.order.withdraw(h)
		return false
	}
}
