package hole_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/suite/hole"
)

const pi = "@requires:capability:runtime-pi"

func dummyOf(stage string) []hole.Selected { return []hole.Selected{{Runtime: "dummy", Stage: stage}} }

func TestFind(t *testing.T) {
	platform := hole.Suite{Capabilities: []string{"runtime-pi"}, Runtimes: []string{"dummy", "pi"}, Stages: []string{"triage", "review"}}
	none := "no scenario that runs says "
	for _, tt := range []struct {
		name  string
		suite hole.Suite
		cases []hole.Case
		want  []string
	}{
		{"nothing", hole.Suite{}, nil, nil},
		{"nothing covered", platform, nil, []string{
			"capability runtime-pi: no scenario requires it",
			"runtime dummy: " + none + "that a run selected it", "runtime pi: " + none + "that a run selected it",
			"stage triage: " + none + "what it comes to", "stage review: " + none + "what it comes to",
		}},
		{"all covered", platform, []hole.Case{
			{ID: "a:1", Runs: true, Stages: []string{"triage", "review"}, Selected: []hole.Selected{{"dummy", "triage"}, {"dummy", "review"}}},
			{ID: "a:9", Runs: true, Tags: []string{pi}, Selected: []hole.Selected{{"pi", ""}}},
		}, nil},
		{"a stage whose runtime nobody looks at", platform, []hole.Case{
			{ID: "a:1", Runs: true, Stages: []string{"triage", "review"}, Selected: dummyOf("triage")},
			{ID: "a:5", Runs: true, Tags: []string{pi}, Selected: []hole.Selected{{"pi", "triage"}}},
		}, []string{"stage-runtime review: " + none + "which runtime the stage's run selected"}},
		{"what does not run covers nothing", platform, []hole.Case{
			{ID: "a:1", Runs: true, Stages: []string{"triage"}, Selected: dummyOf("triage")},
			{ID: "a:5", Tags: []string{pi, "@slow"}, Stages: []string{"review"}, Selected: []hole.Selected{{"pi", "review"}}},
			{ID: "a:9", Tags: []string{pi}},
		}, []string{
			"capability runtime-pi: a:5 and 1 more are in no configured run", "runtime pi: " + none + "that a run selected it",
			"stage review: " + none + "what it comes to", "tag @slow: a:5 is in no configured run",
		}},
		{"a platform without runtimes", hole.Suite{Stages: []string{"sort"}}, []hole.Case{{ID: "a:1", Runs: true, Stages: []string{"sort"}}}, nil},
		{"tags", hole.Suite{}, []hole.Case{
			{ID: "a:1", Runs: true, Tags: []string{"@b", "@skip:gitlab", "@lock:x"}},
			{ID: "a:2", Tags: []string{"@b", "@skip:local", "@lock:y", "@serial", "@fresh"}},
		}, []string{"tag @skip:local: a:2 is in no configured run"}},
		{"a scenario that no tag explains", hole.Suite{}, []hole.Case{
			{ID: "a:1", Name: "One", Runs: true, Tags: []string{"@fast"}}, {ID: "a:2", Name: "Two"}, {ID: "a:3", Name: "Two"}, {ID: "a:4", Name: "Four", Tags: []string{"@fast"}},
		}, []string{"scenario Two: a:2 is in no configured run", "scenario Four: a:4 is in no configured run"}},
		{"a capability that only scenarios know", hole.Suite{}, []hole.Case{{ID: "a:1", Tags: []string{"@requires:capability:clock"}}},
			[]string{"capability clock: a:1 is in no configured run"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.suite.Scenarios = tt.cases
			var got []string
			for _, h := range hole.Find(tt.suite) {
				got = append(got, h.String()+": "+h.Why)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	s := hole.Suite{Runtimes: []string{"dummy", "pi"}, Stages: []string{"triage"}, Scenarios: []hole.Case{
		{ID: "a:1", Name: "One", Runs: true, Stages: []string{"triage"}, Selected: dummyOf("triage")}, {ID: "a:2", Name: "Two", Tags: []string{"@slow"}},
	}}
	holes := hole.Find(s) // runtime pi, tag @slow
	good := []hole.Entry{{What: []string{"runtime pi", "tag @slow"}, Reason: "no key", Since: "2026-12-01", Line: 7}}
	today := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	one := func(change func(*hole.Entry)) []hole.Entry {
		e := good[0]
		change(&e)
		return []hole.Entry{e}
	}
	for _, tt := range []struct {
		name    string
		entries []hole.Entry
		want    []string
	}{
		{"all is known", good, nil},
		{"nothing is known", nil, []string{
			"0 hole: runtime pi: no scenario that runs says that a run selected it | cover it, or say that it is known: holes: [{what: runtime pi, reason: WHY, since: YYYY-MM-DD}]",
			`0 hole: tag @slow: a:2 is in no configured run | cover it, or say that it is known: holes: [{what: "tag @slow", reason: WHY, since: YYYY-MM-DD}]`,
		}},
		{"no reason", one(func(e *hole.Entry) { e.Reason = " " }), []string{"7 hole-entry: runtime pi, tag @slow has no reason | reason: why nothing covers it"}},
		{"no date", one(func(e *hole.Entry) { e.Since = "" }), []string{"7 hole-entry: runtime pi, tag @slow has no date | since: the day from which it is known, such as 2026-12-01"}},
		{"another form of date", one(func(e *hole.Entry) { e.Since = "1.12.2026" }), []string{`7 hole-entry: runtime pi, tag @slow is since "1.12.2026", which is no day | a day is such as 2026-12-01`}},
		{"a date that is none", one(func(e *hole.Entry) { e.Since = "2026-02-30" }), []string{`7 hole-entry: runtime pi, tag @slow is since "2026-02-30", which is no day | a day is such as 2026-12-01`}},
		{"a date to come", one(func(e *hole.Entry) { e.Since = "2062-12-01" }), []string{"7 hole-entry: runtime pi, tag @slow is since 2062-12-01, which is still to come | "}},
		{"tomorrow elsewhere", one(func(e *hole.Entry) { e.Since = "2026-12-02" }), nil},
		{"covered", append(one(func(*hole.Entry) {}), hole.Entry{What: []string{"stage triage"}, Reason: "x", Since: "2026-11-30", Line: 9}),
			[]string{"9 stale-hole: stage triage is no hole any more: a configured run covers it | take the entry out"}},
		{"covered by its scenarios", append(one(func(*hole.Entry) {}), hole.Entry{What: []string{"scenario One"}, Reason: "x", Since: "2026-11-30", Line: 9}),
			[]string{"9 stale-hole: scenario One is no hole any more: a configured run covers it | take the entry out"}},
		{"not there", append(one(func(*hole.Entry) {}), hole.Entry{What: []string{"runtime codex", "capability x"}, Reason: "x", Since: "2026-11-30", Line: 9}), []string{
			"9 stale-hole: runtime codex is no hole: there is no such runtime | there are dummy, pi", "9 stale-hole: capability x is no hole: there is no such capability | there is none"}},
		{"no kind", append(one(func(*hole.Entry) {}), hole.Entry{What: []string{"colour red", "pi"}, Reason: "x", Since: "2026-11-30", Line: 9}), []string{
			`9 hole-entry: "colour red" is not of the form KIND NAME | kinds are capability, runtime, stage, stage-runtime, tag, scenario`,
			`9 hole-entry: "pi" is not of the form KIND NAME | kinds are capability, runtime, stage, stage-runtime, tag, scenario`}},
		{"twice", append(one(func(*hole.Entry) {}), hole.Entry{What: []string{"runtime pi"}, Reason: "x", Since: "2026-11-30", Line: 9}),
			[]string{"9 hole-entry: runtime pi is said twice, in line 7 as well | "}},
		{"of nothing", append(one(func(*hole.Entry) {}), hole.Entry{Reason: "x", Since: "2026-11-30", Line: 9}),
			[]string{"9 hole-entry: the hole does not say what it is in | what: KIND NAME, such as stage review; kinds are capability, runtime, stage, stage-runtime, tag, scenario"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, p := range hole.Check(s, holes, tt.entries, today) {
				got = append(got, strings.Join([]string{string(rune('0'+p.Line)) + " " + p.Rule + ": " + p.What, p.Hint}, " | "))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if e, ok := hole.Known(good, holes[0]); !ok || e.Line != 7 {
		t.Errorf("the entry of %s: %+v, %v", holes[0], e, ok)
	}
	if _, ok := hole.Known(nil, holes[0]); ok {
		t.Error("an entry where there is none")
	}
}
