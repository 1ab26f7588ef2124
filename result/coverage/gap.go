package coverage

import (
	"fmt"
	"slices"
)

// Gap is something that no scenario took.
type Gap struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	What string `json:"what"`
}

// String returns "path:line: what".
func (g Gap) String() string { return fmt.Sprintf("%s:%d: %s", g.Path, g.Line, g.What) }

// Gaps are what no scenario took of a file, in the file's order. What follows from a larger gap is not
// told: of a job that never ran, none of its steps.
func (w Workflow) Gaps() []Gap {
	var out []Gap
	add := func(line int, format string, args ...any) {
		out = append(out, Gap{w.Path, line, fmt.Sprintf(format, args...)})
	}
	switch {
	case w.Broken:
		add(1, "the file cannot run: it has mistakes")
		return out
	case w.Runs == 0:
		add(1, "no scenario started this workflow")
		return out
	}
	for _, j := range w.Jobs {
		if j.Taken == 0 {
			add(j.Line, "job %s never ran%s", j.Key, j.If.never())
			continue
		}
		if text := j.If.missing(); text != "" {
			add(j.If.Line, "job %s: %s", j.Key, text)
		}
		for _, c := range j.Cells {
			if c.Taken == 0 {
				add(j.Line, "job %s: cell %s never ran", j.Key, c.Name)
			}
		}
		for _, s := range j.Steps {
			if s.Taken == 0 {
				add(s.Line, "job %s: step %d %q never ran%s", j.Key, s.Number, s.Name, s.If.never())
			} else if text := s.If.missing(); text != "" {
				add(s.If.Line, "job %s: step %d %q: %s", j.Key, s.Number, s.Name, text)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Gap) int { return a.Line - b.Line })
	return out
}

// never explains by its condition why something never ran.
func (b *Branch) never() string {
	if b == nil {
		return ""
	}
	return fmt.Sprintf(": if: %s was never true", b.Text)
}

// missing is the way that a condition of something that ran never took.
func (b *Branch) missing() string {
	if b == nil || b.False > 0 || b.Constant() {
		return ""
	}
	return fmt.Sprintf("if: %s was never false", b.Text)
}

// Share is how many of all were taken.
type Share struct {
	Taken int `json:"taken"`
	All   int `json:"all"`
}

func (s *Share) add(taken bool) {
	s.All++
	if taken {
		s.Taken++
	}
}

// Totals are the shares of one file. Each condition has two branches, unless it cannot be false.
type Totals struct {
	Jobs     Share `json:"jobs"`
	Steps    Share `json:"steps"`
	Branches Share `json:"branches"`
	Cells    Share `json:"cells"`
}

// Totals counts what was taken.
func (w Workflow) Totals() Totals {
	var t Totals
	branch := func(b *Branch) {
		if b == nil {
			return
		}
		t.Branches.add(b.True > 0)
		if !b.Constant() {
			t.Branches.add(b.False > 0)
		}
	}
	for _, j := range w.Jobs {
		t.Jobs.add(j.Taken > 0)
		branch(j.If)
		for _, c := range j.Cells {
			t.Cells.add(c.Taken > 0)
		}
		for _, s := range j.Steps {
			t.Steps.add(s.Taken > 0)
			branch(s.If)
		}
	}
	return t
}
