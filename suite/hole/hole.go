// Package hole finds what of a suite no run covers, and holds the list of known holes to it. It is pure:
// what a suite consists of, and which scenarios run, comes in as values.
//
//	holes := hole.Find(hole.Suite{Stages: []string{"triage"}, Scenarios: …})
//	problems := hole.Check(suite, holes, entries, today)
package hole

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Kind is what a hole is in. Its text is the first word of an entry's `what`.
type Kind string

// The kinds, in the order in which holes are told.
const (
	Capability   Kind = "capability"    // that the platform file declares or a scenario requires: no scenario that requires it runs
	Runtime      Kind = "runtime"       // of the platform file: no scenario that runs says that a run selected it
	Stage        Kind = "stage"         // of the platform file: no scenario that runs says what it comes to
	StageRuntime Kind = "stage-runtime" // of a stage that runs: no scenario says which runtime was selected
	Tag          Kind = "tag"           // no scenario with it runs
	Scenario     Kind = "scenario"      // it runs nowhere, and no other hole says why
)

func kinds() []Kind { return []Kind{Capability, Runtime, Stage, StageRuntime, Tag, Scenario} }

// Suite is what there is to cover, and what each scenario covers when it runs.
type Suite struct {
	Capabilities []string // that somebody may declare
	Runtimes     []string
	Stages       []string
	Scenarios    []Case
}

// Case is one scenario.
type Case struct {
	ID, Name string
	Tags     []string
	Runs     bool     // in at least one configured run
	Stages   []string // that it says to run, well or not
	Selected []Selected
}

// Selected is that a scenario says which runtime a run selected.
type Selected struct {
	Runtime string
	Stage   string // whose run it was; "" is that none was named before
}

// Hole is one thing that no configured run covers.
type Hole struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"`
	Why  string `json:"why"`
}

// String is how an entry names the hole, such as "runtime pi".
func (h Hole) String() string { return string(h.Kind) + " " + h.Name }

// Tags of the kit that say how, or where, a scenario runs. They are no part of what is covered; places to
// skip are.
const requires = "@requires:capability:"

func own(tag string) bool {
	return strings.HasPrefix(tag, "@requires:") || strings.HasPrefix(tag, "@lock:") || tag == "@serial" || tag == "@fresh"
}

// Find returns the holes, by kind and then in the order of the suite, tags and capabilities by name.
func Find(s Suite) []Hole {
	r := reached(s)
	var out []Hole
	tell := func(k Kind, name, why string) { out = append(out, Hole{k, name, why}) }
	for _, name := range s.capabilities() {
		if !r.tags[requires+name] {
			tell(Capability, name, without(s, requires+name, "no scenario requires it"))
		}
	}
	for _, name := range s.Runtimes {
		if !r.runtimes[name] {
			tell(Runtime, name, "no scenario that runs says that a run selected it")
		}
	}
	for _, name := range s.Stages {
		switch {
		case !r.stages[name]:
			tell(Stage, name, "no scenario that runs says what it comes to")
		case len(s.Runtimes) > 0 && !r.selected[name]:
			tell(StageRuntime, name, "no scenario that runs says which runtime the stage's run selected")
		}
	}
	slices.SortStableFunc(out, func(a, b Hole) int { return cmp.Compare(slices.Index(kinds(), a.Kind), slices.Index(kinds(), b.Kind)) })
	for _, tag := range s.tags() {
		if !r.tags[tag] {
			tell(Tag, tag, without(s, tag, ""))
		}
	}
	return append(out, unexplained(s, out)...)
}

// unexplained are the scenarios that run nowhere although all that they ask for is there.
func unexplained(s Suite, known []Hole) (out []Hole) {
	is := map[string]bool{}
	for _, h := range known {
		is[h.String()] = true
	}
	for _, c := range s.Scenarios {
		explained := slices.ContainsFunc(c.Tags, func(tag string) bool {
			name, ok := strings.CutPrefix(tag, requires)
			return ok && is[Hole{Kind: Capability, Name: name}.String()] || is[Hole{Kind: Tag, Name: tag}.String()]
		})
		if h := (Hole{Scenario, c.Name, c.ID + " is in no configured run"}); !c.Runs && !explained && !is[h.String()] {
			is[h.String()] = true
			out = append(out, h)
		}
	}
	return out
}

// without says why a tag is covered by nothing.
func without(s Suite, tag, none string) string {
	var ids []string
	for _, c := range s.Scenarios {
		if slices.Contains(c.Tags, tag) {
			ids = append(ids, c.ID)
		}
	}
	switch len(ids) {
	case 0:
		return none
	case 1:
		return ids[0] + " is in no configured run"
	}
	return fmt.Sprintf("%s and %d more are in no configured run", ids[0], len(ids)-1)
}

// reach is what scenarios that run cover.
type reach struct{ tags, runtimes, stages, selected map[string]bool }

func reached(s Suite) reach {
	r := reach{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, c := range s.Scenarios {
		if !c.Runs {
			continue
		}
		for _, tag := range c.Tags {
			r.tags[tag] = true
		}
		for _, st := range c.Stages {
			r.stages[st] = true
		}
		for _, sel := range c.Selected {
			r.runtimes[sel.Runtime] = true
			r.selected[sel.Stage] = true
		}
	}
	return r
}

// capabilities are those that somebody may declare and those that scenarios require.
func (s Suite) capabilities() []string {
	all := slices.Clone(s.Capabilities)
	for _, c := range s.Scenarios {
		for _, tag := range c.Tags {
			if name, ok := strings.CutPrefix(tag, requires); ok {
				all = append(all, name)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// tags are the suite's own.
func (s Suite) tags() (all []string) {
	for _, c := range s.Scenarios {
		for _, tag := range c.Tags {
			if !own(tag) {
				all = append(all, tag)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
