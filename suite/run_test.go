package suite_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

// diary notes what happened, from any goroutine.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func TestALifeGoesInOrder(t *testing.T) {
	var d diary
	s := &site{release: func(context.Context, string) error { d.note("release"); return nil }}
	p := pack(step(`I do (\w+) (\d+) times`, "I do it 3 times", func(ctx context.Context, what string, n int) error {
		d.note("%s %d %s", what, n, world.From(ctx).Cause())
		world.From(ctx).Cleanup(what, func(ctx context.Context) error { d.note("clean up %s", what); return ctx.Err() })
		world.From(ctx).Observe(ctx, "did", what, n)
		if what == "work" {
			ob := here(ctx).ledger.Open("background")
			go func() {
				here(ctx).Append(journal.Entry{Kind: journal.Change, Type: "done"})
				d.note("background")
				ob.Close()
			}()
		}
		return nil
	}))
	p.Before = func(ctx context.Context) error { d.note("before"); return nil }
	p.After = func(ctx context.Context) error {
		d.note("after %q", world.From(ctx).Cause())
		world.From(ctx).Observe(ctx, "late", "", true)
		return nil
	}
	got := run(t, suite.Options{Site: s, Packs: []suite.Pack{p},
		Planned: one(t, "    Given I do it 2 times\n    When I do work 7 times\n"),
		Judge: func(s result.Scenario) []result.Finding {
			d.note("judge %d steps, %d after, %d entries", len(s.Steps), len(s.After), len(s.Journal))
			return nil
		}})[0]
	if got.Verdict != result.Passed {
		t.Error(problems(got))
	}
	want := []string{"before", "it 2 step:1", "work 7 step:2", "background", `after ""`,
		"judge 2 steps, 1 after, 3 entries", "clean up work", "clean up it", "release"}
	if diff := cmp.Diff(want, d.lines); diff != "" {
		t.Error(diff)
	}
	if o := got.Steps[1].Observations; len(o) != 1 || o[0].Subject != "did" || o[0].Key != "work" || o[0].Sequence != 2 {
		t.Errorf("observations of step 2: %+v", o)
	}
}

func TestStepsAfterAFailureAreNotReached(t *testing.T) {
	p := pack(passes("it passes"), step("it fails", "it fails", fails))
	got := run(t, suite.Options{Packs: []suite.Pack{p},
		Planned: one(t, "    Given it passes\n    When it fails\n    Then it passes\n")})[0]
	var verdicts []result.Verdict
	for _, s := range got.Steps {
		verdicts = append(verdicts, s.Verdict)
	}
	if diff := cmp.Diff([]result.Verdict{result.Passed, result.Failed, result.Skipped}, verdicts); diff != "" {
		t.Error(diff)
	}
	pr := got.Steps[1].Problem
	if pr.Where != "one.feature:5" || pr.Expected != `"b"` || pr.Seen != `"a"` {
		t.Errorf("problem: %+v", pr)
	}
	if o := got.Steps[1].Observations; len(o) != 1 || o[0].OK || string(o[0].Got) != `"a"` {
		t.Errorf("observations: %+v", o)
	}
}

func TestAnUndefinedStepRunsNothing(t *testing.T) {
	s := &site{}
	got := run(t, suite.Options{Site: s, Packs: []suite.Pack{pack(passes("it passes"))},
		Planned: one(t, "    Given it passes\n    When a\n    Then b\n")})[0]
	if len(s.leased) != 0 {
		t.Errorf("leased %q", s.leased)
	}
	if got.Steps[1].Problem == nil || got.Steps[2].Problem == nil {
		t.Errorf("not every undefined step is named:\n%s", problems(got))
	}
}

func TestAGivenUpScenarioIsLeftAlone(t *testing.T) {
	var d diary
	let, done := make(chan struct{}), make(chan struct{})
	s := &site{}
	p := pack(step("it hangs", "it hangs", func(ctx context.Context) error {
		defer close(done)
		w := world.From(ctx)
		w.Observe(ctx, "early", "", 1)
		w.Cleanup("early", func(context.Context) error { d.note("clean-up"); return nil })
		here(ctx).ledger.Open("run 7")
		<-let // not looking at ctx is the mistake
		w.Observe(ctx, "late", "", 2)
		w.Cleanup("late", func(context.Context) error { return nil })
		if err := w.Until(ctx, func(context.Context) error { return nil }); !errors.Is(err, world.ErrQuarantined) {
			d.note("a late wait gave %v", err)
		}
		return nil
	}))
	p.After = func(context.Context) error { d.note("after"); return nil }
	got := run(t, suite.Options{Site: s, Packs: []suite.Pack{p}, StepTimeout: 10 * time.Millisecond,
		Planned: one(t, "    Given it hangs\n")})[0]
	close(let)
	<-done
	if got.Verdict != result.Broken || len(d.lines) > 0 {
		t.Errorf("noted %q\n%s", d.lines, problems(got))
	}
	st := got.Steps[0]
	if len(st.Observations) != 1 || st.Observations[0].Subject != "early" {
		t.Errorf("observations: %+v", st.Observations)
	}
	if diff := cmp.Diff([]string{"run 7"}, st.Problem.Pending); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(st.Problem.Stack, "TestAGivenUpScenarioIsLeftAlone") {
		t.Errorf("the stack does not show where it hangs:\n%s", st.Problem.Stack)
	}
	if all := problems(got); !strings.Contains(all, "these clean-ups did not run: early") {
		t.Error(all)
	}
	if len(got.Journal) == 0 {
		t.Error("the journal is not kept")
	}
	if diff := cmp.Diff([]string{"one.feature:3"}, s.released); diff != "" {
		t.Error(diff)
	}
}

func TestALeaseThatComesTooLateIsGivenBack(t *testing.T) {
	let, back := make(chan struct{}), make(chan struct{})
	s := &site{
		lease:   func(context.Context, string) error { <-let; return nil },
		release: func(context.Context, string) error { close(back); return nil },
	}
	run(t, suite.Options{Site: s, LeaseTimeout: time.Millisecond, Packs: []suite.Pack{pack(passes("it passes"))},
		Planned: one(t, "    Given it passes\n")})
	close(let)
	<-back
}

func TestInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	var d diary
	s := &site{}
	p := pack(step("it waits", "it waits", func(ctx context.Context) error {
		w := world.From(ctx)
		w.Cleanup("sweep", func(ctx context.Context) error { d.note("swept %v", ctx.Err()); return nil })
		here(ctx).ledger.Open("run 7")
		interrupt()
		err := w.Until(ctx, func(ctx context.Context) error { return w.Expect(ctx, "thing", 1, match.Equal(2)) })
		if !errors.Is(err, context.Canceled) {
			d.note("the wait gave %v", err)
		}
		return fails(ctx) // what is seen while everything is being stopped is not the product's fault
	}))
	text := "Feature: F\n"
	for range 3 {
		text += "  Scenario: S\n    Given it waits\n    Then it waits\n"
	}
	trials, err := suite.Run(ctx, hasty(suite.Options{Site: s, Jobs: 1, Packs: []suite.Pack{p},
		Planned: features(t, map[string]string{"a.feature": text}),
		Judge:   func(result.Scenario) []result.Finding { d.note("judged"); return nil }}))
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range trials[0].Scenarios {
		if got.Verdict != result.Broken || !strings.Contains(problems(got), "interrupted") {
			t.Error(problems(got))
		}
	}
	if diff := cmp.Diff([]string{"swept <nil>"}, d.lines); diff != "" {
		t.Error(diff)
	}
	if len(s.leased) != 1 || len(s.released) != 1 {
		t.Errorf("leased %q, released %q", s.leased, s.released)
	}
}

func TestResultsStandInFileOrderWhateverTheSeed(t *testing.T) {
	text := "Feature: F\n" + strings.Repeat("  Scenario: S\n    Given it passes\n", 20)
	planned := features(t, map[string]string{"a.feature": text, "b.feature": text})
	planned.Scenarios[3].Skip = "by plan"
	ran := map[int64][]string{}
	for _, seed := range []int64{1, 1, 2} {
		s := &site{}
		var d diary
		trials, err := suite.Run(t.Context(), hasty(suite.Options{Site: s, Planned: planned, Seed: seed, Repeat: 2, Jobs: 1,
			Packs: []suite.Pack{pack(passes("it passes"))},
			Progress: func(e result.Event) {
				if e.Kind == "started" {
					d.note("%d %s", e.Trial, e.Scenario)
				}
			}}))
		if err != nil {
			t.Fatal(err)
		}
		for i, tr := range trials {
			if tr.Number != i+1 || len(tr.Scenarios) != 40 {
				t.Fatalf("trial %d is numbered %d with %d scenarios", i+1, tr.Number, len(tr.Scenarios))
			}
			for k, sc := range tr.Scenarios {
				want := result.Passed
				if k == 3 {
					want = result.Skipped
				}
				if sc.ID != planned.Scenarios[k].ID || sc.Verdict != want {
					t.Errorf("place %d: %s %s", k, sc.ID, sc.Verdict)
				}
			}
		}
		if before, ok := ran[seed]; ok {
			if diff := cmp.Diff(before, d.lines); diff != "" {
				t.Errorf("the same seed ran in another order: %s", diff)
			}
		}
		ran[seed] = d.lines
	}
	if cmp.Equal(ran[1], ran[2]) {
		t.Error("another seed ran in the same order")
	}
	if len(ran[1]) != 78 {
		t.Errorf("%d scenarios started, want 78", len(ran[1]))
	}
}

func TestJobsAreTheCapacityUnlessSaidOtherwise(t *testing.T) {
	text := "Feature: F\n" + strings.Repeat("  Scenario: S\n    Given all are here\n", 12)
	for _, c := range []struct{ capacity, jobs, want int }{{4, 0, 4}, {4, 2, 2}} {
		var barrier sync.WaitGroup // of a full house: it opens only when want scenarios run at once
		barrier.Add(c.want)
		var first sync.Map
		p := pack(step("all are here", "all are here", func(ctx context.Context) error {
			if w := here(ctx); w != nil {
				if n := count(&first); n <= c.want {
					barrier.Done()
				}
				barrier.Wait()
			}
			return nil
		}))
		s := &site{capacity: c.capacity}
		for _, got := range run(t, suite.Options{Site: s, Jobs: c.jobs, Packs: []suite.Pack{p},
			Planned: features(t, map[string]string{"a.feature": text})}) {
			if got.Verdict != result.Passed {
				t.Error(problems(got))
			}
			if got.Worker < 1 || got.Worker > c.want {
				t.Errorf("worker %d", got.Worker)
			}
		}
		if s.most != c.want {
			t.Errorf("capacity %d, jobs %d: %d at once, want %d", c.capacity, c.jobs, s.most, c.want)
		}
	}
	o := suite.Options{Site: &site{capacity: 2}, Jobs: 3}
	if w := o.Warnings(); len(w) != 1 || !strings.Contains(w[0], "3 jobs") {
		t.Errorf("warnings: %q", w)
	}
}

var counting sync.Mutex

func count(m *sync.Map) int {
	counting.Lock()
	defer counting.Unlock()
	n, _ := m.LoadOrStore("n", 0)
	m.Store("n", n.(int)+1)
	return n.(int) + 1
}

func TestProgressIsInOrderAndCannotChangeTheResult(t *testing.T) {
	var lines []string
	got := run(t, suite.Options{Packs: []suite.Pack{pack(passes("it passes"))}, Planned: one(t, "    Given it passes\n"),
		Progress: func(e result.Event) {
			lines = append(lines, fmt.Sprintf("%s %s %d/%d %s", e.Kind, e.Scenario, e.Step, e.Steps, e.Text))
			if e.Result != nil {
				e.Result.Verdict = result.Failed
			}
		}})[0]
	if got.Verdict != result.Passed {
		t.Errorf("verdict %s", got.Verdict)
	}
	want := []string{"started one.feature:3 0/1 ", "step one.feature:3 1/1 it passes", "finished one.feature:3 0/1 "}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

func TestArgumentsReachTheStep(t *testing.T) {
	var d diary
	p := pack(
		step("a table", "a table", func(_ context.Context, tb *suite.Table) error {
			d.note("%s", tb.Rows[1].Cells[0].Value)
			return nil
		}),
		step(`a text of (-?\d+), (\d+\.\d+) and (true|false)`, "a text of 1, 0.5 and true",
			func(_ context.Context, n int64, f float64, b bool, ds *suite.DocString) error {
				d.note("%d %v %v %s", n, f, b, ds.Content)
				return nil
			}),
	)
	got := run(t, suite.Options{Packs: []suite.Pack{p}, Planned: one(t,
		"    Given a table\n      | h |\n      | v |\n    And a text of -3, 2.5 and true\n      \"\"\"\n      x\n      y\n      \"\"\"\n")})[0]
	if got.Verdict != result.Passed {
		t.Error(problems(got))
	}
	if diff := cmp.Diff([]string{"v", "-3 2.5 true x\ny"}, d.lines); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"| h |\n| v |\n", "x\ny"}, []string{got.Steps[0].Argument, got.Steps[1].Argument}); diff != "" {
		t.Error(diff)
	}
}

func TestNothingToRun(t *testing.T) {
	if _, err := suite.Run(t.Context(), hasty(suite.Options{})); !errors.Is(err, suite.ErrNothingSelected) {
		t.Errorf("got %v", err)
	}
}

// TestStepsKnowTheTags asks from a step what its scenario is tagged with, inherited tags included.
func TestStepsKnowTheTags(t *testing.T) {
	got := map[string]bool{}
	p := pack(suite.Step{Pattern: `it is asked`, Doc: "Asks.", Example: "it is asked", Do: func(ctx context.Context) error {
		w := world.From(ctx)
		got[w.Scenario()] = w.Tagged("@fresh")
		return nil
	}})
	_, err := suite.Run(t.Context(), suite.Options{Site: &site{}, Packs: []suite.Pack{p}, Planned: features(t, map[string]string{
		"a.feature": "Feature: A\n  Scenario: S\n    Given it is asked\n  @fresh\n  Scenario: T\n    Given it is asked\n",
		"b.feature": "@fresh\nFeature: B\n  Scenario: S\n    Given it is asked\n",
	})})
	if want := map[string]bool{"a.feature:2": false, "a.feature:5": true, "b.feature:3": true}; err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}
