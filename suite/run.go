package suite

import (
	"context"
	"errors"
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

// Run runs a plan and returns one trial per repetition, each with every planned scenario in file
// order. The error says that nothing could be run at all; what goes wrong in a scenario is in its
// result. When ctx ends, scenarios that are not finished are broken as interrupted and their
// clean-ups still run.
func Run(ctx context.Context, o Options) ([]result.Trial, error) {
	return nil, errors.New("not there yet")
}
