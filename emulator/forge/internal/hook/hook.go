// Package hook makes webhook deliveries: one at a time for each hook, in the order it was given
// them, and the hooks beside each other. It signs, sends and hands back how it went; it decides
// neither what is delivered nor to whom, and tries nothing twice.
//
//	d := hook.New(hook.Options{Book: state})
//	state.DeliverTo(d.Deliver)
//	defer d.Close()
package hook

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// Book knows where deliveries go and keeps how they went.
type Book interface {
	// Target returns where a delivery goes; ok is false when there is no such hook any more.
	Target(state.Delivery) (to state.HookConfig, ok bool)
	// Settle records an attempt and ends its obligation.
	Settle(state.Delivery, state.HookConfig, state.Outcome)
	// Drop says that an attempt is not made, and ends its obligation.
	Drop(d state.Delivery, why string)
}

// Dial opens a connection to a receiver.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Options configures a deliverer. Book is needed.
type Options struct {
	Book    Book
	Dial    Dial          // nil: loopback addresses alone
	Timeout time.Duration // from the connection to the end of the answer. 0: 10 s, as at GitHub
	Log     *slog.Logger  // nil: discarded
}

// timeout is GitHub's.
const timeout = 10 * time.Second

// Deliverer makes deliveries. It is safe for concurrent use.
type Deliverer struct {
	o       Options
	checked http.RoundTripper
	blind   http.RoundTripper // does not look at certificates
	ctx     context.Context   // ends with Close
	stop    context.CancelFunc
	working sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	waiting map[int64][]state.Delivery // by hook; present while a goroutine works on it
}

// New returns a deliverer. The caller closes it.
func New(o Options) *Deliverer {
	if o.Timeout <= 0 {
		o.Timeout = timeout
	}
	if o.Dial == nil {
		o.Dial = dialLoopback
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d := &Deliverer{o: o, checked: transport(o.Dial, false), blind: transport(o.Dial, true), waiting: map[int64][]state.Delivery{}}
	d.ctx, d.stop = context.WithCancel(context.Background())
	return d
}

// Deliver takes a delivery on and returns at once. After Close it only ends the obligation.
func (d *Deliverer) Deliver(x state.Delivery) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		x.Obligation.Close()
		return
	}
	queue, busy := d.waiting[x.HookID]
	d.waiting[x.HookID] = append(queue, x)
	if !busy {
		d.working.Go(func() { d.work(x.HookID) })
	}
}

// work delivers what waits for one hook, and ends when nothing does.
func (d *Deliverer) work(hook int64) {
	for {
		x, ok := d.next(hook)
		if !ok {
			return
		}
		to, ok := d.o.Book.Target(x)
		if !ok {
			d.o.Book.Drop(x, "not delivered: the hook was deleted")
			continue
		}
		out := d.attempt(x, to)
		if d.ctx.Err() != nil {
			x.Obligation.Close() // closed meanwhile: how it went is not known
			continue
		}
		d.o.Log.Debug("webhook", "part", "hook", "hook", hook, "event", x.Event, "guid", x.GUID, "status", out.Status)
		d.o.Book.Settle(x, to, out)
	}
}

func (d *Deliverer) next(hook int64) (state.Delivery, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	queue := d.waiting[hook]
	if len(queue) == 0 || d.closed {
		delete(d.waiting, hook)
		return state.Delivery{}, false
	}
	d.waiting[hook] = queue[1:]
	return queue[0], true
}

// Close breaks off the attempts that are being made, forgets those that wait, and returns when no
// goroutine of the deliverer is left. A second call does nothing more.
func (d *Deliverer) Close() {
	d.mu.Lock()
	d.closed = true
	for _, queue := range d.waiting {
		for _, x := range queue {
			x.Obligation.Close()
		}
	}
	d.mu.Unlock()
	d.stop()
	d.working.Wait()
}
