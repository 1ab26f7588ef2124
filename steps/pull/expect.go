package pull

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/world"
)

func headMatches(ctx context.Context, pattern string) error {
	w := world.From(ctx)
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return err
	}
	if pattern, err = world.WithIssue(ctx, pattern); err != nil {
		return err
	}
	re, err := regexp.Compile("^(?:" + pattern + ")$")
	if err != nil {
		return fmt.Errorf("head branch pattern %q: %w", pattern, err)
	}
	var found []driver.Pull
	err = w.Settled(ctx, func(ctx context.Context) error {
		list, err := w.As(observer).Pulls.List(ctx, r, driver.PullFilter{})
		if err != nil {
			return err
		}
		found = nil
		heads, all := []string{}, []string{}
		for _, p := range list {
			_, branch, _ := strings.Cut(p.Head, ":")
			all = append(all, branch)
			if re.MatchString(branch) {
				found, heads = append(found, p), append(heads, branch)
			}
		}
		err = w.ExpectKey(ctx, "pull.heads", pattern, heads, match.Count(1))
		switch len(heads) {
		case 0:
			err = match.Hint(err, fmt.Sprintf("no head branch of an open pull request matches; there are %q", all))
		default:
			err = match.Hint(err, "the pattern is ambiguous: it has to tell the one that is meant from all others")
		}
		return err
	})
	if err == nil {
		world.Share(ctx, world.ThePull, found[0].Ref)
	}
	return err
}

func is(ctx context.Context, fork, want string) error {
	return look(ctx, world.From(ctx).Until, fork, func(ctx context.Context, w *world.World, p driver.Pull) error {
		got := p.State
		if p.Merged {
			got = "merged"
		}
		return w.Expect(ctx, "pull.state", got, match.Equal(want))
	})
}

// What a pull request that can be merged now is called, and one that cannot because of its changes.
// https://docs.github.com/en/graphql/reference/enums#mergestatestatus
const dirty = "dirty"

var ready = regexp.MustCompile(`^(clean|unstable|has_hooks)$`)

func mergeable(ctx context.Context, fork string) error {
	return look(ctx, world.From(ctx).Settled, fork, func(ctx context.Context, w *world.World, p driver.Pull) error {
		return w.Expect(ctx, "pull.mergeable", p.Mergeable, match.Regexp(ready))
	})
}

func conflicts(ctx context.Context, fork string) error {
	return look(ctx, world.From(ctx).Settled, fork, func(ctx context.Context, w *world.World, p driver.Pull) error {
		return w.Expect(ctx, "pull.mergeable", p.Mergeable, match.Equal(dirty))
	})
}

func hasLabel(ctx context.Context, fork, label string) error {
	return look(ctx, world.From(ctx).Until, fork, func(ctx context.Context, w *world.World, p driver.Pull) error {
		return w.Expect(ctx, "pull.labels", p.Labels, match.Contains(label))
	})
}

func lacksLabel(ctx context.Context, fork, label string) error {
	return look(ctx, world.From(ctx).Settled, fork, func(ctx context.Context, w *world.World, p driver.Pull) error {
		return w.Expect(ctx, "pull.labels", p.Labels, match.Lacks(label))
	})
}

type waiting func(ctx context.Context, check func(context.Context) error) error

// look reads the pull request in each try of a wait and hands it to check.
func look(ctx context.Context, wait waiting, fork string, check func(context.Context, *world.World, driver.Pull) error) error {
	w, ref, err := the(ctx, fork)
	if err != nil {
		return err
	}
	return wait(ctx, func(ctx context.Context) error {
		p, err := w.As(observer).Pulls.Get(ctx, ref)
		if err != nil {
			return err
		}
		return check(ctx, w, p)
	})
}

func hasComment(ctx context.Context, fork, text string) error {
	w, ref, err := the(ctx, fork)
	if err != nil {
		return err
	}
	return w.Until(ctx, func(ctx context.Context) error {
		comments, err := w.As(observer).Issues.Comments(ctx, ref)
		if err != nil {
			return err
		}
		bodies := make([]string, len(comments))
		for i, c := range comments {
			bodies[i] = c.Body
		}
		return w.Expect(ctx, "pull.comments", bodies, match.Any(match.Contains(text)))
	})
}

func hasBody(ctx context.Context, fork, text string) error {
	text, err := world.WithIssue(ctx, text)
	if err != nil {
		return err
	}
	return look(ctx, world.From(ctx).Settled, fork, func(ctx context.Context, w *world.World, p driver.Pull) error {
		return w.Expect(ctx, "pull.body", p.Body, match.Contains(text))
	})
}
