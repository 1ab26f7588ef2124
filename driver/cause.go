package driver

import "fmt"

// CausedBy returns everything that cause brought about, directly or not, and cause itself: events
// ("event:41"), runs ("run:5") and jobs ("job:7"). Entries stand in the journal's order, in which a
// cause always precedes what it caused.
func CausedBy(entries []Entry, cause Cause) map[Cause]bool {
	in := map[Cause]bool{cause: true}
	for _, e := range entries {
		if e.Cause == "" || !in[e.Cause] {
			continue
		}
		in[Cause(fmt.Sprintf("event:%d", e.Seq))] = true
		if e.Type == "run.created" || e.Type == "run.rerun" || e.Type == "run.approved" || e.Type == "job.created" {
			in[Cause(e.Subject)] = true
		}
	}
	return in
}
