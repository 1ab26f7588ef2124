package messages

import (
	"cmp"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	messages "github.com/cucumber/messages/go/v34"

	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/result"
)

// play writes the tries of a test case, one after the other.
func (s *stream) play(tc testCase) {
	for n, sc := range tc.tries {
		if len(sc.Steps) != len(tc.steps)-1 {
			s.fail("scenario %s has other steps in another trial", sc.ID)
			return
		}
		started := s.id()
		s.put(messages.Envelope{TestCaseStarted: &messages.TestCaseStarted{Id: started, TestCaseId: tc.id, Attempt: int64(n),
			WorkerId: worker(sc.Worker), Timestamp: stamp(sc.Started)}})
		now := sc.Started
		for i, st := range sc.Steps {
			ended := now.Add(seconds(st.Seconds))
			s.step(played{tried: started, step: tc.steps[i], from: now, to: ended, result: ofStep(st), seen: st.Observations, files: files(sc, st.Number)})
			now = ended
		}
		ended := sc.Started.Add(seconds(sc.Seconds))
		if ended.Before(now) {
			ended = now
		}
		s.step(played{tried: started, step: tc.steps[len(sc.Steps)], from: now, to: ended, result: ofFindings(sc), seen: sc.After, files: files(sc, 0)})
		s.put(messages.Envelope{TestCaseFinished: &messages.TestCaseFinished{TestCaseStartedId: started, Timestamp: stamp(ended),
			WillBeRetried: n < len(tc.tries)-1}})
	}
}

func worker(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func seconds(s float64) time.Duration {
	if math.IsNaN(s) || s < 0 || s > 1e9 {
		return 0
	}
	return time.Duration(s * float64(time.Second))
}

// files is the evidence of one step; 0 is what belongs to none.
func files(sc result.Scenario, step int) []evidence.Ref {
	var all []evidence.Ref
	for _, ref := range sc.Evidence {
		if ref.Step == step || step == 0 && ref.Step > len(sc.Steps) {
			all = append(all, ref)
		}
	}
	return all
}

// played is one test step as it went.
type played struct {
	tried, step string
	from, to    time.Time
	result      messages.TestStepResult
	seen        []result.Observation
	files       []evidence.Ref
}

func (s *stream) step(p played) {
	s.put(messages.Envelope{TestStepStarted: &messages.TestStepStarted{TestCaseStartedId: p.tried, TestStepId: p.step, Timestamp: stamp(p.from)}})
	if len(p.seen) > 0 {
		seen, err := json.Marshal(p.seen)
		if err != nil {
			s.fail("observations: %w", err)
		}
		s.put(messages.Envelope{Attachment: &messages.Attachment{Body: string(seen), ContentEncoding: messages.AttachmentContentEncoding_IDENTITY,
			FileName: "observations.json", MediaType: "application/json", TestCaseStartedId: p.tried, TestStepId: p.step, Timestamp: stamp(p.to)}})
	}
	for _, ref := range p.files {
		url := cmp.Or(ref.Link, ref.Path)
		if s.base != "" {
			url = strings.TrimSuffix(s.base, "/") + "/" + url
		}
		s.put(messages.Envelope{ExternalAttachment: &messages.ExternalAttachment{Url: url, MediaType: cmp.Or(ref.MediaType, "application/octet-stream"),
			TestCaseStartedId: p.tried, TestStepId: p.step, Timestamp: stamp(p.to)}})
	}
	took := p.to.Sub(p.from)
	p.result.Duration = &messages.Duration{Seconds: int64(took / time.Second), Nanos: int64(took % time.Second)}
	s.put(messages.Envelope{TestStepFinished: &messages.TestStepFinished{TestCaseStartedId: p.tried, TestStepId: p.step,
		TestStepResult: &p.result, Timestamp: stamp(p.to)}})
}

func ofStep(st result.Step) messages.TestStepResult {
	out := messages.TestStepResult{Status: status(st.Verdict)}
	if p := st.Problem; p != nil {
		out.Message = told(*p)
		out.Exception = &messages.Exception{Type: string(p.Verdict), Message: p.What, StackTrace: p.Stack}
	}
	return out
}

// ofFindings is the result of the last step: the gravest of what was found.
func ofFindings(sc result.Scenario) messages.TestStepResult {
	if sc.Verdict == result.Skipped {
		return messages.TestStepResult{Status: messages.TestStepResultStatus_SKIPPED, Message: sc.Reason}
	}
	v, all := result.Passed, []string(nil)
	for _, f := range sc.Findings {
		v = result.Worse(v, f.Problem.Verdict)
		all = append(all, f.Policy+": "+told(f.Problem))
	}
	if v == result.Passed && sc.Verdict != result.Passed && !spoiled(sc) {
		v = sc.Verdict // no step says why, so the case must not look passed
	}
	return messages.TestStepResult{Status: status(v), Message: strings.Join(all, "\n")}
}

func spoiled(sc result.Scenario) bool {
	for _, st := range sc.Steps {
		if st.Verdict != result.Passed && st.Verdict != result.Skipped {
			return true
		}
	}
	return false
}

func told(p result.Problem) string {
	text := p.What
	if p.Verdict == result.Broken {
		text = "broken: " + text
	}
	if p.Where != "" {
		text += "\nat " + p.Where
	}
	if p.Hint != "" {
		text += "\nhint: " + p.Hint
	}
	if len(p.Pending) > 0 {
		text += "\nstill open: " + strings.Join(p.Pending, ", ")
	}
	return text
}

func status(v result.Verdict) messages.TestStepResultStatus {
	switch v {
	case result.Passed:
		return messages.TestStepResultStatus_PASSED
	case result.Skipped:
		return messages.TestStepResultStatus_SKIPPED
	}
	return messages.TestStepResultStatus_FAILED
}
