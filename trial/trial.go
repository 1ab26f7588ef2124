// Package trial runs one cell once: it reads the suite and its platform, opens the environment,
// runs the plan and leaves a record with its evidence on disk.
//
//	p, err := trial.Prepare(trial.Options{Paths: []string{"examples/acceptance"}, …}) // err: usage
//	rec, err := p.Run(ctx)
package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/environment/local"
	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/internal/schedule"
	"github.com/understudy-dev/understudy/internal/workdir"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/result/policy"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
)

// Version is the release of the kit; a checkout says so.
const Version = "0.1.0-dev"

// Options say what to run and with what. Everything that is of the machine comes in as a value.
type Options struct {
	Paths  []string // suite directory, feature directories, files, or file:line
	Config *Config  // of the suite; nil finds the understudy.yaml of the first path
	Tags   string
	As     string // name of a configured run, whose tags and capabilities are taken; "" is none
	Jobs   int    // 0: understudy.yaml, then capacity
	Repeat int
	Seed   int64
	Defect string // seeded defect to install, "" for none
	// Preset is a configuration for the installer to stand on: a file or an https URL, "" for none.
	Preset string
	// Explore is in how many orders of deliveries and of jobs each scenario is tried, decided by Seed,
	// until one fails; the shortest such schedule is recorded. 0 takes them as they come.
	Explore int
	// Schedule is the order in which the selected scenario is run, as a record or `run --explore` names
	// it; "" takes deliveries as they come.
	Schedule string
	// Faults are in force in the forge of each scenario from the start: NAME[=ARG,…][@WHERE], as
	// docs/guide/faults.md tells.
	Faults []string
	Packs  []suite.Pack
	Kit    string // version of understudy, for the record
	// Only narrows the plan to the scenarios whose id it accepts; nil accepts all.
	Only func(id string) bool
	// Shard runs a part of the plan. Seed deals the scenarios out, so that the shards of one seed are the plan,
	// each scenario once.
	Shard Shard
	// Environment is where scenarios run. Nil is this machine; without a platform file a place in
	// which every driver is unassigned, for steps that need none.
	Environment environment.Environment
	// Declared capabilities are those that the caller vouches for, besides what the environment offers.
	// Nil means those that the platform file declares by default; empty, but not nil, means none.
	Declared []driver.Capability

	JobRunner  string   // path of understudy-job
	Path       string   // PATH of the platform's programs
	CallerEnv  []string // for building the platform
	Namespaces bool
	Fresh      bool // every scenario installs the platform itself

	Progress func(result.Event) // may be nil
	Status   func(string)       // what is being prepared; may be nil
}

// Prepared is a run that is known to be well-formed: files read, vocabulary checked, plan made.
type Prepared struct {
	o        Options
	Config   Config
	Platform environment.Platform
	files    []feature.File
	plan     suite.Planned
	env      environment.Environment
	schedule schedule.Schedule
	preset   *driver.Preset
}

// Prepare does all that can be done before anything starts. Its errors are the caller's: files,
// selection, vocabulary.
func Prepare(o Options) (*Prepared, error) {
	if len(o.Paths) == 0 && o.Config == nil {
		return nil, errors.New("no path given: name a suite's directory, a feature file, or file:line")
	}
	if o.Status == nil {
		o.Status = func(string) {}
	}
	p := &Prepared{o: o}
	var err error
	if o.Config != nil {
		p.Config = *o.Config
	} else if p.Config, err = FindConfig(withoutLine(o.Paths[0]), ""); err != nil {
		return nil, err
	}
	if err := p.as(); err != nil {
		return nil, err
	}
	if p.Config.Platform != "" {
		if p.Platform, err = environment.ReadPlatform(relative(p.Config.Platform)); err != nil {
			return nil, err
		}
	}
	if o.Defect != "" && len(p.Platform.Defect) == 0 {
		return nil, fmt.Errorf("%s: defect.install is missing; it says how defect %q reaches the platform", p.Platform.File, o.Defect)
	}
	if p.preset, err = readPreset(o.Preset, p.Platform); err != nil {
		return nil, err
	}
	if err := suite.Check(o.Packs); err != nil {
		return nil, fmt.Errorf("check step packs: %w", err)
	}
	selected, err := p.Config.selection(o.Paths)
	if err != nil {
		return nil, err
	}
	if p.files, err = feature.Load(os.DirFS(p.Config.Features), selected); err != nil {
		return nil, fmt.Errorf("load features of %s: %w", relative(p.Config.Features), err)
	}
	if p.files, err = feature.Expand(p.files, p.Platform.Words, p.Platform.File); err != nil {
		return nil, err
	}
	p.env = p.environment()
	if err := p.makePlan(); err != nil {
		return nil, err
	}
	if err := p.checkFaults(); err != nil {
		return nil, err
	}
	return p, p.checkOrder()
}

// NeedsTools reports whether the run uses this machine's programs: JobRunner and Path must then be
// given.
func (p *Prepared) NeedsTools() bool { return p.o.Environment == nil && p.Config.Platform != "" }

// narrow keeps those scenarios of the plan that Only accepts and that are of the shard.
func (p *Prepared) narrow() error {
	if p.o.Only == nil && p.o.Shard.Of == 0 {
		return nil
	}
	if p.o.Only != nil {
		p.plan.Scenarios = slices.DeleteFunc(p.plan.Scenarios, func(s suite.PlannedScenario) bool { return !p.o.Only(s.ID) })
	}
	if p.o.Shard.Of > 0 {
		mine := p.o.Shard.deal(p.plan.Scenarios, p.o.Seed)
		p.plan.Scenarios = slices.DeleteFunc(p.plan.Scenarios, func(s suite.PlannedScenario) bool { return !mine[s.ID] })
	}
	if len(p.plan.Running()) > 0 {
		return nil
	}
	var reasons []string
	for _, s := range p.plan.Scenarios {
		reasons = append(reasons, s.ID+": "+s.Skip)
	}
	if len(reasons) > 0 {
		return fmt.Errorf("%w to run: all are skipped here (%s)", suite.ErrNothingSelected, strings.Join(reasons, "; "))
	}
	if len(p.plan.Scenarios) == 0 {
		return suite.ErrNothingSelected
	}
	return nil
}

func (p *Prepared) environment() environment.Environment {
	switch {
	case p.o.Environment != nil:
		return p.o.Environment
	case p.Config.Platform == "":
		return bare{p.jobs()}
	}
	return local.New(local.Options{
		JobRunner: p.o.JobRunner, Path: p.o.Path, CallerEnv: p.o.CallerEnv, Namespaces: p.o.Namespaces, Capacity: p.jobs(), Fresh: p.o.Fresh,
	})
}

func (p *Prepared) jobs() int {
	if p.o.Jobs != 0 {
		return p.o.Jobs
	}
	return p.Config.Jobs
}

// Trials is how often each scenario is run.
func (p *Prepared) Trials() int { return max(1, p.o.Repeat) }

// Plan is what one trial runs and what it leaves out.
func (p *Prepared) Plan() suite.Planned { return p.plan }

// Run runs the plan and writes evidence, log and record below dir, which must exist. The error says
// that there is no usable record; what is wrong with the run itself stands in the record.
func (p *Prepared) Run(ctx context.Context, dir string) (rec result.Record, err error) {
	store, err := evidence.Open(dir, evidence.Options{})
	if err != nil {
		return rec, err
	}
	logFile, err := os.Create(filepath.Join(dir, "understudy.log"))
	if err != nil {
		return rec, fmt.Errorf("open log: %w", err)
	}
	defer logFile.Close()
	log := slog.New(slog.NewJSONHandler(scrubbed{logFile, store.Scrubber()}, &slog.HandlerOptions{Level: slog.LevelInfo}))
	rec = p.record()
	told, err := tell(dir, store.Scrubber(), p.o.Progress)
	if err != nil {
		return rec, err
	}
	if err := errors.Join(p.runTrials(ctx, &rec, store, log, told.event), told.close()); err != nil {
		problem := result.Of(err)
		problem.Verdict = result.Broken
		if ctx.Err() != nil {
			problem.What = "interrupted: " + problem.What
		}
		rec.Problems = append(rec.Problems, *problem)
	}
	rec.Ended = time.Now()
	rec = p.Config.Strictness.Spend(rec)
	if rec, err = p.keep(rec, dir, store); err == nil {
		err = told.superseded()
	}
	return rec, err
}

func (p *Prepared) record() result.Record {
	rec := result.Record{
		Schema: result.Schema, Kit: p.o.Kit, Started: time.Now(), Seed: p.o.Seed, Isolation: "process groups", Faults: p.o.Faults,
		Platform: result.Platform{Name: p.Platform.Name, Defect: p.o.Defect, Preset: presetName(p.preset)},
	}
	switch {
	case p.o.Namespaces:
		rec.Isolation = "namespaces"
	case p.Config.Platform == "":
		rec.Isolation = "none" // nothing of a platform runs
	}
	for name, level := range p.Config.Strictness {
		if rec.Strictness == nil {
			rec.Strictness = map[string]string{}
		}
		rec.Strictness[name] = string(level)
	}
	rec.Budget, rec.Warnings = p.Config.spending()
	for _, f := range p.files {
		rec.Features = append(rec.Features, result.Source{URI: f.URI, Text: f.Source})
	}
	return rec
}

func (p *Prepared) runTrials(
	ctx context.Context, rec *result.Record, store *evidence.Store, log *slog.Logger, progress func(result.Event),
) (err error) {
	work, err := workdir.New("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, work.Close()) }()
	site, err := p.env.Open(ctx, environment.Scope{
		Seed: p.o.Seed, Dir: work.Path, Platform: p.Platform, Faults: p.o.Faults, Defect: p.o.Defect, Preset: p.preset, Fixtures: p.fixtures(),
		Log: log, Scrubber: store.Scrubber(), Progress: p.o.Status,
	})
	if err != nil {
		return err
	}
	defer func() {
		// Closing outlives the deadline or the interrupt that ended the run.
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		err = errors.Join(err, site.Close(closing))
	}()
	if d, ok := site.(interface{ Digest() map[string]string }); ok {
		rec.Platform.Digest = d.Digest()
	}
	o := suite.Options{
		Planned: p.plan, Packs: p.o.Packs, Site: site, Sink: linked{store}, Jobs: p.jobs(), Repeat: p.o.Repeat, Seed: p.o.Seed,
		Judge: policy.Judge(policy.Options{Strictness: p.Config.Strictness}), Progress: progress,
	}
	rec.Jobs, rec.Warnings = p.jobs(), append(rec.Warnings, o.Warnings()...)
	if rec.Jobs == 0 {
		rec.Jobs = site.Capacity()
	}
	run := suite.Run
	if p.inOrder() {
		run = p.runInOrder
	}
	trials, err := run(ctx, o)
	rec.Cells = []result.Cell{{Suite: p.Config.Name, Profile: "dummy", Environment: p.env.Name(), Trials: trials}}
	return err
}

// keep writes the record with every known secret taken out, and returns it as written.
func (p *Prepared) keep(rec result.Record, dir string, store *evidence.Store) (result.Record, error) {
	rec, err := result.Scrub(result.GatherWorkflows(rec), store.Scrubber())
	if err != nil {
		return rec, err
	}
	return rec, result.Write(filepath.Join(dir, "record.json"), rec)
}

func withoutLine(path string) string {
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == ':' && i < len(path)-1 {
			return path[:i]
		}
		if path[i] < '0' || path[i] > '9' {
			break
		}
	}
	return path
}

// scrubbed takes secrets out of a log. slog writes one whole line at a time.
type scrubbed struct {
	w io.Writer
	s *evidence.Scrubber
}

func (s scrubbed) Write(b []byte) (int, error) {
	if _, err := s.w.Write(s.s.Bytes(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// IDs are the ids of the planned scenarios, in file order.
func (p *Prepared) IDs() []string {
	ids := make([]string, len(p.plan.Scenarios))
	for i, s := range p.plan.Scenarios {
		ids[i] = s.ID
	}
	return ids
}

// linked gives every piece of evidence a name for people beside its digest.
type linked struct{ *evidence.Store }

func (l linked) Put(ctx context.Context, m evidence.Meta, r io.Reader) (evidence.Ref, error) {
	ref, err := l.Store.Put(ctx, m, r)
	if err == nil {
		ref.Link, err = l.Store.Link(ref, m.Name)
	}
	return ref, err
}
