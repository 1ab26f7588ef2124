// Package journal keeps what happened in one lease, in order, with the cause of each entry.
//
// The journal is append-only. Sequence numbers have no gaps and start at 1, or after those of an earlier
// journal that this one goes on from. A subscriber reads through a Cursor; while a cursor has entries it
// has not passed, an obligation is open in the ledger, so lag alone holds back quiet.
package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/understudy-dev/understudy/internal/ledger"
)

// Kind tells whether an entry changed anything a scenario can observe.
type Kind string

// The two kinds. Only changes wake a wait.
const (
	Change Kind = "change"
	Read   Kind = "read"
)

// Entry is one thing that happened.
type Entry struct {
	Seq     uint64            // given by Append
	Time    time.Time         // shown to people; never compared
	Kind    Kind              // change or read
	Type    string            // "request", "issues.labeled", "push", "run.created", "job.completed", …
	Cause   string            // "step:3", "event:41", "run:5", "job:7"; "" is unattributed
	Actor   string            // login of who did it; "" when nobody in particular
	Subject string            // what it is about: "acme/app#1", "run:5", "POST /repos/acme/app/issues"
	Detail  map[string]string // small facts for people and policies
	Payload json.RawMessage   `json:",omitempty"` // the event body as delivered to subscribers, when there is one
	Copied  bool              `json:",omitempty"` // it came with a copy of a state, as did all that it led to
}

// Journal is safe for concurrent use.
type Journal struct {
	mu      sync.Mutex
	l       *ledger.Ledger
	now     func() time.Time
	first   uint64 // sequence number before that of entries[0]
	entries []Entry
	packed  []packed // bodies of the first entries, blockSize of them each
	opened  opened
	plain   int // bytes of the other bodies
	cursors []*Cursor
}

// New returns an empty journal whose changes count in l. now gives the shown times.
func New(l *ledger.Ledger, now func() time.Time) *Journal {
	return &Journal{l: l, now: now}
}

// Append stores e and returns its sequence number. For a change it opens the lag obligation of
// each cursor before the entry can be seen; the caller should hold an obligation of his own.
func (j *Journal) Append(e Entry) uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	e.Seq = j.first + uint64(len(j.entries)) + 1
	if e.Time.IsZero() {
		e.Time = j.now()
	}
	for _, c := range j.cursors {
		c.notice()
	}
	j.entries = append(j.entries, e)
	j.plain += len(e.Payload)
	j.pack()
	if e.Kind == Change {
		j.l.Changed()
	}
	return e.Seq
}

// Entries returns a copy of the entries after sequence number after, as far as they are still there.
func (j *Journal) Entries(after uint64) []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	after = max(after, j.first)
	if after >= j.first+uint64(len(j.entries)) {
		return nil
	}
	out := slices.Clone(j.entries[after-j.first:])
	j.unpack(out, int(after-j.first))
	return out
}

// Facts are the entries as Entries gives them, but without bodies, which can be costly to read.
func (j *Journal) Facts(after uint64) []Entry {
	j.mu.Lock()
	defer j.mu.Unlock()
	after = max(after, j.first)
	if after >= j.first+uint64(len(j.entries)) {
		return nil
	}
	out := slices.Clone(j.entries[after-j.first:])
	for i := range out {
		out[i].Payload = nil
	}
	return out
}

// Entry returns the entry of a sequence number; ok is false when it is not there.
func (j *Journal) Entry(seq uint64) (e Entry, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if seq <= j.first || seq > j.first+uint64(len(j.entries)) {
		return Entry{}, false
	}
	return j.at(int(seq - j.first - 1)), true
}

// at is one entry with its body. The caller holds the lock.
func (j *Journal) at(i int) Entry {
	one := []Entry{j.entries[i]}
	j.unpack(one, i)
	return one[0]
}

// Last returns the sequence number of the last entry; 0 is none.
func (j *Journal) Last() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.first + uint64(len(j.entries))
}

// Restore puts the last entries of an earlier journal into one that nobody has used yet. The sequence
// goes on after them: entries keep their numbers, so causes that name them stay valid. The first may
// have any number; what was before it is no longer there. Nobody is told of them.
func (j *Journal) Restore(entries []Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.first != 0 || len(j.entries) > 0 || len(j.cursors) > 0 {
		return errors.New("restore journal: it is in use already")
	}
	for i, e := range entries {
		if e.Seq == 0 || e.Seq != entries[0].Seq+uint64(i) {
			return fmt.Errorf("restore journal: entry %d follows entry %d", e.Seq, entries[0].Seq+uint64(i)-1)
		}
	}
	if len(entries) > 0 {
		j.first = entries[0].Seq - 1
	}
	j.entries = slices.Clone(entries)
	for _, e := range entries {
		j.plain += len(e.Payload)
	}
	j.pack()
	return nil
}

// Cursor is one subscriber's place in the journal. One goroutine reads it.
type Cursor struct {
	j     *Journal
	name  string
	next  uint64 // sequence number of the last entry handed out
	lag   *ledger.Obligation
	wake  chan struct{}
	ended bool
}

// Subscribe returns a cursor that starts after the entries there are now.
func (j *Journal) Subscribe(name string) *Cursor {
	j.mu.Lock()
	defer j.mu.Unlock()
	c := &Cursor{j: j, name: name, next: j.first + uint64(len(j.entries)), wake: make(chan struct{}, 1)}
	j.cursors = append(j.cursors, c)
	return c
}

// notice is called with the journal locked, before an entry is appended.
func (c *Cursor) notice() {
	if c.ended {
		return
	}
	if c.lag == nil {
		c.lag = c.j.l.Open("undelivered to " + c.name)
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Next waits for the next entry. By asking for it the subscriber says that he has taken over all
// that came from the entries before: he has opened the obligations that follow from them.
func (c *Cursor) Next(ctx context.Context) (Entry, error) {
	for {
		if e, ok := c.take(); ok {
			return e, nil
		}
		select {
		case <-c.wake:
		case <-ctx.Done():
			return Entry{}, ctx.Err()
		}
	}
}

func (c *Cursor) take() (Entry, bool) {
	c.j.mu.Lock()
	defer c.j.mu.Unlock()
	if c.next < c.j.first+uint64(len(c.j.entries)) {
		e := c.j.at(int(c.next - c.j.first))
		c.next++
		return e, true
	}
	if c.lag != nil {
		c.lag.Close()
		c.lag = nil
	}
	return Entry{}, false
}

// Close ends the subscription; entries that it has not read are no longer waited for.
func (c *Cursor) Close() {
	c.j.mu.Lock()
	defer c.j.mu.Unlock()
	c.ended = true
	if c.lag != nil {
		c.lag.Close()
		c.lag = nil
	}
}
