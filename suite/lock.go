package suite

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Tags that hold scenarios apart, for what a place of their own does not separate: @lock:NAME runs with
// no other scenario of that lock, @serial with no other scenario at all.
const (
	lockTag   = "@lock:"
	serialTag = "@serial"
)

// locks are the locks of one run. The zero value is ready.
type locks struct {
	all   sync.RWMutex // held alone by a serial scenario, shared by all others
	mu    sync.Mutex
	named map[string]*sync.Mutex
}

// hold waits until a scenario with these tags may run, and returns what ends its turn. Names are taken
// in their order, so that two scenarios with two locks each cannot wait for one another.
func (l *locks) hold(tags []string) (release func()) {
	if slices.Contains(tags, serialTag) {
		l.all.Lock()
		return l.all.Unlock
	}
	l.all.RLock()
	var held []*sync.Mutex
	for _, name := range lockNames(tags) {
		m := l.lock(name)
		m.Lock()
		held = append(held, m)
	}
	return func() {
		for _, m := range slices.Backward(held) {
			m.Unlock()
		}
		l.all.RUnlock()
	}
}

func (l *locks) lock(name string) *sync.Mutex {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.named == nil {
		l.named = map[string]*sync.Mutex{}
	}
	if l.named[name] == nil {
		l.named[name] = &sync.Mutex{}
	}
	return l.named[name]
}

// lockNames are the locks that tags ask for, each once, in order.
func lockNames(tags []string) []string {
	var names []string
	for _, t := range tags {
		if name, ok := strings.CutPrefix(t, lockTag); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// checkLocks refuses a lock without a name, and one beside @serial, which needs none.
func checkLocks(tags []string) error {
	names := lockNames(tags)
	switch {
	case slices.Contains(names, ""):
		return fmt.Errorf("%s names no lock", lockTag)
	case len(names) > 0 && slices.Contains(tags, serialTag):
		return fmt.Errorf("%s%s beside %s: a serial scenario runs alone", lockTag, names[0], serialTag)
	}
	return nil
}
