package actions

import "sync"

// groups are the concurrency groups: in each, one holder runs and one waits. The zero value is
// ready to use.
type groups struct {
	mu     sync.Mutex
	byName map[string]*group
}

type group struct{ running, waiting *ticket }

// ticket is one holder's place in a group.
type ticket struct {
	group string
	ready chan struct{} // closed when it is the holder's turn
	drop  func()        // cancels the holder; it must not block
	rest  *rest         // of the holder
}

// enter takes a place. Whoever waited before is dropped, and with cancelRunning also the one who runs.
func (g *groups) enter(name string, cancelRunning bool, drop func(), rest *rest) *ticket {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := &ticket{group: name, ready: make(chan struct{}), drop: drop, rest: rest}
	if g.byName == nil {
		g.byName = map[string]*group{}
	}
	in := g.byName[name]
	if in == nil {
		g.byName[name] = &group{running: t}
		t.let()
		return t
	}
	if in.waiting != nil {
		in.waiting.drop()
	}
	in.waiting = t
	if cancelRunning {
		in.running.drop()
	}
	return t
}

// leave gives the place up and lets the next one run. A nil ticket and a second call do nothing.
func (g *groups) leave(t *ticket) {
	if t == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	in := g.byName[t.group]
	switch {
	case in == nil:
	case in.waiting == t:
		in.waiting = nil
	case in.running == t:
		in.running, in.waiting = in.waiting, nil
		if in.running == nil {
			delete(g.byName, t.group)
			return
		}
		in.running.let()
	}
}

// let tells the holder that it is his turn.
func (t *ticket) let() {
	t.rest.signal()
	close(t.ready)
}
