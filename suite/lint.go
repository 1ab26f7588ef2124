package suite

import (
	"fmt"
	"strings"

	"github.com/understudy-dev/understudy/suite/feature"
)

// Misstep is a step that cannot run as it is written.
type Misstep struct {
	URI  string
	Line int
	Kind string // "undefined", "ambiguous" or "unfit": its values, table or docstring do not fit its definition
	What string
	Hint string // a definition that an undefined step could have; else ""
}

// Missteps finds the steps of scenarios that packs do not define, define more than once, or define
// otherwise. The same step of several scenarios, such as one of their background, is told once. The
// error is that of Check.
func Missteps(packs []Pack, scenarios []feature.Scenario) ([]Misstep, error) {
	words, err := compile(packs)
	if err != nil {
		return nil, fmt.Errorf("check the step packs: %w", err)
	}
	var out []Misstep
	seen := map[Misstep]bool{}
	for _, s := range scenarios {
		for _, step := range s.Steps {
			_, problem := words.resolve(step)
			if problem == nil {
				continue
			}
			m := Misstep{s.URI, step.Line, "unfit", problem.What, problem.Hint}
			switch {
			case strings.HasPrefix(m.What, "the step is undefined"):
				m.Kind = "undefined"
			case strings.HasPrefix(m.What, "the step is ambiguous"):
				m.Kind = "ambiguous"
			}
			if !seen[m] {
				seen[m] = true
				out = append(out, m)
			}
		}
	}
	return out, nil
}

// Unused returns the definitions of the packs that of accepts, as "pack: `pattern`" and in their
// order, which no step of the scenarios matches. The error is that of Check.
func Unused(packs []Pack, scenarios []feature.Scenario, of func(pack string) bool) ([]string, error) {
	words, err := compile(packs)
	if err != nil {
		return nil, fmt.Errorf("check the step packs: %w", err)
	}
	used := map[*definition]bool{}
	for _, s := range scenarios {
		for _, step := range s.Steps {
			for _, m := range words.find(step.Text) {
				used[m.def] = true
			}
		}
	}
	var out []string
	for _, d := range words.definitions {
		if of(d.pack) && !used[d] {
			out = append(out, d.String())
		}
	}
	return out, nil
}
