package actions

import (
	"fmt"
	"strconv"

	"github.com/understudy-dev/understudy/internal/journal"
)

// control does what an entry asks of runs that are there already, and reports whether it was such an
// entry.
func (e *Engine) control(entry journal.Entry) bool {
	switch entry.Type {
	case "run.rerun", "run.approved":
		if err := e.rerun(entry); err != nil {
			e.broken(fmt.Errorf("%s of %s: %w", entry.Type, entry.Subject, err))
		}
		return true
	case "run.cancel", "run.force_cancel":
	default:
		return false
	}
	id, err := strconv.ParseInt(entry.Detail["run"], 10, 64)
	if err != nil {
		e.o.Log.Warn("entry names no run", "entry", entry.Seq, "type", entry.Type)
		return true
	}
	e.mu.Lock()
	r := e.runs[id]
	e.mu.Unlock()
	switch {
	case r == nil: // it has ended meanwhile
	case entry.Type == "run.force_cancel":
		r.force()
	default:
		r.cancel()
	}
	return true
}
