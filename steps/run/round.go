package run

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

// roundSteps are about agents that run more than once in a scenario: each run is a round.
var roundSteps = []suite.Step{
	{
		Pattern: `the ([\w-]+) agent is triggered`, Do: triggered,
		Doc: "Waits for a run of the agent that no step has taken as a round yet. It looks at what any stimulus of the scenario caused " +
			"before which or after which a step about rounds stands.",
		Example: `the review agent is triggered`,
	},
	{
		Pattern: `the ([\w-]+) agent completes successfully`, Do: completes,
		Doc: "Takes the earliest run of the agent that no such step has taken yet, of those that the scenario caused, and waits for it to succeed: " +
			"the first use is about the first round, the next about the second. It is never the newest run.",
		Example: `the review agent completes successfully`,
	},
}

// rounds are what steps about rounds know of a scenario.
type rounds struct {
	stimuli []driver.Cause
	taken   map[string]bool // "review run:3"
}

var roundSlot = world.NewSlot[rounds]("rounds")

// next returns the earliest run of the agent that is not taken; false is that there is none.
func next(ctx context.Context, w *world.World, agent string) (run stageRun, ok bool, hint string, err error) {
	s := roundSlot.Of(ctx)
	stimulus, err := world.Shared[driver.Cause](ctx, world.TheStimulus)
	if err != nil {
		return run, false, "", err
	}
	if !slices.Contains(s.stimuli, stimulus) {
		s.stimuli = append(s.stimuli, stimulus)
	}
	found, all, err := stageRuns(ctx, w, agent, s.stimuli...)
	if err != nil {
		return run, false, "", err
	}
	var taken []string
	for _, f := range found {
		if !s.taken[key(agent, f)] {
			return f, true, "", nil
		}
		taken = append(taken, fmt.Sprintf("run:%d", f.run.ID))
	}
	hint = noRun(agent, all, mentions(ctx, w, agent))
	if len(taken) > 0 {
		hint = fmt.Sprintf("of agent %s there is no run beside those that were taken as earlier rounds: %s", agent, strings.Join(taken, ", "))
	}
	return run, false, hint, nil
}

func key(agent string, f stageRun) string { return fmt.Sprintf("%s run:%d", agent, f.run.ID) }

// expectRound looks whether there is a run for the agent's next round.
func expectRound(ctx context.Context, w *world.World, agent string) (stageRun, error) {
	f, ok, hint, err := next(ctx, w, agent)
	if err != nil {
		return f, err
	}
	runs := []string{}
	if ok {
		runs = append(runs, fmt.Sprintf("run:%d", f.run.ID))
	}
	round := fmt.Sprintf("%s round %d", agent, world.Rounds(ctx, agent)+1)
	return f, match.Hint(w.ExpectKey(ctx, "agent.round", round, runs, match.NotEmpty()), hint)
}

func triggered(ctx context.Context, agent string) error {
	w := world.From(ctx)
	return w.Until(ctx, func(ctx context.Context) error {
		_, err := expectRound(ctx, w, agent)
		return err
	})
}

func completes(ctx context.Context, agent string) error {
	w := world.From(ctx)
	name(ctx, agent)
	var took stageRun
	err := w.Until(ctx, func(ctx context.Context) error {
		f, err := expectRound(ctx, w, agent)
		if err != nil {
			return err
		}
		took = f
		err = w.ExpectKey(ctx, "run.conclusion", fmt.Sprintf("run:%d", f.run.ID), state(f.run.Status, f.run.Conclusion), match.Equal("success"))
		return match.Hint(err, failedStep(f))
	})
	if err != nil {
		return err
	}
	s := roundSlot.Of(ctx)
	if s.taken == nil {
		s.taken = map[string]bool{}
	}
	s.taken[key(agent, took)] = true
	world.EndRound(ctx, agent)
	return nil
}
