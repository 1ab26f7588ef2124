package cli

import (
	"context"
	"errors"
	"fmt"
)

// overtime says that --timeout ended the run.
type overtime struct{ error }

// limited is ctx, which ends with --timeout.
func (f *runFlags) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if f.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, f.timeout, overtime{fmt.Errorf("the --timeout of %s is over: what was still running has been interrupted", f.timeout)})
}

// tellTimeout says that the run ended before its time.
func tellTimeout(ctx context.Context, s *screen) {
	if cause, ok := errors.AsType[overtime](context.Cause(ctx)); ok {
		s.note(cause.Error())
	}
}
