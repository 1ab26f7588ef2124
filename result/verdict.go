package result

import (
	"context"
	"errors"
	"fmt"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/match"
)

// Of turns the error of a step into a problem; nil stays nil. It is the only place where an error
// becomes a verdict: a mismatch is the product's fault, everything else is ours.
func Of(err error) *Problem {
	if err == nil {
		return nil
	}
	var late *Deadline
	var mis *match.Mismatch
	switch {
	case errors.As(err, &late):
		return late.problem()
	case errors.As(err, &mis):
		return &Problem{Verdict: Failed, What: err.Error(), Expected: mis.Want, Seen: mis.Got, Hint: mis.Hint}
	case errors.Is(err, driver.ErrUnsupported):
		return &Problem{Verdict: Broken, What: err.Error(),
			Hint: "tag the scenario @requires:capability:NAME so that the plan can skip it here"}
	case errors.Is(err, context.DeadlineExceeded):
		return &Problem{Verdict: Broken, What: "the deadline passed: " + err.Error()}
	}
	return &Problem{Verdict: Broken, What: err.Error()}
}

// Deadline is the error of a wait whose time ran out before the platform was quiet.
type Deadline struct {
	Pending []string // work still open
	Last    error    // what the last look found, or nil
}

// Error gives one line.
func (d *Deadline) Error() string {
	s := fmt.Sprintf("the platform was still busy at the deadline (%d open)", len(d.Pending))
	if d.Last != nil {
		s += "; last seen: " + d.Last.Error()
	}
	return s
}

// Unwrap returns what the last look found.
func (d *Deadline) Unwrap() error { return d.Last }

func (d *Deadline) problem() *Problem {
	p := &Problem{Verdict: Failed, What: d.Error(), Pending: d.Pending}
	var mis *match.Mismatch
	if errors.As(d.Last, &mis) {
		p.Expected, p.Seen, p.Hint = mis.Want, mis.Got, mis.Hint
	}
	if len(d.Pending) == 0 {
		p.Verdict = Broken
	}
	return p
}
