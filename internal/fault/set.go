package fault

import (
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/understudy-dev/understudy/internal/journal"
)

// The entries that a Set makes. They are changes: what a scenario sees from then on is another forge.
const (
	SetEntry     = "fault.set"     // a fault is in force from now on; Subject is its text
	ClearedEntry = "fault.cleared" // and is not any more
	StruckEntry  = "fault.struck"  // it struck; Detail has fault, at and of
)

// Options configure a set. Journal is needed.
type Options struct {
	Journal *journal.Journal // told each fault that is put in force, that strikes, and that is taken out
	Seed    int64            // decides where a fault has a chance
}

// Target is where a fault could strike now.
type Target struct {
	What  string            // in the words of the fault's Place: "issues.labeled", "GET /repos/acme/app"
	Of    string            // matches are counted for each apart: a receiver, a credential, an object; "" is all together
	Is    map[string]string // the arguments that narrow, and their values here
	Cause string            // as for the journal: "event:41"
	Seq   uint64            // of the event in the journal, for what comes later than it happened; 0 is now
	About string            // more for people: a label, a repository
}

// Set holds the faults that are in force. It is safe for concurrent use, and may be nil: nothing strikes.
type Set struct {
	o     Options
	armed atomic.Int32 // how many could strike

	mu    sync.Mutex
	last  int
	force []*armed
}

// armed is one fault that is in force, or was: an event that happened then may be delivered later.
type armed struct {
	Fault
	kind Kind
	id   int
	from uint64         // sequence number at which it was put in force
	to   uint64         // and taken out; 0 is not
	met  map[string]int // matches, by Target.Of
	hit  map[string]int // strikes, by Target.Of
}

// NewSet returns a set without faults.
func NewSet(o Options) *Set { return &Set{o: o} }

// Inject puts faults in force, in addition to those that are. With one that is wrong none is. remove takes
// them out again.
func (s *Set) Inject(faults ...Fault) (remove func(), err error) { return s.InjectFor("", faults...) }

// InjectFor is Inject with a cause for the journal.
func (s *Set) InjectFor(cause string, faults ...Fault) (remove func(), err error) {
	for _, f := range faults {
		if err := f.Check(); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed.Add(int32(len(faults))) // before the journal tells: whoever reads it there asks
	var ids []int
	for _, f := range faults {
		k, _ := find(f.Name)
		s.last++
		a := &armed{Fault: f, kind: k, id: s.last, met: map[string]int{}, hit: map[string]int{}}
		a.from = s.note(SetEntry, cause, f.String(), nil)
		s.force = append(s.force, a)
		ids = append(ids, s.last)
	}
	return func() { s.drop(func(a *armed) bool { return slices.Contains(ids, a.id) }) }, nil
}

// Clear takes all faults out.
func (s *Set) Clear() { s.drop(func(*armed) bool { return true }) }

func (s *Set) drop(which func(*armed) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.force {
		if a.to == 0 && which(a) {
			a.to = s.note(ClearedEntry, "", a.String(), nil)
		}
	}
	s.force = slices.DeleteFunc(s.force, func(a *armed) bool { return a.to != 0 && a.kind.At == Requests })
	s.armed.Store(int32(len(s.force)))
}

// Any reports whether a fault could strike; without one there is nothing to ask. It takes no lock.
func (s *Set) Any() bool { return s != nil && s.armed.Load() > 0 }

// Has reports whether a fault of this name is in force, so that what it needs to know is kept. Without any
// fault it takes no lock.
func (s *Set) Has(name string) bool {
	if !s.Any() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.force, func(a *armed) bool { return a.Name == name && a.to == 0 })
}

// InForce are the faults that were injected and not taken out, also those that struck as often as they should.
func (s *Set) InForce() []Fault {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Fault
	for _, a := range s.force {
		if a.to == 0 {
			out = append(out, a.Fault)
		}
	}
	return out
}

// Strike reports whether a fault of this name strikes the target, counts it, and notes it in the journal. Of
// several of one name the first that has not struck as often as it should is asked, so that two that strike
// once strike two targets.
func (s *Set) Strike(name string, t Target) (Fault, bool) {
	if !s.Any() {
		return Fault{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.force {
		if a.Name != name || !a.at(t.Seq) || a.spent(t.Of) || !a.matches(t) {
			continue
		}
		a.met[t.Of]++
		if a.met[t.Of] < a.From || !a.lucky(s.o.Seed, t.Of) {
			return Fault{}, false
		}
		a.hit[t.Of]++
		detail := map[string]string{"fault": a.Name, "at": t.What}
		if t.Of != "" {
			detail["of"] = t.Of
		}
		if t.About != "" {
			detail["about"] = t.About
		}
		s.note(StruckEntry, t.Cause, a.String(), detail)
		return a.Fault, true
	}
	return Fault{}, false
}

// at reports whether it was in force when something happened.
func (a *armed) at(seq uint64) bool {
	if seq == 0 {
		return a.to == 0
	}
	return a.from < seq && (a.to == 0 || seq < a.to)
}

func (a *armed) spent(of string) bool {
	return a.Times != Always && a.hit[of] >= max(1, a.Times)
}

func (a *armed) matches(t Target) bool {
	if !a.kind.At.holds(a.At, t.What) {
		return false
	}
	for _, arg := range a.kind.Args {
		if want, given := a.Args[arg.Name]; arg.Narrows && given && t.Is[arg.Name] != want {
			return false
		}
	}
	return true
}

// lucky decides by seed, fault and number of the match alone: who is asked beside it does not matter.
func (a *armed) lucky(seed int64, of string) bool {
	if a.Chance == 0 {
		return true
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%d\x00%d\x00%s\x00%s\x00%d", seed, a.id, a.Fault, of, a.met[of])
	return int(h.Sum64()>>8%100) < a.Chance
}

// note is called with the set locked.
func (s *Set) note(typ, cause, subject string, detail map[string]string) uint64 {
	return s.o.Journal.Append(journal.Entry{Kind: journal.Change, Type: typ, Cause: cause, Subject: subject, Detail: detail})
}
