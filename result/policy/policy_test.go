package policy_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/result/policy"
)

func recorded(key, got string) result.Observation {
	return result.Observation{Subject: policy.Recorded, Key: key, Got: json.RawMessage(got), OK: true}
}

func claimed(subject, key string) result.Observation {
	return result.Observation{Subject: subject, Key: key, Got: json.RawMessage(`"failure"`), Want: "as is", OK: true}
}

func completed(run, conclusion, reason string) driver.Entry {
	return driver.Entry{Type: "run.completed", Subject: run, Detail: map[string]string{"conclusion": conclusion, "reason": reason}}
}

func passed(o ...result.Observation) []result.Step {
	return []result.Step{{Verdict: result.Passed, Observations: o}}
}

const (
	bad  = `{"success":false,"error":"disk full"}`
	good = `{"success":true,"error":""}`
	emit = "run:5 Emit triage JSON"
)

func TestJudge(t *testing.T) {
	unclaimed := `unclaimed-failed-operation run:5 failed operation "Emit triage JSON" of run:5 failed and no step expected it: disk full`
	missed := result.Observation{Subject: policy.Operation, Key: emit, Want: "fails", OK: false}
	late := driver.Entry{Type: "job.completed", Subject: "job:7", Cause: "run:5", Detail: map[string]string{"name": "run (triage)", "conclusion": "cancelled", "timed_out": "true"}}
	never := driver.Entry{Type: "unserved-event", Subject: "acme/app w.yml", Detail: map[string]string{"message": "on: workflow_run"}}
	unexpecting := result.Observation{Subject: policy.Operation, Key: emit, OK: true}
	for _, c := range []struct {
		name string
		o    policy.Options
		s    result.Scenario
		want []string
	}{
		{name: "nothing", s: result.Scenario{Steps: passed()}},
		{name: "a job at its time limit", s: result.Scenario{Steps: passed(), Journal: []driver.Entry{late}},
			want: []string{`unexpected-failed-run run:5 failed job "run (triage)" of run:5 was ended at its time limit and no step expected it`}},
		{name: "a job at its time limit, expected", s: result.Scenario{Steps: passed(claimed(policy.Conclusion, "run:5")), Journal: []driver.Entry{late}}},
		{name: "an event that never comes, told once", s: result.Scenario{Steps: passed(), Journal: []driver.Entry{never, never}},
			want: []string{`unknown-route  broken a workflow waits for an event that is never delivered here: acme/app w.yml: on: workflow_run`}},
		{name: "a good operation", s: result.Scenario{Steps: passed(), After: []result.Observation{recorded(emit, good)}},
			want: []string{`unread-output run:5 passed operation "Emit triage JSON" of run:5 succeeded and no step looked at it`}},
		{name: "a good operation, looked at", s: result.Scenario{Steps: passed(claimed(policy.Operation, emit)), After: []result.Observation{recorded(emit, good)}}},
		{name: "unread is red", o: policy.Options{Strictness: policy.Strictness{policy.UnreadOutput: policy.Red}}, s: result.Scenario{Steps: passed(), After: []result.Observation{recorded(emit, good)}},
			want: []string{`unread-output run:5 failed operation "Emit triage JSON" of run:5 succeeded and no step looked at it`}},
		{name: "unread is off", o: policy.Options{Strictness: policy.Strictness{policy.UnreadOutput: policy.Off}}, s: result.Scenario{Steps: passed(), After: []result.Observation{recorded(emit, good)}}},
		{name: "unread where steps were not reached", s: result.Scenario{Steps: append(passed(), result.Step{Verdict: result.Skipped}), After: []result.Observation{recorded(emit, good)}}},
		{name: "a failed run only warns, and stands last", o: policy.Options{Strictness: policy.Strictness{policy.UnexpectedRun: policy.Warn}},
			s:    result.Scenario{Steps: passed(), Journal: []driver.Entry{completed("run:3", "failure", ""), {Type: "panic", Subject: "p"}}},
			want: []string{"internal-error  broken the environment itself went wrong: p", "unexpected-failed-run run:3 passed run:3 ended in failure and no step expected it"}},
		{name: "unclaimed", s: result.Scenario{Steps: passed(), After: []result.Observation{recorded(emit, bad)}}, want: []string{unclaimed}},
		{name: "unclaimed in a step, told once", s: result.Scenario{Steps: passed(recorded(emit, bad)), After: []result.Observation{recorded(emit, bad)}}, want: []string{unclaimed}},
		{name: "claimed", s: result.Scenario{Steps: passed(claimed(policy.Operation, emit)), After: []result.Observation{recorded(emit, bad)}}},
		{name: "claimed by After", s: result.Scenario{Steps: passed(), After: []result.Observation{recorded(emit, bad), claimed(policy.Operation, emit)}}},
		{name: "claimed in another run", s: result.Scenario{Steps: passed(claimed(policy.Operation, "run:6 Emit triage JSON")), After: []result.Observation{recorded(emit, bad)}}, want: []string{unclaimed}},
		{name: "claimed as a run", s: result.Scenario{Steps: passed(claimed(policy.Conclusion, emit)), After: []result.Observation{recorded(emit, bad)}}, want: []string{unclaimed}},
		{name: "a claim that did not hold", s: result.Scenario{Steps: passed(missed), After: []result.Observation{recorded(emit, bad)}}, want: []string{unclaimed}},
		{name: "seen without expecting", s: result.Scenario{Steps: passed(unexpecting), After: []result.Observation{recorded(emit, bad)}}, want: []string{unclaimed}},
		{name: "an unreadable record", s: result.Scenario{Steps: passed(), After: []result.Observation{recorded(emit, `{}`)}},
			want: []string{`unclaimed-failed-operation run:5 broken the record of operation "Emit triage JSON" of run:5 does not say whether it succeeded: {}`}},
		{name: "allowed", o: policy.Options{Strictness: policy.Strictness{policy.UnclaimedOperation: policy.Off}}, s: result.Scenario{Steps: passed(), After: []result.Observation{recorded(emit, bad)}}},
		{name: "steps not reached", s: result.Scenario{Steps: append(passed(), result.Step{Verdict: result.Failed}, result.Step{Verdict: result.Skipped}), After: []result.Observation{recorded(emit, bad)}},
			want: []string{`unclaimed-failed-operation run:5 broken operation "Emit triage JSON" of run:5 failed and no step that was reached expected it: disk full`}},
		{name: "runs", s: result.Scenario{Steps: passed(claimed(policy.Conclusion, "run:2")), Journal: []driver.Entry{
			completed("run:1", "success", ""), completed("run:2", "failure", ""), completed("run:3", "failure", ""),
			completed("run:4", "cancelled", ""), completed("run:5", "startup_failure", "ci.yml:7: container: is not supported"),
			completed("run:6", "timed_out", ""), completed("run:7", "skipped", ""), completed("run:9", "action_required", ""), completed("run:8", "exploded", ""),
			{Type: "run.created", Subject: "run:9", Detail: map[string]string{"conclusion": "failure"}},
		}}, want: []string{
			"unexpected-failed-run run:3 failed run:3 ended in failure and no step expected it",
			"unexpected-failed-run run:5 failed run:5 ended in startup_failure and no step expected it: ci.yml:7: container: is not supported",
			"unexpected-failed-run run:6 failed run:6 ended in timed_out and no step expected it",
			`unexpected-failed-run run:8 broken run:8 completed with the unknown conclusion "exploded"`,
		}},
		{name: "runs allowed", o: policy.Options{Strictness: policy.Strictness{policy.UnexpectedRun: policy.Off}}, s: result.Scenario{Steps: passed(), Journal: []driver.Entry{completed("run:3", "failure", "")}}},
		{name: "environment", s: result.Scenario{Steps: passed(), Journal: []driver.Entry{
			{Type: "unknown-route", Subject: "GET /teapot", Cause: "job:7"}, {Type: "unknown-route", Subject: "GET /teapot", Cause: "job:7"},
			{Type: "panic", Subject: "GET /user", Detail: map[string]string{"error": "nil map"}}, {Type: "internal-error", Subject: "artifact"},
		}}, want: []string{
			"unknown-route job:7 broken the platform called an endpoint the local forge does not serve: GET /teapot",
			"internal-error  broken the environment itself went wrong: GET /user: nil map",
			"internal-error  broken the environment itself went wrong: artifact",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, f := range policy.Judge(c.o)(c.s) {
				got = append(got, fmt.Sprintf("%s %s %s %s", f.Policy, f.Cause, f.Problem.Verdict, f.Problem.What))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
