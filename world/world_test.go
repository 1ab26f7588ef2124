package world_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/internal/ledger"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/world"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stage is a World on a real ledger, with a journal of as many entries as the ledger has changes.
type stage struct {
	*world.World
	log    *world.Log
	ledger *ledger.Ledger
	ctx    context.Context
}

func newStage(t *testing.T) stage {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	s := stage{log: world.NewLog(), ledger: ledger.New()}
	set := driver.Unassigned()
	set.Ledger, set.Journal, set.Forge = s.ledger, counted{s.ledger}, forge{}
	s.World = world.New(world.Options{Drivers: set, Scenario: "a.feature:3", Log: s.log})
	s.ctx = world.Into(ctx, s.World)
	return s
}

type counted struct{ l *ledger.Ledger }

func (c counted) Entries(_ context.Context, after uint64) ([]driver.Entry, error) {
	var out []driver.Entry
	for seq := after + 1; seq <= c.l.Seq(); seq++ {
		out = append(out, driver.Entry{Seq: seq})
	}
	return out, nil
}

type forge struct{}

func (forge) As(actor string) (driver.Session, error) {
	if actor == "observer" {
		return driver.Session{Repos: nil}, nil
	}
	return driver.Session{}, driver.ErrUnknownActor
}

// deadline gives ctx a deadline that has passed by the time it is looked at.
func deadline(t *testing.T, ctx context.Context) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

func TestExpect(t *testing.T) {
	s := newStage(t)
	s.log.Begin(2)
	s.ledger.Changed()
	if err := s.Expect(s.ctx, "issue.labels", []string{"bug"}, match.Contains("bug")); err != nil {
		t.Error(err)
	}
	err := s.ExpectKey(s.ctx, "run.conclusion", "run:5", "failure", match.Equal("success"))
	var mis *match.Mismatch
	if !errors.As(err, &mis) || mis.Error() != `run.conclusion of run:5: expected "success", saw "failure"` {
		t.Errorf("got %v", err)
	}
	s.Observe(s.ctx, "agent.recorded", "run:5 x", map[string]any{"success": true})
	s.Observe(s.ctx, "odd", "", func() {})
	if err := s.Expect(s.ctx, "odd", func() {}, match.Equal(1)); err == nil || errors.As(err, &mis) {
		t.Errorf("a value without a JSON form: got %v, want an error that is no mismatch", err)
	}
	var got []string
	for _, o := range s.log.Observations(2) {
		got = append(got, fmt.Sprintf("%s|%s|%s|%s|%v|%d", o.Subject, o.Key, o.Got, o.Want, o.OK, o.Sequence))
	}
	want := []string{
		`issue.labels||["bug"]|contains "bug"|true|1`,
		`run.conclusion|run:5|"failure"|"success"|false|1`,
		`agent.recorded|run:5 x|{"success":true}||true|1`,
		`odd||"not recorded: json: unsupported type: func()"||true|1`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestALargeValueIsCutAndSaysSo(t *testing.T) {
	s := newStage(t)
	s.Observe(s.ctx, "log", "", bytes.Repeat([]byte("x"), 1<<20))
	o := s.log.Observations(0)[0]
	if len(o.Got) > 600<<10 || !strings.Contains(string(o.Got), `"bytes":1048578`) {
		t.Errorf("kept %d bytes: %.40s", len(o.Got), o.Got)
	}
}

func TestSlotsAndSharesAreFreshInEveryWorld(t *testing.T) {
	slot := world.NewSlot[struct{ n int }]("pack")
	a, b := newStage(t), newStage(t)
	slot.Of(a.ctx).n = 3
	world.Share(a.ctx, "the issue", 7)
	if n := slot.Of(a.ctx).n; n != 3 {
		t.Errorf("the slot forgot: %d", n)
	}
	if n := slot.Of(b.ctx).n; n != 0 {
		t.Errorf("the slot of another world holds %d", n)
	}
	if v, err := world.Shared[int](a.ctx, "the issue"); v != 7 || err != nil {
		t.Errorf("got %d, %v", v, err)
	}
	if _, err := world.Shared[int](b.ctx, "the issue"); err == nil || !strings.Contains(err.Error(), `"the issue"`) {
		t.Errorf("absent: got %v", err)
	}
	if _, err := world.Shared[string](a.ctx, "the issue"); err == nil || !strings.Contains(err.Error(), "is a int here, not a string") {
		t.Errorf("of another type: got %v", err)
	}
}

func TestAnUnknownActorIsRefusedByEveryCall(t *testing.T) {
	s := newStage(t)
	if _, err := s.As("nobody").Runs.List(s.ctx, driver.Repo{}, driver.RunFilter{}); !errors.Is(err, driver.ErrUnknownActor) || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("got %v", err)
	}
	w := world.New(world.Options{})
	if err := w.As("observer").Repos.Delete(s.ctx, driver.Repo{}); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("without a forge: got %v", err)
	}
}

func TestAContextWithoutAWorld(t *testing.T) {
	ctx := t.Context()
	w := world.From(ctx)
	never := func(context.Context) error { t.Error("the check was called"); return nil }
	_, shared := world.Shared[int](ctx, "x")
	_, call := w.As("observer").Issues.Get(ctx, driver.Ref{})
	for what, err := range map[string]error{
		"until": w.Until(ctx, never), "settled": w.Settled(ctx, never), "attach": w.Attach(ctx, "a", "text/plain", nil),
		"expect": w.Expect(ctx, "a", 1, match.Equal(1)), "shared": shared, "as": call,
	} {
		if !errors.Is(err, world.ErrNoWorld) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	world.Share(ctx, "x", 1)
	world.NewSlot[int]("x").Of(ctx)
	w.Observe(ctx, "a", "", 1)
}

// sink keeps what was put into it.
type sink struct {
	mu   sync.Mutex
	puts []string
}

func (s *sink) Put(_ context.Context, m evidence.Meta, r io.Reader) (evidence.Ref, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, err := io.ReadAll(r)
	s.puts = append(s.puts, fmt.Sprintf("%s %s %s %s %d %s", m.Name, m.Origin, m.MediaType, m.Scenario, m.Step, data))
	return evidence.Ref{Meta: m, Size: int64(len(data))}, err
}

func TestAttach(t *testing.T) {
	var k sink
	log := world.NewLog()
	w := world.New(world.Options{Scenario: "a.feature:3", Log: log, Sink: &k})
	log.Begin(4)
	if err := w.Attach(t.Context(), "out.txt", "text/plain", []byte("hi")); err != nil {
		t.Fatal(err)
	}
	log.Quarantine()
	if err := w.Attach(t.Context(), "late.txt", "text/plain", nil); !errors.Is(err, world.ErrQuarantined) {
		t.Errorf("after quarantine: got %v", err)
	}
	if diff := cmp.Diff([]string{"out.txt step:4 text/plain a.feature:3 4 hi"}, k.puts); diff != "" {
		t.Error(diff)
	}
	if n := len(log.Attachments()); n != 1 {
		t.Errorf("%d attachments, want 1", n)
	}
	if err := newStage(t).Attach(t.Context(), "a", "b", nil); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("without a sink: got %v", err)
	}
}

func TestAQuarantinedLogDropsWhatComesLate(t *testing.T) {
	s := newStage(t)
	s.Observe(s.ctx, "early", "", 1)
	s.Cleanup("early", nil)
	s.log.Quarantine()
	s.Observe(s.ctx, "late", "", 1)
	s.Cleanup("late", nil)
	if o := s.log.Observations(0); len(o) != 1 || o[0].Subject != "early" {
		t.Errorf("observations: %+v", o)
	}
	if c, ok := s.log.PopCleanup(); !ok || c.Name != "early" {
		t.Errorf("clean-up: %v %v", c.Name, ok)
	}
	if _, ok := s.log.PopCleanup(); ok {
		t.Error("a late clean-up was kept")
	}
}
