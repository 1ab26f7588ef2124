package state

import (
	"errors"
	"fmt"
)

// CancelRuns ends every run and job that is under way as cancelled, in the order of their ids: those
// who ran them are gone. Their tokens end, steps that were under way end with their job, and its log says why.
func (s *State) CancelRuns(reason string) error {
	for _, r := range s.underWay() {
		for _, j := range r.jobs {
			line := fmt.Appendf(nil, "%s ##[error]%s\n", s.now().UTC().Format("2006-01-02T15:04:05.0000000Z"), reason)
			if err := s.AppendLog(j.ID, line); err != nil && !errors.Is(err, errLogFull) {
				return err
			}
			j.Status, j.Conclusion, j.Error = completed, "cancelled", reason
			for i := range j.Steps {
				if st := &j.Steps[i]; st.Status != completed {
					st.Status, st.Conclusion, st.Completed = completed, "cancelled", s.now()
				}
			}
			if _, err := s.SaveJob(j); err != nil {
				return err
			}
			s.revokeCause(fmt.Sprintf("job:%d", j.ID))
		}
		r.run.Status, r.run.Conclusion, r.run.Reason = completed, "cancelled", reason
		if _, err := s.SaveRun(r.run); err != nil {
			return err
		}
	}
	return nil
}

// unfinished is a run with those of its jobs that have not ended.
type unfinished struct {
	run  Run
	jobs []Job
}

func (s *State) underWay() []unfinished {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []unfinished
	for id := range s.last[nounRun] {
		x := s.runs[id+1]
		if x == nil || x.Status == completed {
			continue
		}
		u := unfinished{run: x.Run}
		for _, j := range x.jobs {
			if j.Status != completed {
				u.jobs = append(u.jobs, j.clone())
			}
		}
		out = append(out, u)
	}
	return out
}

// revokeCause ends the tokens whose fixed cause is the one given.
func (s *State) revokeCause(cause string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for d, t := range s.tokens {
		if t.cause == cause && !t.kit {
			t.revoked = true
			delete(s.tokens, d)
		}
	}
}
