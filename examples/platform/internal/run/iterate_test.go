package run_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/crew/internal/config"
	"example.com/crew/internal/defect"
	"example.com/crew/internal/run"
	"example.com/crew/internal/selection"
)

const failing = "Validation failed: FAIL: schema validation error: /: missing property 'action'"

// TestIterations: an agent is asked again when its result is invalid, told why, and only what it
// leaves then counts.
func TestIterations(t *testing.T) {
	const bad = "echo '{}' > output/agent-result.json; "
	const first = `if test "$CREW_ITERATION" = 1; then ` + bad + "else "
	const told = `grep -q '"message": "FAIL: schema validation error: /: missing property' "$CREW_FEEDBACK" && grep -q '"iteration": 1' "$CREW_FEEDBACK" && ` + good
	for _, tc := range []struct {
		name, script string
		defect       defect.Name
		status       run.Status
		message      string
		iteration    int
	}{
		{"the first is good", good, "", run.Succeeded, "", 1},
		{"the second is good", first + told + "fi", "", run.Succeeded, "", 2},
		{"both are bad", bad, "", run.Invalid, failing, 2},
		{"an earlier result never counts", first + "exit 0; fi", "", run.Invalid, "Validation failed: FAIL: output/agent-result.json not found", 2},
		{"it counts with the defect", first + "exit 0; fi", defect.StaleIterationTaken, run.Invalid, failing, 2},
		{"skipped", first + good + "fi", defect.SecondIterationSkipped, run.Invalid, failing, 1},
		{"not told", first + told + "fi", defect.FeedbackLost, run.Invalid, "Validation failed: FAIL: output/agent-result.json not found", 2},
		{"mixed", first + good + "fi", defect.IterationResultsMixed, run.Succeeded, "", 1},
		{"a link is a reason too", first + "fi; test \"$CREW_ITERATION\" = 2 || ln -s / output/x; " + good, "", run.Succeeded, "", 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, o, log := stage(t, strings.ReplaceAll(tc.script, "else fi", "fi"))
			c.Agents["twice"] = config.Entry{Source: "harness/twice.yaml"}
			o.Agent, o.Defect = "twice", tc.defect
			got, err := run.Run(t.Context(), c, o)
			if err != nil || got.Status != tc.status || got.Message != tc.message || got.Iteration != tc.iteration {
				t.Errorf("record %+v, %v\n%s", got, err, log)
			}
		})
	}
}

// TestBothIterationsAreKept with the figures of both.
func TestBothIterationsAreKept(t *testing.T) {
	c, o, log := stage(t, `echo '{"model":"m-1","num_turns":2,"token_usage":{"input":5}}' > usage.json; echo $OWN > output/own
		echo '{"operations":[{}]}' > output/behaviour-results.json; test $CREW_ITERATION = 1 || `+good)
	c.Agents["twice"] = config.Entry{Source: "harness/twice.yaml"}
	o.Agent = "twice"
	if got, err := run.Run(t.Context(), c, o); err != nil || got.Status != run.Succeeded {
		t.Fatalf("%+v, %v\n%s", got, err, log)
	}
	for _, name := range []string{"iteration-1/output/own", "iteration-2/output/own", "iteration-2/output/agent-result.json"} {
		if !slices.Contains(files(t, o), name) {
			t.Errorf("no %s: %q", name, files(t, o))
		}
	}
	if slices.Contains(files(t, o), "iteration-1/output/agent-result.json") {
		t.Error("the first iteration has a result")
	}
	var m run.Metrics
	read(t, o, "metrics.json", &m)
	if m.Model != "m-1" || m.NumTurns == nil || *m.NumTurns != 4 || m.TokenUsage == nil || *m.TokenUsage != (run.TokenUsage{Input: 10}) ||
		m.TotalCostUSD != nil || m.Iterations != 2 || m.ToolCalls != 2 || m.RequestedModel != "from-harness" || m.OverrideSource != "harness/twice.yaml" {
		t.Errorf("metrics %+v", m)
	}
}

// TestUsageIsNotInvented: what cannot be read as figures is none.
func TestUsageIsNotInvented(t *testing.T) {
	for _, tc := range []struct{ make, want string }{
		{"true", ""},
		{"echo '{' > usage.json", "usage.json: unexpected EOF"},
		{`echo '{"turns":1}' > usage.json`, `usage.json: json: unknown field "turns"`},
		{`echo '{"num_turns":-1}' > usage.json`, "usage.json: -1 is no count"},
		{`echo '{"total_cost_usd":-1}' > usage.json`, "usage.json: -1 is no cost"},
		{`echo '{} {}' > usage.json`, "usage.json: something follows"},
		{"ln -s /dev/zero usage.json", "usage.json is not a regular file"},
	} {
		c, o, log := stage(t, good+tc.make)
		if rec, err := run.Run(t.Context(), c, o); err != nil || rec.Status != run.Succeeded {
			t.Fatalf("%s: %+v, %v", tc.make, rec, err)
		}
		var m run.Metrics
		read(t, o, "metrics.json", &m)
		if m.NumTurns != nil || m.TotalCostUSD != nil || m.TokenUsage != nil || m.Model != "" {
			t.Errorf("%s: %+v", tc.make, m)
		}
		if warned := strings.Contains(log.String(), "the runtime's figures are not known: "+tc.want); warned != (tc.want != "") {
			t.Errorf("%s: %s", tc.make, log)
		}
	}
}

// TestPayload: the event reaches the agent as a file and as addresses, and nothing in it is carried out.
func TestPayload(t *testing.T) {
	const payload = `{"issue":{"number":7,"html_url":"https://github.com/a/b/issues/7"},"comment":{"body":"$(touch pwned)\n::error::x\n; touch pwned` + "`touch pwned`" + `"}}`
	for _, tc := range []struct {
		defect defect.Name
		status run.Status
	}{{"", run.Succeeded}, {defect.PayloadNotDelivered, run.Invalid}} {
		c, o, log := stage(t, `test "$CREW_ISSUE_URL" = https://github.com/a/b/issues/7 && test -z "$CREW_PULL_REQUEST_URL" &&
			test "$(cat "$CREW_EVENT_PATH")" = '`+payload+`' && ! test -e pwned && `+good)
		o.Payload, o.Defect = payload, tc.defect
		if rec, err := run.Run(t.Context(), c, o); err != nil || rec.Status != tc.status {
			t.Errorf("%s: %+v, %v\n%s", tc.defect, rec, err, log)
		}
		if _, err := os.Stat(filepath.Join(o.Checkout, "pwned")); err == nil {
			t.Error("a part of the payload was carried out")
		}
	}
}

// TestPrecedence goes through all layers of runtime, model and effort.
func TestPrecedence(t *testing.T) {
	c, o, _ := stage(t, good)
	c.Commands["other"] = c.Commands["shell"]
	c.Model, c.Effort = "from-config", "low"
	c.Origin["model"], c.Origin["effort"], c.Origin["agents.triage"] = ".crew/config.base.yaml", ".crew/config.yaml", ".crew/config.yaml"
	check := func(runtime, source, model, modelSource, effort string) {
		t.Helper()
		if _, err := run.Run(t.Context(), c, o); err != nil {
			t.Fatal(err)
		}
		var m run.Metrics
		read(t, o, "metrics.json", &m)
		if m.Runtime != runtime || m.RuntimeSource != source || m.RequestedModel != model || m.OverrideSource != modelSource || m.Effort != effort {
			t.Errorf("metrics %+v, want %s from %s, %s from %s, %s", m, runtime, source, model, modelSource, effort)
		}
	}
	check("shell", ".crew/config.yaml", "from-file", "agents/triage.md", "low")
	o.Agent = "mine"
	check("shell", ".crew/config.yaml", "from-config", ".crew/config.base.yaml", "low")
	o.Agent = "triage"
	c.Agents["triage"] = config.Entry{Source: "harness/triage.yaml", Runtime: "other", Model: "from-entry", Effort: "medium"}
	check("other", ".crew/config.yaml agents.triage", "from-entry", ".crew/config.yaml agents.triage", "medium")
	o.Environment = selection.Values{Runtime: "shell", Model: "from-env", Effort: "high"}
	check("shell", "CREW_RUNTIME", "from-env", "CREW_MODEL", "high")
	o.Flags = selection.Values{Runtime: "other", Model: "from-flag", Effort: "low"}
	check("other", "--runtime", "from-flag", "--model", "low")
	o.Flags, o.Environment, o.Defect = selection.Values{}, selection.Values{}, defect.PrecedenceWrong
	check("shell", ".crew/config.yaml", "from-config", ".crew/config.base.yaml", "low")
}

// TestHeadCommit: the agent is told the head of a pull request, and nothing that is no commit.
func TestHeadCommit(t *testing.T) {
	const sha = "0123456789abcdef0123456789abcdef01234567"
	payload := `{"pull_request":{"number":7,"html_url":"https://h/7","head":{"ref":"f","sha":"` + sha + `"}}}`
	for _, tc := range []struct {
		payload string
		defect  defect.Name
		status  run.Status
	}{
		{payload, "", run.Succeeded},
		{payload, defect.HeadCommitLost, run.Invalid},
		{strings.Replace(payload, sha, "main; true", 1), "", run.Broken},
	} {
		c, o, log := stage(t, `test "$CREW_HEAD_SHA" = `+sha+` && `+good)
		o.Payload, o.Defect = tc.payload, tc.defect
		if rec, err := run.Run(t.Context(), c, o); rec.Status != tc.status || (err != nil) != (tc.status == run.Broken) {
			t.Errorf("%s %s: %+v, %v\n%s", tc.payload, tc.defect, rec, err, log)
		}
	}
}
