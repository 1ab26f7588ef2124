package result_test

import (
	"testing"
	"time"

	"github.com/understudy-dev/understudy/result"
)

func TestSpent(t *testing.T) {
	began := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		took   time.Duration
		budget *result.Budget
		want   string
	}{
		{200 * time.Second, &result.Budget{Limit: 2400}, "budget: 3 m 20 s of 40 m used"},
		{9949 * time.Millisecond, &result.Budget{Limit: 10}, "budget: 9.9 s of 10 s used"},
		{9951 * time.Millisecond, &result.Budget{Limit: 3600}, "budget: 10 s of 1 h used"},
		{59600 * time.Millisecond, &result.Budget{Limit: 5430}, "budget: 1 m of 1 h 30 m used"},
		{time.Second, &result.Budget{Lease: 1}, ""},
		{time.Second, nil, ""},
		{0, &result.Budget{Limit: 2400}, ""}, // it has not ended
	} {
		r := result.Record{Started: began, Ended: began.Add(tt.took), Budget: tt.budget}
		if got := r.Spent(); got != tt.want {
			t.Errorf("%s of %+v: got %q, want %q", tt.took, tt.budget, got, tt.want)
		}
	}
	with := func(n int) result.Record {
		return result.Record{Started: began.Add(time.Duration(n)), Ended: began.Add(time.Minute), Budget: &result.Budget{Limit: 2400},
			Cells: []result.Cell{{Trials: []result.Trial{{Scenarios: []result.Scenario{{ID: string(rune('a' + n)), Verdict: result.Passed}}}}}}}
	}
	if merged, err := result.Merge([]result.Record{with(0), with(1)}, result.MergeOptions{}); err != nil || merged.Budget != nil {
		t.Errorf("merged records have the budget %+v, %v", merged.Budget, err)
	}
	if one, err := result.Merge([]result.Record{with(0)}, result.MergeOptions{}); err != nil || one.Budget == nil {
		t.Errorf("one record has no budget: %v", err)
	}
}
