package actions

import (
	"fmt"
	"slices"
	"sync"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
	"github.com/understudy-dev/understudy/internal/fault"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
	"github.com/understudy-dev/understudy/internal/order"
)

// exploring reports whether the starts of jobs wait for their turn.
func (e *Engine) exploring() bool { return e.o.Order.Deciding() }

// deliver shows an event to the workflows, or leaves it to Options.Order. The caller's own obligation is open.
func (e *Engine) deliver(entry journal.Entry, hs []happening) error {
	if len(hs) == 0 {
		return nil
	}
	if e.o.Order.Plain() {
		return e.show(hs)
	}
	asked, err := e.asks(hs)
	if err != nil {
		return err
	}
	if !asked {
		return e.show(hs) // nobody starts anything, but an event that is not served is told of
	}
	what := "deliver " + entry.Type
	label := expr.String(at(hs[0].payload, "label", "name"))
	if label != "" {
		what += " " + label
	}
	e.o.Order.Deliver(order.Delivery{
		What: what, Event: entry.Type, About: label, Seq: entry.Seq, To: order.Workflows, Receiver: order.Workflows,
		Cause: fmt.Sprintf("event:%d", entry.Seq),
		Go: func(bool) {
			if err := e.show(hs); err != nil {
				e.broken(fmt.Errorf("%s: %w", what, err))
			}
		},
	})
	return nil
}

// show offers an event to the workflow files that are there now. After Close it does nothing.
func (e *Engine) show(hs []happening) error {
	e.accepting.Lock()
	defer e.accepting.Unlock()
	if e.ctx.Err() != nil {
		return nil
	}
	for _, h := range hs {
		if err := e.offer(h); err != nil {
			return err
		}
	}
	return nil
}

// asks reports whether an event would start anything now.
func (e *Engine) asks(hs []happening) (bool, error) {
	e.accepting.Lock()
	defer e.accepting.Unlock()
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

// rest is an obligation whose owner can sleep, so that who waits for nothing else to go on knows when all do: the
// conductor of Options.Order, else whoever yields.
type rest struct {
	mu       sync.Mutex
	ob       *ledger.Obligation
	explored bool // by a conductor
	signals  int  // under way to the owner, who does not sleep before he has taken them
}

// own says whose sleep it is.
func (r *rest) own(e *Engine, ob *ledger.Obligation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ob, r.explored = ob, e.exploring()
}

// signal is called before a signal is given to the owner.
func (r *rest) signal() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.signals++
	r.goOn()
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
	switch {
	case r.ob == nil || r.signals > 0:
	case r.explored:
		r.ob.Defer()
	default:
		r.ob.Sleep()
	}
}

func (r *rest) awake() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.goOn()
}

func (r *rest) goOn() {
	switch {
	case r.ob == nil:
	case r.explored:
		r.ob.Continue()
	default:
		r.ob.Wake()
	}
}

// queue is sleep before a wait of which no signal tells the end. A conductor knows nothing of it.
func (r *rest) queue() {
	if !r.explored {
		r.sleep()
	}
}

// turn returns when the job may start; false when it was cancelled first.
func (c *cell) turn() bool {
	e := c.node.r.e
	if !e.exploring() {
		return true
	}
	begun := make(chan struct{})
	withdraw := e.o.Order.Job(fmt.Sprintf("start job %s of run %d", c.rec.Name, c.rec.RunID), c.rec.RunID, func() {
		c.rest.signal()
		close(begun)
	})
	c.rest.sleep()
	defer c.rest.awake()
	select {
	case <-begun:
		c.rest.taken()
		return true
	case <-c.ctx.Done():
		withdraw()
		return false
	}
}

// unindexed reports whether the file is not known yet to what delivers events, as just after a push. The push
// that brings it is what makes it known, and a dispatch names it.
func (e *Engine) unindexed(h happening, f File) bool {
	if h.name == "workflow_dispatch" || h.name == "push" && slices.Contains(h.paths, f.Path) {
		return false
	}
	_, missed := e.o.Order.Faults().Strike(fault.Unindexed, fault.Target{
		What: f.Path, Of: h.repo, Cause: fmt.Sprintf("event:%d", h.seq), Seq: h.seq, About: h.name,
	})
	return missed
}
