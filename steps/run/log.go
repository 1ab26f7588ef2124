package run

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/world"
)

// unownedStep is the text of the step that no OWNERS file decided.
const unownedStep = `the dispatch run does not authorize via OWNERS`

// logs looks at the whole log of each run with a job of the stage, once it has ended.
func logs(ctx context.Context, quoted, bare, how, text string) error {
	w, stage := world.From(ctx), either(quoted, bare)
	wait := w.Until
	if how != "contain" {
		wait = w.Settled
	}
	return wait(ctx, func(ctx context.Context) error {
		found, all, err := stageRuns(ctx, w, stage)
		if err != nil {
			return err
		}
		if err := w.Expect(ctx, "stage.runs", ids(found), match.NotEmpty()); err != nil {
			return match.Hint(err, noRun(stage, all, mentions(ctx, w, stage)))
		}
		var runs []driver.Run
		for _, f := range found {
			runs = append(runs, f.run)
		}
		return speak(ctx, w, runs, how == "contain", text)
	})
}

// speak holds the logs of runs that have ended to have the text, or not to.
func speak(ctx context.Context, w *world.World, runs []driver.Run, has bool, text string) error {
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return err
	}
	said := []string{}
	for _, run := range runs {
		if err := w.ExpectKey(ctx, "run.status", fmt.Sprintf("run:%d", run.ID), run.Status, match.Equal("completed")); err != nil {
			return err
		}
		jobs, err := w.As(observer).Runs.Jobs(ctx, r, run.ID)
		if err != nil {
			return err
		}
		for _, j := range jobs {
			log, err := w.As(observer).Runs.Log(ctx, r, j.ID)
			if errors.Is(err, driver.ErrNotFound) {
				continue // it never began
			}
			if err != nil {
				return err
			}
			said = append(said, fmt.Sprintf("run:%d %s: %s", run.ID, j.Name, excerpt(string(log), text)))
		}
	}
	if has {
		return w.Expect(ctx, "run.logs", said, match.Any(match.Contains(text)))
	}
	return w.Expect(ctx, "run.logs.with", with(said, text), match.Count(0))
}

func with(said []string, text string) []string {
	found := []string{}
	for _, s := range said {
		if strings.Contains(s, text) {
			found = append(found, s)
		}
	}
	return found
}

func unowned(ctx context.Context) error {
	w := world.From(ctx)
	p := w.Drivers().Platform
	if p.OwnersMarker == "" {
		return fmt.Errorf("the platform file of %s gives no names.owners, the text by which a run says that an OWNERS file decided", p.Name)
	}
	return w.Settled(ctx, func(ctx context.Context) error {
		_, runs, err := caused(ctx, w)
		if err != nil {
			return err
		}
		names := []string{}
		for _, run := range runs {
			names = append(names, fmt.Sprintf("run:%d %s", run.ID, run.Workflow))
		}
		if err := w.Expect(ctx, "dispatch.runs", names, match.NotEmpty()); err != nil {
			return err
		}
		if err := speak(ctx, w, runs, false, p.OwnersMarker); err != nil {
			return err
		}
		started := []string{}
		for _, s := range p.Stages {
			found, _, err := stageRuns(ctx, w, s.Name)
			if err != nil {
				return err
			}
			for _, id := range ids(found) {
				started = append(started, s.Name+" in "+id)
			}
		}
		return w.Expect(ctx, "stage.starts", started, match.Count(0))
	})
}
