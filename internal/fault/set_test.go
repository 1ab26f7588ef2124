package fault_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/internal/fault"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
)

// set returns a set with these faults in force, and its journal.
func set(t *testing.T, seed int64, texts ...string) (*fault.Set, *journal.Journal) {
	t.Helper()
	j := journal.New(ledger.New(), time.Now)
	s := fault.NewSet(fault.Options{Journal: j, Seed: seed})
	for _, text := range texts {
		f, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Inject(f); err != nil {
			t.Fatal(err)
		}
	}
	return s, j
}

// strikes shows targets to a set, each as "EVENT" or "EVENT>RECEIVER", and tells which were struck.
func strikes(s *fault.Set, name string, targets ...string) string {
	var out strings.Builder
	for _, what := range targets {
		event, of, _ := strings.Cut(what, ">")
		kind := "workflows"
		if strings.HasPrefix(of, "hook") {
			kind = "hooks"
		}
		_, ok := s.Strike(name, fault.Target{What: event, Of: of, Is: map[string]string{"to": kind}})
		out.WriteString(map[bool]string{true: "X", false: "."}[ok])
	}
	return out.String()
}

func TestWhichMatchesAreStruck(t *testing.T) {
	many := strings.Fields(strings.Repeat("issues.labeled ", 6))
	for _, tt := range []struct {
		faults  string
		targets []string
		want    string
	}{
		{"delivery.late", many, "X....."},
		{"delivery.late=times:2", many, "XX...."},
		{"delivery.late=from:3,times:2", many, "..XX.."},
		{"delivery.late=times:always", many, "XXXXXX"},
		{"delivery.late delivery.late", many, "XX...."},
		{"delivery.twice", many, "......"},
		{"delivery.late@issues.labeled", []string{"issues.opened", "push", "issues.labeled"}, "..X"},
		{"delivery.late=times:always@issues", []string{"issues.opened", "issue_comment.created", "issues.labeled", "issues"}, "X.XX"},
		{"delivery.late=to:hooks", []string{"push>workflows", "push>hook 1", "push>hook 1", "push>hook 2"}, ".X.X"},
		{"delivery.late@issues", []string{"issue"}, "."},
		{"delivery.late@push", []string{"push>workflows", "push>hook 1"}, "XX"},
		{"delivery.late=times:always@project", []string{"project_card.moved", "project.edited"}, ".X"},
		{"delivery.late=times:always@issues.label", []string{"issues.labeled", "issues.label"}, ".X"},
	} {
		s, _ := set(t, 1, strings.Fields(tt.faults)...)
		if got := strikes(s, "delivery.late", tt.targets...); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.faults, got, tt.want)
		}
	}
}

// TestWhichRequestsAreMeant: a path is matched segment by segment, and a method is one.
func TestWhichRequestsAreMeant(t *testing.T) {
	for where, want := range map[string]string{ // of the requests below
		"/repos/**":           "XXXX.",
		"/repos/a/b/**":       ".XXX.",
		"GET /repos/**":       "XX.X.",
		"POST /repos/**":      "..X..",
		"GET /repos/*/{name}": ".X...",
		"/repos/a/b":          ".X...",
		"/repos/a/b/*":        "..X..",
		"/repos/a":            ".....",
		"/**":                 "XXXXX",
	} {
		s, _ := set(t, 1)
		if _, err := s.Inject(fault.Fault{Name: "api.5xx", At: where, Times: fault.Always}); err != nil {
			t.Fatal(err)
		}
		if got := strikes(s, "api.5xx", "GET /repos", "GET /repos/a/b", "POST /repos/a/b/c", "GET /repos/a/b/c/d", "GET /user"); got != want {
			t.Errorf("%s: %s, want %s", where, got, want)
		}
	}
}

// TestNothingIsAskedOfWhatIsOver: a fault of requests that was taken out leaves nothing to ask.
func TestNothingIsAskedOfWhatIsOver(t *testing.T) {
	s, _ := set(t, 1, "api.cut", "read.stale", "delivery.late")
	if !s.Has("read.stale") || !s.Has("delivery.late") || s.Has("api.5xx") {
		t.Error("what is in force is not known by name")
	}
	s.Clear()
	if s.Has("read.stale") || s.Has("delivery.late") || !s.Any() {
		t.Error("what was taken out is in force; or events of before are not delivered as they should be")
	}
	s, _ = set(t, 1, "api.cut", "read.stale")
	if s.Clear(); s.Any() {
		t.Error("there is something to ask")
	}
}

// TestTheSeedDecides: the same seed strikes the same matches of a receiver, whoever is asked between them.
func TestTheSeedDecides(t *testing.T) {
	many := strings.Fields(strings.Repeat("push>hook1 ", 64))
	look := func(seed int64, other bool) string {
		s, _ := set(t, seed, "delivery.late=times:always,chance:30")
		var out string
		for _, target := range many {
			if other {
				strikes(s, "delivery.late", "push>hook2")
			}
			out += strikes(s, "delivery.late", target)
		}
		return out
	}
	one := look(7, false)
	if again := look(7, true); again != one {
		t.Errorf("%s, then %s", one, again)
	}
	if look(8, false) == one {
		t.Error("two seeds, the same strikes")
	}
	if n := strings.Count(one, "X"); n < 8 || n > 32 {
		t.Errorf("%d of 64 at 30 percent: %s", n, one)
	}
}

func TestTheJournalTells(t *testing.T) {
	s, j := set(t, 1)
	f := fault.Fault{Name: "delivery.late", At: "push"}
	remove, err := s.InjectFor("step:2", f)
	if err != nil {
		t.Fatal(err)
	}
	s.Strike("delivery.late", fault.Target{What: "push", Of: "hook 3", Is: map[string]string{"to": "hooks"}, Cause: "event:9", About: "main"})
	if diff := cmp.Diff([]fault.Fault{f}, s.InForce()); diff != "" {
		t.Error(diff)
	}
	remove()
	if _, ok := s.Strike("delivery.late", fault.Target{What: "push", Of: "hook 4"}); ok || len(s.InForce()) > 0 {
		t.Error("it is in force after it was removed")
	}
	var got []string
	for _, e := range j.Entries(0) {
		got = append(got, fmt.Sprint(e.Kind, " ", e.Type, " ", e.Subject, " ", e.Cause, " ", e.Detail))
	}
	want := []string{
		"change fault.set delivery.late@push step:2 map[]",
		"change fault.struck delivery.late@push event:9 map[about:main at:push fault:delivery.late of:hook 3]",
		"change fault.cleared delivery.late@push  map[]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWhatHappenedThenIsStruckLater: a delivery may lag behind the event; what counts is when that was.
func TestWhatHappenedThenIsStruckLater(t *testing.T) {
	s, j := set(t, 1)
	happen := func() uint64 { return j.Append(journal.Entry{Type: "push"}) }
	before := happen()
	remove, err := s.Inject(fault.Fault{Name: "delivery.late", Times: fault.Always})
	if err != nil {
		t.Fatal(err)
	}
	during := happen()
	remove()
	after := happen()
	for seq, want := range map[uint64]bool{before: false, during: true, after: false, 0: false} {
		if _, got := s.Strike("delivery.late", fault.Target{What: "push", Seq: seq}); got != want {
			t.Errorf("entry %d was struck: %t", seq, got)
		}
	}
}

func TestAllOrNone(t *testing.T) {
	s, _ := set(t, 1)
	if _, err := s.Inject(fault.Fault{Name: "delivery.late"}, fault.Fault{Name: "delivery.late", From: -1}); err == nil || s.Any() {
		t.Errorf("a wrong fault was taken, or the other one: %v", err)
	}
	for _, f := range []fault.Fault{
		{}, {Name: "delivery.late", Times: -2}, {Name: "delivery.late", Chance: 100}, {Name: "delivery.late", Args: map[string]string{"x": "y"}},
		{Name: "delivery.late", Args: map[string]string{"to": ""}}, {Name: "delivery.late", At: "nothing"},
	} {
		if _, err := s.Inject(f); err == nil {
			t.Errorf("%+v was taken", f)
		}
	}
}

func TestNoSetStrikesNothing(t *testing.T) {
	var s *fault.Set
	if _, ok := s.Strike("delivery.late", fault.Target{}); ok || s.Any() || s.InForce() != nil {
		t.Error("a set that is not there has faults")
	}
}
