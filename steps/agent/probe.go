package agent

import (
	"context"

	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

// probeSteps read what hosts answered to http_probe.
var probeSteps = []suite.Step{
	{
		Pattern: `the agent's probe "([^"]+)" returned HTTP (\d{3})`, Do: probeReturned,
		Doc: "Waits for the agent's results; the host answered the http_probe with this description so. A request that the platform's policy refused has no " +
			"answer.",
		Example: `the agent's probe "Ask the host" returned HTTP 200`,
	},
	{
		Pattern: `the agent's probe "([^"]+)" response (contains|does not contain) "([^"]*)"`, Do: probeSaid,
		Doc:     "Waits for the agent's results; the beginning of the answer, 4 KiB, has the text or has it not. There has to be an answer.",
		Example: `the agent's probe "Ask the host" response contains "hello"`,
	},
}

func probeReturned(ctx context.Context, description string, status int) error {
	return probed(ctx, description, func(ctx context.Context, w *world.World, r runResult, o operationResult) error {
		return w.ExpectKey(ctx, "agent.probe-status", r.key(o), o.Status, match.Equal(status))
	})
}

func probeSaid(ctx context.Context, description, how, text string) error {
	return probed(ctx, description, answered(how, text))
}

// answered holds the beginning of an answer to have the text, or not to. Without an answer neither holds.
func answered(how, text string) func(context.Context, *world.World, runResult, operationResult) error {
	return func(ctx context.Context, w *world.World, r runResult, o operationResult) error {
		if err := w.ExpectKey(ctx, "agent.probe-answered", r.key(o), o.Status != 0, match.Equal(true)); err != nil {
			return err
		}
		want := match.Contains(text)
		if how != "contains" {
			want = match.Lacks(text)
		}
		return w.ExpectKey(ctx, "agent.probe-body", r.key(o), o.Body, want)
	}
}

// probed waits for the results of the operation and holds check to each.
func probed(ctx context.Context, description string, check func(context.Context, *world.World, runResult, operationResult) error) error {
	w := world.From(ctx)
	return w.Until(ctx, func(ctx context.Context) error {
		results, hint, err := stimulated(ctx, w)
		if err != nil {
			return err
		}
		seen, found := []string{}, false
		for _, r := range results {
			for _, o := range r.operations {
				seen = append(seen, o.Description)
				if o.Description != description {
					continue
				}
				found = true
				if err := check(ctx, w, r, o); err != nil {
					return match.Hint(err, o.Error)
				}
			}
		}
		if found {
			return nil
		}
		return match.Hint(w.Expect(ctx, "agent.operations", seen, match.Contains(description)), hint)
	})
}
