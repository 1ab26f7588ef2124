package actions

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
	"github.com/understudy-dev/understudy/emulator/actions/internal/workflow"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/outline"
)

// parse reads a workflow file, and tells the journal of it when it is a new one.
func (e *Engine) parse(f File) (*workflow.Workflow, error) {
	r := e.parsed.parse(f)
	if !r.told {
		r.told = true
		detail, err := outlined(r).Detail()
		if err != nil {
			return r.wf, err
		}
		e.o.Journal.Append(journal.Entry{Kind: journal.Read, Type: outline.FileEntry, Subject: f.Path, Detail: detail})
	}
	return r.wf, r.problems
}

func outlined(r *reading) outline.File {
	f := outline.File{Path: r.wf.Path, Digest: r.wf.Digest, Broken: r.problems != nil, Permissions: granted(r.wf.Permissions)}
	for _, j := range r.wf.Jobs {
		out := outline.Job{Key: j.Key, Line: j.Line, If: conditionOf(j.If), Permissions: granted(j.Permissions), Cells: cellsOf(j)}
		if j.Call != nil {
			out.Calls = j.Call.Uses
		}
		for _, s := range j.Steps {
			out.Steps = append(out.Steps, outline.Step{Name: s.Name, Line: s.Line, If: conditionOf(s.If)})
		}
		f.Jobs = append(f.Jobs, out)
	}
	return f
}

func conditionOf(c *workflow.Condition) *outline.Condition {
	if c == nil {
		return nil
	}
	return &outline.Condition{Line: c.Line, Text: c.String(), AsksStatus: c.AsksStatus()}
}

// granted leaves out what is none; a file that names permissions and gives none still does so.
func granted(permissions map[string]string) map[string]string {
	if permissions == nil {
		return nil
	}
	out := map[string]string{}
	for scope, level := range permissions {
		if level != "none" {
			out[scope] = level
		}
	}
	return out
}

// cellsOf are the cells of a matrix that is known without a run.
func cellsOf(j *workflow.Job) []string {
	if j.Strategy == nil || !j.Strategy.Matrix.Literal() {
		return nil
	}
	v, err := j.Strategy.Matrix.Eval(expr.Scope{})
	if err != nil {
		return nil // the run will say so
	}
	cells, err := expand(v)
	if err != nil {
		return nil
	}
	var out []string
	for _, c := range cells {
		out = append(out, cellText(c))
	}
	return out
}

// cellText is a cell as it stands in the name of its job: "linux, 1.26".
func cellText(cell *expr.Object) string {
	if cell == nil {
		return ""
	}
	var values []string
	leaves(cell, &values)
	return strings.Join(values, ", ")
}

// tell journals what became of the job.
func (c *cell) tell() {
	o := outline.Outcome{
		Digest: c.node.g.wf.Digest, Job: c.node.job.Key, Run: fmt.Sprintf("run:%d", c.rec.RunID),
		Skipped: c.node.skip, Cell: cellText(c.matrix), Conclusion: c.rec.Conclusion,
	}
	for caller := c.node.g.caller; caller != nil; caller = caller.node.g.caller {
		o.Callers = append(o.Callers, caller.node.g.wf.Digest+"#"+caller.node.job.Key)
	}
	for _, s := range c.rec.Steps {
		for len(o.Steps) < s.Number {
			o.Steps = append(o.Steps, "")
		}
		o.Steps[s.Number-1] = cmp.Or(s.Conclusion, cancelled)
	}
	job := ""
	if c.rec.ID != 0 {
		job = fmt.Sprintf("job:%d", c.rec.ID)
	}
	c.node.r.e.o.Journal.Append(journal.Entry{
		Kind: journal.Read, Type: outline.JobEntry, Cause: o.Run, Subject: job, Detail: o.Detail(),
	})
}
