package actions_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/actions"
	"github.com/understudy-dev/understudy/internal/fault"
	"github.com/understudy-dev/understudy/internal/order"
)

const told = `-- .github/workflows/told.yml --
on: {issues: {types: [labeled]}}
run-name: ${{ github.event.label.name }}
jobs:
  tell:
    if: false
    runs-on: ubuntu-latest
    steps: [{run: 'true'}]
`

// TestFaultsOfDeliveriesToWorkflows shows a workflow three labels on their way through a fault.
func TestFaultsOfDeliveriesToWorkflows(t *testing.T) {
	for text, want := range map[string]string{
		"delivery.late@issues.labeled":                "b c a",
		"delivery.twice@issues.labeled":               "a a b c",
		"delivery.twice=to:hooks":                     "a b c",
		"delivery.reordered=from:2":                   "a c b",
		"delivery.dropped=from:2@issues":              "a c",
		"delivery.dropped@push":                       "a b c",
		"delivery.unindexed=times:2":                  "c",
		"delivery.unindexed@.github/workflows/no.yml": "a b c",
		"delivery.unindexed@.github/workflows/*":      "b c",
	} {
		t.Run(text, func(t *testing.T) {
			f, err := fault.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			p := start(t, told, func(o *actions.Options, _ *memory) {
				set := fault.NewSet(fault.Options{Journal: o.Journal})
				if _, err := set.Inject(f); err != nil {
					t.Fatal(err)
				}
				o.Order = order.New(order.Options{Ledger: o.Ledger, Journal: o.Journal, Faults: set})
			})
			for _, name := range []string{"a", "b", "c"} {
				p.label(name)
			}
			p.settle()
			var titles []string
			for _, r := range p.runs {
				titles = append(titles, r.Title)
			}
			if diff := cmp.Diff(want, strings.Join(titles, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}
