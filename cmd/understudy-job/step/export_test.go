package step

import (
	"io"
	"time"
)

// TimeLimit is how long a step may take whose Timeout stands in the environment.
func (c Control) TimeLimit() (time.Duration, error) {
	_, limit, err := c.timeLimit()
	return limit, err
}

// Pass writes the parts to w as a step's output is passed on.
func Pass(w io.Writer, parts ...[]byte) error {
	s := &stream{w: w}
	for _, p := range parts {
		if _, err := s.Write(p); err != nil {
			return err
		}
	}
	return s.close()
}
