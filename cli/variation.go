package cli

import (
	"context"
	"strings"

	"github.com/understudy-dev/understudy/report/text"
	"github.com/understudy-dev/understudy/trial"
)

// cleanRun runs a suite as it is, before its variations: what people find at the top of out. width is that of
// the variations' names.
func cleanRun(ctx context.Context, s *screen, out string, base trial.Options, width int) (kept, error) {
	clean, err := trial.Prepare(base)
	if err != nil {
		return kept{}, explain(err)
	}
	k, err := runOnce(ctx, s, out, clean)
	if err == nil {
		err = k.publish()
	}
	if err != nil {
		return kept{}, s.broken(err)
	}
	s.printf("%-*s %s\n", width, "clean", strings.TrimSpace(text.Summary(k.record, text.Options{Report: k.page()})))
	s.blocks(k.record)
	return k, nil
}

// variedRun runs the suite once more, with what base has now. A run that was interrupted, or that is wrong as
// a whole, ends the command.
func variedRun(ctx context.Context, s *screen, out string, base trial.Options) (kept, error) {
	if ctx.Err() != nil {
		return kept{}, exitError(exitBroken)
	}
	p, err := trial.Prepare(base)
	if err != nil {
		return kept{}, explain(err)
	}
	k, err := runOnce(ctx, s, out, p)
	if err != nil {
		return kept{}, s.broken(err)
	}
	if ctx.Err() != nil || len(k.record.Problems) > 0 {
		s.summary(k)
		return kept{}, exitError(exitBroken)
	}
	return k, nil
}
