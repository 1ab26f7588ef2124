package junit_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/report/junit"
	"github.com/understudy-dev/understudy/result"
)

var update = flag.Bool("update", false, "write golden files")

func TestGolden(t *testing.T) {
	for _, name := range []string{"green", "red"} {
		t.Run(name, func(t *testing.T) {
			r, err := result.Read("../testdata/" + name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := (junit.Format{}).Write(&got, r); err != nil {
				t.Fatal(err)
			}
			golden := "testdata/" + name + ".golden"
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestBothTries merges a red record with a green one of the same scenarios.
func TestBothTries(t *testing.T) {
	var records []result.Record
	for _, name := range []string{"red", "green"} {
		r, err := result.Read("../testdata/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	r, err := result.Merge(records, result.MergeOptions{Mixed: true})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := (junit.Format{}).Write(&out, r); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Suites []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Name    string    `xml:"name,attr"`
				Failure *struct{} `xml:"failure"`
				Tries   string    `xml:"system-out"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, s := range got.Suites {
		for _, c := range s.Cases {
			if c.Name == "Triage labels a sufficient issue" {
				seen[s.Name] = c.Failure != nil
				if c.Tries != "trial 1: failed\ntrial 2: passed\n" {
					t.Errorf("%s tells %q", s.Name, c.Tries)
				}
			}
		}
	}
	if diff := cmp.Diff(map[string]bool{"Triage (trial 1)": true, "Triage (trial 2)": false}, seen); diff != "" {
		t.Error(diff)
	}
}

// What a platform printed can hold anything; the file must stay XML that others can read.
func TestAnyTextStaysXML(t *testing.T) {
	evil := "a]]>b\x00\x1b[1m<c attr=\"'>&\xff\uffff\n"
	s := result.Scenario{ID: evil, Feature: evil, Name: evil, Verdict: result.Failed,
		Steps: []result.Step{{Text: evil, Problem: &result.Problem{What: evil, Seen: evil}}}}
	r := result.Record{Platform: result.Platform{Defect: evil}, Problems: []result.Problem{{What: evil, Hint: evil}},
		Cells: []result.Cell{{Trials: []result.Trial{{Number: 1, Scenarios: []result.Scenario{s}}, {Number: 2, Scenarios: []result.Scenario{{Verdict: "odd"}}}}}}}
	var out bytes.Buffer
	if err := (junit.Format{}).Write(&out, r); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tests, Failures, Errors int `xml:",attr"`
		Suites                  []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Failure string `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	d := xml.NewDecoder(&out)
	if err := d.Decode(&got); err != nil {
		t.Fatalf("not XML: %v", err)
	}
	if _, err := d.Token(); err != io.EOF && err != nil {
		t.Errorf("after the end: %v", err)
	}
	if len(got.Suites) != 3 || !strings.Contains(got.Suites[0].Name, "(trial 1)") || got.Suites[2].Name != "the run" {
		t.Fatalf("suites are wrong: %+v", got.Suites)
	}
	if text := got.Suites[0].Cases[0].Failure; !strings.Contains(text, "a]]>b") {
		t.Errorf("the block is lost: %q", text)
	}
}

func TestNothingRanIsNotGreen(t *testing.T) {
	var out bytes.Buffer
	if err := (junit.Format{}).Write(&out, result.Record{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), `errors="1"`) || !strings.Contains(out.String(), "nothing ran") {
		t.Errorf("an empty run is reported as green:\n%s", out.String())
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteError(t *testing.T) {
	if err := (junit.Format{}).Write(full{}, result.Record{}); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("got %v", err)
	}
}
