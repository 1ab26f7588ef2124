// Package fault lets scenarios have the forge misbehave as GitHub does. What there is to misbehave with is
// the catalogue of internal/fault; a scenario that asks for any of it says @requires:capability:faults.
package fault

import (
	"context"
	"strconv"

	faults "github.com/understudy-dev/understudy/internal/fault"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

// The texts of steps that lint reads.
const (
	anyStep    = `the forge has the fault "([^"]+)"`
	onceStep   = `the fault "([a-z0-9.-]+)" has struck`
	struckStep = `the fault "([a-z0-9.-]+)" struck (\d+) times?`
)

// saying is a step that says in words what a fault does to the next event.
type saying struct {
	step    string
	fault   string // the text form before the event
	doc     string
	example string
}

func sayings() []saying {
	return []saying{
		{
			`the forge delivers the next "([^"]+)" event twice`, faults.Twice + "@",
			"The event comes twice to the workflows, and to each webhook: one right after the other.",
			`the forge delivers the next "issues.labeled" event twice`,
		},
		{
			`the forge delivers the next "([^"]+)" event twice, the second time late`, faults.Twice + "=late@",
			"The event comes twice to the workflows, and to each webhook: the second time when nothing else goes on and the scenario waits for something.",
			`the forge delivers the next "issues.labeled" event twice, the second time late`,
		},
		{
			`the forge delivers the next "([^"]+)" event late`, faults.Late + "@",
			"The event is held until nothing else goes on and the scenario waits for something.",
			`the forge delivers the next "issues.labeled" event late`,
		},
		{
			`the forge delivers the next "([^"]+)" event after the one that follows it`, faults.Reordered + "@",
			"The next event that starts something comes before it; each webhook gets its next one before it.",
			`the forge delivers the next "issues.labeled" event after the one that follows it`,
		},
		{
			`the forge loses the next "([^"]+)" event`, faults.Dropped + "@",
			"The event starts no run and comes to no webhook.",
			`the forge loses the next "issues.labeled" event`,
		},
		{
			`the forge is slow to index the workflow file "([^"]+)"`, faults.Unindexed + "@",
			"Whoever looks for the file next misses it: an event that would start it is lost, or the list of workflows lacks it. The step stands before the one that installs the platform.",
			`the forge is slow to index the workflow file ".github/workflows/triage.yml"`,
		},
	}
}

// Pack holds the steps.
var Pack = suite.Pack{Name: "fault", Lint: lint, Steps: steps()}

func steps() []suite.Step {
	var all []suite.Step
	for _, s := range sayings() {
		all = append(all, suite.Step{
			Pattern: s.step, Doc: s.doc, Example: s.example,
			Do: func(ctx context.Context, event string) error { return inject(ctx, s.fault+event) },
		})
	}
	return append(all,
		suite.Step{
			Pattern: anyStep, Do: inject,
			Doc:     "Puts a fault in force, in the form of `--fault`: NAME[=ARG,…][@WHERE]. docs/guide/faults.md lists them.",
			Example: `the forge has the fault "delivery.late=2@issues.labeled"`,
		},
		suite.Step{
			Pattern: `the forge has no faults any more`, Do: clear,
			Doc:     "Takes all faults out, also those of `--fault`. What one of them holds still comes.",
			Example: `the forge has no faults any more`,
		},
		suite.Step{
			Pattern: onceStep, Do: hasStruck,
			Doc:     "Holds as soon as a fault of this name has struck: a request that it holds is held then, and what the next steps do comes before it. At quiet it is decided.",
			Example: `the fault "api.slow" has struck`,
		},
		suite.Step{
			Pattern: struckStep, Do: struck,
			Doc:     "Is decided at quiet: faults of this name struck so often. One that a step put in force and that never struck is a finding without this step.",
			Example: `the fault "delivery.twice" struck 1 time`,
		},
	)
}

func inject(ctx context.Context, fault string) error {
	return world.From(ctx).Drivers().Faults.Inject(ctx, fault)
}

func clear(ctx context.Context) error { return world.From(ctx).Drivers().Faults.Clear(ctx) }

func hasStruck(ctx context.Context, name string) error {
	w := world.From(ctx)
	return w.Until(ctx, func(ctx context.Context) error {
		n, err := strikes(ctx, w, name)
		if err != nil {
			return err
		}
		return w.Expect(ctx, "fault.struck", strconv.FormatBool(n > 0), match.Equal("true"))
	})
}

func struck(ctx context.Context, name string, want int) error {
	w := world.From(ctx)
	return w.Settled(ctx, func(ctx context.Context) error {
		n, err := strikes(ctx, w, name)
		if err != nil {
			return err
		}
		return w.Expect(ctx, "fault.struck", strconv.Itoa(n), match.Equal(strconv.Itoa(want)))
	})
}

// strikes is how often faults of a name have struck.
func strikes(ctx context.Context, w *world.World, name string) (n int, err error) {
	entries, err := w.Drivers().Journal.Entries(ctx, 0)
	for _, e := range entries {
		if e.Type == faults.StruckEntry && e.Detail["fault"] == name {
			n++
		}
	}
	return n, err
}
