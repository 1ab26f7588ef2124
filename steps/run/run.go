// Package run lets scenarios say what became of the platform's workflow runs.
//
// A step looks only at the runs that the last stimulus of its scenario caused, directly or through
// other runs. It never takes the newest run for its own.
package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

const observer = "observer"

// Pack holds the steps. After the last one it keeps the log of every job.
var Pack = suite.Pack{Name: "run", After: keepLogs, Lint: lint, Steps: slices.Concat(roundSteps, []suite.Step{
	{
		Pattern: succeedingStep, Do: succeeds,
		Doc: "Waits for the runs of the stage that the last stimulus caused; there is at least one, and all succeed. " +
			"It is a stage of the platform file or an agent of the scenario's own; what later steps say of the agent is of this one, until the next stimulus.",
		Example: `the triage workflow completes successfully`,
	},
	{
		Pattern: reportingStep, Do: failsReporting,
		Doc: "Waits for the stage's run to fail and for a failure comment of the platform that contains the text. " +
			"The platform file says by which text such a comment is known, in names.failure.",
		Example: `the triage workflow fails reporting "not valid JSON"`,
	},
	{
		Pattern: countingStep, Do: dispatched,
		Doc:     "Is decided at quiet: so many jobs of the stage came from the last stimulus, no more and no less.",
		Example: `the harness "triage" was dispatched exactly 1 time`,
	},
	{
		Pattern: absentStep, Do: didNotRun,
		Doc:     "Is decided at quiet: the last stimulus led to no job of the stage.",
		Example: `the harness "triage" agent did not run`,
	},
	{
		Pattern: jobStep, Do: says,
		Doc: "Waits for the jobs of that name which the last stimulus caused; there is at least one, all end so, and the log of one has the text. " +
			"It is any job of the platform's workflows. With fails the failed run is expected.",
		Example: `the job "dispatch" succeeds saying "the kill switch is active"`,
	},
	{
		Pattern: `the (?:harness "([\w.-]+)"|([\w-]+)) workflow logs (contain|do not contain) "([^"]+)"`, Do: logs,
		Doc: "Waits for the runs of the stage that the last stimulus caused, of which there is at least one, to end; the log of one of their jobs has the " +
			"text, or none has.",
		Example: `the triage workflow logs contain "starts triage"`,
	},
	{
		Pattern: unownedStep, Do: unowned,
		Doc: "Is decided at quiet: the last stimulus caused at least one run, the logs of none say that an OWNERS file decided (names.owners of the platform " +
			"file), and no stage ran.",
		Example: unownedStep,
	},
})}

// stageRun is one run that contains a job of the stage.
type stageRun struct {
	run  driver.Run
	jobs []driver.Job // of the stage alone
}

// stageRuns finds the runs with jobs of stage that the last stimulus caused. all names every run it
// caused, for hints.
func stageRuns(ctx context.Context, w *world.World, stage string, stimuli ...driver.Cause) (found []stageRun, all []string, err error) {
	set := w.Drivers()
	var stages []string
	for _, s := range set.Platform.Stages {
		stages = append(stages, s.Name)
	}
	if own := world.Harnesses(ctx); !slices.Contains(stages, stage) && !slices.Contains(own, stage) {
		return nil, nil, fmt.Errorf("the platform file names no stage %q, and no step has brought such an agent; there are: %s",
			stage, strings.Join(slices.Concat(stages, own), ", "))
	}
	return jobRuns(ctx, w, strings.ReplaceAll(set.Platform.JobPattern, "{stage}", stage), stimuli...)
}

// jobRuns is the same for the jobs of a name.
func jobRuns(ctx context.Context, w *world.World, name string, stimuli ...driver.Cause) (found []stageRun, all []string, err error) {
	r, list, err := caused(ctx, w, stimuli...)
	if err != nil {
		return nil, nil, err
	}
	runs := w.As(observer).Runs
	for _, run := range list {
		all = append(all, fmt.Sprintf("run:%d %s %s", run.ID, run.Workflow, state(run.Status, run.Conclusion)))
		jobs, err := runs.Jobs(ctx, r, run.ID)
		if err != nil {
			return nil, nil, err
		}
		sr := stageRun{run: run}
		for _, j := range jobs {
			if (j.Name == name || strings.HasSuffix(j.Name, " / "+name)) && j.Conclusion != "skipped" {
				sr.jobs = append(sr.jobs, j)
			}
		}
		if len(sr.jobs) > 0 {
			found = append(found, sr)
		}
	}
	return found, all, nil
}

// caused are the runs that the stimuli caused, oldest first; without any, those of the last stimulus.
func caused(ctx context.Context, w *world.World, stimuli ...driver.Cause) (r driver.Repo, runs []driver.Run, err error) {
	if r, err = world.Shared[driver.Repo](ctx, world.TheRepository); err != nil {
		return r, nil, err
	}
	if len(stimuli) == 0 {
		last, err := world.Shared[driver.Cause](ctx, world.TheStimulus)
		if err != nil {
			return r, nil, err
		}
		stimuli = []driver.Cause{last}
	}
	entries, err := w.Drivers().Journal.Entries(ctx, 0)
	if err != nil {
		return r, nil, err
	}
	causes := map[driver.Cause]bool{}
	for _, s := range stimuli {
		maps.Copy(causes, driver.CausedBy(entries, s))
	}
	list, err := w.As(observer).Runs.List(ctx, r, driver.RunFilter{})
	for _, run := range slices.Backward(list) {
		if causes[driver.Cause(fmt.Sprintf("run:%d", run.ID))] {
			runs = append(runs, run)
		}
	}
	return r, runs, err
}

func state(status, conclusion string) string {
	if conclusion != "" {
		return conclusion
	}
	return status
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func succeeds(ctx context.Context, quoted, bare string) error {
	return concludes(ctx, either(quoted, bare), "success")
}

// concludes waits until every run of the stage has the conclusion, and claims each. A run that ends
// otherwise is decided at once: nothing that comes later can change it.
func concludes(ctx context.Context, stage, want string) error {
	w := world.From(ctx)
	name(ctx, stage)
	return w.Until(ctx, func(ctx context.Context) error {
		found, all, err := stageRuns(ctx, w, stage)
		if err != nil {
			return err
		}
		if err := w.Expect(ctx, "stage.runs", ids(found), match.NotEmpty()); err != nil {
			return match.Hint(err, noRun(stage, all, mentions(ctx, w, stage)))
		}
		for _, f := range found {
			err := w.ExpectKey(ctx, "run.conclusion", fmt.Sprintf("run:%d", f.run.ID), state(f.run.Status, f.run.Conclusion), match.Equal(want))
			if err != nil {
				return match.Hint(err, failedStep(f))
			}
		}
		return nil
	})
}

// name makes stage the agent of which later steps speak.
func name(ctx context.Context, stage string) {
	if stimulus, err := world.Shared[driver.Cause](ctx, world.TheStimulus); err == nil {
		world.Share(ctx, world.TheAgent, world.NamedAgent{Name: stage, Stimulus: stimulus})
	}
}

func ids(found []stageRun) []string {
	out := []string{}
	for _, f := range found {
		out = append(out, fmt.Sprintf("run:%d", f.run.ID))
	}
	return out
}

// noRun is a hint; said is what the runs say of the stage, if anything.
func noRun(stage string, all []string, said string) string {
	if len(all) == 0 {
		return "the last stimulus caused no run at all"
	}
	hint := fmt.Sprintf("the last stimulus caused %s, without a job of stage %s", strings.Join(all, "; "), stage)
	if said != "" {
		hint += "; " + said
	}
	return hint
}

func failedStep(f stageRun) string {
	for _, j := range f.jobs {
		for _, s := range j.Steps {
			if s.Conclusion == "failure" {
				return fmt.Sprintf("job %q failed in step %d, %q", j.Name, s.Number, s.Name)
			}
		}
	}
	return ""
}

func failsReporting(ctx context.Context, quoted, bare, text string) error {
	if err := concludes(ctx, either(quoted, bare), "failure"); err != nil {
		return err
	}
	w := world.From(ctx)
	where, err := reportedOn(ctx)
	if err != nil {
		return err
	}
	marker := w.Drivers().Platform.FailureMarker
	if marker == "" {
		return errors.New("the platform file gives no names.failure: any comment would count as the platform's report")
	}
	return w.Until(ctx, func(ctx context.Context) error {
		reports, all, said := []string{}, 0, []string{}
		for _, name := range slices.Sorted(maps.Keys(where)) {
			comments, err := w.As(observer).Issues.Comments(ctx, where[name])
			if err != nil {
				return err
			}
			all += len(comments)
			said = append(said, name)
			for _, c := range comments {
				if strings.Contains(c.Body, marker) {
					reports = append(reports, c.Body)
				}
			}
		}
		err = w.Expect(ctx, "failure.comments", reports, match.Any(match.Contains(text)))
		return match.Hint(err, fmt.Sprintf("%s has %d comments, %d with the platform's failure marker %q", strings.Join(said, " and "), all, len(reports), marker))
	})
}

// reportedOn is where a platform can report the failure: the scenario's issue and pull requests, those that
// there are.
func reportedOn(ctx context.Context) (map[string]driver.Ref, error) {
	where := map[string]driver.Ref{}
	var missing error
	for _, name := range []string{world.ThePull, world.TheForkPull, world.TheIssue} {
		ref, err := world.Shared[driver.Ref](ctx, name)
		if err != nil {
			missing = err
			continue
		}
		where[name] = ref
	}
	if len(where) == 0 {
		return nil, missing
	}
	return where, nil
}

func dispatched(ctx context.Context, stage string, n int) error {
	w := world.From(ctx)
	if n > 0 {
		name(ctx, stage)
	}
	return w.Settled(ctx, func(ctx context.Context) error {
		found, all, err := stageRuns(ctx, w, stage)
		if err != nil {
			return err
		}
		jobs := []string{}
		for _, f := range found {
			for _, j := range f.jobs {
				jobs = append(jobs, fmt.Sprintf("run:%d %s", f.run.ID, j.Name))
			}
		}
		err = w.Expect(ctx, "stage.dispatches", jobs, match.Count(n))
		switch {
		case err != nil && len(jobs) == 0:
			err = match.Hint(err, noRun(stage, all, mentions(ctx, w, stage)))
		case err != nil:
			err = match.Hint(err, mentions(ctx, w, stage))
		}
		return err
	})
}

func didNotRun(ctx context.Context, stage string) error { return dispatched(ctx, stage, 0) }

// keepLogs attaches the log of every job of the scenario, while the forge is still there.
func keepLogs(ctx context.Context) error {
	w := world.From(ctx)
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return nil // no repository, no runs
	}
	runs := w.As(observer).Runs
	list, err := runs.List(ctx, r, driver.RunFilter{})
	if err != nil {
		return err
	}
	for _, run := range list {
		jobs, err := runs.Jobs(ctx, r, run.ID)
		if err != nil {
			return err
		}
		for _, j := range jobs {
			log, err := runs.Log(ctx, r, j.ID)
			if errors.Is(err, driver.ErrNotFound) || err == nil && len(log) == 0 {
				continue // it never began
			}
			if err != nil {
				return err
			}
			name := fmt.Sprintf("run-%d-job-%d.log", run.ID, j.ID)
			if err := w.Attach(ctx, name, "text/plain; charset=utf-8", log); err != nil {
				return err
			}
		}
	}
	return nil
}
