package cli

import (
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/result"
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
			text, ok := judgeDefect(tt.rec, defect{"d", "own"})
			if ok != tt.ok || !strings.Contains(text, tt.want) {
				t.Errorf("got %q, %v; want %q, %v", text, ok, tt.want, tt.ok)
			}
		})
	}
}
