package actions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
	"github.com/understudy-dev/understudy/internal/journal"
)

// again is what a run is asked to do once more.
type again struct {
	jobs string     // "all", "failed", or the id of one job
	past *pastGraph // nil: everything runs
}

// pastGraph is how the jobs of a file ended in an attempt, by key. It is kept as JSON.
type pastGraph struct{ Nodes map[string]*pastNode }

type pastNode struct {
	Result  string
	Outputs map[string]string
	Cells   []*pastCell
}

type pastCell struct {
	Matrix  string // as JSON
	Rec     Job    // with ID 0 for one that called a file
	Result  string
	Outputs map[string]string
	Child   *pastGraph
}

// rerun begins the attempt that an entry asks for, with the event, the commit and the file of the first. An approval
// asks for the attempt that waits.
// https://docs.github.com/en/actions/how-tos/manage-workflow-runs/re-run-workflows-and-jobs
func (e *Engine) rerun(entry journal.Entry) error {
	d := entry.Detail
	id, err := strconv.ParseInt(d["run"], 10, 64)
	attempt, err2 := strconv.Atoi(d["attempt"])
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	e.accepting.Lock()
	defer e.accepting.Unlock()
	r, why, err := e.revive(d)
	if err != nil {
		return err
	}
	r.h.chain = max(r.h.chain, e.chain(entry.Cause))
	why = cmp.Or(why, r.h.endless())
	r.rec.ID, r.rec.Attempt, r.rec.TriggeringActor, r.rec.Cause = id, attempt, entry.Actor, fmt.Sprintf("event:%d", entry.Seq)
	if entry.Type == "run.approved" {
		r.rec.TriggeringActor = d["triggering_actor"]
	}
	if why != "" {
		return r.refuse(why)
	}
	r.again = &again{jobs: d["jobs"]}
	if d["jobs"] != "all" {
		// Without it, of a run before the forge was opened anew, all jobs run.
		if r.again.past, err = e.past(id); err != nil {
			return err
		}
	}
	return r.start()
}

// revive makes a run anew out of what started it; why says what is missing for that.
func (e *Engine) revive(d map[string]string) (r *run, why string, err error) {
	bare := &run{e: e, rec: Run{Repo: d["repo"], Workflow: d["workflow"], Name: d["workflow"], Event: d["event"], HeadSHA: d["head_sha"], Status: queued}}
	h, found, err := e.origin(d)
	if err != nil {
		return nil, "", err
	}
	if !found {
		return bare, fmt.Sprintf("what started the run, %s, is no longer in the journal", d["origin"]), nil
	}
	at := h.sha
	if at == "" {
		at = d["head_sha"]
	}
	src, err := e.o.Host.Source(context.WithoutCancel(e.ctx), h.repo, at)
	if err != nil {
		return nil, "", fmt.Errorf("read workflows of %s: %w", h.repo, err)
	}
	h.sha = at
	if h.ref == "" {
		h.ref = "refs/heads/" + src.DefaultBranch
	}
	i := slices.IndexFunc(src.Files, func(f File) bool { return f.Path == d["workflow"] })
	if i < 0 {
		return bare, fmt.Sprintf("%s is not in commit %s", d["workflow"], at), nil
	}
	src.Ref = h.ref
	wf, problems := e.parse(src.Files[i])
	r = newRun(e, h, src, src.Files[i], wf)
	if problems == nil {
		problems = e.lacking(wf)
	}
	if problems != nil {
		return r, problems.Error(), nil
	}
	return r, "", nil
}

// origin reads the event that started a run's first attempt from the journal.
func (e *Engine) origin(d map[string]string) (happening, bool, error) {
	seq, err := strconv.ParseUint(strings.TrimPrefix(d["origin"], "event:"), 10, 64)
	if err != nil || seq == 0 {
		return happening{}, false, nil
	}
	entry, ok := e.o.Journal.Entry(seq)
	if !ok {
		return happening{}, false, nil
	}
	if entry.Type == "run.approved" {
		return e.origin(entry.Detail)
	}
	h, err := readEvent(entry)
	if err != nil {
		return happening{}, false, err
	}
	if h.name == "workflow_run" {
		h.depth = e.depth(h) + 1
	}
	h.chain = e.chain(entry.Cause)
	for _, h := range h.triggers() {
		if h.name == d["event"] {
			return h, true, nil
		}
	}
	return happening{}, false, nil
}

func (g *graph) remember() *pastGraph {
	out := &pastGraph{Nodes: map[string]*pastNode{}}
	for _, n := range g.nodes {
		if !n.ended() {
			continue
		}
		p := &pastNode{Result: n.result, Outputs: n.outputs}
		cells := n.cells
		if n.alone != nil {
			cells = []*cell{n.alone}
		}
		for _, c := range cells {
			x := &pastCell{Matrix: c.key(), Rec: c.rec, Result: c.result, Outputs: c.outputs}
			switch {
			case c.child != nil:
				x.Child = c.child.remember()
			case c.past != nil:
				x.Child = c.past.Child
			}
			p.Cells = append(p.Cells, x)
		}
		out.Nodes[n.job.Key] = p
	}
	return out
}

// key tells the cell from the others of its job.
func (c *cell) key() string {
	if c.matrix == nil {
		return ""
	}
	return expr.ToJSON(c.matrix)
}

// chosen reports whether the cell, or one that it called, is to run again.
func (p *pastCell) chosen(jobs string) bool {
	if p.Child != nil {
		for _, n := range p.Child.Nodes {
			if n.chosen(jobs) {
				return true
			}
		}
	}
	if jobs == "failed" {
		return p.Rec.Conclusion == failure || p.Rec.Conclusion == cancelled || p.Result == failure || p.Result == cancelled
	}
	return p.Rec.ID != 0 && strconv.FormatInt(p.Rec.ID, 10) == jobs
}

func (p *pastNode) chosen(jobs string) bool {
	return slices.ContainsFunc(p.Cells, func(c *pastCell) bool { return c.chosen(jobs) })
}

// kept reports whether the job keeps what it had in the attempt before: it is not to run again, nor is
// one that it needs.
func (n *node) kept() bool {
	if n.g.past == nil {
		return false
	}
	past := n.g.past.Nodes[n.job.Key]
	return past != nil && !past.chosen(n.r.again.jobs) && n.needsKept()
}

func (n *node) needsKept() bool {
	return !slices.ContainsFunc(n.job.Needs, func(key string) bool { return !n.g.byKey[key].kept() })
}

// keep ends the job as it ended in the attempt before.
func (n *node) keep() {
	past := n.g.past.Nodes[n.job.Key]
	for _, p := range past.Cells {
		c := n.newCell(nil, nil)
		c.stop()
		c.adopt(p)
		n.cells = append(n.cells, c)
	}
	n.result, n.outputs = past.Result, past.Outputs
}

// keepCell lets a cell of a job that runs again stay as it was, when only others of the job are to run.
func (n *node) keepCell(c *cell) bool {
	if n.g.past == nil || !n.needsKept() {
		return false
	}
	past := n.g.past.Nodes[n.job.Key]
	if past == nil {
		return false
	}
	i := slices.IndexFunc(past.Cells, func(p *pastCell) bool { return p.Matrix == c.key() })
	if i < 0 {
		return false
	}
	p := past.Cells[i]
	if p.chosen(n.r.again.jobs) {
		if p.Child != nil {
			c.past = p
		}
		return false
	}
	c.adopt(p)
	c.over = true
	c.leave()
	return true
}

// adopt makes the cell one that ended in the attempt before.
func (c *cell) adopt(p *pastCell) {
	x := *p
	c.result, c.outputs, c.past = p.Result, p.Outputs, &x
	c.rec = c.node.r.keepJob(p.Rec)
	if p.Child != nil {
		x.Child = c.node.r.keepGraph(p.Child)
	}
}

// keepGraph stores the jobs of a called file again.
func (r *run) keepGraph(p *pastGraph) *pastGraph {
	out := &pastGraph{Nodes: map[string]*pastNode{}}
	for _, key := range slices.Sorted(maps.Keys(p.Nodes)) {
		n := p.Nodes[key]
		x := *n
		x.Cells = nil
		for _, c := range n.Cells {
			y := *c
			y.Rec = r.keepJob(c.Rec)
			if c.Child != nil {
				y.Child = r.keepGraph(c.Child)
			}
			x.Cells = append(x.Cells, &y)
		}
		out.Nodes[key] = &x
	}
	return out
}

// keepJob stores a job of an earlier attempt as one of this attempt.
func (r *run) keepJob(rec Job) Job {
	if rec.ID == 0 {
		return rec
	}
	rec.ID, rec.Kept = 0, rec.ID
	out, err := r.e.o.Host.SaveJob(context.WithoutCancel(r.e.ctx), rec)
	if err != nil {
		r.e.broken(fmt.Errorf("keep job %s: %w", rec.Name, err))
		return rec
	}
	rec.ID = out.ID
	return rec
}
