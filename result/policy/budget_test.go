package policy_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/result/policy"
)

func TestSpend(t *testing.T) {
	const (
		late   = "over-budget: the run took 2 m 5 s, more than its test command has: 2 m"
		leases = "over-budget: leases took 2.0 s on average, not 1.5 s; the longest, of b:1, took 3.0 s"
		slow   = "over-budget: scenarios took 15 s on average, not 10 s; the longest, of b:1, took 20 s"
		other  = "4 jobs are asked for"
	)
	wide := result.Budget{Limit: 125, Lease: 2, Scenario: 15}
	for _, tt := range []struct {
		name               string
		budget             *result.Budget
		level              policy.Level
		warnings, problems []string
	}{
		{"no budget", nil, "", []string{other}, nil},
		{"exactly", &wide, "", []string{other}, nil},
		{"late", &result.Budget{Limit: 120, Lease: 2, Scenario: 15}, "", []string{other, late}, nil},
		{"without a limit", &result.Budget{Lease: 2, Scenario: 15}, "", []string{other}, nil},
		{"all of it", &result.Budget{Limit: 120, Lease: 1.5, Scenario: 10}, policy.Warn, []string{other, late, leases, slow}, nil},
		{"all of it, and it counts", &result.Budget{Limit: 120, Lease: 1.5, Scenario: 10}, policy.Red, []string{other}, []string{late, leases, slow}},
		{"all of it, and nobody wants to know", &result.Budget{Limit: 120, Lease: 1.5, Scenario: 10}, policy.Off, []string{other}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			began := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
			r := result.Record{Started: began, Ended: began.Add(125 * time.Second), Budget: tt.budget, Warnings: []string{other, "over-budget: as judged before"},
				Problems: []result.Problem{{What: "over-budget: as judged before"}},
				Cells: []result.Cell{{Trials: []result.Trial{{Scenarios: []result.Scenario{
					{ID: "a:1", Verdict: result.Passed, Seconds: 10, LeaseSeconds: 1}, {ID: "b:1", Verdict: result.Passed, Seconds: 20, LeaseSeconds: 3},
					{ID: "c:1", Verdict: result.Skipped},
				}}}}}}
			before := slices.Clone(r.Warnings)
			got := policy.Strictness{policy.OverBudget: tt.level}.Spend(r)
			var problems []string
			for _, p := range got.Problems {
				problems = append(problems, p.What)
			}
			if diff := cmp.Diff(tt.warnings, got.Warnings) + cmp.Diff(tt.problems, problems); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			want := result.Passed
			if tt.level == policy.Red {
				want = result.Broken
			}
			if got.Verdict() != want || !slices.Equal(before, r.Warnings) {
				t.Errorf("verdict %s, and the record that was judged has %q", got.Verdict(), r.Warnings)
			}
		})
	}
}
