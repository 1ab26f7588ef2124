package github_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/report/github"
	"github.com/understudy-dev/understudy/result"
)

func written(t *testing.T, a github.Annotations, r result.Record) string {
	t.Helper()
	var b bytes.Buffer
	if err := a.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func recordOf(scenarios ...result.Scenario) result.Record {
	return result.Record{Cells: []result.Cell{{Trials: []result.Trial{{Number: 1, Scenarios: scenarios}}}}}
}

func TestAnnotations(t *testing.T) {
	mismatch := &result.Problem{Verdict: result.Failed, What: "labels: expected x, saw y", Expected: "x", Seen: "y", Hint: "look"}
	r := recordOf(
		result.Scenario{ID: "a.feature:3", Name: "Passes", Verdict: result.Passed},
		result.Scenario{ID: "a.feature:9", Name: "Breaks, 100%: why", Verdict: result.Broken, Findings: []result.Finding{{Policy: "cleanup", Problem: result.Problem{What: "the broom\nbroke"}}}},
		result.Scenario{ID: "dir/b.feature:4", Name: "Fails", Verdict: result.Failed, Steps: []result.Step{{Line: 5}, {Keyword: "Then", Text: "it is so", Line: 6, Problem: mismatch}}},
		result.Scenario{ID: "a.feature:20", Name: "Skipped", Verdict: result.Skipped},
	)
	r.Problems = []result.Problem{{What: "the site could not be closed"}}
	want := `::error file=e2e/features/dir/b.feature,line=6,title=failed%3A Fails::Then it is so%0Alabels%0Aexpected: x%0Aseen: y%0Ahint: look
::error file=e2e/features/a.feature,line=9,title=broken%3A Breaks%2C 100%25%3A why::cleanup: the broom%0Abroke
::error::the site could not be closed
`
	if diff := cmp.Diff(want, written(t, github.Annotations{Dir: "e2e/features"}, r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := written(t, github.Annotations{}, recordOf(result.Scenario{Verdict: result.Passed})); got != "" {
		t.Errorf("a green record gives %q", got)
	}
}

// TestNobodyElseCommands: whatever a scenario is called and saw, there is one command a line, and it is ours.
func TestNobodyElseCommands(t *testing.T) {
	evil := "x\n::stop-commands::t\r\n##[error]y,line=1::\r::add-mask::z\x1b[2J\u202e"
	p := result.Problem{Verdict: result.Failed, What: evil, Expected: evil, Seen: evil, Hint: evil, Pending: []string{evil}}
	r := recordOf(result.Scenario{ID: evil + ":7", Name: evil, Verdict: result.Failed, Reason: evil,
		Steps: []result.Step{{Keyword: evil, Text: evil, Line: 3, Problem: &p}}, Findings: []result.Finding{{Policy: evil, Problem: p}}})
	r.Problems = []result.Problem{p}
	got := written(t, github.Annotations{Dir: evil}, r)
	if strings.ContainsAny(got, "\r\x1b\u202e") {
		t.Errorf("control characters are left: %q", got)
	}
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	for _, line := range lines {
		head, _, _ := strings.Cut(strings.TrimPrefix(line, "::error"), "::")
		if !strings.HasPrefix(line, "::error") || strings.Count(head, ",") > 2 || strings.Contains(head, ",line=1") {
			t.Errorf("got %q", line)
		}
	}
}

func TestMessagesAreBounded(t *testing.T) {
	long := strings.Repeat("ö", 1<<20)
	got := written(t, github.Annotations{}, recordOf(result.Scenario{ID: "a:1", Verdict: result.Failed, Findings: []result.Finding{{Problem: result.Problem{What: long}}}}))
	if len(got) > 5<<10 || !strings.HasSuffix(got, "…\n") {
		t.Errorf("%d bytes, ending in %q", len(got), got[len(got)-10:])
	}
}

func TestSummary(t *testing.T) {
	file := filepath.Join(t.TempDir(), "summary")
	if err := os.WriteFile(file, []byte("before\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	line := strings.Repeat("x", 1022) + "é\n"
	for i, tt := range []struct {
		text, ends string
	}{
		{"## One\n", "before\n## One\n"}, {strings.Repeat(line, 1000), line}, {strings.Repeat(line, 100), "all of it.\n"}, {strings.Repeat(line, 2), "all of it.\n"},
	} {
		if err := github.AppendSummary(file, []byte(tt.text)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(file)
		if err != nil || len(got) > 1<<20 || !strings.HasPrefix(string(got), "before\n## One\n") || !strings.HasSuffix(string(got), tt.ends) {
			t.Errorf("%d: %d bytes, %v, ending in %q", i, len(got), err, got[max(0, len(got)-40):])
		}
	}
	for _, bad := range []string{t.TempDir(), filepath.Join(t.TempDir(), "no", "such"), os.DevNull} {
		if err := github.AppendSummary(bad, []byte("x")); err == nil || !strings.Contains(err.Error(), "append job summary") {
			t.Errorf("%s: got %v", bad, err)
		}
	}
}
