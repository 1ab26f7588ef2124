package local

import (
	"context"
	"fmt"
	"io"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// keeper keeps the lease's forge for people who go back to it.
type keeper struct {
	k *forge.Keeper
	s *site
}

func (k keeper) Keep(_ context.Context, step int) error {
	k.k.Keep(step)
	return nil
}

func (k keeper) Archive(_ context.Context, w io.Writer) error {
	var clean func(string) string
	if k.s.scope.Scrubber != nil {
		clean = k.s.scope.Scrubber.String
	}
	if err := k.k.Archive(w, clean); err != nil {
		k.s.scope.Log.Warn("the forge is not kept", "part", "forge", "err", err)
		return fmt.Errorf("keep the forge: %w", err)
	}
	return nil
}
