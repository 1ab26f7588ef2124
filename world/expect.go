package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/result"
)

// maxGot bounds what one observation keeps of a value; larger ones are cut and say so.
const maxGot = 256 << 10

// Expect records what was seen and returns a *match.Mismatch when it is not as expected. Inside a
// wait only the last try is kept.
func (w *World) Expect(ctx context.Context, subject string, got any, m match.Matcher) error {
	return w.ExpectKey(ctx, subject, "", got, m)
}

// ExpectKey is Expect about one of several: key says which. A passed "agent.operation" or
// "run.conclusion" claims the failed operation or run that its key names.
func (w *World) ExpectKey(ctx context.Context, subject, key string, got any, m match.Matcher) error {
	if err := w.usable(); err != nil {
		return fmt.Errorf("expect %s: %w", subject, err)
	}
	raw, err := encode(got)
	if err != nil {
		return fmt.Errorf("record %s: %w", subject, err)
	}
	mis := m.Match(got)
	o := result.Observation{Subject: subject, Key: key, Got: raw, Want: m.String(), OK: mis == nil}
	if spec, ok := match.Written(m); ok {
		o.Matcher = &spec
	}
	err = w.record(ctx, o)
	if err != nil {
		return fmt.Errorf("record %s: %w", subject, err)
	}
	if mis == nil {
		return nil
	}
	mis.Subject = subject
	if key != "" {
		mis.Subject = subject + " of " + key
	}
	return mis
}

// Observe records what was seen without an expectation. A value that has no JSON form is recorded
// as the error that says so.
func (w *World) Observe(ctx context.Context, subject, key string, got any) {
	raw, err := encode(got)
	if err != nil {
		raw, _ = json.Marshal("not recorded: " + err.Error())
	}
	// Without a sequence number the observation still stands.
	_ = w.record(ctx, result.Observation{Subject: subject, Key: key, Got: raw, OK: true})
}

func (w *World) record(ctx context.Context, o result.Observation) error {
	seq, err := w.position(ctx)
	o.Sequence = seq
	if w.wait != nil {
		w.wait.buffer = append(w.wait.buffer, o)
		return err
	}
	w.log.addObservations(o)
	return err
}

// position returns the sequence number of the journal's last entry, 0 where there is no journal.
func (w *World) position(ctx context.Context) (uint64, error) {
	if w.stray {
		return 0, nil
	}
	entries, err := w.drivers.Journal.Entries(ctx, w.read)
	if errors.Is(err, driver.ErrUnsupported) {
		return 0, nil
	}
	if err != nil {
		return w.read, fmt.Errorf("read the journal: %w", err)
	}
	if n := len(entries); n > 0 {
		w.read = entries[n-1].Seq
	}
	return w.read, nil
}

func encode(got any) (json.RawMessage, error) {
	raw, err := match.Encode(got)
	if err != nil {
		return nil, err
	}
	if len(raw) > maxGot {
		return result.Cut(raw[:maxGot], len(raw))
	}
	return raw, nil
}
