package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/internal/fault"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/trial"
)

// sweepFlag adds --sweep.
func (f *runFlags) sweepFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.sweep, "sweep", "", "faults: run once clean and once under each fault that there is, and show who noticed")
}

// checkSweep refuses what the flag cannot mean.
func (f *runFlags) checkSweep(cmd *cobra.Command) error {
	switch {
	case !cmd.Flags().Changed("sweep"):
		return nil
	case f.sweep != "faults":
		return fmt.Errorf("--sweep %q: there is nothing of that name to sweep; there is faults", f.sweep)
	case len(f.faults) > 0 || f.defects != "" || f.repeat > 1 || f.explore > 0 || f.schedule != "":
		return errors.New("--sweep tries each fault by itself: it goes with none of --fault, --defects, --repeat, --explore and --schedule")
	}
	return nil
}

// noticed is what became of a suite under one fault.
type noticed struct {
	struck         int // how often, in all scenarios
	failed, broken []string
}

// runSweep runs the suite clean and then under each fault of the catalogue, and shows who noticed.
func runSweep(ctx context.Context, s *screen, out string, base trial.Options) error {
	base.Progress = nil
	k, err := cleanRun(ctx, s, out, base, 58)
	if err != nil {
		return err
	}
	if code := result.ExitCode(k.record); code != exitPassed {
		s.printf("no fault was tried: a suite that does not pass without any cannot tell\n")
		return exitError(code)
	}
	failed, broke, idle, tried := 0, 0, 0, 0
	for _, kind := range forge.Faults() {
		for _, one := range kind.Sweep {
			base.Faults = []string{one}
			n, dir, err := sweepOne(ctx, s, out, base)
			if err != nil {
				return err
			}
			tried++
			s.printf("%-58s %s\n", one, n)
			switch {
			case len(n.failed) > 0:
				failed++
			case len(n.broken) > 0:
				broke++
			case n.struck == 0:
				idle++
			}
			if len(n.failed)+len(n.broken) > 0 {
				s.printf("  its run: %s\n", filepath.Join(dir, "index.html"))
			}
		}
	}
	s.printf("%d faults: under %d a scenario failed, under %d one only broke, %d nobody noticed, %d never struck\n",
		tried, failed, broke, tried-failed-broke-idle, idle)
	switch {
	case failed > 0:
		return exitError(exitFailed)
	case broke > 0:
		return exitError(exitBroken)
	}
	return nil
}

// sweepOne runs the suite under the fault that base has.
func sweepOne(ctx context.Context, s *screen, out string, base trial.Options) (noticed, string, error) {
	k, err := variedRun(ctx, s, out, base)
	if err != nil {
		return noticed{}, "", err
	}
	one, err := forge.ParseFault(base.Faults[0])
	return whoNoticed(k.record, one), k.dir, err
}

// whoNoticed counts what the fault of a run came to. One of the same words that a step put in force counts as well.
func whoNoticed(rec result.Record, one forge.Fault) (n noticed) {
	for sc := range rec.Scenarios() {
		for _, e := range sc.Journal {
			if e.Type == fault.StruckEntry && e.Subject == one.String() {
				n.struck++
			}
		}
		switch sc.Verdict {
		case result.Failed:
			n.failed = append(n.failed, sc.ID)
		case result.Broken:
			n.broken = append(n.broken, sc.ID)
		}
	}
	slices.Sort(n.failed)
	slices.Sort(n.broken)
	return n
}

// String is the cell of the table.
func (n noticed) String() string {
	var parts []string
	for _, group := range []struct {
		verdict string
		ids     []string
	}{{"failed", n.failed}, {"broke", n.broken}} {
		if len(group.ids) == 0 {
			continue
		}
		more := ""
		if len(group.ids) > 1 {
			more = fmt.Sprintf(" (+%d others)", len(group.ids)-1)
		}
		parts = append(parts, group.verdict+" "+group.ids[0]+more)
	}
	times := fmt.Sprintf("struck %d×", n.struck)
	switch {
	case len(parts) > 0:
		return times + ", " + strings.Join(parts, ", ")
	case n.struck == 0:
		return "never struck: the suite does nothing that it could strike"
	}
	return times + ", nobody noticed"
}
