package api

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/understudy-dev/understudy/internal/fault"
	"github.com/understudy-dev/understudy/internal/ledger"
)

// slow are the requests that a fault holds.
type slow struct {
	any   atomic.Int32 // how many are held; to answer costs nothing while none is
	mu    sync.Mutex
	held  []*heldRequest
	ended bool
}

// heldRequest waits for so many others, or for its turn in the ledger.
type heldRequest struct {
	left int
	due  chan struct{}
}

// hold makes a request wait if a fault says so. work is its obligation; nil holds nobody back, and is not held.
func (a *API) hold(c *call, subject string, work *ledger.Obligation) error {
	job, ofJob := strings.CutPrefix(c.who.Cause, "job:")
	if work == nil || !ofJob && !c.who.Kit() {
		return nil
	}
	// The answer is not the fault's, so the call does not remember it.
	f, ok := a.Faults.Strike(fault.Slow, fault.Target{What: subject, Of: c.who.Credential(), Is: map[string]string{"by": c.who.Login}, Cause: c.who.Cause})
	if !ok {
		return nil
	}
	owners := []string{c.who.Cause}
	if id, err := strconv.ParseInt(job, 10, 64); ofJob && err == nil {
		if run, err := a.State.JobRun(id); err == nil {
			owners = append(owners, "run:"+strconv.FormatInt(run, 10))
		}
	}
	h := a.slow.add(f.Number("after"))
	defer a.slow.remove(h)
	return work.Yield(c.Context(), h.due, !ofJob, owners...)
}

func (s *slow) add(after int) *heldRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := &heldRequest{left: after, due: make(chan struct{})}
	if s.ended {
		close(h.due)
		return h
	}
	s.held = append(s.held, h)
	s.any.Add(1)
	return h
}

// remove is for one that goes on by itself.
func (s *slow) remove(h *heldRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, other := range s.held {
		if other == h {
			s.held = append(s.held[:i:i], s.held[i+1:]...)
			s.any.Add(-1)
			return
		}
	}
}

// answered counts a request for those that wait for others.
func (s *slow) answered() {
	if s.any.Load() == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.held[:0:0]
	for _, h := range s.held {
		if h.left--; h.left > 0 {
			kept = append(kept, h)
			continue
		}
		s.any.Add(-1)
		close(h.due)
	}
	s.held = kept
}

// Release lets all requests go on that a fault holds, and holds none from now on.
func (a *API) Release() {
	a.slow.mu.Lock()
	defer a.slow.mu.Unlock()
	for _, h := range a.slow.held {
		close(h.due)
	}
	a.slow.held, a.slow.ended = nil, true
	a.slow.any.Store(0)
}
