package forge_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// labelled is a check: issue 1 has a label.
func (w *world) labelled(name string) func(context.Context) error {
	return func(context.Context) error {
		for _, e := range w.admin.Journal().Entries(0) {
			if e.Type == "issues.labeled" && strings.Contains(string(e.Payload), `"name":"`+name+`"`) {
				return nil
			}
		}
		return errors.New("no label " + name)
	}
}

func TestUntilReturnsAtTheChange(t *testing.T) {
	w := newWorld(t)
	w.ada.want(201, "POST", "/repos/acme/app/issues", map[string]any{"title": "A title"})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tried := make(chan struct{}, 100)
	var bot sync.WaitGroup
	done := w.forge.Working("the bot")
	bot.Go(func() {
		defer done()
		<-tried // the wait is on before the change comes
		w.ada.want(200, "POST", "/repos/acme/app/issues/1/labels", map[string]any{"labels": []string{"seen"}})
		w.ada.want(200, "POST", "/repos/acme/app/issues/1/labels", map[string]any{"labels": []string{"done"}})
	})
	defer bot.Wait()
	check := w.labelled("done")
	must(t, w.forge.Until(ctx, func(ctx context.Context) error { tried <- struct{}{}; return check(ctx) }))
	must(t, w.forge.Quiet(ctx))
}

func TestUntilIsDecidedAtQuiet(t *testing.T) {
	w := newWorld(t)
	absent := errors.New("it is not there")
	err := w.forge.Until(t.Context(), func(context.Context) error { return absent })
	if !errors.Is(err, absent) || !strings.Contains(err.Error(), "nothing is going on any more") {
		t.Errorf("got %v", err)
	}
	// Nothing is decided while somebody works: the deadline is what ends the wait, and names him.
	done := w.forge.Working("the bot")
	ctx, cancel := context.WithCancel(t.Context())
	err = w.forge.Until(ctx, func(context.Context) error { cancel(); return absent })
	if !errors.Is(err, context.Canceled) || !errors.Is(err, absent) || !strings.Contains(err.Error(), "during the bot") {
		t.Errorf("got %v", err)
	}
	if err := w.forge.Quiet(ctx); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "during the bot") {
		t.Errorf("quiet: got %v", err)
	}
	done()
	done()
	must(t, w.forge.Quiet(t.Context()))
}

// TestUntilOverTheWire: a check that asks the forge itself comes to an end, too.
func TestUntilOverTheWire(t *testing.T) {
	w := newForgeIn(t, forge.Options{})
	tries := 0
	err := w.forge.Until(t.Context(), func(context.Context) error {
		tries++
		w.ada.want(404, "GET", "/api/v3/repos/acme/app", nil)
		return errors.New("no repository")
	})
	if err == nil || tries > 3 {
		t.Errorf("got %v after %d tries", err, tries)
	}
}
