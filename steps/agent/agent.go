// Package agent lets scenarios say what the agent will do and see what it did. The agent is the
// dummy: a program that carries out a table of operations where a model would decide.
package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

const (
	admin    = "admin"
	observer = "observer"
)

// Pack holds the steps. After the last step it reads every result of the scenario, so that an
// operation that failed and that no step claimed can be found.
var Pack = suite.Pack{Name: "agent", After: record, Steps: []suite.Step{
	{
		Pattern: `a dummy agent that would:`, Do: dummy,
		Doc:     "Commits a script of operations, with their fixtures, that the next agent run carries out.",
		Example: `a dummy agent that would:`,
	},
	{
		Pattern: `the agent will succeed to (.+)`, Do: succeeds,
		Doc:     "Waits for the agent's results; the operation with this description succeeded.",
		Example: `the agent will succeed to Emit triage JSON`,
	},
	{
		Pattern: `the agent will fail to (.+)`, Do: fails,
		Doc:     "Waits for the agent's results; the operation with this description failed.",
		Example: `the agent will fail to Search for foo`,
	},
	{
		Pattern: `the agent will output (\S+) with:`, Do: outputs,
		Doc:     "Waits for the agent's files; the one with this base name has this text, both trimmed.",
		Example: `the agent will output issues.out with:`,
	},
	{
		Pattern: `the platform (allowed|refused) the agent's request to "([^"]+)"`, Do: decided,
		Doc:     "Waits for the platform's own record of its egress policy; it holds this decision about the URL.",
		Example: `the platform refused the agent's request to "http://blocked.test/"`,
	},
	{
		Pattern: `the request to "([^"]+)" (reached|never reached) the network`, Do: reached,
		Doc:     "Is decided at quiet from the journal of the only door out.",
		Example: `the request to "http://blocked.test/" never reached the network`,
	},
}}

func succeeds(ctx context.Context, description string) error {
	return operation(ctx, description, true)
}
func fails(ctx context.Context, description string) error { return operation(ctx, description, false) }

func operation(ctx context.Context, description string, want bool) error {
	w := world.From(ctx)
	return w.Until(ctx, func(ctx context.Context) error {
		results, err := stimulated(ctx, w)
		if err != nil {
			return err
		}
		seen := []string{}
		for _, r := range results {
			for _, o := range r.operations {
				seen = append(seen, o.Description)
				if o.Description != description {
					continue
				}
				err := w.ExpectKey(ctx, "agent.operation", r.key(o), o.Success, match.Equal(want))
				return match.Hint(err, o.Error)
			}
		}
		return w.Expect(ctx, "agent.operations", seen, match.Contains(description))
	})
}

func outputs(ctx context.Context, name string, want *suite.DocString) error {
	w := world.From(ctx)
	return w.Until(ctx, func(ctx context.Context) error {
		results, err := stimulated(ctx, w)
		if err != nil {
			return err
		}
		names := []string{}
		for _, r := range results {
			for path, data := range r.files {
				names = append(names, path)
				if base(path) == name {
					return w.ExpectKey(ctx, "agent.output", fmt.Sprintf("run:%d %s", r.run, path), string(data), match.Text(want.Content))
				}
			}
		}
		return w.Expect(ctx, "agent.files", names, match.Any(match.Contains(name)))
	})
}

func decided(ctx context.Context, decision, url string) error {
	w := world.From(ctx)
	return w.Until(ctx, func(ctx context.Context) error {
		results, err := stimulated(ctx, w)
		if err != nil {
			return err
		}
		seen := []string{}
		for _, r := range results {
			for _, d := range r.decisions {
				seen = append(seen, d.Decision+" "+d.URL)
			}
		}
		return w.Expect(ctx, "policy.decisions", seen, match.Contains(decision+" "+url))
	})
}

func reached(ctx context.Context, url, how string) error {
	w := world.From(ctx)
	return w.Settled(ctx, func(ctx context.Context) error {
		entries, err := w.Drivers().Journal.Entries(ctx, 0)
		if err != nil {
			return err
		}
		seen := []string{}
		for _, e := range entries {
			if e.Type == "door.request" {
				_, target, _ := strings.Cut(e.Subject, " ")
				seen = append(seen, target)
			}
		}
		want := match.Contains(url)
		if how == "never reached" {
			want = match.Lacks(url)
		}
		return w.Expect(ctx, "network.requests", seen, want)
	})
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
