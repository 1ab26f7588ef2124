package markdown_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/report/markdown"
	"github.com/understudy-dev/understudy/result"
)

var update = flag.Bool("update", false, "write golden files")

func sample(t *testing.T, name string) result.Record {
	t.Helper()
	r, err := result.Read("../testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func render(t *testing.T, f markdown.Format, r result.Record) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	red, green := sample(t, "red"), sample(t, "green")
	again := red
	again.Cells = []result.Cell{red.Cells[0]}
	again.Cells[0].Trials = append(again.Cells[0].Trials[:1:1], result.Trial{Number: 2, Scenarios: green.Cells[0].Trials[0].Scenarios})
	again.Problems = []result.Problem{{What: "the site could not be closed", Hint: "look at the log"}}
	for name, tt := range map[string]struct {
		f markdown.Format
		r result.Record
	}{
		"green":  {markdown.Format{}, green},
		"red":    {markdown.Format{Page: "index.html", Base: "runs/20260820T091401Z-1"}, red},
		"again":  {markdown.Format{Page: "index.html"}, again},
		"nought": {markdown.Format{}, result.Record{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := render(t, tt.f, tt.r)
			golden := "testdata/" + name + ".golden"
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

// What a platform printed must neither end our table nor mention anybody nor become a tag.
func TestNothingEscapes(t *testing.T) {
	evil := "</details><img src=x> | `x` **b** [a](javascript:b) @everyone #1 \x1b[1m\n# head\n```\n" + strings.Repeat("x", 5000)
	p := result.Problem{What: evil, Expected: evil, Seen: evil, Hint: evil, Pending: []string{evil}}
	s := result.Scenario{ID: evil, Name: evil, Verdict: result.Failed, Steps: []result.Step{{Keyword: evil, Text: evil, Problem: &p}},
		Findings: []result.Finding{{Policy: evil, Cause: evil, Problem: p}}, Evidence: []evidence.Ref{{Meta: evidence.Meta{Name: evil}, Path: evil}}}
	got := render(t, markdown.Format{}, result.Record{Platform: result.Platform{Name: evil, Defect: evil}, Warnings: []string{evil}, Problems: []result.Problem{p},
		Cells: []result.Cell{{Trials: []result.Trial{{Number: 1, Scenarios: []result.Scenario{s, {ID: "a:1", Verdict: result.Skipped, Reason: evil}}}}}}})
	for line := range strings.Lines(got) {
		for _, bad := range []string{"<img", "](javascript", "@everyone"} {
			html := strings.HasPrefix(line, "<details") // in which no Markdown is read
			if strings.Contains(outside(line), bad) && !(html && bad == "](javascript") {
				t.Errorf("%q stands in %.200q", bad, line)
			}
		}
		if strings.HasPrefix(line, "| ") && strings.Count(line, "|")-strings.Count(line, `\|`) != 5 {
			t.Errorf("a row of other than four cells: %.300s", line)
		}
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "# ") {
			t.Errorf("a line that became a block: %.100s", line)
		}
	}
	if strings.Count(got, "\n</details>\n") != 1 || strings.Contains(got, "\x1b") || len(got) > 30_000 {
		t.Errorf("%d bytes\n%.3000s", len(got), got)
	}
}

// outside returns what of a line is not in a code span: one ends at as many backticks as it began with.
func outside(line string) string {
	var out strings.Builder
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
			continue
		case '`':
			fence := line[i : i+len(line[i:])-len(strings.TrimLeft(line[i:], "`"))]
			for j := i + len(fence); j < len(line); j++ {
				if line[j] == '`' {
					run := len(line[j:]) - len(strings.TrimLeft(line[j:], "`"))
					if j += run - 1; run == len(fence) {
						i = j
						break
					}
				}
			}
			continue
		}
		out.WriteByte(line[i])
	}
	return out.String()
}

func TestLongSummariesAreCut(t *testing.T) {
	var all []result.Scenario
	for range 1000 {
		all = append(all, result.Scenario{ID: "a.feature:1", Name: "n", Verdict: result.Failed, Steps: []result.Step{{Problem: &result.Problem{What: strings.Repeat("w", 9999)}}}})
	}
	got := render(t, markdown.Format{}, result.Record{Cells: []result.Cell{{Trials: []result.Trial{{Number: 1, Scenarios: all}}}}})
	if len(got) > 512<<10 || !strings.Contains(got, "and 950 more that did not pass") {
		t.Errorf("%d bytes", len(got))
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrorIsReturned(t *testing.T) {
	if err := (markdown.Format{}).Write(full{}, sample(t, "red")); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("got %v", err)
	}
}

func TestHeadTellsTheBudget(t *testing.T) {
	r := sample(t, "green")
	r.Ended = r.Started.Add(200 * time.Second)
	r.Budget = &result.Budget{Limit: 2400}
	if got := render(t, markdown.Format{}, r); !strings.Contains(got, " in 200.0 s · budget: 3 m 20 s of 40 m used\n") {
		t.Errorf("got\n%s", got)
	}
}
