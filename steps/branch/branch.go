// Package branch lets scenarios make branches and see what became of them. In every name of a branch
// <issue> is the number of the scenario's issue; the step that opens it comes first.
package branch

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

// Who acts: a person who may push. Reading is the observer's.
const (
	writer   = "write"
	observer = "observer"
)

// SeedFile is what a seeded branch has that its base has not.
const SeedFile = "seeded.txt"

// Pack holds the steps.
var Pack = suite.Pack{Name: "branch", Steps: []suite.Step{
	{
		Pattern: `a remote branch "([^"]+)" seeded with a commit`, Do: seed,
		Doc: "Makes the branch from the default branch, as the write actor, with one commit that adds " + SeedFile + ". " +
			"In branch names <issue> is the number of the scenario's issue.",
		Example: `a remote branch "release/1.0" seeded with a commit`,
	},
	{
		Pattern: `the tip of branch "([^"]+)" is recorded`, Do: record,
		Doc:     "Keeps the commit that the branch is at now, for `branch \"…\" is unchanged` and `has moved`.",
		Example: `the tip of branch "release/1.0" is recorded`,
	},
	{
		Pattern: `branch "([^"]+)" is unchanged`, Do: unchanged,
		Doc:     "Is decided at quiet: the branch is at the commit that was recorded.",
		Example: `branch "release/1.0" is unchanged`,
	},
	{
		Pattern: `branch "([^"]+)" has moved`, Do: moved,
		Doc:     "Holds as soon as the branch is at another commit than the one that was recorded; at quiet it is decided.",
		Example: `branch "release/1.0" has moved`,
	},
	{
		Pattern: `branch "([^"]+)" exists`, Do: exists,
		Doc:     "Holds as soon as the branch is there; at quiet it is decided.",
		Example: `branch "agent/<issue>-fix" exists`,
	},
	{
		Pattern: `branch "([^"]+)" does not exist`, Do: missing,
		Doc:     "Is decided at quiet: the branch is not there and nothing is under way that could make it.",
		Example: `branch "agent/<issue>-fix" does not exist`,
	},
}}

// tips are the recorded commits, by branch.
type tips map[string]string

var slot = world.NewSlot[tips]("branch")

// named gives a step the repository, and the branch with its <issue> filled in.
func named(ctx context.Context, name string) (*world.World, driver.Repo, string, error) {
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return nil, r, "", err
	}
	name, err = world.WithIssue(ctx, name)
	return world.From(ctx), r, name, err
}

func seed(ctx context.Context, name string) error {
	w, r, name, err := named(ctx, name)
	if err != nil {
		return err
	}
	_, err = w.As(writer).Files.Commit(ctx, r, driver.NewCommit{
		Branch: name, New: true, Message: "Seed branch " + name,
		Files: []driver.NewFile{{Path: SeedFile, Content: []byte(name + "\n")}},
	})
	return err
}

func record(ctx context.Context, name string) error {
	w, r, name, err := named(ctx, name)
	if err != nil {
		return err
	}
	branches, err := w.As(observer).Repos.Branches(ctx, r)
	if err != nil {
		return err
	}
	sha, ok := branches[name]
	if !ok {
		return fmt.Errorf("%s has no branch %q whose tip could be recorded; it has %q", r, name, slices.Sorted(maps.Keys(branches)))
	}
	w.Observe(ctx, "branch.recorded", name, sha)
	kept := slot.Of(ctx)
	if *kept == nil {
		*kept = tips{}
	}
	(*kept)[name] = sha
	return nil
}

func unchanged(ctx context.Context, name string) error {
	return compare(ctx, world.From(ctx).Settled, name, func(ctx context.Context, w *world.World, name, now, recorded string) error {
		return w.ExpectKey(ctx, "branch.tip", name, now, match.Equal(recorded))
	})
}

func moved(ctx context.Context, name string) error {
	return compare(ctx, world.From(ctx).Until, name, func(ctx context.Context, w *world.World, name, now, recorded string) error {
		other := []string{}
		if now != "" && now != recorded {
			other = append(other, now)
		}
		return match.Hint(w.ExpectKey(ctx, "branch.moved", name, other, match.NotEmpty()), "recorded was "+recorded)
	})
}

// compare holds the commit that a branch is at to the one that was recorded; a branch that is gone is at "".
func compare(ctx context.Context, wait waiting, name string, check func(ctx context.Context, w *world.World, name, now, recorded string) error) error {
	w, r, name, err := named(ctx, name)
	if err != nil {
		return err
	}
	sha, ok := (*slot.Of(ctx))[name]
	if !ok {
		return fmt.Errorf("the tip of branch %q was not recorded: put the step `the tip of branch \"%s\" is recorded` before what could move it", name, name)
	}
	return wait(ctx, func(ctx context.Context) error {
		branches, err := w.As(observer).Repos.Branches(ctx, r)
		if err != nil {
			return err
		}
		return check(ctx, w, name, branches[name], sha)
	})
}

func exists(ctx context.Context, name string) error {
	return look(ctx, world.From(ctx).Until, name, func(n string) match.Matcher { return match.Contains(n) })
}

func missing(ctx context.Context, name string) error {
	return look(ctx, world.From(ctx).Settled, name, func(n string) match.Matcher { return match.Lacks(n) })
}

type waiting func(ctx context.Context, check func(context.Context) error) error

func look(ctx context.Context, wait waiting, name string, want func(name string) match.Matcher) error {
	w, r, name, err := named(ctx, name)
	if err != nil {
		return err
	}
	return wait(ctx, func(ctx context.Context) error {
		branches, err := w.As(observer).Repos.Branches(ctx, r)
		if err != nil {
			return err
		}
		return w.Expect(ctx, "repository.branches", slices.Sorted(maps.Keys(branches)), want(name))
	})
}
