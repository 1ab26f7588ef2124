package dispatch

import (
	"context"
	"maps"
	"slices"

	"example.com/crew/internal/config"
	"example.com/crew/internal/defect"
	"example.com/crew/internal/harness"
	"example.com/crew/internal/trigger"
)

// List loads the agents that the configuration registers, sorted by name. A disabled one is not
// loaded: what is wrong with it hurts nobody.
func List(ctx context.Context, c config.Config, l harness.Loader) ([]Candidate, error) {
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
	c.Role = h.Role
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
