// Package clock gives the time that is shown to people and programs. It is the only place that
// reads the wall clock for an emulator; order never comes from it.
//
//	c := clock.New(nil)
//	at := c.Now() // a whole second, never before an earlier answer
package clock

import (
	"sync"
	"time"
)

// Clock is safe for concurrent use.
type Clock struct {
	source func() time.Time

	mu     sync.Mutex
	offset time.Duration
	last   time.Time
}

// New returns a clock over source; nil is the wall clock.
func New(source func() time.Time) *Clock {
	if source == nil {
		source = time.Now
	}
	return &Clock{source: source}
}

// Now returns the source's time plus what Advance added, in UTC, rounded up to a whole second. It
// never decreases: a client that cuts fractions off must not see a thing older than its cause.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.source().UTC().Round(0).Add(c.offset)
	if whole := t.Truncate(time.Second); whole.Before(t) {
		t = whole.Add(time.Second)
	}
	if t.Before(c.last) {
		return c.last
	}
	c.last = t
	return t
}

// Wall returns the source's time in UTC, whatever was added: what programs judge by clocks of their own.
func (c *Clock) Wall() time.Time { return c.source().UTC().Round(0) }

// Advanced returns what Advance and AdvanceTo added.
func (c *Clock) Advanced() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.offset
}

// AdvanceTo moves the clock forward to t; one that is there already stays.
func (c *Clock) AdvanceTo(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := t.Sub(c.source().Round(0).Add(c.offset)); d > 0 {
		c.offset += d
	}
}

// Advance moves the clock forward by d; a negative d does nothing.
func (c *Clock) Advance(d time.Duration) {
	if d <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += d
}
