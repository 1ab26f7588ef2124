package forge

import (
	"context"
	"fmt"
	"strings"
)

// Until returns nil as soon as check returns nil. It is tried at once, at each change of the forge, and
// a last time when the forge is quiet: when no request is being answered, no webhook is being delivered
// and nobody is Working. Then its last error is returned, so a test waits neither too short nor too
// long. Any error of check means that it does not hold yet. When ctx ends first, the error also names
// what was going on.
//
// Check reads: a check that changes something wakes itself again.
func (s *Server) Until(ctx context.Context, check func(context.Context) error) error {
	l := s.admin.ledger
	after, quiet := l.Seq(), false
	for {
		last := check(ctx)
		if last == nil {
			return nil
		}
		seq, nowQuiet, err := l.Wait(ctx, after)
		if err != nil {
			return fmt.Errorf("wait: %w%s; last: %w", err, s.open(), last)
		}
		if quiet && nowQuiet && seq == after {
			return fmt.Errorf("nothing is going on any more, and still: %w", last)
		}
		after, quiet = seq, nowQuiet
	}
}

// Quiet returns when nothing is going on: no request is being answered, no webhook is being delivered,
// every subscriber has seen every event, and nobody is Working.
func (s *Server) Quiet(ctx context.Context) error {
	for after := uint64(0); ; {
		seq, quiet, err := s.admin.ledger.Wait(ctx, after)
		if err != nil {
			return fmt.Errorf("wait for quiet: %w%s", err, s.open())
		}
		if quiet {
			return nil
		}
		after = seq
	}
}

// Working says that somebody whom the forge cannot see, such as the program under test between two
// requests, is at work until done is called; what names him for people. Until and Quiet wait for him.
// Call it before whatever starts the work. A second call of done does nothing.
func (s *Server) Working(what string) (done func()) { return s.admin.ledger.Open(what).Close }

func (s *Server) open() string {
	if open := s.admin.ledger.Pending(); len(open) > 0 {
		return " during " + strings.Join(open, ", ")
	}
	return ""
}
