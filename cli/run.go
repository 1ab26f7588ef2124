package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/envvar"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/trial"
)

// packs are the kit's own vocabulary and the caller's.
func (o Options) packs() []suite.Pack {
	return append(trial.Packs(), o.Packs...)
}

type runFlags struct {
	out          string
	tags         string
	jobs         int
	repeat       int
	shard        string
	seed         int64
	noNamespaces bool
	fresh        bool
	defect       string
	preset       string
	defects      string // sample, full
	trackRecord  string
	capabilities string
	as           string
	timeout      time.Duration
	annotations  string
	explore      int
	schedule     string
	faults       []string
	sweep        string
}

// capabilitiesFlag adds --capabilities to a command that plans.
func (f *runFlags) capabilitiesFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.capabilities, "capabilities", "",
		`what scenarios may require besides what the environment offers, as NAME,NAME; unset is what the platform file declares, "" is nothing`)
}

// declared returns the capabilities given on the command line; nil when the flag is not there.
func (f *runFlags) declared(cmd *cobra.Command) ([]driver.Capability, error) {
	if !cmd.Flags().Changed("capabilities") {
		return nil, nil
	}
	names, err := envvar.Names(f.capabilities)
	if err != nil {
		return nil, fmt.Errorf("--capabilities %q: %w", f.capabilities, err)
	}
	return trial.Declared(names), nil
}

const runExamples = `  understudy run examples/acceptance
  understudy run examples/acceptance/features/triage.feature:6
  understudy run examples/acceptance --defects
  understudy run examples/acceptance --defects=full --track-record docs/track-record.md
  understudy run examples/acceptance --shard 2/3 --seed 7
  understudy run examples/race --explore 100
  understudy run examples/acceptance --fault delivery.twice@issues.labeled
  understudy run examples/acceptance --sweep faults
  understudy run examples/acceptance/features/triage.feature --preset careful.yaml
  understudy run examples/acceptance --capabilities slow-model,new-labels`

func runCommand(o Options) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run PATH…",
		Short: "Run features and keep the record",
		Long: `Run features and keep the record.

PATH is a suite's directory (the one with understudy.yaml), a directory of features, a feature file,
or file:line for one scenario.

On GitHub Actions each scenario that did not pass becomes an annotation at its step, and the Markdown
report is appended to the job's summary; --annotations none leaves both out.

Environment variables that suites know (GODOG_TAGS, BEHAVIOUR_CONFIG_PRESET, …; docs/reference/environment.md) hold where there is
no flag.

Exit codes: 0 all passed · 1 the product failed · 2 usage · 3 broken (test or environment).`,
		Example:           runExamples,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completePaths,
		RunE: func(c *cobra.Command, paths []string) error {
			declared, err := f.fromEnvironment(c, o.Env)
			if err != nil {
				return err
			}
			if f.jobs < 0 || f.repeat < 1 || f.timeout < 0 {
				return errors.New("--jobs is 0 (capacity) or more, --repeat 1 or more, --timeout 0 (never) or more")
			}
			if f.out == "" {
				return errors.New("--out names a directory; it is empty")
			}
			if err := cmp.Or(f.checkDefects(), f.checkAs(c), f.checkShard(c), f.checkOrder(c), f.checkSweep(c)); err != nil {
				return err
			}
			return runRun(c.Context(), o, f, declared, paths)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.out, "out", "out", "directory for the record, the reports and the evidence")
	fl.StringVar(&f.tags, "tags", "", "run only scenarios that match this tag expression")
	fl.IntVar(&f.jobs, "jobs", 0, "scenarios at once; 0 is what the environment can hold")
	fl.IntVar(&f.repeat, "repeat", 1, "how often to run each scenario")
	fl.Int64Var(&f.seed, "seed", 0, "decides the order of execution; 0 takes one from the clock")
	fl.DurationVar(&f.timeout, "timeout", 0, "end the run after this time, with the record of what there is; 0 is never")
	fl.BoolVar(&f.noNamespaces, "no-namespaces", false, "keep programs in process groups even where namespaces are allowed")
	fl.BoolVar(&f.fresh, "fresh", false, "every scenario installs the platform itself; else all but the first and those tagged @fresh get copies")
	f.defectsFlags(cmd)
	fl.StringVar(&f.preset, "preset", "", "configuration that the platform is installed on: a file or an https URL")
	fl.StringVar(&f.defect, "defect", "", "install the platform with this seeded defect")
	fl.StringVar(&f.annotations, "annotations", "auto",
		"tell GitHub Actions what did not pass, as annotations and in the job's summary: auto (where GITHUB_ACTIONS is true), github, none")
	f.orderFlags(cmd)
	fl.StringArrayVar(&f.faults, "fault", nil, faultUsage)
	f.shardFlag(cmd)
	f.sweepFlag(cmd)
	f.capabilitiesFlag(cmd)
	f.asFlag(cmd)
	return cmd
}

func (f *runFlags) shardFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.shard, "shard", "", "run a part of the scenarios, such as 2/3; --seed deals them out, and `understudy report` merges the records")
}

// checkShard refuses parts that would not make a whole.
func (f *runFlags) checkShard(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("shard") {
		return nil
	}
	if f.seed == 0 {
		return errors.New("--shard needs --seed: the shards of one run share it")
	}
	if f.defects != "" || f.sweep != "" {
		return errors.New("--shard goes with neither --defects nor --sweep")
	}
	_, err := trial.ParseShard(f.shard)
	return err
}

func (f *runFlags) orderFlags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.IntVar(&f.explore, "explore", 0, "try each scenario in so many orders of deliveries and jobs, decided by --seed, until one fails")
	fl.StringVar(&f.schedule, "schedule", "", "run one scenario in the order that --explore found")
}

// checkOrder refuses what the two flags about order cannot mean.
func (f *runFlags) checkOrder(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	switch {
	case given("explore") && f.explore < 1:
		return errors.New("--explore is 1 or more")
	case given("schedule") && f.schedule == "":
		return errors.New("--schedule is empty; it is such as 2:1, or 0 for the usual order")
	case f.explore > 0 && f.schedule != "":
		return errors.New("--explore looks for a schedule, --schedule runs one: give one of the two")
	case (f.explore > 0 || f.schedule != "") && (f.repeat > 1 || f.defects != ""):
		return errors.New("--explore and --schedule go with neither --repeat nor --defects")
	}
	return nil
}

func runRun(ctx context.Context, o Options, f runFlags, declared []driver.Capability, paths []string) error {
	if f.seed == 0 {
		f.seed = time.Now().UnixNano()%1_000_000 + 1
	}
	ctx, cancel := f.limited(ctx)
	defer cancel()
	s := o.screen
	shard, _ := trial.ParseShard(f.shard) // checked; without the flag it is the whole plan
	base := trial.Options{
		Shard: shard, Paths: paths, Tags: f.tags, As: f.as, Jobs: f.jobs, Repeat: f.repeat, Seed: f.seed, Defect: f.defect, Preset: f.preset, Declared: declared, Fresh: f.fresh,
		Faults: f.faults, Explore: f.explore, Schedule: f.schedule, Packs: o.packs(), Kit: Version, CallerEnv: o.Env, Progress: s.progress, Status: s.status,
	}
	// Files, flags and vocabulary first: a mistake in them must not wait for a build.
	p, err := trial.Prepare(base)
	if err != nil {
		return explain(err)
	}
	var defects []defect
	if f.defects != "" {
		if defects, err = seeded(p); err != nil {
			return err
		}
	}
	if err := known(p, f.defect); err != nil {
		return err
	}
	if err := checkOut(f.out); err != nil {
		return err
	}
	a, err := o.annotator(f.annotations, p.Config.Features)
	if err != nil {
		return err
	}
	var t trial.Tools
	if p.NeedsTools() {
		t, err = trial.FindTools(ctx, trial.ToolOptions{Env: o.Env, ProcessGroups: f.noNamespaces, Status: s.status})
	}
	if err != nil {
		if ctx.Err() != nil {
			return exitError(exitBroken)
		}
		return err
	}
	base.JobRunner, base.Path, base.Namespaces = t.JobRunner, t.Path, t.Namespaces
	if t.Refused != nil {
		s.note(fmt.Sprintf("isolation: process groups (namespaces are refused here: %v)", t.Refused))
	}
	if f.defects != "" {
		a.begin()
		defer a.end()
		return f.runDefects(ctx, s, base, p, defects)
	}
	if f.sweep != "" {
		return runSweep(ctx, s, f.out, base)
	}
	if p, err = trial.Prepare(base); err != nil {
		return explain(err)
	}
	return runShown(ctx, s, a, f.out, p)
}

// runShown runs a prepared trial and tells what it came to, by the exit code as well.
func runShown(ctx context.Context, s *screen, a *annotator, out string, p *trial.Prepared) error {
	a.begin()
	kept, err := runOnce(ctx, s, out, p)
	if err == nil {
		err = kept.publish()
	}
	if kept.dir != "" {
		s.orders(kept.record)
		tellTimeout(ctx, s)
		s.summary(kept)
	}
	a.end()
	if kept.dir != "" {
		a.tell(kept.record)
	}
	if err != nil {
		return s.broken(err)
	}
	if code := result.ExitCode(kept.record); code != exitPassed {
		return exitError(code)
	}
	return nil
}

// runOnce runs a prepared trial into a directory of its own and writes its reports there. When it
// could not keep a record, what it returns has no directory.
func runOnce(ctx context.Context, s *screen, out string, p *trial.Prepared) (kept, error) {
	dir, err := newRunDir(out)
	if err != nil {
		return kept{}, err
	}
	s.begin(p.IDs(), p.Trials(), dir)
	rec, err := p.Run(ctx, dir)
	s.done()
	if err != nil {
		return kept{}, err
	}
	k := kept{record: rec, dir: dir, out: out}
	return k, k.reports()
}

// explain adds a hint where one is known.
func explain(err error) error {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return err
	}
	if errors.Is(err, suite.ErrNothingSelected) {
		return &hinted{err, "check the paths and --tags; `understudy run DIR` without --tags runs everything"}
	}
	if errors.Is(err, os.ErrNotExist) {
		return &hinted{err, "a path is a suite's directory, a feature file, or file:line"}
	}
	return err
}
