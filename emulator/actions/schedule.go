package actions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/understudy-dev/understudy/emulator/actions/internal/workflow"
)

const schedule = "schedule"

// MaxDue is how many runs one stretch of time may start.
const MaxDue = 1000

// Due is a run that is due by `on.schedule`.
type Due struct {
	Repo     string
	Workflow string // path of the file
	Cron     string // as it stands there
	Line     int    // where
	SHA      string // head of the default branch, whose files count
	At       time.Time
}

// Due returns what the default branches of repositories have scheduled after from and until to: in the order of
// time, and at one moment by the names of repositories and files. It starts nothing: an event `schedule` with that time and
// with the details workflow and repo does. More than MaxDue are refused.
func (e *Engine) Due(ctx context.Context, repos []string, from, to time.Time) ([]Due, error) {
	var all []Due
	for _, repo := range repos {
		src, err := e.o.Host.Source(ctx, repo, "")
		if err != nil {
			return nil, fmt.Errorf("read workflows of %s: %w", repo, err)
		}
		for _, f := range src.Files {
			if !workflowFile(f) || slices.Contains(src.Disabled, f.Path) {
				continue
			}
			for _, c := range e.crons(f) {
				for _, at := range c.Between(from, to, MaxDue+1-len(all)) {
					all = append(all, Due{Repo: repo, Workflow: f.Path, Cron: c.String(), Line: c.Line, SHA: src.SHA, At: at})
				}
			}
			if len(all) > MaxDue {
				return nil, fmt.Errorf("more than %d scheduled runs would be due from %s to %s, many of them of %s in %s: advance in shorter steps",
					MaxDue, from.UTC().Format(time.RFC3339), to.UTC().Format(time.RFC3339), f.Path, repo)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Due) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Repo, b.Repo), cmp.Compare(a.Workflow, b.Workflow))
	})
	return all, nil
}

// crons are the schedules of a file.
func (e *Engine) crons(f File) []workflow.Cron {
	e.accepting.Lock()
	defer e.accepting.Unlock()
	wf := e.parsed.parse(f).wf
	if wf.On.Broken() {
		return nil
	}
	return wf.On.Crons
}
