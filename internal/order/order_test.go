package order_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/understudy-dev/understudy/internal/fault"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
	"github.com/understudy-dev/understudy/internal/order"
	"github.com/understudy-dev/understudy/internal/schedule"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// post is an order whose deliveries are written down.
type post struct {
	t *testing.T
	*order.Order
	l   *ledger.Ledger
	j   *journal.Journal
	seq uint64

	mu  sync.Mutex
	got []string
}

func open(t *testing.T, o order.Options, faults ...string) *post {
	t.Helper()
	o.Ledger = ledger.New()
	o.Journal = journal.New(o.Ledger, time.Now)
	o.Faults = fault.NewSet(fault.Options{Journal: o.Journal})
	for _, text := range faults {
		f, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.Faults.Inject(f); err != nil {
			t.Fatal(err)
		}
	}
	p := &post{t: t, Order: order.New(o), l: o.Ledger, j: o.Journal}
	t.Cleanup(p.Close)
	return p
}

// send sends events, each "NAME" or "NAME>RECEIVER", as "push:a push:b>hook 1"; what follows the colon is shown.
func (p *post) send(events ...string) {
	for _, text := range events {
		what, receiver, hook := strings.Cut(text, ">")
		event, _, _ := strings.Cut(what, ":")
		d := order.Delivery{What: "deliver " + text, Event: event, To: order.Workflows, Receiver: order.Workflows}
		if hook {
			d.To, d.Receiver = order.Hooks, receiver
			d.Work = p.l.Open("attempt of " + text)
		}
		p.seq = p.j.Append(journal.Entry{Type: event})
		d.Seq, d.Cause = p.seq, fmt.Sprintf("event:%d", p.seq)
		work := d.Work
		d.Go = func(again bool) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if again {
				text += "+"
			} else if work != nil {
				work.Close()
			}
			p.got = append(p.got, text)
		}
		p.Deliver(d)
	}
}

func (p *post) sofar() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.got, " ")
}

// settle waits for quiet.
func (p *post) settle() string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 30*time.Second)
	defer cancel()
	for seq, quiet := uint64(0), false; !quiet; {
		var err error
		if seq, quiet, err = p.l.Wait(ctx, seq); err != nil {
			p.t.Fatalf("no quiet: %v; open: %q", err, p.l.Pending())
		}
	}
	return p.sofar()
}

func TestFaultsOfDeliveries(t *testing.T) {
	for _, tt := range []struct {
		faults string
		events string
		before string // until somebody waits
		want   string // at quiet
	}{
		{"", "push:a push:b>hook1", "push:a push:b>hook1", "push:a push:b>hook1"},
		{"delivery.late", "push:a push:b push:c", "push:b push:c", "push:b push:c push:a"},
		{"delivery.late=1", "push:a push:b push:c", "push:b push:a push:c", "push:b push:a push:c"},
		{"delivery.late=2", "push:a push:b push:c", "push:b push:c push:a", "push:b push:c push:a"},
		{"delivery.late=9", "push:a push:b push:c", "push:b push:c", "push:b push:c push:a"},
		{"delivery.late=1,to:hooks", "push:a>hook1 push:b>hook2 push:c push:d>hook1", "push:c push:d>hook1 push:a>hook1", "push:c push:d>hook1 push:a>hook1 push:b>hook2"},
		{"delivery.late=1,times:2", "push:a push:b push:c", "push:c push:a push:b", "push:c push:a push:b"},
		{"delivery.twice", "push:a push:b", "push:a push:a+ push:b", "push:a push:a+ push:b"},
		{"delivery.twice=late", "push:a push:b", "push:a push:b", "push:a push:b push:a+"},
		{"delivery.twice=to:hooks", "push:a push:b>hook1", "push:a push:b>hook1 push:b>hook1+", "push:a push:b>hook1 push:b>hook1+"},
		{"delivery.twice delivery.late", "push:a push:b", "push:b", "push:b push:a push:a+"},
		{"delivery.reordered=times:2", "push:a push:b push:c", "push:c push:a push:b", "push:c push:a push:b"},
		{"delivery.reordered@push", "push:a issues:b", "issues:b push:a", "issues:b push:a"},
		{"delivery.reordered", "push:a push:b>hook1", "", "push:a push:b>hook1"},
		{"delivery.dropped", "push:a push:b>hook1 push:c", "push:c", "push:c"},
		{"delivery.dropped=to:hooks,times:always delivery.twice", "push:a push:b>hook1", "push:a push:a+", "push:a push:a+"},
		{"delivery.twice=late delivery.late=1", "push:a push:b", "push:b push:a", "push:b push:a push:a+"},
	} {
		p := open(t, order.Options{}, strings.Fields(tt.faults)...)
		p.send(strings.Fields(tt.events)...)
		if got := p.sofar(); got != tt.before {
			t.Errorf("%s: at first %q, want %q", tt.faults, got, tt.before)
		}
		if got := p.settle(); got != tt.want {
			t.Errorf("%s: at quiet %q, want %q", tt.faults, got, tt.want)
		}
	}
}

// TestLateUnattended: where nobody waits, what waits for quiet comes by itself, and what waits for others does
// not count as work.
func TestLateUnattended(t *testing.T) {
	p := open(t, order.Options{Unattended: true}, "delivery.late=1@push", "delivery.late@issues")
	came := make(chan struct{})
	p.send("push:a")
	p.Deliver(order.Delivery{What: "x", Event: "issues", To: order.Workflows, Receiver: "other", Go: func(bool) { close(came) }})
	select {
	case <-came:
	case <-time.After(30 * time.Second):
		t.Fatal("it did not come")
	}
	if got := p.settle(); got != "" {
		t.Errorf("%q came before another did", got)
	}
	p.send("push:b")
	if got := p.settle(); got != "push:b push:a" {
		t.Error(got)
	}
}

// TestWebhooksTakePartInSchedules: under a decider both kinds of deliveries are held, chosen and doubled.
func TestWebhooksTakePartInSchedules(t *testing.T) {
	for text, want := range map[string]string{
		"0":   "push:a push:b>hook1 push:c",
		"1:1": "push:b>hook1 push:a push:c",
		"1:4": "push:b>hook1 push:a push:b>hook1+ push:c",
	} {
		s, err := schedule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		d := s.Decider()
		p := open(t, order.Options{Decider: d})
		p.send("push:a", "push:b>hook1", "push:c")
		if got := p.sofar(); got != "" {
			t.Errorf("%s: %q came before somebody waited", text, got)
		}
		if got := p.settle(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		if err := d.Misfit(); err != nil {
			t.Error(err)
		}
	}
}

// TestLateUnderASchedule: what is late is chosen last, or once so many others went.
func TestLateUnderASchedule(t *testing.T) {
	for fault, want := range map[string]string{"delivery.late": "push:b push:c push:a", "delivery.late=1": "push:b push:a push:c"} {
		p := open(t, order.Options{Decider: schedule.Schedule(nil).Decider()}, fault)
		p.send("push:a", "push:b", "push:c")
		if got := p.settle(); got != want {
			t.Errorf("%s: %q, want %q", fault, got, want)
		}
	}
}

// TestTheSecondLetsTheFirstBe: that a delivery comes once more, later, says nothing of its first attempt, which is
// still under way.
func TestTheSecondLetsTheFirstBe(t *testing.T) {
	p := open(t, order.Options{}, "delivery.twice=late")
	work := p.l.Open("the first attempt")
	p.Deliver(order.Delivery{What: "x", Event: "push", To: order.Hooks, Receiver: "hook1", Work: work, Go: func(bool) {}})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, rest, err := p.l.Watch(ended, p.l.Seq()); err == nil || rest {
		t.Errorf("nothing goes on: %t, %v", rest, err)
	}
	work.Close()
	p.settle()
}

// TestTwiceIsOnce: after one delivery was doubled no other one can be.
func TestTwiceIsOnce(t *testing.T) {
	s, err := schedule.Parse("1:4,2:1")
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, order.Options{Decider: s.Decider()})
	p.send("push:a", "push:b", "push:c")
	if got, want := p.settle(), "push:b push:b+ push:a push:c"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var options []string
	for _, e := range p.j.Entries(0) {
		if e.Type == "order.chosen" {
			options = append(options, e.Detail["options"])
		}
	}
	if len(options) != 2 || strings.Count(options[0], "once more later") != 3 || strings.Contains(options[1], "once more later") {
		t.Errorf("what there was to choose from: %q", options)
	}
}

// TestWithdrawnJob: a job that is taken back does not begin.
func TestWithdrawnJob(t *testing.T) {
	p := open(t, order.Options{Decider: schedule.Schedule(nil).Decider()})
	work := p.l.Open("job b")
	work.Defer()
	p.Job("a", 1, func() { t.Error("it began") })()
	begun := false
	p.Job("b", 2, func() { begun = true; work.Continue(); work.Close() })
	if p.settle(); !begun {
		t.Error("the other one did not begin")
	}
}

func TestCloseGivesUpWhatIsHeld(t *testing.T) {
	p := open(t, order.Options{}, "delivery.late=times:always")
	p.send("push:a", "push:b>hook1")
	p.Close()
	p.send("push:c", "push:d>hook1")
	if open := p.l.Pending(); len(open) > 0 || p.sofar() != "" {
		t.Errorf("open after Close: %q; came: %q", open, p.sofar())
	}
}
