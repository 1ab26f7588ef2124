package run

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/world"
)

// jobStep is the text of the step about any job of the platform's workflows.
const jobStep = `the job "([^"]+)" (succeeds|fails) saying "([^"]+)"`

// says waits for the jobs of that name which the last stimulus caused. That their run fails with one is
// thereby expected.
func says(ctx context.Context, name, how, text string) error {
	w := world.From(ctx)
	want := map[string]string{"succeeds": "success", "fails": "failure"}[how]
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return err
	}
	return w.Until(ctx, func(ctx context.Context) error {
		found, all, err := jobRuns(ctx, w, name)
		if err != nil {
			return err
		}
		if err := w.Expect(ctx, "job.runs", ids(found), match.NotEmpty()); err != nil {
			return match.Hint(err, noJob(name, all))
		}
		said := []string{}
		for _, f := range found {
			for _, j := range f.jobs {
				if err := w.ExpectKey(ctx, "job.conclusion", fmt.Sprintf("job:%d", j.ID), state(j.Status, j.Conclusion), match.Equal(want)); err != nil {
					return match.Hint(err, failedStep(f))
				}
				log, err := w.As(observer).Runs.Log(ctx, r, j.ID)
				if err != nil {
					return err
				}
				said = append(said, excerpt(string(log), text))
			}
			if want == "success" {
				continue
			}
			if err := w.ExpectKey(ctx, "run.conclusion", fmt.Sprintf("run:%d", f.run.ID), state(f.run.Status, f.run.Conclusion), match.Equal(want)); err != nil {
				return err
			}
		}
		return w.Expect(ctx, "job.log", said, match.Any(match.Contains(text)))
	})
}

// excerpt is the text where a log has it, and else the log's end without times: the whole is among the evidence.
func excerpt(log, text string) string {
	if strings.Contains(log, text) {
		return text
	}
	const most = 20
	lines := strings.Split(stamp.ReplaceAllString(strings.TrimRight(log, "\n"), ""), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}

func noJob(name string, all []string) string {
	if len(all) == 0 {
		return "the last stimulus caused no run at all"
	}
	return fmt.Sprintf("the last stimulus caused %s, without a job %q", strings.Join(all, "; "), name)
}

// mentions is what the finished runs that the last stimulus caused say of a stage: the first lines of their
// jobs' logs that have its name, as a word. A platform that decided about it has mostly said why.
func mentions(ctx context.Context, w *world.World, stage string) string {
	r, list, err := caused(ctx, w)
	if err != nil {
		return ""
	}
	word := regexp.MustCompile(`(^|[^\w.-])` + regexp.QuoteMeta(stage) + `($|[^\w.-])`)
	const most = 3
	var said []string
	for _, run := range list {
		if run.Conclusion == "" {
			continue // what it says now is not the last of it
		}
		jobs, err := w.As(observer).Runs.Jobs(ctx, r, run.ID)
		if err != nil {
			return ""
		}
		for _, j := range jobs {
			log, err := w.As(observer).Runs.Log(ctx, r, j.ID)
			if err != nil {
				continue // it never began, and this is a hint only
			}
			for line := range strings.Lines(stamp.ReplaceAllString(string(log), "")) {
				if len(said) < most && word.MatchString(line) {
					said = append(said, fmt.Sprintf("%q says: %s", j.Name, strings.TrimSpace(line)))
				}
			}
		}
	}
	return strings.Join(said, "; ")
}

// stamp is the time at the beginning of each line of a log.
var stamp = regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\dT[\d:.]+Z `)
