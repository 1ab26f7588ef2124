package result_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/result"
)

// happened is a scenario in which a label started a run with one job and its requests; change makes
// it another one.
func happened(change func(*result.Scenario)) result.Scenario {
	s := result.Scenario{ID: "f.feature:3", Name: "S", Verdict: result.Passed,
		Steps: []result.Step{
			{Number: 1, Keyword: "Given", Text: "a repository", Verdict: result.Passed},
			{Number: 2, Keyword: "Then", Text: "the issue has label \"x\"", Verdict: result.Passed, Observations: []result.Observation{
				{Subject: "issue.labels", Key: "run:1", Got: json.RawMessage(`["x"]`), Want: `contains "x"`, OK: true}}},
		},
		After: []result.Observation{{Subject: "agent.recorded", Key: "run:1 Edit", Got: json.RawMessage(`{"success": true}`), OK: true}},
		Journal: []driver.Entry{
			{Seq: 1, Type: "step", Subject: "step:1", Detail: map[string]string{"text": "a repository"}},
			{Seq: 2, Type: "issues.labeled", Cause: "step:1", Subject: "o/r#1", Change: true, Detail: map[string]string{"label": "x"}},
			{Seq: 3, Type: "run.created", Cause: "event:2", Subject: "run:1", Change: true, Detail: map[string]string{"name": "crew"}},
			{Seq: 4, Type: "job.created", Cause: "run:1", Subject: "job:1", Change: true, Detail: map[string]string{"name": "triage"}},
			{Seq: 5, Type: "request", Cause: "job:1", Subject: "GET /user", Detail: map[string]string{"status": "200"}},
			{Seq: 6, Type: "request", Cause: "job:1", Subject: "POST /labels", Change: true, Detail: map[string]string{"status": "200"}},
			{Seq: 7, Type: "job.completed", Cause: "run:1", Subject: "job:1", Change: true, Detail: map[string]string{"name": "triage", "conclusion": "success"}},
			{Seq: 8, Type: "run.completed", Cause: "event:2", Subject: "run:1", Change: true, Detail: map[string]string{"name": "crew", "conclusion": "success"}},
		}}
	if change != nil {
		change(&s)
	}
	return s
}

func trialsOf(trials ...[]result.Scenario) result.Record {
	r := result.Record{Schema: result.Schema, Cells: []result.Cell{{Suite: "s"}}}
	for i, all := range trials {
		r.Cells[0].Trials = append(r.Cells[0].Trials, result.Trial{Number: i + 1, Scenarios: all})
	}
	return r
}

func one(change func(*result.Scenario)) result.Record {
	return trialsOf([]result.Scenario{happened(change)})
}

func TestDiffFindsWhereChainsPart(t *testing.T) {
	way := []result.Link{{Kind: "step", Title: "1 a repository"}, {Kind: "event", Title: "issues.labeled o/r#1 x"}, {Kind: "run", Title: "crew", A: "success", B: "success"}}
	failed := func(s *result.Scenario) {
		s.Journal[6].Detail["conclusion"], s.Journal[7].Detail["conclusion"] = "failure", "failure"
	}
	red := func(l []result.Link) []result.Link {
		out := append([]result.Link(nil), l...)
		for i := range out {
			if out[i].A != "" {
				out[i].B = "failure"
			}
		}
		return out
	}
	job := append(way[:3:3], result.Link{Kind: "job", Title: "triage", A: "success", B: "success"})
	for name, tt := range map[string]struct {
		change func(*result.Scenario)
		chain  []result.Link
		node   *result.Parting
	}{
		"a request failed": {func(s *result.Scenario) { failed(s); s.Journal[5].Detail["status"] = "403" }, red(job),
			&result.Parting{At: "request POST /labels", A: []string{"POST /labels → 200"}, B: []string{"POST /labels → 403"}}},
		"a request is not there": {func(s *result.Scenario) { s.Journal[5].Type, s.Journal[5].Change = "request", false }, job,
			&result.Parting{At: "request", A: []string{"POST /labels → 200"}}},
		"a job failed by itself": {failed, red(way),
			&result.Parting{At: "job triage", A: []string{"triage → success"}, B: []string{"triage → failure"}}},
		"another label": {func(s *result.Scenario) { s.Journal[1].Detail["label"] = "y" }, way[:1],
			&result.Parting{At: "event", A: []string{"issues.labeled o/r#1 x"}, B: []string{"issues.labeled o/r#1 y"}}},
		"a run more": {func(s *result.Scenario) {
			s.Journal = append(s.Journal, driver.Entry{Seq: 9, Type: "run.created", Cause: "event:2", Subject: "run:2", Detail: map[string]string{"name": "lint"}})
		}, way[:2], &result.Parting{At: "run", B: []string{"lint → not finished"}}},
		"nothing happened": {func(s *result.Scenario) { s.Journal = s.Journal[:1] }, way[:1],
			&result.Parting{At: "event", A: []string{"issues.labeled o/r#1 x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			d := result.Diff(one(nil), one(tt.change))
			if len(d.Scenarios) != 1 || d.Equal() {
				t.Fatalf("got %+v", d)
			}
			if diff := cmp.Diff(tt.chain, d.Scenarios[0].Chain); diff != "" {
				t.Errorf("chain (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.node, d.Scenarios[0].Node); diff != "" {
				t.Errorf("node (-want +got):\n%s", diff)
			}
			back := result.Diff(one(tt.change), one(nil))
			if got := back.Scenarios[0].Node; !cmp.Equal(got.A, tt.node.B) || !cmp.Equal(got.B, tt.node.A) {
				t.Errorf("the other way round: got %+v", got)
			}
		})
	}
}

func TestDiffFindsStepsOperationsAndFindings(t *testing.T) {
	d := result.Diff(one(nil), one(func(s *result.Scenario) {
		s.Verdict = result.Failed
		s.Steps[1].Verdict = result.Failed
		s.Steps[1].Observations[0].Got, s.Steps[1].Observations[0].OK = json.RawMessage(`[]`), false
		s.Steps[1].Problem = &result.Problem{Verdict: result.Failed, What: "labels of run:7", Where: "f.feature:5"}
		s.After[0].Got = json.RawMessage(`{"success": false}`)
		s.Findings = []result.Finding{{Policy: "p", Problem: result.Problem{Verdict: result.Failed, What: "run:7 failed"}}}
	}))
	want := result.Difference{Scenarios: []result.ScenarioDifference{{
		Named: result.Named{ID: "f.feature:3", Name: "S"}, TrialA: 1, TrialB: 1, VerdictA: "passed", VerdictB: "failed",
		Step: &result.Parting{At: `step 2 the issue has label "x"`,
			A: []string{"passed", `issue.labels <run>: ["x"], as expected: contains "x"`},
			B: []string{"failed", `issue.labels <run>: [], expected contains "x"`, "failed labels of <run> at f.feature:5"}},
		After:    &result.Parting{At: "after the steps", A: []string{`agent.recorded <run> Edit: {"success":true}`}, B: []string{`agent.recorded <run> Edit: {"success":false}`}},
		Findings: &result.Parting{At: "findings", B: []string{"p: failed: <run> failed"}},
	}}}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDiffOfWhatIsAlike: ids, times, reads and the order of what ran beside one another do not part two records.
func TestDiffOfWhatIsAlike(t *testing.T) {
	other := one(func(s *result.Scenario) {
		s.Seconds, s.Worker = 7, 4
		for i := range s.Journal {
			e := &s.Journal[i]
			e.Subject = strings.ReplaceAll(strings.ReplaceAll(e.Subject, "run:1", "run:31"), "job:1", "job:8")
			e.Cause = driver.Cause(strings.ReplaceAll(strings.ReplaceAll(string(e.Cause), "run:1", "run:31"), "job:1", "job:8"))
		}
		s.Journal = append(s.Journal[:4:4], s.Journal[5:]...) // a read
		s.Steps[1].Observations[0].Key, s.Steps[1].Observations[0].Tries = "run:31", 9
		s.After[0].Key = "run:31 Edit"
	})
	if d := result.Diff(one(nil), other); !d.Equal() || d.Same != 1 {
		t.Errorf("got %+v", d.Scenarios)
	}
}

// TestDiffOfTrials: a record of many trials is like a record of one when each came to the same; a flake is not.
func TestDiffOfTrials(t *testing.T) {
	good := []result.Scenario{happened(nil)}
	bad := []result.Scenario{happened(func(s *result.Scenario) { s.Verdict = result.Failed })}
	for name, tt := range map[string]struct {
		a, b result.Record
		want string
	}{
		"all alike":           {trialsOf(good), trialsOf(good, good, good), ""},
		"a flake on one side": {trialsOf(good), trialsOf(good, bad, good), "1 2"},
		"a flake on both":     {trialsOf(bad, good), trialsOf(good, bad, good), ""},
		"nothing alike":       {trialsOf(good, good), trialsOf(bad), "1 1"},
	} {
		d := result.Diff(tt.a, tt.b)
		got := ""
		for _, s := range d.Scenarios {
			got = strings.TrimSpace(strings.Join([]string{string(rune('0' + s.TrialA)), string(rune('0' + s.TrialB))}, " "))
		}
		if got != tt.want || d.Equal() != (tt.want == "") {
			t.Errorf("%s: got trials %q, want %q", name, got, tt.want)
		}
	}
}

func TestDiffNamesWhatOneSideLacks(t *testing.T) {
	other := happened(func(s *result.Scenario) { s.ID, s.Name = "g.feature:1", "G" })
	third := happened(func(s *result.Scenario) { s.ID, s.Name = "h.feature:1", "H" })
	b := trialsOf([]result.Scenario{happened(nil), third})
	b.Problems = []result.Problem{{Verdict: result.Broken, What: "the site could not be closed"}}
	d := result.Diff(trialsOf([]result.Scenario{happened(nil), other}), b)
	want := result.Difference{Same: 1, OnlyA: []result.Named{{ID: "g.feature:1", Name: "G"}}, OnlyB: []result.Named{{ID: "h.feature:1", Name: "H"}},
		Run: &result.Parting{At: "the run", B: []string{"broken the site could not be closed"}}}
	if diff := cmp.Diff(want, d); diff != "" || d.Equal() {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDiffOfIdentity: two runs that changed places are unlike although each of them is there.
func TestDiffOfIdentity(t *testing.T) {
	saw := func(which string) func(*result.Scenario) {
		return func(s *result.Scenario) {
			s.Journal = append(s.Journal, driver.Entry{Seq: 9, Type: "run.created", Cause: "event:2", Subject: "run:2", Detail: map[string]string{"name": "lint"}})
			s.Steps[1].Observations = append(s.Steps[1].Observations, result.Observation{Subject: "run.seen", Got: json.RawMessage(`"` + which + `"`), OK: true})
		}
	}
	d := result.Diff(one(saw("run:1")), one(saw("run:2")))
	if len(d.Scenarios) != 1 || d.Scenarios[0].Line == nil || len(d.Scenarios[0].Line.A) != 1 {
		t.Errorf("got %+v", d)
	}
	if _, err := json.Marshal(d); err != nil {
		t.Error(err)
	}
}
