// Package dispatch lets scenarios change what the platform dispatches: agents of their own, and the
// switch that stops all. How the platform is told is data of its platform file, in edits and harness.
package dispatch

import (
	"context"
	"slices"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
	"github.com/understudy-dev/understudy/world/settings"
)

// The texts of the steps. name is that of an agent.
const (
	name         = `"([\w.-]+)"`
	killStep     = `the kill switch is active`
	customStep   = `a (disabled )?custom harness ` + name + ` with:`
	basedStep    = `a custom harness ` + name + ` with base ` + name + ` and:`
	customAsText = `a custom harness "issue-only" with:`
	basedAsText  = `a custom harness "child" with base "parent" and:`
)

// Pack holds the steps.
var Pack = suite.Pack{Name: "dispatch", Lint: lint, Steps: slices.Concat(localSteps, hostedSteps, ownerSteps)}

var localSteps = []suite.Step{
	{
		Pattern: killStep, Do: kill,
		Doc:     "Stops everything, by edits.kill-switch of the platform file.",
		Example: killStep,
	},
	{
		Pattern: customStep, Do: custom,
		Doc: "Commits the description of an agent, a placeholder for each file that it names and that is not there, and its registration " +
			"(edits.agent, and edits.disable if it is disabled), all in one commit of the admin actor. It is not a stage of the platform file; " +
			"steps speak of it by its name.",
		Example: customAsText,
	},
	{
		Pattern: basedStep, Do: based,
		Doc:     "The same, with another harness of the repository as its base (edits.base).",
		Example: basedAsText,
	},
}

func kill(ctx context.Context) error {
	return settings.Commit(ctx, "Turn the kill switch on", nil, settings.Change{Edit: driver.EditKillSwitch})
}

func custom(ctx context.Context, disabled, name string, doc *suite.DocString) error {
	return bring(ctx, agent{name: name, text: doc.Content, disabled: disabled != ""})
}

func based(ctx context.Context, name, base string, doc *suite.DocString) error {
	p := world.From(ctx).Drivers().Platform
	return bring(ctx, agent{name: name, text: doc.Content, base: baseOf(p, base)})
}

// agent is one that a scenario brings, described in the repository under test.
type agent struct {
	name, text string
	disabled   bool
	base       string // as the description names it; "" is none
	allow      string // address below which what is fetched is allowed; "" is none
}

// bring commits an agent of the scenario's own and its registration.
func bring(ctx context.Context, a agent) error {
	p := world.From(ctx).Drivers().Platform
	if err := usable(p, a.name, a.text); err != nil {
		return err
	}
	files, err := harnessFiles(ctx, a.name, a.text)
	if err != nil {
		return err
	}
	changes := registration(a.name, sourceOf(p, a.name), a.allow)
	if a.base != "" {
		changes = append(changes, settings.Change{Edit: driver.EditBase, With: map[string]string{"name": a.name, "base": a.base}})
	}
	if a.disabled {
		changes = append(changes, settings.Change{Edit: driver.EditDisable, With: map[string]string{"name": a.name}})
	}
	if err := settings.Commit(ctx, "Add the agent "+a.name, files, changes...); err != nil {
		return err
	}
	world.BringHarness(ctx, a.name)
	return nil
}

// registration tells the platform of an agent, and allows what is fetched below an address, if any.
func registration(name, source, allow string) []settings.Change {
	changes := []settings.Change{{Edit: driver.EditAgent, With: map[string]string{"name": name, "source": source}}}
	if allow != "" {
		changes = append(changes, settings.Change{Edit: driver.EditAllow, With: map[string]string{"prefix": allow}})
	}
	return changes
}
