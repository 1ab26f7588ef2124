package branch

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/ledger"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

// forge has branches and takes commits on new ones.
type forge struct {
	driver.Repos
	driver.Files
	branches map[string]string
	commits  []driver.NewCommit
}

func (f *forge) As(actor string) (driver.Session, error) {
	if actor == observer {
		return driver.Session{Repos: f}, nil
	}
	return driver.Session{Files: f}, nil
}

func (f *forge) Branches(context.Context, driver.Repo) (map[string]string, error) {
	return maps.Clone(f.branches), nil
}

func (f *forge) Commit(_ context.Context, _ driver.Repo, in driver.NewCommit) (string, error) {
	f.commits = append(f.commits, in)
	f.branches[in.Branch] = "sha of " + in.Branch
	return f.branches[in.Branch], nil
}

func stage(t *testing.T) (context.Context, *forge) {
	t.Helper()
	f := &forge{branches: map[string]string{"main": "a"}}
	set := driver.Unassigned()
	set.Forge, set.Ledger = f, ledger.New()
	ctx := world.Into(t.Context(), world.New(world.Options{Drivers: set}))
	world.Share(ctx, world.TheRepository, driver.Repo{Owner: "o", Name: "r"})
	return ctx, f
}

func TestPack(t *testing.T) {
	if err := suite.Check([]suite.Pack{Pack}); err != nil {
		t.Error(err)
	}
}

func TestSeed(t *testing.T) {
	ctx, f := stage(t)
	if err := seed(ctx, "crew/<issue>"); err == nil || !strings.Contains(err.Error(), "before this one") || len(f.commits) > 0 {
		t.Errorf("before there is an issue: got %v", err)
	}
	world.Share(ctx, world.TheIssue, driver.Ref{Number: 3})
	if err := seed(ctx, "crew/<issue>"); err != nil {
		t.Fatal(err)
	}
	want := []driver.NewCommit{{Branch: "crew/3", New: true, Message: "Seed branch crew/3", Files: []driver.NewFile{{Path: "seeded.txt", Content: []byte("crew/3\n")}}}}
	if diff := cmp.Diff(want, f.commits); diff != "" {
		t.Error(diff)
	}
}

func TestUnchanged(t *testing.T) {
	ctx, f := stage(t)
	world.Share(ctx, world.TheIssue, driver.Ref{Number: 3})
	f.branches["x/3"] = "b"
	if err := unchanged(ctx, "x/<issue>"); err == nil || !strings.Contains(err.Error(), `the tip of branch "x/3" was not recorded`) {
		t.Errorf("not recorded: got %v", err)
	}
	if err := record(ctx, "y"); err == nil || !strings.Contains(err.Error(), `no branch "y" whose tip could be recorded; it has ["main" "x/3"]`) {
		t.Errorf("no such branch: got %v", err)
	}
	for _, name := range []string{"main", "x/<issue>"} {
		if err := record(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := unchanged(ctx, "x/3"); err != nil {
		t.Errorf("unchanged: got %v", err)
	}
	mismatch := func(what string) {
		t.Helper()
		if err := unchanged(ctx, "x/<issue>"); !isMismatch(err) {
			t.Errorf("%s: got %v, want a mismatch", what, err)
		}
	}
	if err := moved(ctx, "x/<issue>"); !isMismatch(err) {
		t.Errorf("it has not moved: got %v, want a mismatch", err)
	}
	f.branches["x/3"] = "c"
	mismatch("moved")
	if err := moved(ctx, "x/<issue>"); err != nil {
		t.Errorf("moved: got %v", err)
	}
	delete(f.branches, "x/3")
	mismatch("gone")
	if err := moved(ctx, "x/<issue>"); !isMismatch(err) {
		t.Errorf("it is gone: got %v, want a mismatch", err)
	}
	if err := unchanged(ctx, "main"); err != nil {
		t.Errorf("the other branch: got %v", err)
	}
}

func TestExistence(t *testing.T) {
	ctx, f := stage(t)
	world.Share(ctx, world.TheIssue, driver.Ref{Number: 3})
	f.branches["crew/3-fix"] = "b"
	if err := errors.Join(exists(ctx, "crew/<issue>-fix"), missing(ctx, "crew/3")); err != nil {
		t.Errorf("got %v", err)
	}
	if err := exists(ctx, "crew/<issue>"); !isMismatch(err) {
		t.Errorf("a branch that is not there: got %v", err)
	}
	if err := missing(ctx, "crew/<issue>-fix"); !isMismatch(err) {
		t.Errorf("a branch that is there: got %v", err)
	}
}

// busy is a ledger whose open work is done when somebody waits for it.
type busy struct {
	*ledger.Ledger
	settle func()
}

func (b busy) Wait(ctx context.Context, after uint64) (uint64, bool, error) {
	b.settle()
	return b.Ledger.Wait(ctx, after)
}

// What a run that is still going on may do counts: it is decided at quiet, not at first sight.
func TestDecidedAtQuiet(t *testing.T) {
	for name, step := range map[string]func(context.Context, string) error{"is unchanged": unchanged, "does not exist": missing} {
		ctx, f := stage(t)
		w := world.From(ctx)
		if err := record(ctx, "main"); err != nil {
			t.Fatal(err)
		}
		l := ledger.New()
		run := l.Open("run 1")
		w.Drivers().Ledger = busy{l, func() {
			f.branches = map[string]string{"main": "moved", "new": "b"}
			run.Close()
		}}
		branch := map[string]string{"is unchanged": "main", "does not exist": "new"}[name]
		if err := step(ctx, branch); !isMismatch(err) {
			t.Errorf("%s: got %v, want the mismatch that the run brought about", name, err)
		}
	}
}

func isMismatch(err error) bool {
	_, ok := errors.AsType[*match.Mismatch](err)
	return ok
}
