// Package behaviourtest runs a suite's features under go test. It is all that a project writes:
//
//	func TestBehaviour(t *testing.T) {
//		behaviourtest.RunSuite(t, behaviourtest.SuiteOptions{
//			FeaturePaths: []string{"features"},
//			FixturesRoot: "e2e",
//		})
//	}
//
// Each scenario is a subtest named after its place, so that
//
//	go test -run 'TestBehaviour/triage.feature:12' ./e2e
//
// runs that one alone. What a machine or a CI job decides comes from environment variables:
// docs/reference/environment.md lists them, beside UNDERSTUDY_JOB. A value that is not known is refused
// by name before anything starts.
package behaviourtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/trial"
)

// SuiteOptions say what to run. The nearest understudy.yaml at the first feature path or above it, up
// to the module's root, is read when there is one; what is set here goes before what it says.
type SuiteOptions struct {
	// FeaturePaths are feature files, directories of them, or file:line, relative to the test's own
	// directory. Empty takes the features that understudy.yaml names.
	FeaturePaths []string
	// FixturesRoot is the directory that fixtures are named from, relative to the module's root. Empty
	// is what understudy.yaml says, or else the directory of the test.
	FixturesRoot string
	// Platform is the platform file, relative to the test's own directory. Empty is what
	// understudy.yaml says, or none: then every step must do without a forge and without programs.
	Platform string

	Packs []suite.Pack          // step packs besides the kit's own
	Godog func(suite.Registrar) // registers steps as for godog; may be nil

	// Environment is where scenarios run instead of on this machine, with drivers of one's own. nil is
	// this machine.
	Environment environment.Environment
	// ProcessGroups keeps programs in process groups even where namespaces are allowed.
	ProcessGroups bool
}

// RunSuite runs the suite and fails t unless every planned scenario passes. Scenarios run side by
// side, as many as the environment can hold; their subtests stand in file order. Only the plan skips.
//
// Record, evidence and reports are kept below BEHAVIOUR_ARTIFACT_DIR (a relative one is seen from the
// test's directory), in a directory of each run's own, or in t.ArtifactDir when go test has -artifacts.
// When the deadline of go test comes near, what still runs is interrupted in time to keep the evidence;
// so it is at an interrupt, after which the program ends.
//
// go test may cache the result as long as all that the suite depends on lies inside the module and is
// known; otherwise RunSuite switches its cache off.
func RunSuite(t *testing.T, o SuiteOptions) {
	t.Helper()
	v, err := readVariables(os.Environ())
	if err != nil {
		stop(t, err)
	}
	pl, err := locate(o)
	if err != nil {
		stop(t, err)
	}
	only, err := newFilter(t.Name())
	if err != nil {
		stop(t, err)
	}
	base := trial.Options{
		Config: &pl.config, Paths: pl.paths, Tags: v.Tags, Jobs: v.Jobs, Declared: trial.Declared(v.Capabilities), Preset: v.Preset, Only: only.selects,
		Packs: packs(o), Environment: o.Environment, Kit: trial.Version, CallerEnv: os.Environ(), Seed: 1 + rand.Int64N(1_000_000),
		Status: func(what string) { fmt.Fprintln(t.Output(), "… "+what) },
	}
	// Files and vocabulary first: a mistake in them must not wait for a build.
	p, err := trial.Prepare(base)
	if err != nil {
		stop(t, only.explain(err))
	}
	var r *reporter
	base.Progress = func(e result.Event) { r.progress(e) }
	timed, cancel := beforeDeadline(t)
	defer cancel()
	ctx, uninterruptible := interruptible(timed)
	defer uninterruptible()
	if p.NeedsTools() {
		tools, err := trial.FindTools(ctx, trial.ToolOptions{Env: base.CallerEnv, ProcessGroups: o.ProcessGroups, Status: base.Status})
		if err != nil {
			endIfInterrupted(ctx, kept{temp: true})
			stop(t, err)
		}
		base.JobRunner, base.Path, base.Namespaces = tools.JobRunner, tools.Path, tools.Namespaces
	}
	if p, err = trial.Prepare(base); err != nil {
		stop(t, err)
	}
	r = newReporter(p.Plan())
	if why := pl.unseen(p, o); why != "" {
		if err := forgetInputs(); err != nil {
			stop(t, fmt.Errorf("switch the cache of go test off (%s): %w", why, err))
		}
		fmt.Fprintln(t.Output(), "go test does not cache this: "+why)
	}
	k, err := newKept(t, v.Artifacts)
	if err != nil {
		stop(t, err)
	}
	run(ctx, t, p, r, k)
}

// run runs the plan and shows it as subtests while it goes on.
func run(ctx context.Context, t *testing.T, p *trial.Prepared, r *reporter, k kept) {
	t.Helper()
	var rec result.Record
	var err error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		rec, err = p.Run(ctx, k.dir)
	}()
	r.subtests(t, ended, k)
	<-ended
	if err != nil {
		stop(t, err)
	}
	for _, w := range rec.Warnings {
		fmt.Fprintln(t.Output(), "warning: "+w)
	}
	if spent := rec.Spent(); spent != "" {
		fmt.Fprintln(t.Output(), spent)
	}
	for _, problem := range rec.Problems {
		fmt.Fprintln(t.Output(), problem.Sentence())
		t.Fail()
	}
	if cause := context.Cause(ctx); errors.Is(cause, errDeadline) {
		fmt.Fprintln(t.Output(), cause)
		t.Fail()
	}
	k.report(t, rec)
	endIfInterrupted(ctx, k)
}

// errDeadline is why a run was interrupted.
var errDeadline = errors.New("the -timeout of go test is nearly over: what was still running has been interrupted")

// beforeDeadline returns a context that ends early enough to clean up and keep the evidence before
// go test panics.
func beforeDeadline(t *testing.T) (context.Context, context.CancelFunc) {
	deadline, ok := t.Deadline()
	if !ok {
		return context.WithCancel(t.Context())
	}
	margin := min(30*time.Second, time.Until(deadline)/4)
	return context.WithDeadlineCause(t.Context(), deadline.Add(-margin), errDeadline)
}

func packs(o SuiteOptions) []suite.Pack {
	all := append(trial.Packs(), o.Packs...)
	if o.Godog != nil {
		all = append(all, suite.FromGodog("godog", o.Godog))
	}
	return all
}

// stop ends the test with what is wrong and what to do about it, without a place in this package.
func stop(t *testing.T, err error) {
	t.Helper()
	fmt.Fprintf(t.Output(), "understudy: error: %v\n", err)
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		fmt.Fprintf(t.Output(), "understudy: hint: %s\n", cmp.Or(h.Hint(), "none"))
	}
	t.FailNow()
}
