package actions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/actions"
	"github.com/understudy-dev/understudy/internal/order"
	"github.com/understudy-dev/understudy/internal/schedule"
)

// race is a platform that takes one label at a time: a group for the issue, in which the later run
// pushes the waiting one out.
const race = `
name: route
on: {issues: {types: [labeled]}}
concurrency: {group: issue-1, cancel-in-progress: true}
jobs:
  door:
    runs-on: ubuntu-latest
    steps: [{run: 'echo "door ${{ github.event.label.name }}" >>"$DIR/log"'}]
  agent:
    needs: door
    if: github.event.label.name == 'go'
    runs-on: ubuntu-latest
    steps: [{run: 'echo agent >>"$DIR/log"'}]
`

func ordered(d *schedule.Decider) func(*actions.Options, *memory) {
	return func(o *actions.Options, _ *memory) {
		o.Order = order.New(order.Options{Ledger: o.Ledger, Journal: o.Journal, Decider: d})
	}
}

// TestTheOrderDecidesWhoIsCancelled: two labels in quick succession; the routing one is lost if it
// comes first.
func TestTheOrderDecidesWhoIsCancelled(t *testing.T) {
	for text, want := range map[string]string{
		"0":   "run route.yml cancelled\nrun route.yml success\n  agent success\n  door success\n",
		"1:1": "run route.yml cancelled\nrun route.yml success\n  agent skipped\n  door success\n",
	} {
		for range 3 {
			t.Run(text, func(t *testing.T) {
				s, err := schedule.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				d := s.Decider()
				p := start(t, "-- .github/workflows/route.yml --"+race, ordered(d))
				p.label("later")
				p.label("go")
				p.settle()
				if diff := cmp.Diff(want, jobless(inOrder(p.report()))); diff != "" {
					t.Error(diff)
				}
				if err := d.Misfit(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// jobless leaves out the jobs that never began, which a cancelled run may or may not have.
func jobless(report string) string {
	var out []string
	for line := range strings.SplitSeq(report, "\n") {
		if line != "  door cancelled" && line != "  agent cancelled" && line != "" {
			out = append(out, line+"\n")
		}
	}
	return strings.Join(out, "")
}

// TestTheSameScheduleGivesTheSameRuns: whatever was explored can be had again, choice by choice.
func TestTheSameScheduleGivesTheSameRuns(t *testing.T) {
	e := schedule.NewExplorer(11)
	play := func(d *schedule.Decider) string {
		p := start(t, "-- .github/workflows/route.yml --"+race, ordered(d))
		p.label("later")
		p.label("go")
		p.label("other")
		p.settle()
		return p.report() + fmt.Sprint(d.Made())
	}
	for range 12 {
		d := e.Next()
		if d == nil {
			break
		}
		first := play(d)
		e.Add(d.Made())
		replay := d.Schedule().Decider()
		if diff := cmp.Diff(first, play(replay)); diff != "" {
			t.Errorf("%s: %s", d.Schedule(), diff)
		}
		if err := replay.Misfit(); err != nil {
			t.Error(err)
		}
	}
}
