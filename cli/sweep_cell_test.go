package cli

import (
	"testing"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/result"
)

// TestWhoNoticed counts the strikes of the fault that was tried, not those of the suite's own.
func TestWhoNoticed(t *testing.T) {
	one, err := forge.ParseFault("delivery.late")
	if err != nil {
		t.Fatal(err)
	}
	struck := func(text string) driver.Entry { return driver.Entry{Type: "fault.struck", Subject: text} }
	for want, scenarios := range map[string][]result.Scenario{
		"never struck: the suite does nothing that it could strike": {{Verdict: result.Passed, Journal: []driver.Entry{struck("delivery.late@push"), {Type: "fault.set", Subject: "delivery.late"}}}},
		"struck 2×, nobody noticed":                                 {{Verdict: result.Passed, Journal: []driver.Entry{struck("delivery.late"), struck("api.cut")}}, {Verdict: result.Passed, Journal: []driver.Entry{struck("delivery.late")}}},
		"struck 0×, failed a (+1 others), broke c":                  {{ID: "b", Verdict: result.Failed}, {ID: "a", Verdict: result.Failed}, {ID: "c", Verdict: result.Broken}},
	} {
		rec := result.Record{Cells: []result.Cell{{Trials: []result.Trial{{Scenarios: scenarios}}}}}
		if got := whoNoticed(rec, one).String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
