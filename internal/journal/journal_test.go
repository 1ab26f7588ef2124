package journal_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func fixed() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestEntriesHaveNoGapsAndChangesCount(t *testing.T) {
	l := ledger.New()
	j := journal.New(l, fixed)
	for i, kind := range []journal.Kind{journal.Change, journal.Read, journal.Change} {
		if seq := j.Append(journal.Entry{Kind: kind, Type: fmt.Sprint(i)}); seq != uint64(i)+1 {
			t.Errorf("entry %d got number %d", i, seq)
		}
	}
	want := []journal.Entry{
		{Seq: 2, Time: fixed(), Kind: journal.Read, Type: "1"},
		{Seq: 3, Time: fixed(), Kind: journal.Change, Type: "2"},
	}
	if diff := cmp.Diff(want, j.Entries(1)); diff != "" {
		t.Error(diff)
	}
	if got := j.Entries(3); got != nil {
		t.Errorf("after the last: got %v", got)
	}
	if l.Seq() != 2 {
		t.Errorf("the ledger counted %d changes, want 2", l.Seq())
	}
}

func TestLagHoldsBackQuiet(t *testing.T) {
	l := ledger.New()
	j := journal.New(l, fixed)
	j.Append(journal.Entry{Kind: journal.Change, Type: "before"})
	c := j.Subscribe("hooks")
	quiet(t, l, true, "a cursor at the head")
	j.Append(journal.Entry{Kind: journal.Read, Type: "after"})
	quiet(t, l, false, "an entry that was not read")
	if diff := cmp.Diff([]string{"undelivered to hooks"}, l.Pending()); diff != "" {
		t.Error(diff)
	}
	e, err := c.Next(soon(t))
	if err != nil || e.Type != "after" {
		t.Fatalf("got %v, %v; want the entry after the subscription", e, err)
	}
	quiet(t, l, false, "an entry that is being handled")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Next(over); !errors.Is(err, context.Canceled) {
		t.Fatalf("at the head: got %v", err)
	}
	quiet(t, l, true, "asked for the next")
	j.Append(journal.Entry{Kind: journal.Change})
	c.Close()
	quiet(t, l, true, "a closed cursor")
	j.Append(journal.Entry{Kind: journal.Change})
	quiet(t, l, true, "an entry after the cursor was closed")
}

func quiet(t *testing.T, l *ledger.Ledger, want bool, when string) {
	t.Helper()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, got, _ := l.Wait(over, l.Seq())
	if got != want {
		t.Errorf("%s: quiet is %v, want %v (open: %q)", when, got, want, l.Pending())
	}
}

func TestRestoreGoesOn(t *testing.T) {
	l := ledger.New()
	j := journal.New(l, fixed)
	old := []journal.Entry{{Seq: 7, Kind: journal.Change, Type: "a"}, {Seq: 8, Kind: journal.Change, Type: "b"}}
	if err := j.Restore(old); err != nil {
		t.Fatal(err)
	}
	if l.Seq() != 0 || j.Last() != 8 {
		t.Errorf("%d changes counted, want none; last is %d, want 8", l.Seq(), j.Last())
	}
	c := j.Subscribe("late")
	defer c.Close()
	if seq := j.Append(journal.Entry{Kind: journal.Change, Type: "c"}); seq != 9 {
		t.Errorf("the next entry got number %d, want 9", seq)
	}
	if e, err := c.Next(soon(t)); err != nil || e.Seq != 9 {
		t.Errorf("the subscriber got %v, %v; want entry 9", e, err)
	}
	for after, want := range map[uint64]int{0: 3, 6: 3, 7: 2, 8: 1, 9: 0, 99: 0} {
		if got := j.Entries(after); len(got) != want || want > 0 && got[want-1].Seq != 9 {
			t.Errorf("after %d: %v, want %d entries up to 9", after, got, want)
		}
	}
	if err := j.Restore(old); err == nil {
		t.Error("a journal in use was restored")
	}
	for _, bad := range [][]journal.Entry{{{Seq: 0}}, {{Seq: 1}, {Seq: 3}}, {{Seq: 2}, {Seq: 1}}} {
		if err := journal.New(l, fixed).Restore(bad); err == nil {
			t.Errorf("%v was restored", bad)
		}
	}
}
