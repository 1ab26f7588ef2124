package pull

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/world"
)

// admin may make repositories in the organisation.
const admin = "admin"

// logical is what features call the repository under test; the fork's name is derived from the leased one's,
// so that scenarios beside one another have forks of their own.
const logical = "test-repo"

func forkName(leased, name string) string {
	if rest, ok := strings.CutPrefix(name, logical); ok {
		return leased + rest
	}
	return leased + "-" + name
}

func makeFork(ctx context.Context, name string) error {
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return err
	}
	name = forkName(r.Name, name)
	if name == r.Name {
		return fmt.Errorf("a fork called %q would be the leased repository itself: give it a name of its own, such as %s-fork", logical, logical)
	}
	return fork(ctx, admin, driver.NewFork{Of: r, Owner: r.Owner, Name: name})
}

// fork makes a fork and keeps it once it has its branches: forges make those after they have answered.
func fork(ctx context.Context, actor string, in driver.NewFork) error {
	w := world.From(ctx)
	made, err := w.As(actor).Repos.Fork(ctx, in)
	if err != nil {
		return err
	}
	err = w.Until(ctx, func(ctx context.Context) error {
		info, err := w.As(actor).Repos.Get(ctx, made)
		if err != nil {
			return err
		}
		if info.Parent != in.Of {
			return fmt.Errorf("%s is there and is no fork of %s", made, in.Of)
		}
		branches, err := w.As(actor).Repos.Branches(ctx, made)
		if err != nil {
			return err
		}
		return w.Expect(ctx, "fork.branches", slices.Sorted(maps.Keys(branches)), match.Contains(info.DefaultBranch))
	})
	if err != nil {
		return err
	}
	slot.Of(ctx).fork = made
	return nil
}

func openFromFork(ctx context.Context) error {
	made := slot.Of(ctx).fork
	if made == (driver.Repo{}) {
		return errors.New("no fork was made: put the step `a fork \"" + logical + "-fork\" of the enrolled test repository` before this one")
	}
	return openFrom(ctx, writer, made)
}

func openAs(ctx context.Context, actor string) error {
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return err
	}
	kept := slot.Of(ctx).fork // the organisation's stays that of the step without an actor
	if err := fork(ctx, actor, driver.NewFork{Of: r}); err != nil {
		return err
	}
	own := slot.Of(ctx).fork
	slot.Of(ctx).fork = kept
	return openFrom(ctx, actor, own)
}

func openFrom(ctx context.Context, actor string, head driver.Repo) error {
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return err
	}
	stimulate(ctx)
	return propose(ctx, world.TheForkPull, proposal{actor: actor, base: r, head: head, branch: freshBranch(ctx), seeded: true})
}
