package schedule

import (
	"math/rand/v2"
	"sync"
)

// Explorer proposes orders that were not tried yet, decided by a seed. What there is to choose it
// learns from the runs, by Add. It is safe for concurrent use; with several runs at once the order of
// Next and Add matters, and an order may be proposed twice.
type Explorer struct {
	mu   sync.Mutex
	rng  *rand.Rand
	root node
}

// node is what is known after some choices.
type node struct {
	next []*node // by option; nil is not tried. Empty is not known, or the end
	done bool    // everything below was tried
}

// NewExplorer returns an explorer that knows nothing but the usual order's place.
func NewExplorer(seed int64) *Explorer {
	return &Explorer{rng: rand.New(rand.NewPCG(uint64(seed), 1))}
}

// Next returns the decider of an order that was not tried; nil says that all were.
func (e *Explorer) Next() *Decider {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.root.done {
		return nil
	}
	d := &Decider{wanted: map[int]int{}, rng: rand.New(rand.NewPCG(e.rng.Uint64(), e.rng.Uint64()))}
	for n := &e.root; n != nil && len(n.next) > 0; {
		var open []int
		for option, below := range n.next {
			if below == nil || !below.done {
				open = append(open, option)
			}
		}
		d.free++
		d.wanted[d.free] = open[e.rng.IntN(len(open))]
		n = n.next[d.wanted[d.free]]
	}
	return d
}

// Add notes what a run decided, and reports whether that was new.
func (e *Explorer) Add(made []Decision) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	path := []*node{&e.root}
	for _, m := range made {
		n := path[len(path)-1]
		if len(n.next) < len(m.Options) {
			n.next = append(n.next, make([]*node, len(m.Options)-len(n.next))...)
		}
		if n.next[m.Took] == nil {
			n.next[m.Took] = &node{}
		}
		path = append(path, n.next[m.Took])
	}
	last := path[len(path)-1]
	fresh := !last.done
	last.done = true
	for i := len(path) - 2; i >= 0; i-- {
		path[i].done = true
		for _, below := range path[i].next {
			path[i].done = path[i].done && below != nil && below.done
		}
	}
	return fresh
}
