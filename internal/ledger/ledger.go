// Package ledger counts the work that is still open in one lease, so that waiting needs no sleep.
//
// Whoever takes on work opens an obligation before he closes the one that caused it. Then the
// number of open obligations reaches zero only when nothing that was started is unfinished: the
// lease is quiet. Work that waits for the scenario itself is parked and does not count. Work that is
// deferred counts, and waits until all the rest has come to rest.
//
//	ob := l.Open("request GET /user")
//	defer ob.Close()
package ledger

import (
	"context"
	"sort"
	"sync"
)

// Ledger is safe for concurrent use. The zero value is not usable; call New.
type Ledger struct {
	mu     sync.Mutex
	seq    uint64
	nextID uint64
	open   map[uint64]*Obligation
	wake   chan struct{} // closed and replaced at each change and at each quiet
	fatal  error

	alone   bool            // nobody waits
	blocked int             // waits that have seen everything and sleep on wake
	idle    chan struct{}   // closed and replaced when only deferred work is left and somebody waits for it
	resting []chan struct{} // closed when only deferred work is left
	yielded []*yielded      // in the order in which they yielded
}

// Obligation is one piece of open work. Its methods may be called from any goroutine.
type Obligation struct {
	l      *Ledger
	id     uint64
	what   string
	owner  string // "" is nobody
	parked bool
	later  bool // deferred
	asleep bool // waits for other work
	closed bool
}

// New returns a quiet ledger at sequence number zero.
func New() *Ledger {
	return &Ledger{open: map[uint64]*Obligation{}, wake: make(chan struct{}), idle: make(chan struct{})}
}

// Open takes on work; what names it for people ("run 7", "request POST /x").
func (l *Ledger) Open(what string) *Obligation { return l.OpenOf("", what) }

// OpenOf is Open for work of an owner, such as "job:7": it can wait for what that owner's own requests come to.
func (l *Ledger) OpenOf(owner, what string) *Obligation {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.nextID++
	o := &Obligation{l: l, id: l.nextID, what: what, owner: owner}
	l.open[o.id] = o
	return o
}

// Close settles the work. A second call does nothing.
func (o *Obligation) Close() {
	o.l.mu.Lock()
	defer o.l.mu.Unlock()
	if o.closed {
		return
	}
	o.closed = true
	delete(o.l.open, o.id)
	o.l.wakeIfQuiet()
	o.l.tellIdle()
}

// Park says that the work now waits for the scenario; it no longer holds back quiet.
func (o *Obligation) Park() { o.setParked(true) }

// Resume takes the work up again. It must be called before the event that ends the waiting is
// answered, or a waiter can see a false quiet.
func (o *Obligation) Resume() { o.setParked(false) }

func (o *Obligation) setParked(parked bool) {
	o.l.mu.Lock()
	defer o.l.mu.Unlock()
	if o.closed {
		return
	}
	o.parked = parked
	o.l.wakeIfQuiet()
	o.l.tellIdle()
}

// Defer says that the work is put off until nothing else goes on and somebody waits. Unlike parked
// work it holds back quiet. Whoever takes it up again, which is when Idle has returned or when its
// own signal has come, says so by Continue before anything else.
func (o *Obligation) Defer() { o.setLater(true) }

// Continue takes deferred work up again.
func (o *Obligation) Continue() { o.setLater(false) }

func (o *Obligation) setLater(later bool) {
	o.l.mu.Lock()
	defer o.l.mu.Unlock()
	if o.closed {
		return
	}
	o.later = later
	o.l.tellIdle()
}

// Idle returns when there is deferred work, nothing else is open, and somebody waits in Wait who has
// seen everything: only the deferred work can bring anything on now. It returns ctx's error when ctx ends.
func (l *Ledger) Idle(ctx context.Context) error {
	for {
		l.mu.Lock()
		idle, told := l.isIdle(), l.idle
		l.mu.Unlock()
		if idle {
			return nil
		}
		select {
		case <-told:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Unattended says that nobody waits here: deferred work goes on as soon as nothing else does.
func (l *Ledger) Unattended() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alone = true
	l.tellIdle()
}

func (l *Ledger) isIdle() bool {
	if l.blocked == 0 && !l.alone {
		return false
	}
	deferred := false
	for _, o := range l.open {
		if o.parked {
			continue
		}
		if !o.later {
			return false
		}
		deferred = true
	}
	return deferred
}

// Watch returns at the next change after sequence number after, or as soon as nothing is open but deferred
// work, which is rest. Unlike Wait it brings no deferred work on; Pending names it. It returns the
// context's error when ctx ends, and Fail's error when that was called.
func (l *Ledger) Watch(ctx context.Context, after uint64) (seq uint64, rest bool, err error) {
	for {
		l.mu.Lock()
		seq, rest, err = l.seq, l.rests(), l.fatal
		wake, told := l.wake, make(chan struct{})
		answered := err != nil || rest || seq > after
		if !answered {
			l.resting = append(l.resting, told)
		}
		l.mu.Unlock()
		if answered {
			return seq, rest, err
		}
		select {
		case <-wake:
		case <-told:
		case <-ctx.Done():
			return seq, false, ctx.Err()
		}
	}
}

// rests reports whether nothing is open that is neither parked nor deferred.
func (l *Ledger) rests() bool {
	for _, o := range l.open {
		if !o.parked && !o.later {
			return false
		}
	}
	return true
}

func (l *Ledger) tellIdle() {
	l.tellYielded()
	if len(l.resting) > 0 && l.rests() {
		for _, told := range l.resting {
			close(told)
		}
		l.resting = nil
	}
	if l.isIdle() {
		close(l.idle)
		l.idle = make(chan struct{})
	}
}

// Changed records that something a scenario can observe has changed and returns the new
// sequence number. Call it while an obligation of the caller is open.
func (l *Ledger) Changed() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	l.broadcast()
	return l.seq
}

// Fail ends every wait, now and later, with err: the platform is beyond repair. The first error wins.
func (l *Ledger) Fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fatal == nil {
		l.fatal = err
		l.broadcast()
	}
}

// Wait returns at the next change after sequence number after, or as soon as the ledger is quiet,
// whichever comes first. Both values are read under one lock: with quiet true, seq is the last
// change there was. It returns the context's error when ctx ends, and Fail's error when that was called.
func (l *Ledger) Wait(ctx context.Context, after uint64) (seq uint64, quiet bool, err error) {
	for {
		l.mu.Lock()
		seq, quiet, err = l.seq, l.quiet(), l.fatal
		wake := l.wake
		answered := err != nil || quiet || seq > after
		if !answered {
			l.blocked++
			l.tellIdle()
		}
		l.mu.Unlock()
		if answered {
			return seq, quiet, err
		}
		select {
		case <-wake:
		case <-ctx.Done():
			l.mu.Lock()
			if l.wake == wake {
				l.blocked--
			}
			l.mu.Unlock()
			return seq, false, ctx.Err()
		}
	}
}

// Seq returns the sequence number of the last change.
func (l *Ledger) Seq() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seq
}

// Pending names the open obligations that hold back quiet, oldest first.
func (l *Ledger) Pending() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	ids := make([]uint64, 0, len(l.open))
	for id, o := range l.open {
		if !o.parked {
			ids = append(ids, id)
		}
	}
	sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = l.open[id].what
	}
	return names
}

func (l *Ledger) quiet() bool {
	for _, o := range l.open {
		if !o.parked {
			return false
		}
	}
	return true
}

func (l *Ledger) wakeIfQuiet() {
	if l.quiet() {
		l.broadcast()
	}
}

func (l *Ledger) broadcast() {
	close(l.wake)
	l.wake = make(chan struct{})
	l.blocked = 0 // they all look again
}
