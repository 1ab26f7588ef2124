// Package messages renders a record as Cucumber Messages, one JSON envelope a line, as the HTML
// formatter and other tools of that family read them. The record carries the feature sources, so it
// is all that is needed. A trial is an attempt of its scenario's test case; what policies and
// clean-up found is the result of a last step, as of a hook; what we call broken is FAILED with a
// message that begins with "broken". The record does not keep step definitions, so there are none.
//
//	err := messages.Format{}.Write(w, record)
package messages

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	gherkin "github.com/cucumber/gherkin/go/v42"
	messages "github.com/cucumber/messages/go/v34"

	"github.com/understudy-dev/understudy/report"
	"github.com/understudy-dev/understudy/result"
)

// protocol is the version of the messages library whose types are written.
const protocol = "34.2.1"

// notKept stands for what the protocol wants and the record does not say.
const notKept = "not recorded"

// Format renders Cucumber Messages. The zero value is ready.
type Format struct {
	Base string // the run's directory as seen from where the file lies; "" when it lies in it
}

var _ report.Format = Format{}

// Write renders r. A scenario that is not in the record's features is an error.
func (f Format) Write(w io.Writer, r result.Record) error {
	s := stream{out: json.NewEncoder(w), base: f.Base, pickles: map[string]*messages.Pickle{}}
	s.out.SetEscapeHTML(false)
	s.write(r)
	if s.err != nil {
		return fmt.Errorf("write messages report: %w", s.err)
	}
	return nil
}

// stream writes envelopes until one cannot be written.
type stream struct {
	out     *json.Encoder
	base    string
	err     error
	last    int
	hook    string
	run     string
	pickles map[string]*messages.Pickle // by the id that a scenario has in the record
}

func (s *stream) id() string {
	s.last++
	return strconv.Itoa(s.last)
}

func (s *stream) put(e messages.Envelope) {
	if s.err == nil {
		s.err = s.out.Encode(&e)
	}
}

func (s *stream) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

func (s *stream) write(r result.Record) {
	s.put(messages.Envelope{Meta: &messages.Meta{
		ProtocolVersion: protocol,
		Implementation:  &messages.Product{Name: "understudy", Version: r.Kit},
		Runtime:         &messages.Product{Name: "go"},
		Os:              &messages.Product{Name: notKept},
		Cpu:             &messages.Product{Name: notKept},
	}})
	for _, f := range r.Features {
		s.source(f)
	}
	s.hook, s.run = s.id(), s.id()
	s.put(messages.Envelope{Hook: &messages.Hook{Id: s.hook, Name: "what policies and clean-up found",
		SourceReference: &messages.SourceReference{}, Type: messages.HookType_AFTER_TEST_CASE}})
	s.put(messages.Envelope{TestRunStarted: &messages.TestRunStarted{Id: s.run, Timestamp: stamp(r.Started)}})
	var cases []testCase
	for _, c := range r.Cells {
		cases = append(cases, s.cases(c)...)
	}
	for _, tc := range cases {
		s.play(tc)
	}
	s.put(messages.Envelope{TestRunFinished: &messages.TestRunFinished{TestRunStartedId: s.run, Timestamp: stamp(r.Ended),
		Success: result.ExitCode(r) == 0, Message: ofRun(r)}})
}

// source writes a feature with what its parser makes of it.
func (s *stream) source(f result.Source) {
	s.put(messages.Envelope{Source: &messages.Source{Uri: f.URI, Data: f.Text,
		MediaType: messages.SourceMediaType_TEXT_X_CUCUMBER_GHERKIN_PLAIN}})
	doc, err := gherkin.ParseGherkinDocument(strings.NewReader(f.Text), s.id)
	if err != nil {
		s.fail("parse %s as the record keeps it: %w", f.URI, err)
		return
	}
	doc.Uri = f.URI
	s.put(messages.Envelope{GherkinDocument: doc})
	for _, p := range gherkin.Pickles(*doc, f.URI, s.id) {
		s.pickles[fmt.Sprintf("%s:%d", f.URI, p.Location.Line)] = p
		s.put(messages.Envelope{Pickle: p})
	}
}

// testCase is one scenario of a cell with its tries.
type testCase struct {
	id    string
	steps []string // ids of the test steps; the last is the hook's
	tries []result.Scenario
}

// cases writes the test cases of a cell, in the order in which the record first names them.
func (s *stream) cases(c result.Cell) []testCase {
	var all []testCase
	place := map[string]int{}
	for _, t := range c.Trials {
		for _, sc := range t.Scenarios {
			i, ok := place[sc.ID]
			if !ok {
				i = len(all)
				place[sc.ID] = i
				all = append(all, s.testCase(sc))
			}
			all[i].tries = append(all[i].tries, sc)
		}
	}
	return all
}

func (s *stream) testCase(sc result.Scenario) testCase {
	p := s.pickles[sc.ID]
	if p == nil || len(p.Steps) != len(sc.Steps) {
		s.fail("scenario %s is not in the features of the record", sc.ID)
		return testCase{}
	}
	tc := testCase{id: s.id()}
	m := &messages.TestCase{Id: tc.id, PickleId: p.Id, TestRunStartedId: s.run}
	for _, st := range p.Steps {
		tc.steps = append(tc.steps, s.id())
		m.TestSteps = append(m.TestSteps, &messages.TestStep{Id: tc.steps[len(tc.steps)-1], PickleStepId: st.Id})
	}
	tc.steps = append(tc.steps, s.id())
	m.TestSteps = append(m.TestSteps, &messages.TestStep{Id: tc.steps[len(tc.steps)-1], HookId: s.hook})
	s.put(messages.Envelope{TestCase: m})
	return tc
}

func stamp(t time.Time) *messages.Timestamp {
	if t.IsZero() {
		return &messages.Timestamp{}
	}
	return &messages.Timestamp{Seconds: t.Unix(), Nanos: int64(t.Nanosecond())}
}

// ofRun tells the problems of the run as a whole.
func ofRun(r result.Record) string {
	var all []string
	for _, p := range r.Problems {
		all = append(all, p.What)
	}
	if r.Counts().Total() == 0 {
		all = append(all, "nothing ran")
	}
	return strings.Join(all, "\n")
}
