package actions

import (
	"errors"
	"fmt"
	"slices"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
	"github.com/understudy-dev/understudy/emulator/actions/internal/workflow"
	"github.com/understudy-dev/understudy/internal/jobwire"
)

// node is one job of the file in one run. It belongs to the run's goroutine.
type node struct {
	r        *run
	g        *graph
	job      *workflow.Job
	begun    bool
	cells    []*cell
	waiting  []*cell // not launched yet
	running  int
	parallel int // cells at once; 0 is all
	failFast bool

	skip  string // why it did not begin: "needs", "if", "matrix"; "" when it did
	alone *cell  // stands for the job where none of its cells ran

	result  string // as `needs` sees it; "" until the job has ended
	outputs map[string]string
}

func (n *node) ended() bool { return n.result != "" }

func (n *node) needsEnded() bool {
	for _, key := range n.job.Needs {
		if !n.g.byKey[key].ended() {
			return false
		}
	}
	return true
}

// status looks at all jobs before this one, not only at those it names: at GitHub, too, a job
// behind a skipped or failed one is skipped even if the job between them has succeeded.
func (n *node) status() expr.Status {
	s := expr.Status{Success: !n.g.cancelled, Cancelled: n.g.cancelled}
	seen := map[string]bool{}
	var visit func(*node)
	visit = func(n *node) {
		for _, key := range n.job.Needs {
			if seen[key] {
				continue
			}
			seen[key] = true
			before := n.g.byKey[key]
			s.Success = s.Success && before.result == success
			s.Failure = s.Failure || before.result == failure
			visit(before)
		}
	}
	visit(n)
	return s
}

// begin decides about the job: its group, its condition, its matrix, in this order. GitHub, too,
// takes a job's place in its concurrency group before it looks at the `if:`, so that a job that is
// skipped can still push another one out.
func (n *node) begin() {
	n.begun = true
	if n.kept() {
		n.keep()
		return
	}
	scope := n.r.scope(n)
	first := n.newCell(nil, nil)
	if n.job.Strategy == nil {
		if err := first.enter(scope); err != nil {
			n.broken(err)
			return
		}
	}
	run, err := n.wanted(scope)
	var cells []*cell
	if err == nil && run {
		cells, err = n.multiply(scope, first)
	}
	if err != nil || !slices.Contains(cells, first) {
		first.leave()
	}
	switch {
	case err != nil:
		n.broken(err)
	case !run && n.g.cancelled:
		n.without(cancelled, "")
	case len(cells) == 0:
		if run {
			n.skip = "matrix"
		}
		n.without(skipped, "")
	default:
		n.queue(cells, scope)
	}
}

func (n *node) wanted(s expr.Scope) (bool, error) {
	if n.r.forcing.Err() != nil {
		return false, nil
	}
	if !s.Status.Success && (n.job.If == nil || !n.job.If.AsksStatus()) {
		n.skip = "needs"
		return false, nil
	}
	if n.job.If == nil {
		return true, nil
	}
	v, err := n.job.If.Eval(s)
	if err != nil {
		return false, fmt.Errorf("if: %w", err)
	}
	if !expr.Truthy(v) {
		n.skip = "if"
		return false, nil
	}
	return true, nil
}

// multiply returns the job's cells: the first one alone without a matrix.
func (n *node) multiply(s expr.Scope, first *cell) ([]*cell, error) {
	st := n.job.Strategy
	n.failFast = true
	if st == nil {
		return []*cell{first}, nil
	}
	if v, err := st.FailFast.Eval(s); err != nil {
		return nil, fmt.Errorf("strategy: fail-fast: %w", err)
	} else if st.FailFast.Given() {
		n.failFast = truth(v)
	}
	v, err := st.MaxParallel.Eval(s)
	if err != nil {
		return nil, fmt.Errorf("strategy: max-parallel: %w", err)
	}
	if f, ok := v.(float64); ok && f >= 1 && f <= maxCells {
		n.parallel = int(f)
	} else if v != nil && !ok {
		return nil, fmt.Errorf("strategy: max-parallel: %q is not a number", expr.String(v))
	}
	if !st.Matrix.Given() {
		return []*cell{n.newCell(nil, n.strategy(0, 1))}, nil
	}
	v, err = st.Matrix.Eval(s)
	if err != nil {
		return nil, fmt.Errorf("strategy: matrix: %w", err)
	}
	matrices, err := expand(v)
	if err != nil {
		return nil, fmt.Errorf("strategy: %w", err)
	}
	cells := make([]*cell, len(matrices))
	for i, m := range matrices {
		cells[i] = n.newCell(m, n.strategy(i, len(matrices)))
	}
	return cells, nil
}

func (n *node) strategy(i, total int) *expr.Object {
	o := &expr.Object{}
	o.Set("fail-fast", n.failFast)
	o.Set("job-index", float64(i))
	o.Set("job-total", float64(total))
	o.Set("max-parallel", float64(max(n.parallel, 1)))
	if n.parallel == 0 {
		o.Set("max-parallel", float64(total))
	}
	return o
}

// truth takes the text "false", which expressions can give, for false.
func truth(v any) bool { return expr.Truthy(v) && v != "false" }

// queue makes the cells known to the host, in order, and lets launch have them.
func (n *node) queue(cells []*cell, s expr.Scope) {
	n.cells = cells
	for _, c := range cells {
		if n.keepCell(c) {
			continue
		}
		if err := c.queue(s); err != nil {
			n.r.e.broken(err)
			c.result, c.over = cancelled, true
			c.leave()
			continue
		}
		n.waiting = append(n.waiting, c)
	}
	n.settle()
}

// launch starts as many waiting cells as may run at once.
func (n *node) launch() {
	for len(n.waiting) > 0 && (n.parallel == 0 || n.running < n.parallel) {
		c := n.waiting[0]
		n.waiting = n.waiting[1:]
		n.running++
		if n.job.Call != nil {
			c.openInTurn()
			continue
		}
		ob := n.r.e.o.Ledger.OpenOf(fmt.Sprintf("job:%d", c.rec.ID), fmt.Sprintf("job %d %s", c.rec.ID, c.rec.Name))
		c.rest.own(n.r.e, ob)
		n.r.e.wg.Go(func() {
			c.drive()
			n.r.told <- func() {
				ob.Close()
				n.take(c)
			}
		})
	}
}

// take notes that a cell has ended. With fail-fast the others are cancelled when it failed.
func (n *node) take(c *cell) {
	n.running--
	c.over = true
	if c.result == failure && n.failFast {
		n.cancel()
	}
	n.settle()
}

// cancel stops every cell; those that wait are launched all the same and end at once.
func (n *node) cancel() {
	for _, c := range n.cells {
		c.stop()
		if c.child != nil && !c.over {
			c.child.stop()
		}
	}
}

// settle adds up the cells once all have ended: their outputs over one another, in order.
func (n *node) settle() {
	counts := map[string]int{}
	for _, c := range n.cells {
		if !c.over {
			return
		}
		counts[c.result]++
	}
	n.outputs = map[string]string{}
	for _, c := range n.cells {
		for k, v := range c.outputs {
			if v != "" || n.outputs[k] == "" {
				n.outputs[k] = v
			}
		}
	}
	switch {
	case counts[failure] > 0:
		n.result = failure
	case counts[cancelled] > 0:
		n.result = cancelled
	default:
		n.result = success
	}
}

// broken ends the job as failed before any of its steps.
func (n *node) broken(err error) {
	conclusion := failure
	if errors.Is(err, errDeadlock) {
		conclusion = cancelled
	}
	n.without(conclusion, fmt.Sprintf("%s:%d: job %s: %v", n.g.file.Path, n.job.Line, n.job.Key, err))
}

// without ends the job without running anything.
func (n *node) without(conclusion, why string) {
	n.result = conclusion
	c := n.newCell(nil, nil)
	n.alone = c
	defer c.stop()
	name := n.job.Key
	if n.job.Name != nil {
		name = n.job.Name.String() // GitHub shows a skipped job's name as it is written
		if v, err := n.job.Name.Eval(n.r.scope(n)); err == nil && !n.job.Name.Mentions("matrix") {
			name = expr.String(v)
		}
	}
	c.rec.Name = n.g.prefix() + cellName(name, nil)
	if err := c.finish(conclusion, why); err != nil {
		n.r.e.broken(err)
	}
}

func (n *node) needs() map[string]jobwire.Need {
	if len(n.job.Needs) == 0 {
		return nil
	}
	out := map[string]jobwire.Need{}
	for _, key := range n.job.Needs {
		before := n.g.byKey[key]
		out[key] = jobwire.Need{Result: before.result, Outputs: before.outputs}
	}
	return out
}
