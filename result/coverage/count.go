package coverage

import (
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/internal/outline"
	"github.com/understudy-dev/understudy/result"
)

// scenario counts what became of the jobs of one scenario, and then what their tokens needed.
func (c *counting) scenario(s result.Scenario) {
	places := map[string][]*place{} // by job, as causes name it
	for _, e := range s.Journal {
		if e.Type != outline.JobEntry {
			continue
		}
		o, err := outline.ReadOutcome(e.Detail)
		if err != nil {
			continue // not ours
		}
		f := c.byDigest[o.Digest]
		if f == nil || f.job(o.Job) == nil {
			continue
		}
		f.ran(s.ID, o.Run)
		f.job(o.Job).count(s.ID, o)
		at := []*place{{f, o.Job}}
		for _, caller := range o.Callers {
			digest, key, _ := strings.Cut(caller, "#")
			if g := c.byDigest[digest]; g != nil && g.job(key) != nil {
				g.ran(s.ID, o.Run)
				g.job(key).called(s.ID)
				at = append(at, &place{g, key})
			}
		}
		places[e.Subject] = at
	}
	for _, e := range s.Journal {
		for _, p := range places[string(e.Cause)] {
			p.file.job(p.job).Permissions.take(e)
		}
	}
}

// place is a job of a file.
type place struct {
	file *counted
	job  string
}

func (f *counted) ran(scenario, run string) {
	if key := scenario + " " + run; !f.runs[key] {
		f.runs[key] = true
		f.Runs++
	}
	f.Scenarios = with(f.Scenarios, scenario)
}

func with(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// called counts a job that runs a file, once for each job of that file.
func (j *Job) called(scenario string) {
	j.Taken++
	j.Scenarios = with(j.Scenarios, scenario)
	if j.If != nil {
		j.If.True++
	}
}

func (j *Job) count(scenario string, o outline.Outcome) {
	if o.Skipped != "" {
		if j.If != nil && o.Skipped == "if" {
			j.If.False++
		}
		if j.If != nil && o.Skipped == "matrix" {
			j.If.True++
		}
		return
	}
	if len(o.Steps) == 0 {
		return // it failed or was cancelled before its first step
	}
	j.Taken++
	j.Scenarios = with(j.Scenarios, scenario)
	if j.If != nil {
		j.If.True++
	}
	j.cell(o.Cell)
	failed := false
	for i := range j.Steps {
		if i == len(o.Steps) {
			break
		}
		j.Steps[i].count(o.Steps[i], failed || o.Conclusion == "cancelled")
		failed = failed || o.Steps[i] == "failure" || o.Steps[i] == "cancelled"
	}
}

func (j *Job) cell(name string) {
	if name == "" {
		return
	}
	for i := range j.Cells {
		if j.Cells[i].Name == name {
			j.Cells[i].Taken++
			return
		}
	}
	j.Cells = append(j.Cells, Cell{Name: name, Taken: 1})
}

// count takes the conclusion of a step. Behind a step that failed, only a condition that asks for the
// status is looked at.
func (s *Step) count(conclusion string, over bool) {
	switch conclusion {
	case "":
	case "skipped":
		if s.If != nil && (!over || s.If.asksStatus) {
			s.If.False++
		}
	default:
		s.Taken++
		if s.If != nil {
			s.If.True++
		}
	}
}
