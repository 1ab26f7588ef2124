package ledger

import (
	"context"
	"slices"
)

// yielded is work that was put off behind everything else.
type yielded struct {
	o      *Obligation
	owners []string
	alone  bool
	turn   chan struct{} // closed when it is its turn
}

// Yield puts the work off until nothing else goes on but what waits for it, or until sooner is closed. What waits
// for it is the work of its owners, work that sleeps, and work that has no owner, of which nobody knows; alone says
// that the scenario itself waits for it, which else must wait in Wait. Of several that yield the oldest goes first, and the next one
// when that is closed or yields again. It returns ctx's error when ctx ends.
func (o *Obligation) Yield(ctx context.Context, sooner <-chan struct{}, alone bool, owners ...string) error {
	y := &yielded{o: o, owners: owners, alone: alone, turn: make(chan struct{})}
	o.l.mu.Lock()
	o.later = true
	o.l.yielded = append(o.l.yielded, y)
	o.l.tellIdle()
	o.l.mu.Unlock()
	var err error
	select {
	case <-y.turn:
	case <-sooner:
	case <-ctx.Done():
		err = ctx.Err()
	}
	o.l.mu.Lock()
	defer o.l.mu.Unlock()
	o.l.resume(y)
	return err
}

// Sleep says that the work waits for other work of the ledger. It holds back quiet as before, but no work that
// yielded.
func (o *Obligation) Sleep() { o.setAsleep(true) }

// Wake says that it goes on.
func (o *Obligation) Wake() { o.setAsleep(false) }

func (o *Obligation) setAsleep(asleep bool) {
	o.l.mu.Lock()
	defer o.l.mu.Unlock()
	o.asleep = asleep
	o.l.tellYielded()
}

// resume lets yielded work go on. It is the work of an owner from now on: the next one waits for its end.
func (l *Ledger) resume(y *yielded) {
	i := slices.Index(l.yielded, y)
	if i < 0 {
		return
	}
	l.yielded = slices.Delete(l.yielded, i, i+1)
	y.o.later, y.o.owner = false, "a turn"
}

// tellYielded gives the oldest yielded work its turn when nothing else goes on.
func (l *Ledger) tellYielded() {
	if len(l.yielded) == 0 {
		return
	}
	waited, owners := l.blocked > 0 || l.alone, []string{}
	for _, y := range l.yielded {
		waited = waited || y.alone
		owners = append(owners, y.owners...)
	}
	if !waited {
		return
	}
	for _, o := range l.open {
		if o.owner != "" && !o.parked && !o.later && !o.asleep && !slices.Contains(owners, o.owner) {
			return
		}
	}
	y := l.yielded[0]
	l.resume(y)
	close(y.turn)
}
