package local

import (
	"context"
	"fmt"
	"sort"
	"sync"
)

// pool hands out the names of places. They are scarce on purpose: blocking,
// double release and reclaiming then work here as they do where places really are scarce.
type pool struct {
	free chan string
	mu   sync.Mutex
	out  map[string]*held
}

// held is a name that is out.
type held struct {
	pool     *pool
	name     string
	scenario string
	give     func(context.Context) error // what the lease has to give back
	once     sync.Once
}

func newPool(n int) *pool {
	p := &pool{free: make(chan string, n), out: map[string]*held{}}
	for i := range n {
		p.free <- fmt.Sprintf("place-%02d", i+1)
	}
	return p
}

// acquire waits until a name is free or ctx ends.
func (p *pool) acquire(ctx context.Context, scenario string) (*held, error) {
	select {
	case name := <-p.free:
		h := &held{pool: p, name: name, scenario: scenario}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.out[name] = h
		return h, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for a free place: %w", ctx.Err())
	}
}

// release gives everything back, then the name. A second call is an error.
func (h *held) release(ctx context.Context) error {
	err := fmt.Errorf("lease %s of %s was released twice", h.name, h.scenario)
	h.once.Do(func() {
		err = nil
		if h.give != nil {
			err = h.give(ctx)
		}
		h.pool.mu.Lock()
		delete(h.pool.out, h.name)
		h.pool.mu.Unlock()
		h.pool.free <- h.name
	})
	return err
}

func (p *pool) outstanding() []*held {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make([]*held, 0, len(p.out))
	for _, h := range p.out {
		out = append(out, h)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].name < out[j].name })
	return out
}
