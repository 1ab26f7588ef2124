// Package junit renders a record as JUnit XML, as CI systems read it: a suite per feature of each
// trial, a case per scenario. What JUnit calls an error is what we call broken.
//
//	err := junit.Format{}.Write(w, record)
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/understudy-dev/understudy/report"
	"github.com/understudy-dev/understudy/report/text"
	"github.com/understudy-dev/understudy/result"
)

// Format renders JUnit XML. The zero value is ready.
type Format struct{}

var _ report.Format = Format{}

type suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Skipped  int      `xml:"skipped,attr"`
	Time     string   `xml:"time,attr"`
	Suites   []*suite `xml:"testsuite"`
}

type suite struct {
	Name       string     `xml:"name,attr"`
	Tests      int        `xml:"tests,attr"`
	Failures   int        `xml:"failures,attr"`
	Errors     int        `xml:"errors,attr"`
	Skipped    int        `xml:"skipped,attr"`
	Time       string     `xml:"time,attr"`
	Timestamp  string     `xml:"timestamp,attr,omitempty"`
	File       string     `xml:"file,attr,omitempty"`
	Properties []property `xml:"properties>property,omitempty"`
	Cases      []testcase `xml:"testcase"`
	seconds    float64
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type testcase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	File    string   `xml:"file,attr,omitempty"`
	Line    string   `xml:"line,attr,omitempty"`
	Time    string   `xml:"time,attr"`
	Failure *outcome `xml:"failure"`
	Error   *outcome `xml:"error"`
	Skipped *outcome `xml:"skipped"`
	Tries   string   `xml:"system-out,omitempty"` // what all tries came to, when there are several
}

type outcome struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",cdata"`
}

// Write renders r.
func (Format) Write(w io.Writer, r result.Record) error {
	out := suites{Name: r.Platform.Name, Time: seconds(r.Ended.Sub(r.Started).Seconds())}
	for _, c := range r.Cells {
		told := tries(c)
		for _, t := range c.Trials {
			out.Suites = append(out.Suites, trial(r, c, t, told)...)
		}
	}
	if s := ofRun(r); s != nil {
		out.Suites = append(out.Suites, s)
	}
	for _, s := range out.Suites {
		s.Time = seconds(s.seconds)
		out.Tests += s.Tests
		out.Failures += s.Failures
		out.Errors += s.Errors
		out.Skipped += s.Skipped
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("write junit report: %w", err)
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return fmt.Errorf("write junit report: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// tries tells of each scenario that was tried several times what all tries came to: every trial is a
// suite of its own, so that they differ would not be seen at any of them.
func tries(c result.Cell) map[string]string {
	if len(c.Trials) < 2 {
		return nil
	}
	told, count := map[string]string{}, map[string]int{}
	for _, t := range c.Trials {
		for _, sc := range t.Scenarios {
			told[sc.ID] += clean(fmt.Sprintf("trial %d: %s\n", t.Number, sc.Verdict))
			count[sc.ID]++
		}
	}
	maps.DeleteFunc(told, func(id, _ string) bool { return count[id] < 2 })
	return told
}

// trial groups the scenarios by feature file; two features may have the same name.
func trial(r result.Record, c result.Cell, t result.Trial, told map[string]string) []*suite {
	var all []*suite
	byFile := map[string]*suite{}
	for _, sc := range t.Scenarios {
		file, line := place(sc.ID)
		s := byFile[file]
		if s == nil {
			s = &suite{Name: clean(sc.Feature), File: file, Timestamp: sc.Started.UTC().Format(time.RFC3339), Properties: properties(r, c)}
			if len(c.Trials) > 1 {
				s.Name += fmt.Sprintf(" (trial %d)", t.Number)
			}
			byFile[file] = s
			all = append(all, s)
		}
		tc := testcase{Class: s.Name, Name: clean(sc.Name), File: file, Line: line, Time: seconds(sc.Seconds), Tries: told[sc.ID]}
		s.add(tc, sc.Verdict, message(sc), clean(text.Block(sc, text.Options{})))
		s.seconds += sc.Seconds
	}
	return all
}

// ofRun holds the problems of the run as a whole, which belong to no scenario. That nothing ran is
// one of them: a CI system would show a file without cases as green.
func ofRun(r result.Record) *suite {
	if r.Counts().Total() == 0 {
		r.Problems = append(r.Problems[:len(r.Problems):len(r.Problems)], result.Problem{What: "nothing ran"})
	}
	if len(r.Problems) == 0 {
		return nil
	}
	s := &suite{Name: "the run", Properties: properties(r, result.Cell{})}
	for i, p := range r.Problems {
		v := p.Verdict
		if v != result.Failed {
			v = result.Broken
		}
		tc := testcase{Class: s.Name, Name: fmt.Sprintf("problem %d", i+1), Time: seconds(0)}
		s.add(tc, v, clean(p.What), clean(strings.TrimSpace(p.Hint+"\n"+p.Stack)))
	}
	return s
}

func (s *suite) add(tc testcase, v result.Verdict, message, text string) {
	s.Tests++
	o := &outcome{Message: message, Type: string(v), Text: text}
	switch v {
	case result.Passed:
	case result.Failed:
		s.Failures++
		tc.Failure = o
	case result.Skipped:
		s.Skipped++
		tc.Skipped = &outcome{Message: message}
	default:
		s.Errors++
		tc.Error = o
	}
	s.Cases = append(s.Cases, tc)
}

func properties(r result.Record, c result.Cell) []property {
	var out []property
	for _, p := range []property{{"suite", c.Suite}, {"profile", c.Profile}, {"environment", c.Environment}, {"case", c.Case},
		{"platform.defect", r.Platform.Defect}, {"platform.preset", r.Platform.Preset}, {"faults", strings.Join(r.Faults, " ")}, {"understudy", r.Kit}, {"isolation", r.Isolation}} {
		if p.Value != "" {
			out = append(out, property{p.Name, clean(p.Value)})
		}
	}
	return out
}

// message is one sentence: the first problem there is.
func message(s result.Scenario) string {
	for _, st := range s.Steps {
		if st.Problem != nil {
			return clean(st.Problem.What)
		}
	}
	for _, f := range s.Findings {
		return clean(f.Policy + ": " + f.Problem.What)
	}
	return clean(s.Reason)
}

func place(id string) (file, line string) {
	i := strings.LastIndexByte(id, ':')
	if i < 0 {
		return clean(id), ""
	}
	return clean(id[:i]), clean(id[i+1:])
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }

// clean replaces what XML 1.0 cannot hold, in any spelling.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r >= 0x20 && r <= 0xD7FF, r >= 0xE000 && r < 0xFFFE, r >= 0x10000 && r <= utf8.MaxRune:
			return r
		}
		return utf8.RuneError
	}, s)
}
