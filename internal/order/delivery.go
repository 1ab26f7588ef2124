package order

import (
	"github.com/understudy-dev/understudy/internal/fault"
	"github.com/understudy-dev/understudy/internal/ledger"
)

// The kinds of receivers, as the argument "to" of a fault names them.
const (
	Workflows = "workflows"
	Hooks     = "hooks"
)

// Delivery is one event on its way to one receiver.
type Delivery struct {
	What     string             // for people: "deliver issues.labeled urgent"
	Event    string             // "issues.labeled"
	About    string             // more for people: a label; "" is nothing
	Seq      uint64             // of the event's entry in the journal
	To       string             // Workflows or Hooks
	Receiver string             // "workflows", "hook 3"
	Cause    string             // as for the journal: "event:41"
	Work     *ledger.Obligation // of the first attempt, which Go ends; it rests while the delivery is held. nil is none
	// Go makes the delivery; again is one more of an event that came already. It must not wait for
	// anything but the receiver, and may be called where Deliver is called or later in another goroutine.
	Go func(again bool)
}

func (d *Delivery) target() fault.Target {
	return fault.Target{What: d.Event, Of: d.Receiver, Is: map[string]string{"to": d.To}, Cause: d.Cause, Seq: d.Seq, About: d.About}
}

// Deliver makes a delivery, holds it, or loses it. The caller's own obligation is open.
func (q *Order) Deliver(d Delivery) {
	if q.Plain() {
		d.Go(false)
		return
	}
	h := &held{what: d.What, d: &d, copies: []bool{false}}
	later := q.struck(h)
	switch {
	case len(h.copies) == 0:
		end(h)
	case h.late || q.Deciding():
		q.put(h)
	default:
		q.make(h)
	}
	if later != nil {
		q.put(later)
	}
	if len(h.copies) > 0 && !h.late && !q.Deciding() {
		q.passed(h.d)
	}
}

// struck lets the faults that are in force have their way with a delivery. later is a second copy that comes
// by itself.
func (q *Order) struck(h *held) (later *held) {
	set := q.o.Faults
	if !set.Any() {
		return nil
	}
	t := h.d.target()
	if _, ok := set.Strike(fault.Dropped, t); ok {
		h.copies = nil
		return nil
	}
	if _, ok := set.Strike(fault.Reordered, t); ok {
		h.late, h.after = true, 1
	}
	if f, ok := set.Strike(fault.Late, t); ok {
		h.late, h.after = true, f.Number("after")
	}
	if f, ok := set.Strike(fault.Twice, t); ok {
		if f.Arg("again") == "now" && !q.Deciding() {
			h.copies = []bool{false, true}
			return nil
		}
		again := *h.d
		again.Work = nil
		return &held{what: h.what + " once more", d: &again, copies: []bool{true}, late: f.Arg("again") == "late"}
	}
	return nil
}

// make makes the copies of a delivery.
func (q *Order) make(h *held) {
	for _, again := range h.copies {
		h.d.Go(again)
	}
}

// release makes a delivery that was held.
func (q *Order) release(h *held) {
	q.make(h)
	q.passed(h.d)
	h.ob.Close() // what it came to has obligations of its own
}

// passed counts a delivery for those that wait for others to the same receiver, and releases the ones that
// have waited long enough.
func (q *Order) passed(d *Delivery) {
	for _, h := range q.counted(d) {
		q.release(h)
	}
}

func (q *Order) counted(d *Delivery) (due []*held) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, h := range q.held {
		if h.after == 0 || h.d.Receiver != d.Receiver {
			continue
		}
		if h.after--; h.after == 0 {
			h.late = false
			due = append(due, h)
		}
	}
	if q.Deciding() {
		return nil // they can be chosen from now on
	}
	for _, h := range due {
		q.take(h)
	}
	return due
}
