package dispatch

import (
	"context"
	"maps"
	"slices"
	"strings"

	"example.com/crew/internal/config"
	"example.com/crew/internal/defect"
	"example.com/crew/internal/harness"
	"example.com/crew/internal/trigger"
)

// Covers is the allow-list of what harnesses may come from.
func Covers(c config.Config, d defect.Name) func(string) bool {
	switch d {
	case defect.AllowListBypassed:
		return func(string) bool { return true }
	case defect.PrefixMatchLoose:
		return func(u string) bool {
			return slices.ContainsFunc(c.AllowedRemote, func(p string) bool { return strings.HasPrefix(u, strings.TrimRight(p, "/")) })
		}
	}
	return c.Covers
}

// List loads the agents that the configuration registers, sorted by name. A disabled one is not
// loaded: what is wrong with it hurts nobody. A URL that the allow-list does not cover is an error,
// and nothing starts: somebody wants an agent from where none may come from.
func List(ctx context.Context, c config.Config, l harness.Loader) ([]Candidate, error) {
	if err := c.Uncovered(Covers(c, l.Defect)); err != nil {
		return nil, err
	}
	compiler, err := trigger.NewCompiler()
	if err != nil {
		return nil, err
	}
	var all []Candidate
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		entry := c.Agents[name]
		candidate := Candidate{Name: name, Enabled: !entry.Disabled()}
		if candidate.Enabled || l.Defect == defect.DisabledAgentDispatched {
			candidate.load(ctx, entry.Source, l, compiler)
			if candidate.Err != nil && entry.Remote() && l.Defect == defect.URLFailureStopsOthers {
				return nil, candidate.Err
			}
		}
		all = append(all, candidate)
	}
	return all, nil
}

func (c *Candidate) load(ctx context.Context, source string, l harness.Loader, compiler *trigger.Compiler) {
	h, err := l.Load(ctx, c.Name, source)
	if err != nil {
		c.Err = err
		return
	}
	c.Role, c.Labels = h.Role, h.Labels
	if h.Trigger.Expression == "" {
		return
	}
	t, err := compiler.Compile(h.Trigger)
	if err != nil {
		c.Err = err
		return
	}
	c.Trigger = t
}
