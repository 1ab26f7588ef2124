// Package world is what one scenario holds while it runs: its drivers, its waits and expectations,
// its clean-ups, and the private state of each step pack.
//
// A step gets the World from the context it is handed. It is no place for knowledge about one
// platform (that is driver.Platform) nor for what outlives a scenario.
//
//	func hasLabel(ctx context.Context, want string) error {
//		w := world.From(ctx)
//		return w.Until(ctx, func(ctx context.Context) error {
//			is, err := w.As("observer").Issues.Get(ctx, slot.Of(ctx).ref)
//			if err != nil {
//				return err
//			}
//			return w.Expect(ctx, "issue.labels", is.Labels, match.Contains(want))
//		})
//	}
package world

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/evidence"
)

// ErrNoWorld says that a context carries no World: a step used another context than the one it was
// handed.
var ErrNoWorld = errors.New("no world in this context: a step must pass on the context it was handed")

// Options say what a World is made of. The zero value gives a World whose drivers answer
// driver.ErrUnsupported and whose log nobody reads.
type Options struct {
	Drivers  *driver.Set   // of the scenario's lease
	Scenario string        // id, such as "triage.feature:6"
	Tags     []string      // of the scenario, with "@"
	Log      *Log          // owned by the suite
	Sink     evidence.Sink // where Attach puts things; nil makes Attach an error
}

// World belongs to the goroutine of its scenario. It has no lock and must not be used by two
// goroutines at once.
type World struct {
	drivers  *driver.Set
	scenario string
	tags     []string
	log      *Log
	sink     evidence.Sink
	stray    bool // made by From for want of a real one

	sessions map[string]driver.Session
	slots    map[any]any
	shared   map[string]any
	wait     *wait  // the wait that is going on, or nil
	read     uint64 // sequence number of the last journal entry seen
	seen     uint64 // the ledger's sequence number as last read
}

// New returns a World for one scenario.
func New(o Options) *World {
	if o.Drivers == nil {
		o.Drivers = driver.Unassigned()
	}
	if o.Log == nil {
		o.Log = NewLog()
	}
	return &World{
		drivers: o.Drivers, scenario: o.Scenario, tags: o.Tags, log: o.Log, sink: o.Sink,
		sessions: map[string]driver.Session{}, slots: map[any]any{}, shared: map[string]any{},
	}
}

type key struct{}

// Into returns a context that carries w.
func Into(ctx context.Context, w *World) context.Context {
	return context.WithValue(ctx, key{}, w)
}

// From returns the World that ctx carries. It is never nil: without one it returns a World whose
// every use answers ErrNoWorld, so that the step is broken and says why.
func From(ctx context.Context) *World {
	if w, ok := ctx.Value(key{}).(*World); ok {
		return w
	}
	w := New(Options{})
	w.stray = true
	return w
}

// Drivers returns the drivers of the scenario's lease. No field of it is nil.
func (w *World) Drivers() *driver.Set { return w.drivers }

// Scenario returns the id of the scenario, such as "triage.feature:6".
func (w *World) Scenario() string { return w.scenario }

// Tagged reports whether the scenario has a tag, such as "@fresh".
func (w *World) Tagged(tag string) bool { return slices.Contains(w.tags, tag) }

// Cause names the step that runs now, "step:3"; it is empty before the first and after the last.
func (w *World) Cause() driver.Cause {
	if n := w.log.Step(); n > 0 {
		return driver.Cause(fmt.Sprintf("step:%d", n))
	}
	return ""
}

// As returns the forge as the named actor sees it. "observer" reads everything, the platform file
// names the others. When the forge does not know the actor, every call of the session returns the
// error that says so.
func (w *World) As(actor string) driver.Session {
	if s, ok := w.sessions[actor]; ok {
		return s
	}
	var s driver.Session
	err := w.usable()
	if err == nil {
		s, err = w.drivers.Forge.As(actor)
	}
	if err != nil {
		s = refused(fmt.Errorf("act as %s: %w", actor, err))
	}
	w.sessions[actor] = s
	return s
}

// Cleanup registers f to be run after the scenario has been judged, last first, with a time-out of
// its own. What it returns makes the scenario broken, not failed.
func (w *World) Cleanup(name string, f func(ctx context.Context) error) {
	w.log.addCleanup(Cleanup{Name: name, Run: f})
}

// Attach stores data as evidence of this scenario and of the step that runs now.
func (w *World) Attach(ctx context.Context, name, mediaType string, data []byte) error {
	if err := w.usable(); err != nil {
		return fmt.Errorf("attach %s: %w", name, err)
	}
	if w.sink == nil {
		return fmt.Errorf("attach %s: no place for evidence: %w", name, driver.ErrUnsupported)
	}
	return w.attach(ctx, name, mediaType, data)
}

func (w *World) usable() error {
	if w.stray {
		return ErrNoWorld
	}
	if w.log.Quarantined() {
		return ErrQuarantined
	}
	return nil
}
