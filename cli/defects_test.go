package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
)

func record(verdicts ...string) result.Record {
	var trial result.Trial
	for _, v := range verdicts {
		id, verdict, _ := strings.Cut(v, " ")
		trial.Scenarios = append(trial.Scenarios, result.Scenario{ID: id, Verdict: result.Verdict(verdict)})
	}
	return result.Record{Cells: []result.Cell{{Trials: []result.Trial{trial}}}}
}

func TestJudgeDefect(t *testing.T) {
	for _, tt := range []struct {
		name string
		rec  result.Record
		ok   bool
		want string
	}{
		{"caught", record("own failed", "b passed"), true, "caught by own"},
		{"with others", record("own failed", "b failed", "c passed"), true, "caught by own  (+1 others)"},
		{"alone in the suite", record("own failed"), true, "caught by own"},
		{"passed", record("own passed", "b failed"), false, "NOT caught: own passed"},
		{"broken is not caught", record("own broken", "b passed"), false, "NOT caught: own broken"},
		{"one trial is a flake", record("own failed", "own passed", "b passed"), false, "NOT caught: own passed"},
		{"not run", record("b passed"), false, "NOT caught: own did not run"},
		{"everything else failed", record("own failed", "b failed", "c broken", "d skipped"), false, "that proves nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := judgeDefect(tt.rec, defect{name: "d", scenario: "own"})
			if c.ok != tt.ok || !strings.Contains(c.String(), tt.want) {
				t.Errorf("got %q, %v; want %q, %v", c, c.ok, tt.want, tt.ok)
			}
		})
	}
}

func TestSampleIsTheDefectsOwnScenarioAndSixOthersOfTheSeed(t *testing.T) {
	var plan suite.Planned
	for i := range 20 {
		plan.Scenarios = append(plan.Scenarios, suite.PlannedScenario{Scenario: feature.Scenario{ID: fmt.Sprintf("a.feature:%d", i)}})
	}
	plan.Scenarios = append(plan.Scenarios, suite.PlannedScenario{Scenario: feature.Scenario{ID: "skipped"}, Skip: "not here"})
	pick := func(name string, seed int64) (ids []string) {
		accepts := sampled(plan, defect{name: name, scenario: "a.feature:3"}, seed)
		for _, sc := range plan.Scenarios {
			if accepts(sc.ID) {
				ids = append(ids, sc.ID)
			}
		}
		return ids
	}
	one := pick("one", 1)
	if len(one) != others+1 || !slices.Contains(one, "a.feature:3") || slices.Contains(one, "skipped") {
		t.Errorf("picked %v", one)
	}
	if again := pick("one", 1); !slices.Equal(one, again) {
		t.Errorf("the same seed picks %v and %v", one, again)
	}
	slices.Reverse(plan.Scenarios)
	other := pick("one", 1)
	slices.Reverse(plan.Scenarios)
	if slices.Sort(other); !slices.Equal(slices.Sorted(slices.Values(one)), other) {
		t.Errorf("in another order of the files it picks %v, not %v", other, one)
	}
	if slices.Equal(one, pick("one", 2)) && slices.Equal(one, pick("two", 1)) {
		t.Error("another seed and another defect pick the same")
	}
	if all := sampled(suite.Planned{Scenarios: plan.Scenarios[:3]}, defect{scenario: "a.feature:1"}, 1); !all("a.feature:0") || !all("a.feature:1") || !all("a.feature:2") {
		t.Error("a small suite runs whole")
	}
}

func TestTrackRecord(t *testing.T) {
	r := track{suite: "acceptance", clean: record("a passed", "b passed", "c passed", "d skipped")}
	r.add(caught{defect: defect{"loses", "a", "a | lost"}, ok: true, failed: []string{"b"}})
	r.add(caught{defect: defect{"hides", "b", ""}, why: "NOT caught: b passed"})
	text := r.markdown()
	for _, want := range []string{"1 of 2 seeded defects caught by 3 scenarios", "| `loses` | a \\| lost | `a`  | 1 |", "| `b`  |  | loses |", "| `c`  |  |  |"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "`d`") {
		t.Errorf("what the plan skipped stands in\n%s", text)
	}
}

// TestNewTrack: a track record is of all defects of the list, each by its latest record.
func TestNewTrack(t *testing.T) {
	of := func(defect string, scenarios ...string) result.Record {
		r := record(scenarios...)
		r.Platform.Defect = defect
		return r
	}
	defects := []defect{{name: "loses", scenario: "a"}, {name: "hides", scenario: "b"}}
	latest := map[string]result.Record{"": of("", "a passed", "b passed"), "loses": of("loses", "a failed", "b passed")}
	if _, err := newTrack("s", latest, defects); err == nil || err.Error() != "no record is of a run with hides" {
		t.Errorf("one is missing: %v", err)
	}
	latest["hides"] = of("hides", "a passed")
	if _, err := newTrack("s", latest, defects); err == nil || !strings.Contains(err.Error(), `defect "hides": its scenario b is not in the records`) {
		t.Errorf("its scenario did not run: %v", err)
	}
	latest["hides"] = of("hides", "a passed", "b failed")
	if r, err := newTrack("s", latest, defects); err != nil || r.caught() != 2 {
		t.Errorf("%d caught, %v", r.caught(), err)
	}
	delete(latest, "")
	if _, err := newTrack("s", latest, defects); err == nil || err.Error() != "no record is of a run without a defect" {
		t.Errorf("no clean run: %v", err)
	}
}
