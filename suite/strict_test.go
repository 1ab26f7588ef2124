package suite_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/result/policy"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

// strict is one thing that must never be green.
type strict struct {
	name    string
	steps   string // of the scenario; "" is `Given it passes`
	do      func(t *testing.T, ctx context.Context) error
	options func(t *testing.T, o *suite.Options)
	verdict result.Verdict
	what    string // somewhere in the problems
}

func fails(ctx context.Context) error {
	return world.From(ctx).Expect(ctx, "thing", "a", match.Equal("b"))
}

var stricts = []strict{
	{name: "a step that does not match", do: func(_ *testing.T, ctx context.Context) error { return fails(ctx) },
		verdict: result.Failed, what: `thing: expected "b", saw "a"`},
	{name: "a step that ignores an expectation", do: func(_ *testing.T, ctx context.Context) error { _ = fails(ctx); return nil },
		verdict: result.Broken, what: "the step passed although thing was not as expected"},
	{name: "a step with another error", do: func(*testing.T, context.Context) error { return errors.New("no such luck") },
		verdict: result.Broken, what: "no such luck"},
	{name: "unsupported during the run", do: func(*testing.T, context.Context) error { return driver.ErrUnsupported },
		verdict: result.Broken, what: "@requires:capability:NAME"},
	{name: "undefined", steps: "    Given it passes\n    When nobody knows 3 of \"these\"\n",
		verdict: result.Broken, what: "{Pattern: `nobody knows (\\d+) of \"([^\"]*)\"`, Do: func(ctx context.Context, n1 int, s2 string) error"},
	{name: "pending", do: func(*testing.T, context.Context) error { return suite.ErrPending },
		verdict: result.Broken, what: "not written yet"},
	{name: "ambiguous", steps: "    Given one of two\n",
		verdict: result.Broken, what: "test: `one of t.*` and test: `.* of two`"},
	{name: "no steps", steps: "\n", verdict: result.Broken, what: "no steps"},
	{name: "a step with a wrong first word", steps: "    Gien it passes\n", verdict: result.Broken, what: "a step begins with Given"},
	{name: "a table nobody takes", steps: "    Given it passes\n      | a |\n", verdict: result.Broken, what: "takes no table"},
	{name: "a docstring nobody takes", steps: "    Given it passes\n      \"\"\"\n      a\n      \"\"\"\n",
		verdict: result.Broken, what: "takes no docstring"},
	{name: "a table that is missing", steps: "    Given a table\n", verdict: result.Broken, what: "needs a table"},
	{name: "a number that is none", steps: "    Given the number many\n", verdict: result.Broken, what: "does not fit its definition"},
	{name: "a panic in a step", do: func(*testing.T, context.Context) error { panic("oh") },
		verdict: result.Broken, what: "panicked: oh"},
	{name: "a step that ends its goroutine", do: func(*testing.T, context.Context) error { runtime.Goexit(); return nil },
		verdict: result.Broken, what: "runtime.Goexit"},
	{name: "a step past its deadline", do: func(_ *testing.T, ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		options: func(_ *testing.T, o *suite.Options) { o.StepTimeout = 10 * time.Millisecond },
		verdict: result.Broken, what: "deadline"},
	{name: "a step that ignores its deadline", do: func(t *testing.T, _ context.Context) error { <-t.Context().Done(); return nil },
		options: func(_ *testing.T, o *suite.Options) { o.StepTimeout = 10 * time.Millisecond },
		verdict: result.Broken, what: "ignored its deadline"},
	{name: "a failing clean-up", do: func(_ *testing.T, ctx context.Context) error {
		world.From(ctx).Cleanup("sweep", func(context.Context) error { return errors.New("dust") })
		return nil
	}, verdict: result.Broken, what: "clean-up sweep: dust"},
	{name: "a clean-up with a mismatch is ours, not the product's", do: func(_ *testing.T, ctx context.Context) error {
		world.From(ctx).Cleanup("sweep", fails)
		return nil
	}, verdict: result.Broken, what: "clean-up sweep: thing"},
	{name: "a clean-up that panics", do: func(_ *testing.T, ctx context.Context) error {
		world.From(ctx).Cleanup("sweep", func(context.Context) error { panic("oh") })
		return nil
	}, verdict: result.Broken, what: "clean-up sweep panicked: oh"},
	{name: "a clean-up that hangs", do: func(t *testing.T, ctx context.Context) error {
		world.From(ctx).Cleanup("sweep", func(context.Context) error { <-t.Context().Done(); return nil })
		return nil
	}, verdict: result.Broken, what: "clean-up sweep ignored its deadline"},
	{name: "no lease", options: func(_ *testing.T, o *suite.Options) {
		o.Site = &site{lease: func(context.Context, string) error { return errors.New("all taken") }}
	}, verdict: result.Broken, what: "all taken"},
	{name: "an empty lease", options: func(_ *testing.T, o *suite.Options) { o.Site = emptySite{&site{}} },
		verdict: result.Broken, what: "empty lease"},
	{name: "a lease that never comes", options: func(t *testing.T, o *suite.Options) {
		o.LeaseTimeout = 10 * time.Millisecond
		o.Site = &site{lease: func(context.Context, string) error { <-t.Context().Done(); return nil }}
	}, verdict: result.Broken, what: "getting a place ignored its deadline"},
	{name: "a lease that cannot be given back", options: func(_ *testing.T, o *suite.Options) {
		o.Site = &site{release: func(context.Context, string) error { return errors.New("still in use") }}
	}, verdict: result.Broken, what: "give back the place: still in use"},
	{name: "a failing Before", options: func(_ *testing.T, o *suite.Options) {
		o.Packs[0].Before = func(context.Context) error { return errors.New("not ready") }
	}, verdict: result.Broken, what: "not ready"},
	{name: "a failing After", options: func(_ *testing.T, o *suite.Options) { o.Packs[0].After = fails },
		verdict: result.Failed, what: "thing: expected"},
	{name: "a panic in After", options: func(_ *testing.T, o *suite.Options) {
		o.Packs[0].After = func(context.Context) error { panic("oh") }
	}, verdict: result.Broken, what: "after of pack test panicked: oh"},
	{name: "a panic in Judge", options: func(_ *testing.T, o *suite.Options) {
		o.Judge = func(result.Scenario) []result.Finding { panic("oh") }
	}, verdict: result.Broken, what: "judging panicked: oh"},
	{name: "a platform that never gets quiet", do: func(_ *testing.T, ctx context.Context) error {
		here(ctx).ledger.Open("run 7")
		return nil
	}, options: func(_ *testing.T, o *suite.Options) { o.ScenarioTimeout = 100 * time.Millisecond },
		verdict: result.Failed, what: "still busy at the deadline (1 open)"},
	{name: "a platform beyond repair", do: func(_ *testing.T, ctx context.Context) error {
		here(ctx).ledger.Fail(errors.New("the forge is gone"))
		return nil
	}, verdict: result.Broken, what: "the forge is gone"},
	{name: "an unknown route", do: func(_ *testing.T, ctx context.Context) error {
		here(ctx).Append(journal.Entry{Kind: journal.Read, Type: "unknown-route", Subject: "GET /teapot"})
		return nil
	}, verdict: result.Broken, what: "does not serve: GET /teapot"},
	{name: "an unexpected failed run", do: func(_ *testing.T, ctx context.Context) error {
		here(ctx).Append(journal.Entry{Kind: journal.Change, Type: "run.completed", Subject: "run:5",
			Detail: map[string]string{"conclusion": "failure"}})
		return nil
	}, verdict: result.Failed, what: "run:5 ended in failure"},
	{name: "a failed operation that nobody claimed", options: func(_ *testing.T, o *suite.Options) {
		o.Packs[0].After = func(ctx context.Context) error {
			world.From(ctx).Observe(ctx, "agent.recorded", "run:5 Emit triage JSON", map[string]any{"success": false, "error": "disk full"})
			return nil
		}
	}, verdict: result.Failed, what: `operation "Emit triage JSON" of run:5 failed and no step expected it: disk full`},
	{name: "an actor nobody knows", do: func(_ *testing.T, ctx context.Context) error {
		_, err := world.From(ctx).As("nobody").Issues.Get(ctx, driver.Ref{})
		return err
	}, verdict: result.Broken, what: "act as nobody"},
}

type emptySite struct{ *site }

func (emptySite) Lease(context.Context, string) (*environment.Lease, error) {
	return &environment.Lease{}, nil
}

func TestNothingPassesByAccident(t *testing.T) {
	for _, c := range stricts {
		t.Run(c.name, func(t *testing.T) {
			do := func(ctx context.Context) error {
				if c.do == nil {
					return nil
				}
				return c.do(t, ctx)
			}
			if c.steps == "" {
				c.steps = "    Given it passes\n"
			}
			o := suite.Options{Judge: policy.Judge(policy.Options{}), Packs: []suite.Pack{pack(
				step("it passes", "it passes", do),
				step("one of t.*", "one of three", func(context.Context) error { return nil }),
				step(".* of two", "each of two", func(context.Context) error { return nil }),
				step("a table", "a table", func(context.Context, *suite.Table) error { return nil }),
				step(`the number (\w+)`, "the number 3", func(context.Context, int) error { return nil }),
			)}}
			if c.options != nil {
				c.options(t, &o)
			}
			o.Planned = one(t, c.steps)
			got := run(t, o)[0]
			if got.Verdict != c.verdict {
				t.Errorf("verdict is %s, want %s", got.Verdict, c.verdict)
			}
			if all := problems(got); !strings.Contains(all, c.what) {
				t.Errorf("want %q in\n%s", c.what, all)
			}
		})
	}
}

// TestTheStrictTableCanBeGreen makes sure that the table above is not red for another reason.
func TestTheStrictTableCanBeGreen(t *testing.T) {
	got := run(t, suite.Options{Planned: one(t, "    Given it passes\n"), Packs: []suite.Pack{pack(passes("it passes"))},
		Judge: policy.Judge(policy.Options{})})[0]
	if got.Verdict != result.Passed {
		t.Error(problems(got))
	}
}
