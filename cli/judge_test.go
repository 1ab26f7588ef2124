package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/result"
)

func look(t *testing.T, subject string, got any, m match.Matcher) result.Observation {
	t.Helper()
	raw, err := match.Encode(got)
	if err != nil {
		t.Fatal(err)
	}
	spec, ok := match.Written(m)
	if !ok {
		t.Fatalf("%s cannot be written down", m)
	}
	return result.Observation{Subject: subject, Got: raw, Want: m.String(), OK: m.Match(got) == nil, Matcher: &spec}
}

// judgeable is a record of three scenarios, judged as it should be: one passed, one failed at its last step, one
// failed since a run did that no step expected.
func judgeable(t *testing.T) func(*result.Record) {
	return func(r *result.Record) {
		step := func(n int, v result.Verdict, o ...result.Observation) result.Step {
			return result.Step{Number: n, Keyword: "Then", Text: "it is so", Line: n + 1, Verdict: v, Observations: o}
		}
		labels := []string{"triaged"}
		bad := step(2, result.Failed, look(t, "issue.labels", labels, match.Lacks("triaged")))
		bad.Problem = &result.Problem{Verdict: result.Failed, What: "labels", Expected: "x", Seen: "y"}
		run := driver.Entry{Seq: 1, Type: "run.completed", Subject: "run:1", Detail: map[string]string{"conclusion": "failure"}}
		r.Platform.Defect = ""
		r.Cells[0].Trials[0].Scenarios = []result.Scenario{
			{ID: "f.feature:1", Name: "Passes", Verdict: result.Passed, Steps: []result.Step{
				step(1, result.Passed, look(t, "issue.labels", labels, match.Contains("triaged")), result.Observation{Subject: "seen", Got: json.RawMessage("1"), OK: true}),
				step(2, result.Passed, look(t, "stage.runs", []int{1, 2}, match.Count(2)))}},
			{ID: "f.feature:10", Name: "Fails", Verdict: result.Failed, Steps: []result.Step{step(1, result.Passed), bad}},
			{ID: "f.feature:20", Name: "A run failed", Verdict: result.Failed, Steps: []result.Step{step(1, result.Passed)}, Journal: []driver.Entry{run},
				Findings: []result.Finding{{Policy: "unexpected-failed-run", Cause: "run:1", Problem: result.Problem{Verdict: result.Failed, What: "run:1 ended in failure and no step expected it"}}}},
		}
	}
}

func scenarioOf(r *result.Record, n int) *result.Scenario { return &r.Cells[0].Trials[0].Scenarios[n] }

func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		name   string
		args   []string
		change func(*result.Record)
		code   int
	}{
		{"same", nil, func(*result.Record) {}, 1},
		{"allowed", []string{"--allow-failed-runs"}, func(*result.Record) {}, 1},
		{"edited", nil, func(r *result.Record) {
			scenarioOf(r, 0).Steps[1].Observations[0].Got = json.RawMessage(`[1, 2, 3]`)
			scenarioOf(r, 1).Steps[1].Observations[0].Got = json.RawMessage(`[]`)
			scenarioOf(r, 2).Journal[0].Detail["conclusion"] = "success"
		}, 1},
		{"finding_lost", nil, func(r *result.Record) { scenarioOf(r, 2).Findings = nil; scenarioOf(r, 2).Verdict = result.Passed }, 1},
		{"strict", []string{"--strict"}, func(r *result.Record) {
			r.Cells[0].Trials[0].Scenarios = r.Cells[0].Trials[0].Scenarios[:1]
			cut, err := result.Cut([]byte(`["a"`), 300_000)
			if err != nil {
				t.Fatal(err)
			}
			scenarioOf(r, 0).Steps[0].Observations[0].Got = cut
			scenarioOf(r, 0).Steps[1].Observations[0].Matcher = nil
		}, 3},
		{"not_reached", nil, func(r *result.Record) { // what follows a step that would pass now did not run
			scenarioOf(r, 1).Steps[1].Observations[0].Got = json.RawMessage(`[]`)
			scenarioOf(r, 1).Steps = append(scenarioOf(r, 1).Steps, result.Step{Number: 3, Verdict: result.Skipped})
			r.Cells[0].Trials[0].Scenarios = r.Cells[0].Trials[0].Scenarios[:2]
		}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := kept(t, "red", func(r *result.Record) { judgeable(t)(r); tt.change(r) })
			file := t.TempDir() + "/judged.json"
			code, out := run(t, cli.Options{}, append([]string{"judge", dir, "--out", file}, tt.args...)...)
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			golden(t, "judge_"+tt.name, out)
			r, err := result.Read(file)
			if err != nil || result.ExitCode(r) != tt.code {
				t.Errorf("the judged record says %d, %v", result.ExitCode(r), err)
			}
			if tt.args == nil { // what was judged is judged alike
				if _, out := run(t, cli.Options{}, "judge", file); !strings.Contains(out, "same verdicts") {
					t.Errorf("judged again:\n%s", out)
				}
			}
		})
	}
}

func TestJudgeUsage(t *testing.T) {
	unknown := kept(t, "red", func(r *result.Record) {
		judgeable(t)(r)
		scenarioOf(r, 0).Steps[0].Observations[0].Matcher.Name = "resembles"
	})
	for want, args := range map[string][]string{
		`f.feature:1: step 1: issue.labels: read matcher: nobody knows a matcher "resembles"`: {"judge", unknown},
		"there is no record":         {"judge", t.TempDir()},
		"accepts 1 arg(s)":           {"judge", unknown, unknown},
		"written by another underst": {"judge", unknown},
	} {
		if code, out := run(t, cli.Options{}, args...); code != 2 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, want 2\n%s\nwant it to contain %q", code, out, want)
		}
	}
}

// TestJudgeByStrictness: a record is judged as grave as it was when it was made, unless a flag says otherwise.
func TestJudgeByStrictness(t *testing.T) {
	unread := result.Observation{Subject: "agent.recorded", Key: "run:1 Write", Got: json.RawMessage(`{"success": true}`), OK: true}
	green := func(strictness map[string]string) func(*result.Record) {
		return func(r *result.Record) {
			judgeable(t)(r)
			r.Strictness = strictness
			r.Cells[0].Trials[0].Scenarios = r.Cells[0].Trials[0].Scenarios[:1]
			scenarioOf(r, 0).After = []result.Observation{unread}
		}
	}
	for _, tt := range []struct {
		kept map[string]string
		args []string
		want int
	}{
		{nil, nil, 0},
		{nil, []string{"--strictness", "unread-output=red"}, 1},
		{map[string]string{"unread-output": "red"}, nil, 1},
		{map[string]string{"unread-output": "red"}, []string{"--strictness", "unread-output=warn"}, 0},
		{nil, []string{"--strictness", "unread-output"}, 2},
		{nil, []string{"--strictness", "unread-output=loud"}, 2},
		{nil, []string{"--strictness", "unheard=red"}, 2},
	} {
		out := kept(t, "green", green(tt.kept))
		if code, text := run(t, cli.Options{}, append([]string{"judge", out}, tt.args...)...); code != tt.want {
			t.Errorf("%v %v: exit code %d, want %d\n%s", tt.kept, tt.args, code, tt.want, text)
		}
	}
}
