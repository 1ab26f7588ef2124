package text_test

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/report/text"
	"github.com/understudy-dev/understudy/result"
)

var update = flag.Bool("update", false, "write golden files")

// render is what a terminal shows of a whole run.
func render(r result.Record, o text.Options) string {
	var b strings.Builder
	for s := range r.Scenarios() {
		b.WriteString(text.Line(s, o) + "\n")
	}
	for s := range r.Scenarios() {
		if block := text.Block(s, o); block != "" {
			b.WriteString("\n" + block)
		}
	}
	b.WriteString("\n" + text.Summary(r, o))
	return b.String()
}

func TestGolden(t *testing.T) {
	for _, tt := range []struct {
		name, record string
		o            text.Options
	}{
		{"green", "green.json", text.Options{Report: "out/index.html", Record: "out/record.json"}},
		{"red", "red.json", text.Options{Base: "out/runs/20260820T091401Z-1", Report: "out/index.html"}},
		{"red_narrow", "red.json", text.Options{Width: 60, Column: 16}},
		{"red_color", "red.json", text.Options{Color: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := result.Read("../testdata/" + tt.record)
			if err != nil {
				t.Fatal(err)
			}
			golden := "testdata/" + tt.name + ".golden"
			got := render(r, tt.o)
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
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLineFitsTheTerminal(t *testing.T) {
	long := strings.Repeat("wörd ", 60)
	for _, v := range []result.Verdict{result.Passed, result.Failed, result.Broken, result.Skipped} {
		for width := 40; width < 160; width += 7 {
			line := text.Line(result.Scenario{ID: "a.feature:3", Name: long, Reason: long, Verdict: v}, text.Options{Width: width})
			if n := utf8.RuneCountInString(line); n > width || strings.Contains(line, "\n") {
				t.Errorf("%s at width %d: %d columns: %q", v, width, n, line)
			}
		}
	}
}

func TestNothingSteersTheTerminal(t *testing.T) {
	evil := "a\x1b[2Jb\rc\u202ed\x9bm"
	s := result.Scenario{ID: "x" + evil, Name: evil, Rule: evil, Verdict: result.Failed,
		Steps:    []result.Step{{Text: evil, Problem: &result.Problem{What: evil, Expected: evil, Seen: evil, Hint: evil, Pending: []string{evil}}}},
		Findings: []result.Finding{{Policy: evil, Cause: evil, Problem: result.Problem{What: evil}}},
		Journal: []driver.Entry{{Seq: 1, Type: "step", Subject: "step:1", Detail: map[string]string{"text": evil}},
			{Seq: 2, Type: "push", Cause: "step:1", Subject: evil, Actor: evil, Detail: map[string]string{"label": evil}},
			{Seq: 3, Type: "run.created", Cause: "event:2", Subject: "run:1", Detail: map[string]string{"workflow": evil, "conclusion": evil, "reason": evil, "failed_step": evil}}},
	}
	r := result.Record{Warnings: []string{evil}, Problems: []result.Problem{{What: evil, Hint: evil}}}
	got := text.Line(s, text.Options{}) + text.Block(s, text.Options{}) + text.Summary(r, text.Options{})
	for _, bad := range []string{"\x1b", "\r", "\u202e", "\u009b"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q reaches the terminal", bad)
		}
	}
	if !strings.Contains(got, "run 1") {
		t.Errorf("the chain is missing:\n%s", got)
	}
}

// A step that fails although every run ended well asks who did what was seen instead.
func TestWhatJobsChangedIsShown(t *testing.T) {
	s := result.Scenario{ID: "a.feature:3", Verdict: result.Failed,
		Steps: []result.Step{{Text: "the issue has label \"bug\"", Problem: &result.Problem{What: "issue.labels"}}},
		Journal: []driver.Entry{{Seq: 1, Type: "step", Subject: "step:1"},
			{Seq: 2, Change: true, Type: "run.completed", Cause: "step:1", Subject: "run:1", Detail: map[string]string{"conclusion": "success"}},
			{Seq: 3, Change: true, Type: "job.completed", Cause: "run:1", Subject: "job:1", Detail: map[string]string{"conclusion": "success"}},
			{Seq: 4, Type: "request", Cause: "job:1", Subject: "GET /repos/acme/app/issues/1", Detail: map[string]string{"status": "200"}},
			{Seq: 5, Change: true, Type: "issues.labeled", Cause: "job:1", Subject: "acme/app#1", Actor: "bot", Detail: map[string]string{"event": "issues", "label": "question"}}},
	}
	got := text.Block(s, text.Options{})
	if !strings.Contains(got, "issues.labeled acme/app#1 “question” by bot") || strings.Contains(got, "GET") {
		t.Errorf("want the label that job 1 set, and no request:\n%s", got)
	}
}

func TestSummary(t *testing.T) {
	start := time.Date(2026, 8, 20, 9, 0, 0, 0, time.UTC)
	r := result.Record{Started: start, Ended: start.Add(1900 * time.Millisecond), Problems: []result.Problem{{What: "the site could not be closed", Hint: "look"}}}
	want := "problem: the site could not be closed\n   hint: look\nnothing ran in 1.9 s   report: r   record: c\n"
	if got := text.Summary(r, text.Options{Report: "r", Record: "c"}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSummaryTellsWarningsOnce(t *testing.T) {
	warning := func(what string) result.Finding {
		return result.Finding{Policy: "unread-output", Problem: result.Problem{Verdict: result.Passed, What: what}}
	}
	grave := result.Finding{Policy: "unexpected-failed-run", Problem: result.Problem{Verdict: result.Failed, What: "run:1 failed"}}
	r := result.Record{Cells: []result.Cell{{Trials: []result.Trial{{Scenarios: []result.Scenario{
		{ID: "a:1", Verdict: result.Failed, Findings: []result.Finding{grave, warning("nobody read x")}},
		{ID: "a:2", Verdict: result.Passed, Findings: []result.Finding{warning("nobody read y")}},
	}}}}}}
	got := text.Summary(r, text.Options{})
	if want := "warning: unread-output, 2 times; first at a:1: nobody read x\n1 passed, 1 failed\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBlockOfPassed(t *testing.T) {
	if got := text.Block(result.Scenario{Verdict: result.Passed}, text.Options{}); got != "" {
		t.Errorf("got %q", got)
	}
}
