package actions

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/understudy-dev/understudy/internal/jobwire"
)

// How many annotations and summaries GitHub keeps.
// https://github.com/orgs/community/discussions/26680
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#step-isolation-and-limits
const (
	maxAnnotationsOfStep = 10 // of each level
	maxAnnotationsOfJob  = 50
	maxSummaries         = 20      // of a job
	maxSummary           = 1 << 20 // bytes, of a step
)

// noFile is where GitHub puts an annotation that names no file.
const noFile = ".github"

// annotated keeps what a step says about a file. One without a file stands at the line of the step's log.
func (o *output) annotated(ev jobwire.Event) error {
	in := ev.Annotation
	if in == nil || !slices.Contains([]string{"notice", "warning", failure}, in.Level) || ev.Step < 0 || ev.Step > maxSteps {
		return fmt.Errorf("event %s of step %d is none", ev.Type, ev.Step)
	}
	n := Annotation{Level: in.Level, Path: o.masks.Hide(in.Path), StartLine: in.StartLine, EndLine: in.EndLine, StartColumn: in.StartColumn,
		EndColumn: in.EndColumn, Title: o.masks.Hide(in.Title), Message: o.masks.Hide(in.Message), Step: ev.Step}
	if n.Path == "" && n.StartLine == 0 {
		n.StartLine, n.EndLine = o.lines, o.lines
	}
	o.c.annotate(n)
	return nil
}

// annotate adds to the annotations that there is room for; they are stored with the job.
func (c *cell) annotate(n Annotation) {
	same := 0
	for _, x := range c.rec.Annotations {
		if x.Step == n.Step && x.Level == n.Level {
			same++
		}
	}
	if same >= maxAnnotationsOfStep || len(c.rec.Annotations) >= maxAnnotationsOfJob {
		return
	}
	n.Path = cmp.Or(n.Path, noFile)
	n.StartLine, n.EndLine = max(n.StartLine, 1), max(n.EndLine, n.StartLine, 1)
	c.rec.Annotations = append(slices.Clip(c.rec.Annotations), n) // the host may have kept the slice
}

// summarized keeps what a step, or a step of its action, left for the summary of the job.
func (o *output) summarized(ev jobwire.Event) error {
	rec, left := &o.c.rec, 0
	for _, s := range rec.Steps {
		if s.Summary != "" && s.Number != ev.Step {
			left++
		}
	}
	i := slices.IndexFunc(rec.Steps, func(s Step) bool { return s.Number == ev.Step })
	if i < 0 || len(ev.Summary) > maxSummary {
		return fmt.Errorf("event %s of step %d, %d bytes", ev.Type, ev.Step, len(ev.Summary))
	}
	if left >= maxSummaries || len(rec.Steps[i].Summary)+len(ev.Summary) > maxSummary {
		return nil
	}
	rec.Steps = slices.Clone(rec.Steps)
	rec.Steps[i].Summary += o.masks.Hide(ev.Summary)
	return nil
}
