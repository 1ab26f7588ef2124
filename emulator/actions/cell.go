package actions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
	"github.com/understudy-dev/understudy/emulator/actions/internal/workflow"
)

const defaultMinutes = 360 // of a job without timeout-minutes, as at GitHub

// cell is one job that can be run: a job of the file, or one cell of its matrix. The run's
// goroutine makes it and reads it again when drive has returned.
type cell struct {
	node     *node
	matrix   *expr.Object // nil without a matrix
	strategy *expr.Object
	ctx      context.Context    // ends when the cell is cancelled
	cancel   context.CancelFunc // by stop
	rest     rest
	place    *ticket // in the job's concurrency group; nil without one
	refused  error   // why it must not run
	soft     bool    // continue-on-error
	minutes  float64
	rec      Job
	at       expr.Scope // what the cell's expressions see
	opening  opening    // of the file that the cell calls
	child    *graph     // of the file that the cell calls, once it is open
	past     *pastCell  // the cell in the attempt before, where only some of what it calls runs again; or that it stands for

	result  string // as the run sees it: a soft failure is a success
	outputs map[string]string
	over    bool // the run has taken result and outputs over; it does not look at them before
}

func (n *node) newCell(matrix, strategy *expr.Object) *cell {
	c := &cell{node: n, matrix: matrix, strategy: strategy}
	c.ctx, c.cancel = context.WithCancel(n.r.e.ctx)
	c.rec = Job{
		RunID: n.r.rec.ID, Repo: n.r.rec.Repo, Key: n.job.Key, Name: n.job.Key, Status: queued,
		Permissions: n.g.permissions(n.job), Created: n.r.e.o.Now(),
	}
	if n.r.h.untrusted {
		c.rec.Permissions, c.rec.Untrusted = readOnly(c.rec.Permissions), true
	}
	return c
}

func (c *cell) scope(s expr.Scope) expr.Scope {
	wider := map[string]any{"matrix": nil, "strategy": nil}
	for k, v := range s.Contexts {
		wider[k] = v
	}
	if c.matrix != nil {
		wider["matrix"] = c.matrix
	}
	if c.strategy != nil {
		wider["strategy"] = c.strategy
	}
	s.Contexts = wider
	return s
}

// errDeadlock is why a job is cancelled, as at GitHub, instead of waiting for ever.
var errDeadlock = errors.New("canceling, since the job's concurrency group is held by its own workflow: a deadlock")

// enter takes the cell's place in its concurrency group.
func (c *cell) enter(s expr.Scope) error {
	group := c.node.job.Concurrency
	if group == nil || c.place != nil {
		return nil
	}
	name, cancelRunning, err := c.node.r.groupOf(group, c.scope(s))
	if err != nil {
		return err
	}
	if c.node.g.holds(name) {
		return errDeadlock
	}
	c.place = c.node.r.e.groups.enter(name, cancelRunning, c.stop, &c.rest)
	return nil
}

// stop cancels the cell. It may be called from anywhere, more than once.
func (c *cell) stop() {
	c.rest.signal()
	c.cancel()
}

// leave gives up what the cell holds.
func (c *cell) leave() {
	c.node.r.e.groups.leave(c.opening.place)
	c.node.r.e.groups.leave(c.place)
	c.stop()
}

// queue evaluates what the cell needs to run and stores it. What is wrong makes the job fail.
func (c *cell) queue(s expr.Scope) error {
	s = c.scope(s)
	c.at = s
	c.refused = errors.Join(c.evaluate(s), c.enter(s))
	if c.node.job.Call != nil {
		return nil // only the jobs of the file that it calls are seen
	}
	return c.save()
}

func (c *cell) evaluate(s expr.Scope) error {
	j := c.node.job
	name := j.Key
	switch {
	case j.Name == nil:
		name = cellName(name, c.matrix)
	case j.Name.Literal():
		name = cellName(j.Name.String(), c.matrix)
	default:
		v, err := j.Name.Eval(s)
		if err != nil {
			return fmt.Errorf("name: %w", err)
		}
		name = cellName(expr.String(v), nil)
	}
	c.rec.Name = c.node.g.prefix() + name
	if j.Call != nil {
		return nil
	}
	labels, err := j.RunsOn.Eval(s)
	if err == nil {
		err = workflow.CheckLabels(labels)
	}
	if err != nil {
		return fmt.Errorf("runs-on: %w", err)
	}
	soft, err := j.ContinueOnError.Eval(s)
	if err != nil {
		return fmt.Errorf("continue-on-error: %w", err)
	}
	c.soft = truth(soft)
	environment, err := j.Environment.Eval(s)
	if err != nil {
		return fmt.Errorf("environment: %w", err)
	}
	c.rec.Environment = expr.String(environment)
	return c.deadline(s)
}

func (c *cell) deadline(s expr.Scope) error {
	c.minutes = defaultMinutes
	v, err := c.node.job.Timeout.Eval(s)
	if err != nil {
		return fmt.Errorf("timeout-minutes: %w", err)
	}
	if v == nil {
		return nil
	}
	f, ok := v.(float64)
	if !ok || !(f > 0 && f <= 365*24*60) {
		return fmt.Errorf("timeout-minutes: %q is not a number of minutes", expr.String(v))
	}
	c.minutes = f
	return nil
}

func (c *cell) save() error {
	rec, err := c.node.r.e.o.Host.SaveJob(context.WithoutCancel(c.ctx), c.rec)
	if err != nil {
		return fmt.Errorf("save job %s: %w", c.rec.Name, err)
	}
	c.rec.ID = rec.ID
	return nil
}

// drive takes the cell to its end: its turn in the group, a free slot, the runner, the last record.
func (c *cell) drive() {
	defer c.leave()
	conclusion, why := cancelled, ""
	switch {
	case c.refused != nil:
		if !errors.Is(c.refused, errDeadlock) {
			conclusion = failure
		}
		why = fmt.Sprintf("%s:%d: job %s: %v", c.node.g.file.Path, c.node.job.Line, c.node.job.Key, c.refused)
	case c.wait():
		conclusion, why = c.execute()
		<-c.node.r.e.slots
	}
	c.result = conclusion
	if c.soft && conclusion == failure {
		c.result = success
	}
	if err := c.finish(conclusion, why); err != nil {
		c.node.r.e.broken(err)
	}
}

// wait returns when the cell may run and has a slot; false when it was cancelled first.
func (c *cell) wait() bool {
	if !c.inTurn(c.place) || !c.turn() {
		return false
	}
	c.rest.queue()
	defer c.rest.awake()
	select {
	case c.node.r.e.slots <- struct{}{}:
	case <-c.ctx.Done():
		return false
	}
	if c.ctx.Err() != nil { // both were possible
		<-c.node.r.e.slots
		return false
	}
	return true
}

// inTurn returns when it is the cell's turn in a concurrency group; false when it was cancelled first. A
// nil place is always its turn.
func (c *cell) inTurn(place *ticket) bool {
	if place == nil {
		return true
	}
	c.rest.sleep()
	defer c.rest.awake()
	select {
	case <-place.ready:
		c.rest.taken()
		return true
	case <-c.ctx.Done():
		return false
	}
}

// finish stores the job's end; why goes to its log.
func (c *cell) finish(conclusion, why string) error {
	now := c.node.r.e.o.Now()
	if c.rec.Started.IsZero() {
		c.rec.Started = now
	}
	for i := range c.rec.Steps {
		if s := &c.rec.Steps[i]; s.Status != completed {
			s.Status, s.Conclusion, s.Completed = completed, conclusion, now
		}
	}
	if why != "" && c.rec.ID == 0 { // the log needs the job
		if err := c.save(); err != nil {
			return err
		}
	}
	if why != "" {
		line := logLine(now, "##[error]"+why)
		if err := c.node.r.e.o.Host.AppendLog(context.WithoutCancel(c.ctx), c.rec.ID, line); err != nil {
			return fmt.Errorf("keep log of job %s: %w", c.rec.Name, err)
		}
	}
	if why != "" {
		c.annotate(Annotation{Level: failure, Message: why, StartLine: 1})
	}
	if c.rec.Error == "" && (conclusion == failure || c.rec.TimedOut) {
		c.rec.Error = why
	}
	c.rec.Status, c.rec.Conclusion, c.rec.Completed = completed, conclusion, now
	err := c.save()
	c.tell()
	return err
}

// limit is the job's deadline as a duration.
func (c *cell) limit() time.Duration {
	return time.Duration(c.minutes * float64(c.node.r.e.minute))
}
