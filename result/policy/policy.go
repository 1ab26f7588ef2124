// Package policy says what turns a scenario red besides its steps. It is pure: it reads a
// scenario's observations and journal, so it can be applied again to a stored record.
//
//	judge := policy.Judge(policy.Options{})
//	findings := judge(scenario)
package policy

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/result"
)

// Names of the policies, as they stand in findings.
const (
	UnclaimedOperation = "unclaimed-failed-operation"
	UnexpectedRun      = "unexpected-failed-run"
	UnknownRoute       = "unknown-route"
	InternalError      = "internal-error"
	IdleFault          = "idle-fault"
	UnreadOutput       = "unread-output"
)

// Subjects of the observations that policies read.
const (
	Recorded   = "agent.recorded"  // an operation that an agent recorded: {"success": false, "error": "…"}
	Operation  = "agent.operation" // claims the operation of the same key
	Conclusion = "run.conclusion"  // claims the run of the same key
)

// Options of judging. The zero value has each policy's default.
type Options struct {
	Strictness Strictness
}

// Judge returns the function that suite.Options.Judge takes. An operation or a run that failed must
// be claimed: a step must have expected it, by a passed observation with its key. Where steps were
// not reached, an unclaimed failure is broken rather than failed, since one of them might have
// claimed it. An operation that succeeded and that no step looked at is unread output: what it was
// meant to prove nobody has seen.
func Judge(o Options) func(result.Scenario) []result.Finding {
	return func(s result.Scenario) []result.Finding {
		j := judgement{seen: map[string]bool{}, claimed: claims(s), grave: gravity(s)}
		j.operations(s)
		for _, e := range s.Journal {
			switch e.Type {
			case "run.completed":
				j.run(e)
			case "job.completed":
				if e.Detail["timed_out"] == "true" {
					j.late(e)
				}
			case "unserved-event":
				j.find(UnknownRoute, "", result.Problem{Verdict: result.Broken,
					What: "a workflow waits for an event that is never delivered here: " + e.Subject + detail(e)})
			case "unknown-route":
				j.find(UnknownRoute, string(e.Cause), result.Problem{Verdict: result.Broken,
					What: "the platform called an endpoint the local forge does not serve: " + e.Subject + detail(e)})
			case "panic", "internal-error":
				j.find(InternalError, string(e.Cause), result.Problem{Verdict: result.Broken,
					What: "the environment itself went wrong: " + e.Subject + detail(e)})
			}
		}
		j.faults(s)
		return o.Strictness.weigh(j.findings)
	}
}

type judgement struct {
	claimed  map[claim]bool
	grave    result.Verdict // of what nobody claimed
	seen     map[string]bool
	findings []result.Finding
}

type claim struct{ subject, key string }

// find adds a finding once.
func (j *judgement) find(policy, cause string, p result.Problem) {
	id := policy + "\x00" + cause + "\x00" + p.What
	if j.seen[id] {
		return
	}
	j.seen[id] = true
	j.findings = append(j.findings, result.Finding{Policy: policy, Problem: p, Cause: cause})
}

// claims collects what passed expectations were about.
func claims(s result.Scenario) map[claim]bool {
	c := map[claim]bool{}
	each(s, func(o result.Observation) {
		if o.OK && o.Want != "" && o.Key != "" && (o.Subject == Operation || o.Subject == Conclusion) {
			c[claim{o.Subject, o.Key}] = true
		}
	})
	return c
}

func each(s result.Scenario, f func(result.Observation)) {
	for _, st := range s.Steps {
		for _, o := range st.Observations {
			f(o)
		}
	}
	for _, o := range s.After {
		f(o)
	}
}

func gravity(s result.Scenario) result.Verdict {
	for _, st := range s.Steps {
		if st.Verdict == result.Skipped {
			return result.Broken
		}
	}
	return result.Failed
}

// reached limits what is said of steps to those that ran.
func (j *judgement) reached() string {
	if j.grave == result.Broken {
		return " that was reached"
	}
	return ""
}

// operations looks for failed operations that no step expected.
func (j *judgement) operations(s result.Scenario) {
	each(s, func(o result.Observation) {
		if o.Subject != Recorded {
			return
		}
		run, name, _ := strings.Cut(o.Key, " ")
		var got struct {
			Success *bool  `json:"success"`
			Error   string `json:"error"`
		}
		if err := json.Unmarshal(o.Got, &got); err != nil || got.Success == nil {
			j.find(UnclaimedOperation, run, result.Problem{Verdict: result.Broken,
				What: fmt.Sprintf("the record of operation %q of %s does not say whether it succeeded: %s", name, run, o.Got)})
			return
		}
		switch {
		case j.claimed[claim{Operation, o.Key}]:
			return
		case *got.Success:
			if j.grave != result.Broken { // else a step that was not reached might have read it
				j.find(UnreadOutput, run, result.Problem{Verdict: result.Failed,
					What: fmt.Sprintf("operation %q of %s succeeded and no step looked at it", name, run),
					Hint: "expect it in a step, so that somebody notices when it stops to"})
			}
			return
		}
		j.find(UnclaimedOperation, run, result.Problem{Verdict: j.grave,
			What: fmt.Sprintf("operation %q of %s failed and no step%s expected it: %s", name, run, j.reached(), orUnsaid(got.Error)),
			Hint: "expect it in a step, or mend what made it fail"})
	})
}

// late looks at a job that was ended at its time limit: its run is cancelled, which alone says nothing.
func (j *judgement) late(e driver.Entry) {
	if run := string(e.Cause); !j.claimed[claim{Conclusion, run}] {
		j.find(UnexpectedRun, run, result.Problem{Verdict: result.Failed,
			What: fmt.Sprintf("job %q of %s was ended at its time limit and no step%s expected it", e.Detail["name"], run, j.reached())})
	}
}

// run looks at one completed run.
func (j *judgement) run(e driver.Entry) {
	how := e.Detail["conclusion"]
	switch how {
	case "success", "cancelled", "skipped", "neutral", "action_required":
		return
	case "failure", "startup_failure", "timed_out":
	default:
		j.find(UnexpectedRun, e.Subject, result.Problem{Verdict: result.Broken,
			What: fmt.Sprintf("%s completed with the unknown conclusion %q", e.Subject, how)})
		return
	}
	if j.claimed[claim{Conclusion, e.Subject}] {
		return
	}
	what := fmt.Sprintf("%s ended in %s and no step%s expected it", e.Subject, how, j.reached())
	if w := e.Detail["workflow"]; w != "" {
		what = fmt.Sprintf("%s of %s ended in %s and no step%s expected it", e.Subject, w, how, j.reached())
	}
	if r := e.Detail["reason"]; r != "" {
		what += ": " + r
	}
	j.find(UnexpectedRun, e.Subject, result.Problem{Verdict: j.grave, What: what})
}

// detail tells an entry's reason or error, when it has one.
func detail(e driver.Entry) string {
	for _, key := range []string{"reason", "error", "message"} {
		if v := e.Detail[key]; v != "" {
			return ": " + v
		}
	}
	return ""
}

func orUnsaid(s string) string {
	if s == "" {
		return "without saying why"
	}
	return s
}
