package local

import (
	"context"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// clock has time pass in the lease.
type clock struct{ a *forge.Admin }

func (c clock) Advance(ctx context.Context, d time.Duration) error {
	_, err := c.a.Advance(ctx, d)
	return err
}

func (c clock) AdvanceTo(ctx context.Context, t time.Time) error {
	_, err := c.a.AdvanceTo(ctx, t)
	return err
}
