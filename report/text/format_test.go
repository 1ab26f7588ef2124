package text_test

import (
	"strings"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/report/text"
	"github.com/understudy-dev/understudy/result"
)

func TestFormatTellsTheWholeRecord(t *testing.T) {
	r, err := result.Read("../testdata/red.json")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := (text.Format{}).Write(&b, r); err != nil {
		t.Fatal(err)
	}
	o := text.Options{Column: 20}
	if got, want := b.String(), strings.TrimRight(render(r, o), "\n")+"\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	b.Reset()
	r.Cells[0].Trials = append(r.Cells[0].Trials, result.Trial{Number: 2, Scenarios: r.Cells[0].Trials[0].Scenarios})
	if err := (text.Format{}).Write(&b, r); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "trial 1 of 2\n") || !strings.Contains(got, "trial 2 of 2\n") {
		t.Errorf("the trials are not told apart:\n%s", got)
	}
}

func TestSummaryTellsTheBudget(t *testing.T) {
	began := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	r := result.Record{Started: began, Ended: began.Add(200 * time.Second), Budget: &result.Budget{Limit: 2400},
		Cells: []result.Cell{{Trials: []result.Trial{{Scenarios: []result.Scenario{{ID: "a:1", Verdict: result.Passed}}}}}}}
	if got, want := text.Summary(r, text.Options{}), "1 passed in 200.0 s   budget: 3 m 20 s of 40 m used\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
