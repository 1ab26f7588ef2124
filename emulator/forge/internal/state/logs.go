package state

import (
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// JobLog is the log of a job, whole and by step.
type JobLog struct {
	Name  string
	Text  []byte
	Steps []StepLog
}

// StepLog is the part of a job's log that belongs to one step.
type StepLog struct {
	Number int
	Name   string
	Text   []byte
}

// SeeLogs answers the attempt of a run whose logs who may read; attempt 0 is the latest. Logs are for those
// who are signed in.
func (s *State) SeeLogs(who Identity, full string, id int64, attempt int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, x, err := s.run(who, full, ReadActions, id)
	switch {
	case err != nil:
		return 0, err
	case who.Anonymous():
		return 0, wire.NeedsAdmin()
	case attempt == 0:
		attempt = x.Attempt
	case attempt > x.Attempt:
		return 0, wire.NotFound()
	}
	return attempt, nil
}

// Logs returns the logs of one attempt of a run, in the order of its jobs. Jobs that never began have none.
func (s *State) Logs(id int64, attempt int) ([]JobLog, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.runs[id]
	if x == nil {
		return nil, wire.NotFound()
	}
	var out []JobLog
	for _, j := range x.jobs {
		if j.Attempt != attempt || len(j.log) == 0 {
			continue
		}
		l := JobLog{Name: j.Name, Text: j.log[:len(j.log):len(j.log)]} // a log only grows
		for _, sp := range j.spans {
			i := slices.IndexFunc(j.Steps, func(st Step) bool { return st.Number == sp.Number })
			to := sp.To
			if to < 0 {
				to = len(j.log)
			}
			if i >= 0 && sp.From >= 0 && sp.From < to && to <= len(j.log) {
				l.Steps = append(l.Steps, StepLog{sp.Number, j.Steps[i].Name, l.Text[sp.From:to]})
			}
		}
		out = append(out, l)
	}
	return out, nil
}
