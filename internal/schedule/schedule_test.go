package schedule_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/internal/schedule"
)

func TestParse(t *testing.T) {
	for _, text := range []string{"0", "1:1", "2:1,5:3"} {
		s, err := schedule.Parse(text)
		if err != nil || s.String() != text {
			t.Errorf("%q became %q, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "1", "1:0", "0:1", "2:1,2:2", "3:1,2:1", "+1:1", "01:1", "1:1,", "1:-1", "1:99999999999999999999", "1:1:1"} {
		if s, err := schedule.Parse(text); err == nil {
			t.Errorf("%q became %q", text, s)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"0", "2:1,5:3", "1:", ",", "1:1,1:1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := schedule.Parse(text); err == nil && s.String() != text {
			t.Errorf("%q became %q", text, s)
		}
	})
}

// deal plays a game: cards are dealt until none is left, in the order that d chooses.
func deal(d *schedule.Decider, cards ...string) string {
	out := ""
	for len(cards) > 0 {
		i := d.Choose(cards)
		out += cards[i]
		cards = append(append([]string(nil), cards[:i]...), cards[i+1:]...)
	}
	return out
}

func TestTheSameScheduleGivesTheSameOrder(t *testing.T) {
	e := schedule.NewExplorer(7)
	for range 50 {
		d := e.Next()
		first := deal(d, "a", "b", "c", "d", "e")
		replay := d.Schedule().Decider()
		if again := deal(replay, "a", "b", "c", "d", "e"); again != first {
			t.Errorf("%s: %s, then %s", d.Schedule(), first, again)
		}
		if err := replay.Misfit(); err != nil {
			t.Error(err)
		}
	}
	if got := deal(schedule.Schedule(nil).Decider(), "a", "b", "c"); got != "abc" {
		t.Errorf("the usual order is %s", got)
	}
}

func TestExploringFindsEachOrderOnce(t *testing.T) {
	seen := map[string]int{}
	e := schedule.NewExplorer(1)
	for d := e.Next(); d != nil; d = e.Next() {
		seen[deal(d, "a", "b", "c", "d")]++
		if !e.Add(d.Made()) || e.Add(d.Made()) {
			t.Errorf("whether %s was new", d.Schedule())
		}
		if len(seen) > 24 {
			break
		}
	}
	if len(seen) != 24 {
		t.Errorf("%d orders of 4 cards, not 24", len(seen))
	}
	for order, times := range seen {
		if times != 1 {
			t.Errorf("%s was tried %d times", order, times)
		}
	}
}

func TestTheSeedDecides(t *testing.T) {
	orders := func(seed int64) (out []string) {
		e := schedule.NewExplorer(seed)
		for range 20 {
			d := e.Next()
			out = append(out, deal(d, "a", "b", "c", "d", "e"))
			e.Add(d.Made())
		}
		return out
	}
	if diff := cmp.Diff(orders(3), orders(3)); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(orders(3), orders(4)) {
		t.Error("two seeds, the same orders")
	}
}

func TestShrinkFindsTheOneChoiceThatMatters(t *testing.T) {
	tried := 0
	fails := func(s schedule.Schedule) (schedule.Schedule, bool) {
		tried++
		d := s.Decider()
		order := deal(d, "a", "b", "c", "d", "e", "f")
		return d.Schedule(), strings.Index(order, "f") < strings.Index(order, "b")
	}
	e := schedule.NewExplorer(5)
	for d := e.Next(); d != nil; d = e.Next() {
		order := deal(d, "a", "b", "c", "d", "e", "f")
		e.Add(d.Made())
		if _, failed := fails(d.Schedule()); !failed {
			continue
		}
		tried = 0
		short := schedule.Shrink(d.Made(), fails)
		if _, failed := fails(short); !failed || len(short) > 1 || tried > 200 {
			t.Errorf("%s (%s) became %s (%s) in %d tries", d.Schedule(), order, short, deal(short.Decider(), "a", "b", "c", "d", "e", "f"), tried)
		}
	}
}

func TestAScheduleThatDoesNotFitIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"9:1": "the schedule chooses at point 9; there were 2",
		"1:7": "the schedule takes option 7 at point 1, which has options 0 to 2",
		"1:2": "<nil>",
	} {
		s, err := schedule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		d := s.Decider()
		deal(d, "a", "b", "c")
		if got := fmt.Sprint(d.Misfit()); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	s, _ := schedule.Parse("1:2")
	d := s.Decider()
	deal(d, "a", "b", "c")
	if diff := cmp.Diff([]string{"1: c (instead of: a)"}, d.Words()); diff != "" {
		t.Error(diff)
	}
}
