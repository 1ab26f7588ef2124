package place_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/environment/place"
)

// TestAdvance has a night pass: scheduled runs start in the order of time, each at the time at which it was due, on
// the head of the default branch and as whoever changed the schedule last; they come from the step that had time
// pass. Nothing starts by itself, nor of a workflow that is disabled.
func TestAdvance(t *testing.T) {
	p := open(t)
	c, a := client{t, p}, p.Forge.Admin()
	c.do(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app"})
	c.workflow("b.yml", "on: {schedule: [{cron: '0 3 * * *'}, {cron: '30 2 * * *', timezone: Europe/Berlin}]}\n"+scheduledJob)
	c.workflow("a.yml", "on: {schedule: [{cron: '0 3 * * *'}]}\n"+scheduledJob)
	c.workflow("off.yml", "on: {schedule: [{cron: '0 3 * * *'}], push: {}}\n"+scheduledJob)
	c.do(204, "PUT", "/repos/acme/app/actions/workflows/off.yml/disable", nil)
	quiet(t, p)
	a.Mark("step:7")
	at := time.Date(a.Now().Year()+1, 1, 10, 0, 0, 0, 0, time.UTC)
	if len(scheduled(p, 0)) > 0 {
		t.Error("something started by itself")
	}
	c.do(204, "PUT", "/repos/acme/app/actions/permissions", map[string]any{"enabled": false})
	if got, err := a.AdvanceTo(t.Context(), at); err != nil || got.Runs != 0 {
		t.Fatalf("Actions are off: %d runs, %v", got.Runs, err)
	}
	c.do(204, "PUT", "/repos/acme/app/actions/permissions", map[string]any{"enabled": true})
	quiet(t, p)
	before := p.Journal.Last()
	got, err := a.Advance(t.Context(), 24*time.Hour)
	if err != nil || got.Runs != 3 {
		t.Fatalf("%d runs, %v", got.Runs, err)
	}
	quiet(t, p)
	day := at.Format("2006-01-02")
	want := []string{
		"acme/app .github/workflows/b.yml ada 30 2 * * * " + day + "T01:30:00Z",
		"acme/app .github/workflows/a.yml ada 0 3 * * * " + day + "T03:00:00Z",
		"acme/app .github/workflows/b.yml ada 0 3 * * * " + day + "T03:00:00Z",
	}
	if diff := cmp.Diff(want, scheduled(p, before)); diff != "" {
		t.Error(diff)
	}
	var runs struct {
		Runs []struct {
			Path, Event, Conclusion string
			Branch                  string    `json:"head_branch"`
			Started                 time.Time `json:"run_started_at"`
			Created                 time.Time `json:"created_at"`
		} `json:"workflow_runs"`
	}
	if err := json.Unmarshal([]byte(c.do(200, "GET", "/repos/acme/app/actions/runs?event=schedule&per_page=3", nil)), &runs); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, r := range runs.Runs {
		told = append(told, fmt.Sprint(r.Path, " ", r.Event, " ", r.Conclusion, " ", r.Branch, " ", r.Started.Equal(r.Created), " ", r.Started.Format(time.RFC3339)))
	}
	if diff := cmp.Diff([]string{
		".github/workflows/b.yml schedule success main true " + day + "T03:00:00Z",
		".github/workflows/a.yml schedule success main true " + day + "T03:00:00Z",
		".github/workflows/b.yml schedule success main true " + day + "T01:30:00Z",
	}, told); diff != "" {
		t.Error(diff)
	}
	for _, e := range p.Journal.Entries(before) {
		if e.Type == "clock.advanced" && e.Cause != "step:7" {
			t.Errorf("the clock was advanced because of %q", e.Cause)
		}
	}
}

// TestAdvanceIsBounded: more runs than anybody wants are refused before anything has moved, as is time that goes back.
func TestAdvanceIsBounded(t *testing.T) {
	p := open(t)
	c, a := client{t, p}, p.Forge.Admin()
	c.do(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app"})
	c.workflow("a.yml", "on: {schedule: [{cron: '*/5 * * * *'}]}\n"+scheduledJob)
	quiet(t, p)
	before, from := p.Journal.Last(), a.Now()
	if _, err := a.Advance(t.Context(), 30*24*time.Hour); err == nil || !strings.Contains(err.Error(), "more than 1000 scheduled runs") {
		t.Errorf("a month of them: %v", err)
	}
	for _, d := range []time.Duration{0, -time.Hour, 1 << 62} {
		if _, err := a.Advance(t.Context(), d); err == nil {
			t.Errorf("the clock was advanced by %v", d)
		}
	}
	if _, err := a.AdvanceTo(t.Context(), from.Add(-time.Hour)); err == nil {
		t.Error("the clock went back")
	}
	// The schedules are not even asked, which would have them refuse.
	if _, err := a.Advance(t.Context(), 11*366*24*time.Hour); err == nil || !strings.Contains(err.Error(), "ten years") {
		t.Errorf("eleven years: %v", err)
	}
	if _, err := a.AdvanceTo(t.Context(), from.AddDate(11, 0, 0)); err == nil || !strings.Contains(err.Error(), "ten years") {
		t.Errorf("until in eleven years: %v", err)
	}
	if now, last := a.Now(), p.Journal.Last(); now.Sub(from) > time.Hour || last != before {
		t.Errorf("it is %v, and was %v; entry %d, and was %d", now, from, last, before)
	}
}

const scheduledJob = `
jobs:
  a: {runs-on: ubuntu-latest, steps: [{run: 'test "${{ github.event_name }} ${{ github.actor }}" = "schedule ada" && test -n "${{ github.event.schedule }}"'}]}
`

// scheduled lists the events after an entry, with file, actor, cron and time.
func scheduled(p *place.Place, after uint64) (out []string) {
	for _, e := range p.Journal.Entries(after) {
		if e.Type == "schedule" {
			out = append(out, e.Subject+" "+e.Actor+" "+e.Detail["cron"]+" "+e.Time.Format(time.RFC3339))
		}
	}
	return out
}
