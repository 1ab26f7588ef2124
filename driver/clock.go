package driver

import (
	"context"
	"time"
)

// ClockCapability is what a scenario requires that has time pass.
const ClockCapability Capability = "clock"

// Clock is the time that the code host goes by. Only a local environment can have it pass: scheduled workflows
// that are due meanwhile start, each once for each time that it is due.
type Clock interface {
	// Advance puts the clock forward.
	Advance(ctx context.Context, d time.Duration) error
	// AdvanceTo puts it forward to a time, which must be to come.
	AdvanceTo(ctx context.Context, t time.Time) error
}

func (u unassigned) Advance(context.Context, time.Duration) error { return u.refuse("clock") }

func (u unassigned) AdvanceTo(context.Context, time.Time) error { return u.refuse("clock") }
