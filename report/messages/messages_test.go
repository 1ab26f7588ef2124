package messages_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	cucumber "github.com/cucumber/messages/go/v34"
	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/report/messages"
	"github.com/understudy-dev/understudy/result"
)

var update = flag.Bool("update", false, "write golden files")

const source = `Feature: F

  Background:
    Given a start

  Scenario: One
    Then it ends

  Scenario Outline: Two <x>
    Then it is <x>

    Examples:
      | x |
      | a |
      | b |
`

func scenario(id string, v result.Verdict, second result.Step) result.Scenario {
	started := time.Date(2026, 8, 20, 9, 0, 0, 0, time.UTC)
	second.Number = 2
	return result.Scenario{ID: id, Verdict: v, Worker: 1, Started: started, Seconds: 2.5,
		Steps: []result.Step{{Number: 1, Keyword: "Given", Text: "a start", Verdict: result.Passed, Seconds: 0.5}, second}}
}

func record() result.Record {
	ok := result.Step{Verdict: result.Passed, Seconds: 1, Observations: []result.Observation{{Subject: "end", Got: json.RawMessage(`true`), Want: "true", OK: true}}}
	bad := result.Step{Verdict: result.Failed, Seconds: 1, Problem: &result.Problem{Verdict: result.Failed, What: "end: expected true, saw false", Where: "f.feature:7", Hint: "look"}}
	first, again := scenario("f.feature:6", result.Failed, bad), scenario("f.feature:6", result.Passed, ok)
	first.Evidence = []evidence.Ref{{Meta: evidence.Meta{Name: "log", MediaType: "text/plain", Step: 2}, Path: "evidence/aa", Link: "by-scenario/f/log.txt"},
		{Meta: evidence.Meta{Name: "all"}, Path: "evidence/bb"}}
	found := scenario("f.feature:14", result.Broken, ok)
	found.Findings = []result.Finding{{Policy: "cleanup", Problem: result.Problem{Verdict: result.Broken, What: "the broom broke"}}}
	skipped := scenario("f.feature:15", result.Skipped, result.Step{Verdict: result.Skipped})
	skipped.Reason, skipped.Worker, skipped.Seconds = "tagged @skip:local", 0, 0
	return result.Record{Kit: "1", Started: first.Started, Ended: first.Started.Add(3 * time.Second),
		Features: []result.Source{{URI: "f.feature", Text: source}},
		Cells:    []result.Cell{{Trials: []result.Trial{{Number: 1, Scenarios: []result.Scenario{first, found, skipped}}, {Number: 2, Scenarios: []result.Scenario{again}}}}},
		Problems: []result.Problem{{Verdict: result.Broken, What: "the site could not be closed"}}}
}

func render(t *testing.T, r result.Record) string {
	t.Helper()
	var b bytes.Buffer
	if err := (messages.Format{Base: "runs/1"}).Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	got := render(t, record())
	const golden = "testdata/again.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// reader follows a stream as a formatter does: what is referred to must have been told before.
type reader struct {
	t       *testing.T
	order   []string
	known   map[string]string // id → what
	open    map[string]bool   // attempts and steps
	worst   map[string]cucumber.TestStepResultStatus
	attempt map[string]int64 // of a test case: the next
}

func (r *reader) know(id, what string) {
	if id == "" || r.known[id] != "" {
		r.t.Errorf("%s has the id %q of %s", what, id, r.known[id])
	}
	r.known[id] = what
}

func (r *reader) refer(id, what string) {
	if r.known[id] != what {
		r.t.Errorf("%q is no %s but %q", id, what, r.known[id])
	}
}

func (r *reader) read(e cucumber.Envelope) {
	switch {
	case e.Pickle != nil:
		r.know(e.Pickle.Id, "pickle")
		for _, s := range e.Pickle.Steps {
			r.know(s.Id, "pickle step")
		}
	case e.Hook != nil:
		r.know(e.Hook.Id, "hook")
	case e.TestRunStarted != nil:
		r.know(e.TestRunStarted.Id, "run")
	case e.TestCase != nil:
		r.refer(e.TestCase.PickleId, "pickle")
		r.refer(e.TestCase.TestRunStartedId, "run")
		r.know(e.TestCase.Id, "case")
		for _, s := range e.TestCase.TestSteps {
			r.know(s.Id, "step")
			if s.HookId != "" {
				r.refer(s.HookId, "hook")
			} else {
				r.refer(s.PickleStepId, "pickle step")
			}
		}
	case e.TestCaseStarted != nil:
		m := e.TestCaseStarted
		r.refer(m.TestCaseId, "case")
		r.know(m.Id, "attempt")
		r.open[m.Id] = true
		if m.Attempt != r.attempt[m.TestCaseId] {
			r.t.Errorf("attempt %d of case %s follows %d", m.Attempt, m.TestCaseId, r.attempt[m.TestCaseId])
		}
		r.attempt[m.TestCaseId]++
	case e.TestStepStarted != nil:
		r.refer(e.TestStepStarted.TestStepId, "step")
		r.open[e.TestStepStarted.TestStepId] = r.open[e.TestStepStarted.TestCaseStartedId]
	case e.Attachment != nil, e.ExternalAttachment != nil:
		if e.Attachment != nil && !r.open[e.Attachment.TestStepId] || e.ExternalAttachment != nil && !r.open[e.ExternalAttachment.TestStepId] {
			r.t.Error("an attachment of a step that does not run")
		}
	case e.TestStepFinished != nil:
		m := e.TestStepFinished
		if !r.open[m.TestStepId] || !r.open[m.TestCaseStartedId] {
			r.t.Errorf("step %s ends and did not begin", m.TestStepId)
		}
		delete(r.open, m.TestStepId)
		if m.TestStepResult.Status != cucumber.TestStepResultStatus_PASSED {
			r.worst[m.TestCaseStartedId] = m.TestStepResult.Status
		}
	case e.TestCaseFinished != nil:
		delete(r.open, e.TestCaseFinished.TestCaseStartedId)
	}
}

func TestStreamCanBeFollowed(t *testing.T) {
	r := reader{t: t, known: map[string]string{}, open: map[string]bool{}, worst: map[string]cucumber.TestStepResultStatus{}, attempt: map[string]int64{}}
	kinds := []string{}
	for line := range strings.Lines(render(t, record())) {
		var e cucumber.Envelope
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		kind, _, _ := strings.Cut(strings.TrimPrefix(line, `{"`), `"`)
		kinds = append(kinds, kind)
		r.read(e)
	}
	if len(r.open) != 0 || kinds[0] != "meta" || kinds[len(kinds)-1] != "testRunFinished" {
		t.Errorf("open at the end: %v; order %v", r.open, kinds)
	}
	failed, skipped := 0, 0
	for _, s := range r.worst {
		switch s {
		case cucumber.TestStepResultStatus_FAILED:
			failed++
		case cucumber.TestStepResultStatus_SKIPPED:
			skipped++
		}
	}
	if failed != 2 || skipped != 1 {
		t.Errorf("%d failed, %d skipped attempts; want 2 and 1", failed, skipped)
	}
}

func TestWhatCannotBeTold(t *testing.T) {
	for want, change := range map[string]func(*result.Record){
		"f.feature:6 is not in the features":                    func(r *result.Record) { r.Features = nil },
		"parse f.feature as the record keeps it":                func(r *result.Record) { r.Features[0].Text = "Fature: F" },
		"f.feature:14 is not in the features":                   func(r *result.Record) { s := &r.Cells[0].Trials[0].Scenarios[1]; s.Steps = s.Steps[:1] },
		"scenario f.feature:6 has other steps in another trial": func(r *result.Record) { s := &r.Cells[0].Trials[1].Scenarios[0]; s.Steps = s.Steps[:1] },
	} {
		r := record()
		change(&r)
		if err := (messages.Format{}).Write(&bytes.Buffer{}, r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if err := (messages.Format{}).Write(full{}, record()); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("got %v", err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }
