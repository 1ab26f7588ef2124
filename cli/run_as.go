package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// asFlag adds --as to a command that plans.
func (f *runFlags) asFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.as, "as", "", "with the tags and capabilities of this run of understudy.yaml")
}

// checkAs refuses what a configured run decides.
func (f *runFlags) checkAs(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	if given("as") && (f.as == "" || given("tags") || given("capabilities")) {
		return errors.New("--as names a run of understudy.yaml, which has tags and capabilities of its own")
	}
	return nil
}

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
