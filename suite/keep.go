package suite

import (
	"bytes"
	"context"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/evidence"
)

// keep remembers the code host as it is after a step. That it cannot is nothing that the scenario did:
// the environment logs why, and there is nothing to go back to.
func (l *life) keep(ctx context.Context, step int) {
	if l.Sink == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.CleanupTimeout)
	defer cancel()
	keeper := l.drivers.Keeper
	_ = call(ctx, l.Grace, func(ctx context.Context) error { return keeper.Keep(ctx, step) })
}

// archive puts what was kept into the evidence.
func (l *life) archive(ctx context.Context) {
	if l.Sink == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.CleanupTimeout)
	defer cancel()
	keeper, sink, id := l.drivers.Keeper, l.Sink, l.plan.ID
	kept := make(chan evidence.Ref, 1)
	err := call(ctx, l.Grace, func(ctx context.Context) error {
		var b bytes.Buffer
		if err := keeper.Archive(ctx, &b); err != nil {
			return err
		}
		ref, err := sink.Put(ctx, evidence.Meta{Name: "forge archive", Origin: "the forge after each step", MediaType: driver.ForgeArchive, Scenario: id}, &b)
		kept <- ref
		return err
	})
	if err == nil {
		l.res.Evidence = append(l.res.Evidence, <-kept)
	}
}
