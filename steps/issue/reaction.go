package issue

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/world"
	"github.com/understudy-dev/understudy/world/settings"
)

// reactionsStep is the text of the step that has the platform react.
const reactionsStep = `status notification reactions are enabled`

func enableReactions(ctx context.Context) error {
	return settings.Commit(ctx, "Show by reactions how far it is", nil, settings.Change{Edit: driver.EditReactions})
}

// Reactions are those that there are.
// See https://docs.github.com/en/rest/reactions/reactions#about-reactions.
func Reactions() []string {
	return []string{"+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"}
}

func hasReaction(ctx context.Context, content string) error {
	return react(ctx, world.From(ctx).Until, content, match.Contains(content))
}

func lacksReaction(ctx context.Context, content string) error {
	return react(ctx, world.From(ctx).Settled, content, match.Lacks(content))
}

func react(ctx context.Context, wait waiting, content string, want match.Matcher) error {
	w := world.From(ctx)
	if !slices.Contains(Reactions(), content) {
		return fmt.Errorf("%q is no reaction; there are: %s", content, strings.Join(Reactions(), ", "))
	}
	ref, err := world.Shared[driver.Ref](ctx, world.TheIssue)
	if err != nil {
		return err
	}
	return wait(ctx, func(ctx context.Context) error {
		all, err := w.As(observer).Reactions.List(ctx, ref)
		if err != nil {
			return err
		}
		found := []string{}
		for _, r := range all {
			found = append(found, r.Content)
		}
		return w.Expect(ctx, "issue.reactions", found, want)
	})
}
