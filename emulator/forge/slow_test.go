package forge_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/internal/journal"
)

// strikes returns when a fault of this name has struck so often. A request that it holds is held then.
func (w *world) strikes(name string, n int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	defer w.forge.Working("whoever is to be struck")()
	must(w.t, w.forge.Until(ctx, func(context.Context) error {
		struck := 0
		for _, e := range w.admin.Journal().Entries(0) {
			if e.Type == "fault.struck" && e.Detail["fault"] == name {
				struck++
			}
		}
		if struck < n {
			return fmt.Errorf("%s struck %d times, not %d", name, struck, n)
		}
		return nil
	}))
}

// TestSlow: a request is held until so many others were answered.
func TestSlow(t *testing.T) {
	w := newWorld(t)
	job := w.mint(forge.TokenSpec{Login: "ada", Cause: "job:77"})
	w.inject("api.slow=2@POST /repos/acme/app/labels")
	done := make(chan int)
	go func() { done <- job.send("POST", "/repos/acme/app/labels", map[string]any{"name": "held"}).status }()
	w.strikes("api.slow", 1)
	w.ada.want(404, "GET", "/repos/acme/app/labels/held", nil)
	select {
	case <-done:
		t.Error("one other was enough")
	default:
	}
	w.ada.want(404, "GET", "/repos/acme/app/labels/held", nil)
	if status := <-done; status != 201 {
		t.Error(status)
	}
	w.ada.want(200, "GET", "/repos/acme/app/labels/held", nil)
	w.quiet()
	e := w.lastOf("POST /repos/acme/app/labels")
	if e.Kind != journal.Change || e.Detail["status"] != "201" || e.Detail["fault"] != "" {
		t.Errorf("journalled as %+v", e)
	}
}

// TestSlowEnds: what is held goes on when nothing else does and somebody waits, when it is the scenario that waits
// for its own request, and when the forge ends; and an app is not held.
func TestSlowEnds(t *testing.T) {
	w := newWorld(t)
	w.inject("api.slow=times:always")
	w.mint(forge.TokenSpec{Login: "ada", Cause: "seed"}).want(200, "GET", "/repos/acme/app", nil)
	w.mint(forge.TokenSpec{Login: "ada", Kit: true}).want(200, "GET", "/repos/acme/app", nil)
	job := w.mint(forge.TokenSpec{Login: "ada", Cause: "job:77"})
	done := make(chan int)
	go func() { done <- job.send("POST", "/repos/acme/app/labels", map[string]any{"name": "held"}).status }()
	w.strikes("api.slow", 2)
	w.quiet()
	if status := <-done; status != 201 {
		t.Error(status)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	go func() { done <- job.send("GET", "/repos/acme/app", nil).status }()
	w.strikes("api.slow", 3)
	must(t, w.forge.Close(ctx))
	if status := <-done; status != 200 {
		t.Error(status)
	}
}
