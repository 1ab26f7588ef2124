package result

import (
	"fmt"
	"time"
)

// Budget is what a run, a lease and a scenario may take, in seconds.
type Budget struct {
	Limit    float64 `json:"limit,omitempty"` // of the test command; 0 is not known
	Lease    float64 `json:"lease"`           // on average
	Scenario float64 `json:"scenario"`        // on average
}

// Took is how long the run took.
func (r Record) Took() time.Duration { return r.Ended.Sub(r.Started) }

// Spent says how much of its budget the run used, such as "budget: 3 m 20 s of 40 m used"; "" where it has none.
func (r Record) Spent() string {
	if r.Budget == nil || r.Budget.Limit == 0 || r.Took() <= 0 {
		return ""
	}
	return fmt.Sprintf("budget: %s of %s used", Span(r.Took().Seconds()), Span(r.Budget.Limit))
}

// Span is a time for people: tenths of a second below ten, whole seconds below an hour, else minutes.
func Span(seconds float64) string {
	if seconds < 9.95 {
		return fmt.Sprintf("%.1f s", seconds)
	}
	s := int(seconds + 0.5)
	h, m := s/3600, s/60%60
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case h == 0 && s%60 == 0:
		return fmt.Sprintf("%d m", m)
	case h == 0:
		return fmt.Sprintf("%d m %d s", m, s%60)
	case m == 0:
		return fmt.Sprintf("%d h", h)
	}
	return fmt.Sprintf("%d h %d m", h, m)
}
