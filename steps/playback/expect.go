package playback

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/world"
)

func exists(ctx context.Context) error {
	w := world.From(ctx)
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return err
	}
	var found []driver.Pull
	err = w.Until(ctx, func(ctx context.Context) error {
		if found, err = w.As(observer).Pulls.List(ctx, r, driver.PullFilter{}); err != nil {
			return err
		}
		heads := []string{}
		for _, p := range found {
			heads = append(heads, p.Head)
		}
		return w.Expect(ctx, "pulls.open", heads, match.Count(1))
	})
	if err == nil {
		world.Share(ctx, world.ThePull, found[0].Ref)
	}
	return err
}

// submitted looks at the platform's reviews only, which its programs submit, in their order.
func submitted(ctx context.Context, agent, state string) error {
	w := world.From(ctx)
	state = strings.ToUpper(state)
	if known := []string{"APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED"}; !slices.Contains(known, state) {
		return fmt.Errorf("a review is never in the state %q; there are %s", state, strings.Join(known, ", "))
	}
	ref, err := world.Shared[driver.Ref](ctx, world.ThePull)
	if err != nil {
		return err
	}
	round := world.Rounds(ctx, agent)
	if round == 0 {
		return fmt.Errorf("no step has taken a round of agent %s; put `the %s agent completes successfully` before this one", agent, agent)
	}
	return w.Until(ctx, func(ctx context.Context) error {
		reviews, err := w.As(observer).Reviews.List(ctx, ref)
		if err != nil {
			return err
		}
		states := []string{}
		for _, r := range reviews {
			if bot(w.Drivers().Platform, r.Author) {
				states = append(states, strings.ToUpper(r.State))
			}
		}
		got := "nothing"
		if len(states) >= round {
			got = states[round-1]
		}
		err = w.ExpectKey(ctx, "review.state", fmt.Sprintf("%s round %d", agent, round), got, match.Equal(state))
		return match.Hint(err, fmt.Sprintf("the platform's reviews are %q", states))
	})
}

func bot(p driver.Platform, login string) bool {
	for _, a := range p.Actors {
		if a.Bot && a.Login == login {
			return true
		}
	}
	return false
}

// published compares names and contents in one text, so that the difference shows both.
func published(ctx context.Context, fixture string) error {
	w := world.From(ctx)
	ref, err := world.Shared[driver.Ref](ctx, world.ThePull)
	if err != nil {
		return err
	}
	want, err := tree(w.Drivers().Fixtures, fixture)
	if err != nil {
		return fmt.Errorf("fixture %s: %w", fixture, err)
	}
	return w.Settled(ctx, func(ctx context.Context) error {
		p, err := w.As(observer).Pulls.Get(ctx, ref)
		if err != nil {
			return err
		}
		changed, err := w.As(observer).Pulls.Files(ctx, ref)
		if err != nil {
			return err
		}
		got := map[string]string{}
		for _, name := range append(changed, slices.Collect(maps.Keys(want))...) {
			data, err := w.As(observer).Files.Read(ctx, ref.Repo, p.HeadSHA, name)
			switch {
			case errors.Is(err, driver.ErrNotFound):
				continue // removed, or never there
			case err != nil:
				return err
			}
			got[name] = string(data)
		}
		return w.ExpectKey(ctx, "published.files", p.HeadSHA, listing(got), match.Equal(listing(want)))
	})
}

// tree reads the files below a directory.
func tree(fixtures fs.FS, dir string) (map[string]string, error) {
	sub, err := fs.Sub(fixtures, dir)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	err = fs.WalkDir(sub, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is no regular file", name)
		}
		data, err := fs.ReadFile(sub, name)
		files[name] = string(data)
		return err
	})
	if err == nil && len(files) == 0 {
		err = errors.New("there are no files in it")
	}
	return files, err
}

func listing(files map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "%s (%d bytes)\n", name, len(files[name]))
		for line := range strings.Lines(files[name]) {
			fmt.Fprintf(&b, "  | %s\n", strings.TrimSuffix(line, "\n"))
		}
	}
	return b.String()
}
