package local

import (
	"context"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/journal"
)

// journalView shows the journal to scenarios.
type journalView struct{ j *journal.Journal }

func (v journalView) Entries(_ context.Context, after uint64) ([]driver.Entry, error) {
	in := v.j.Entries(after)
	out := make([]driver.Entry, len(in))
	for i, e := range in {
		out[i] = driver.Entry{
			Seq: e.Seq, Time: e.Time, Change: e.Kind == journal.Change, Type: e.Type, Cause: driver.Cause(e.Cause),
			Actor: e.Actor, Subject: e.Subject, Detail: e.Detail,
		}
	}
	return out, nil
}

// marker says which step the scenario's own tokens act for.
type marker struct{ p *leased }

func (m marker) Mark(_ context.Context, cause driver.Cause, text string) error {
	m.p.Journal.Append(journal.Entry{
		Kind: journal.Read, Type: "step", Subject: string(cause), Detail: map[string]string{"text": text},
	})
	m.p.Forge.Admin().Mark(string(cause))
	m.p.tickets.mark(string(cause))
	return nil
}
