package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/result"
)

// ErrQuarantined says that the scenario ran past its deadline and was given up; what its goroutine
// still does counts for nothing.
var ErrQuarantined = errors.New("the scenario was given up at its deadline")

// Cleanup is one registered clean-up.
type Cleanup struct {
	Name string
	Run  func(ctx context.Context) error
}

// Log is what one scenario saw and left to be done. It outlives its World: when a step ignores its
// deadline, the suite quarantines the log and reads it while the step's goroutine still runs. It is
// safe for concurrent use.
type Log struct {
	mu           sync.Mutex
	step         int
	observations map[int][]result.Observation
	attachments  []evidence.Ref
	cleanups     []Cleanup
	quarantined  bool
}

// NewLog returns an empty log that stands before the first step.
func NewLog() *Log { return &Log{observations: map[int][]result.Observation{}} }

// Begin says that step number n, from 1, runs from now on; 0 is outside of the steps.
func (l *Log) Begin(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.step = n
}

// Step returns the number of the step that runs now; 0 is outside of the steps.
func (l *Log) Step() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.step
}

// Quarantine makes the log drop everything that is written to it from now on.
func (l *Log) Quarantine() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.quarantined = true
}

// Quarantined reports whether Quarantine was called.
func (l *Log) Quarantined() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.quarantined
}

// Observations returns what was observed during step n; 0 is outside of the steps.
func (l *Log) Observations(n int) []result.Observation {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]result.Observation(nil), l.observations[n]...)
}

// Attachments returns the evidence that was attached, in order.
func (l *Log) Attachments() []evidence.Ref {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]evidence.Ref(nil), l.attachments...)
}

// PopCleanup takes out the clean-up that was registered last.
func (l *Log) PopCleanup() (c Cleanup, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.cleanups) == 0 {
		return Cleanup{}, false
	}
	c = l.cleanups[len(l.cleanups)-1]
	l.cleanups = l.cleanups[:len(l.cleanups)-1]
	return c, true
}

func (l *Log) addCleanup(c Cleanup) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.quarantined {
		l.cleanups = append(l.cleanups, c)
	}
}

func (l *Log) addObservations(obs ...result.Observation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.quarantined {
		l.observations[l.step] = append(l.observations[l.step], obs...)
	}
}

func (l *Log) addAttachment(ref evidence.Ref) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.quarantined {
		l.attachments = append(l.attachments, ref)
	}
}

func (w *World) attach(ctx context.Context, name, mediaType string, data []byte) error {
	step := w.log.Step()
	origin := "scenario"
	if step > 0 {
		origin = fmt.Sprintf("step:%d", step)
	}
	ref, err := w.sink.Put(ctx, evidence.Meta{
		Name: name, Origin: origin, MediaType: mediaType, Scenario: w.scenario, Step: step,
	}, bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("attach %s: %w", name, err)
	}
	w.log.addAttachment(ref)
	return nil
}
