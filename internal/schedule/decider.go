package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
)

// Decision is one point at which there was a choice.
type Decision struct {
	Options []string
	Took    int
}

// Decider makes the choices of one run. It is safe for concurrent use.
type Decider struct {
	mu     sync.Mutex
	wanted map[int]int // point → option
	free   int         // points after it are decided by rng, when there is one
	rng    *rand.Rand
	made   []Decision
}

// Decider makes the schedule's choices, and takes option 0 everywhere else.
func (s Schedule) Decider() *Decider {
	d := &Decider{wanted: map[int]int{}}
	for _, c := range s {
		d.wanted[c.Point] = c.Option
	}
	return d
}

// Choose takes one of the options; with fewer than two there is nothing to decide, and no point is counted.
func (d *Decider) Choose(options []string) int {
	if len(options) < 2 {
		return 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	point := len(d.made) + 1
	took := d.wanted[point]
	if d.rng != nil && point > d.free {
		took = d.rng.IntN(len(options))
	}
	if took >= len(options) {
		took = 0
	}
	d.made = append(d.made, Decision{slices.Clone(options), took})
	return took
}

// Points is how many there were until now.
func (d *Decider) Points() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.made)
}

// Made are the decisions until now.
func (d *Decider) Made() []Decision {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.made)
}

// Schedule is the choices that were made until now.
func (d *Decider) Schedule() Schedule { return of(d.Made()) }

func of(made []Decision) Schedule {
	var s Schedule
	for i, m := range made {
		if m.Took != 0 {
			s = append(s, Choice{i + 1, m.Took})
		}
	}
	return s
}

// Misfit says which choice could not be made: its point was not reached or had no such option. A
// schedule that does not fit belongs to another scenario, or to another version of this one.
func (d *Decider) Misfit() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for point, option := range d.wanted {
		switch {
		case point > len(d.made):
			return fmt.Errorf("the schedule chooses at point %d; there were %d", point, len(d.made))
		case d.made[point-1].Took != option:
			return fmt.Errorf("the schedule takes option %d at point %d, which has options 0 to %d", option, point, len(d.made[point-1].Options)-1)
		}
	}
	return nil
}

// Words says the choices that were not the usual one, for people.
func (d *Decider) Words() []string {
	var out []string
	for i, m := range d.Made() {
		if m.Took != 0 {
			out = append(out, fmt.Sprintf("%d: %s (instead of: %s)", i+1, m.Options[m.Took], m.Options[0]))
		}
	}
	return out
}
