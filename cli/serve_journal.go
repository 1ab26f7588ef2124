package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/internal/journal"
)

// followJournal shows each change from now on.
func (sv *serving) followJournal(s *screen) {
	sv.follow(func(e journal.Entry) { s.printf("%s\n", journalLine(e, sv.scrub)) })
}

// follow hands over each change from now on, the last ones included: those of the end.
func (sv *serving) follow(show func(journal.Entry)) {
	ctx, cancel := context.WithCancel(context.Background())
	sv.unfollow = cancel
	cursor := sv.Journal.Subscribe("the screen")
	sv.wg.Go(func() {
		defer cursor.Close()
		// An ended context still gives what is there: after the first error, a second one is the end.
		for errs := 0; errs < 2; {
			e, err := cursor.Next(ctx)
			switch {
			case err != nil:
				errs++
			case e.Kind == journal.Change:
				show(e)
			}
		}
	})
}

// journalLine is one line for a person: number, time, what, about what, by whom, why.
func journalLine(e journal.Entry, scrub *evidence.Scrubber) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%4d %s  %-20s %s", e.Seq, e.Time.Local().Format("15:04:05"), e.Type, e.Subject)
	for _, k := range slices.Sorted(maps.Keys(e.Detail)) {
		if told(e, k) {
			continue
		}
		fmt.Fprintf(&b, " %s=%s", k, e.Detail[k])
	}
	if e.Actor != "" {
		fmt.Fprintf(&b, "  by %s", e.Actor)
	}
	if e.Cause != "" {
		fmt.Fprintf(&b, "  ← %s", e.Cause)
	}
	return strings.Map(printable, scrub.String(b.String()))
}

// told reports whether a detail is in the line already, or in that of its cause.
func told(e journal.Entry, key string) bool {
	switch key {
	case "action", "event", "repo", "sha", "workflow", "request_id":
		return true
	case "ref":
		return e.Type != "push" && e.Type != "create" && e.Type != "delete"
	}
	return false
}

// printable keeps what others wrote from steering the terminal.
func printable(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}
