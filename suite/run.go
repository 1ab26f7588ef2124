package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/result"
)

// Options say how a plan is run.
type Options struct {
	Planned Planned
	Packs   []Pack
	Site    environment.Site
	Sink    evidence.Sink // where steps attach evidence; nil makes attaching an error
	Jobs    int           // scenarios at once; 0 is the site's capacity
	Repeat  int           // trials; 0 is one
	Seed    int64         // decides the order of execution; results stand in file order

	ScenarioTimeout time.Duration // of all steps together, and of quiet after them; 0 is 60 s
	StepTimeout     time.Duration // 0 is 30 s
	CleanupTimeout  time.Duration // of each clean-up, and of giving back the lease; 0 is 10 s
	LeaseTimeout    time.Duration // of getting a place; 0 is 5 min
	Grace           time.Duration // after a deadline, until a step is given up; 0 is 2 s

	// Judge adds findings to a scenario after its steps; nil adds none.
	Judge func(result.Scenario) []result.Finding
	// Progress is told what happens, in order, from one goroutine at a time; nil is told nothing.
	Progress func(result.Event)
	// Now gives shown times; nil is the wall clock.
	Now func() time.Time
}

// Warnings says what about the options will not do what it seems to.
func (o Options) Warnings() []string {
	if o.Site != nil && o.Jobs > o.Site.Capacity() {
		return []string{fmt.Sprintf("%d jobs are asked for, but the environment has %d places: the others wait",
			o.Jobs, o.Site.Capacity())}
	}
	return nil
}

func (o Options) filled() Options {
	o.Jobs = max(cmp.Or(o.Jobs, o.Site.Capacity()), 1)
	o.Repeat = cmp.Or(o.Repeat, 1)
	o.ScenarioTimeout = cmp.Or(o.ScenarioTimeout, time.Minute)
	o.StepTimeout = cmp.Or(o.StepTimeout, 30*time.Second)
	o.CleanupTimeout = cmp.Or(o.CleanupTimeout, 10*time.Second)
	o.LeaseTimeout = cmp.Or(o.LeaseTimeout, 5*time.Minute)
	o.Grace = cmp.Or(o.Grace, 2*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

func (o Options) check() error {
	switch {
	case o.Site == nil:
		return errors.New("run the suite: there is no site to run it in")
	case o.Jobs < 0:
		return fmt.Errorf("run the suite: %d jobs", o.Jobs)
	case o.Repeat < 0:
		return fmt.Errorf("run the suite: %d repetitions", o.Repeat)
	case len(o.Planned.Scenarios) == 0:
		return ErrNothingSelected
	}
	return nil
}

// runner is one Run.
type runner struct {
	Options
	words *vocabulary
	told  sync.Mutex // held while Progress is told something
	locks locks
}

// task is one scenario of one trial.
type task struct{ trial, place int }

// Run runs a plan and returns one trial per repetition, each with every planned scenario in file
// order. The error says that nothing could be run at all; what goes wrong in a scenario is in its
// result. When ctx ends, scenarios that are not finished are broken as interrupted and their
// clean-ups still run.
func Run(ctx context.Context, o Options) ([]result.Trial, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	words, err := compile(o.Packs)
	if err != nil {
		return nil, fmt.Errorf("check the step packs: %w", err)
	}
	r := &runner{Options: o.filled(), words: words}
	trials := make([]result.Trial, r.Repeat)
	var tasks []task
	for t := range trials {
		trials[t] = result.Trial{Number: t + 1, Scenarios: make([]result.Scenario, len(o.Planned.Scenarios))}
		for p := range o.Planned.Scenarios {
			tasks = append(tasks, task{t, p})
		}
	}
	order := rand.New(rand.NewPCG(uint64(o.Seed), 0))
	order.Shuffle(len(tasks), func(i, j int) { tasks[i], tasks[j] = tasks[j], tasks[i] })
	r.work(ctx, tasks, trials)
	return trials, nil
}

// work lets Jobs workers take tasks until none is left.
func (r *runner) work(ctx context.Context, tasks []task, trials []result.Trial) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for worker := range min(r.Jobs, len(tasks)) {
		workers.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(tasks) {
					return
				}
				t := tasks[i]
				release := r.locks.hold(r.Planned.Scenarios[t.place].Tags)
				trials[t.trial].Scenarios[t.place] = r.play(ctx, t, worker+1)
				release()
			}
		})
	}
	workers.Wait()
}

func (r *runner) tell(e result.Event) {
	if r.Progress == nil {
		return
	}
	r.told.Lock()
	defer r.told.Unlock()
	r.Progress(e)
}

// seconds returns the shown time from start to now.
func (r *runner) seconds(start time.Time) float64 { return r.Now().Sub(start).Seconds() }
