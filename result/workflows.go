package result

import (
	"cmp"
	"slices"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/outline"
)

// GatherWorkflows takes the outlines of workflow files out of the journals: each comes to stand once in
// Workflows, and the entries name it by digest. The given record is not changed.
func GatherWorkflows(r Record) Record {
	known := map[string]bool{}
	for _, f := range r.Workflows {
		known[f.Digest] = true
	}
	r.Workflows = slices.Clone(r.Workflows)
	r.Cells = slices.Clone(r.Cells)
	for i := range r.Cells {
		cell := &r.Cells[i]
		cell.Trials = slices.Clone(cell.Trials)
		for j := range cell.Trials {
			trial := &cell.Trials[j]
			trial.Scenarios = slices.Clone(trial.Scenarios)
			for k := range trial.Scenarios {
				s := &trial.Scenarios[k]
				s.Journal = gather(s.Journal, known, &r.Workflows)
			}
		}
	}
	sortWorkflows(r.Workflows)
	return r
}

func gather(journal []driver.Entry, known map[string]bool, files *[]outline.File) []driver.Entry {
	out := slices.Clone(journal)
	for i, e := range out {
		if e.Type != outline.FileEntry || e.Detail["outline"] == "" {
			continue
		}
		f, err := outline.ReadFile(e.Detail)
		if err != nil {
			continue // it stays where it is
		}
		out[i].Detail = map[string]string{"digest": f.Digest}
		if !known[f.Digest] {
			known[f.Digest] = true
			*files = append(*files, f)
		}
	}
	return out
}

func sortWorkflows(files []outline.File) {
	slices.SortFunc(files, func(a, b outline.File) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Digest, b.Digest))
	})
}
