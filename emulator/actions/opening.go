package actions

import (
	"errors"
	"fmt"
)

// opening is how far a cell's call of a file has come. It belongs to the run's goroutine.
type opening struct {
	inputs any
	read   bool          // inputs are there
	place  *ticket       // in the concurrency group of the called file; nil without one
	ended  chan struct{} // closed by shut
}

// openInTurn waits for the call's turn in the job's concurrency group, then in that of the file, away from
// the run's goroutine, and opens it. From then on a call that others push out of its group is stopped.
func (c *cell) openInTurn() {
	c.opening.ended = make(chan struct{})
	own := c.node.g.calls[c.node.job].wf.Concurrency
	if c.place == nil && own == nil {
		c.open()
		return
	}
	if c.place == nil {
		c.enterCalled() // calls of one job come in the order of its matrix
	}
	r := c.node.r
	ob := r.e.o.Ledger.Open("call of " + c.node.job.Call.Uses)
	c.rest.own(r.e, ob)
	r.e.wg.Go(func() {
		defer ob.Close()
		if c.place != nil && c.inTurn(c.place) {
			c.ask(c.enterCalled)
		}
		c.inTurn(c.opening.place)
		c.ask(c.open)
		c.rest.sleep()
		select {
		case <-c.ctx.Done():
			c.rest.awake()
			c.ask(func() {
				if c.child != nil && !c.over && !c.child.cancelled {
					c.child.stop()
				}
			})
		case <-c.opening.ended:
		}
	})
}

// ask lets the run's goroutine do something and waits until it is done; nothing is done when the call has
// ended.
func (c *cell) ask(do func()) {
	done := make(chan struct{})
	select {
	case c.node.r.told <- func() { do(); close(done) }:
		<-done
	case <-c.opening.ended:
	}
}

// enterCalled takes the call's place in the concurrency group of the file that it calls: that group counts
// as the calling job's, and is named by what the file sees.
// https://github.com/github/gh-aw/issues/42846
func (c *cell) enterCalled() {
	call := c.node.g.calls[c.node.job]
	group := call.wf.Concurrency
	if group == nil || c.refused != nil || c.ctx.Err() != nil {
		return
	}
	if c.refused = c.readArguments(); c.refused != nil {
		return
	}
	scope := c.node.r.scope(nil)
	scope.Contexts["inputs"] = c.opening.inputs
	name, cancelRunning, err := c.node.r.groupOf(group, scope)
	switch {
	case err != nil:
		c.refused = fmt.Errorf("%s:%d: %w", call.file.Path, group.Line, err)
	case c.holds(name) || c.node.g.holds(name):
		c.refused = errDeadlock
	default:
		c.opening.place = c.node.r.e.groups.enter(name, cancelRunning, c.stop, &c.rest)
	}
}

func (c *cell) readArguments() error {
	if c.opening.read {
		return nil
	}
	c.opening.read = true
	var err error
	c.opening.inputs, err = c.arguments(c.node.g.calls[c.node.job].wf.On.Call)
	return err
}

// holds reports whether the cell is in the concurrency group.
func (c *cell) holds(group string) bool {
	return c.place != nil && c.place.group == group || c.opening.place != nil && c.opening.place.group == group
}

// holds reports whether the run, or a call that leads to the graph's file, is in the concurrency group.
func (g *graph) holds(group string) bool {
	if g.caller == nil {
		return g.r.group == group
	}
	return g.caller.holds(group) || g.caller.node.g.holds(group)
}

// open begins the jobs of the file that the cell calls.
func (c *cell) open() {
	if c.ctx.Err() != nil {
		c.shut(cancelled)
		return
	}
	if err := c.readArguments(); err != nil {
		c.refused = errors.Join(c.refused, err)
	}
	if c.refused != nil {
		why := fmt.Sprintf("%s:%d: job %s: %v", c.node.g.file.Path, c.node.job.Line, c.node.job.Key, c.refused)
		if err := c.finish(failure, why); err != nil {
			c.node.r.e.broken(err)
		}
		c.shut(failure)
		return
	}
	c.child = c.node.r.newGraph(c.node.g.calls[c.node.job], c.opening.inputs, c)
}

// shut ends the call.
func (c *cell) shut(result string) {
	c.result = result
	c.leave()
	close(c.opening.ended)
	c.node.take(c)
}
