// Package coverage says which workflow files, jobs, steps and conditions the scenarios of a record took,
// which they never did, and the least permissions that the jobs' tokens needed. It is a pure function of
// the record.
//
//	r := coverage.Of(record)
//	for _, w := range r.Workflows {
//		for _, g := range w.Gaps() { fmt.Println(g) } // ".github/workflows/ci.yml:12: step …: never run"
//	}
package coverage

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/internal/outline"
	"github.com/understudy-dev/understudy/result"
)

// Report is what the workflows of a record were seen to do.
type Report struct {
	Workflows []Workflow `json:"workflows"` // by path
}

// Workflow is one file. Files of one path with other texts stand apart, unless the difference is in what
// their steps do alone.
type Workflow struct {
	Path      string   `json:"path"`
	Broken    bool     `json:"broken,omitempty"` // it has mistakes and cannot run
	Runs      int      `json:"runs"`
	Scenarios []string `json:"scenarios"` // that it ran in
	Jobs      []Job    `json:"jobs"`

	Permissions Permissions `json:"permissions"` // of the file; what was used is the sum of its jobs
}

// Job is one job of a file.
type Job struct {
	Key         string      `json:"key"`
	Line        int         `json:"line"`
	Taken       int         `json:"taken"` // how often it ran, each cell counted
	Scenarios   []string    `json:"scenarios"`
	If          *Branch     `json:"if,omitempty"`
	Cells       []Cell      `json:"cells,omitempty"`
	Steps       []Step      `json:"steps,omitempty"`
	Calls       string      `json:"calls,omitempty"`
	Permissions Permissions `json:"permissions"`

	ownPermissions bool
}

// Step is one step of a job.
type Step struct {
	Number int     `json:"number"`
	Name   string  `json:"name"`
	Line   int     `json:"line"`
	Taken  int     `json:"taken"`
	If     *Branch `json:"if,omitempty"`
}

// Cell is one cell of a job's matrix.
type Cell struct {
	Name  string `json:"name"`
	Taken int    `json:"taken"`
}

// Branch is an `if:` with how often it came to what.
type Branch struct {
	Line  int    `json:"line"`
	Text  string `json:"text"`
	True  int    `json:"true"`
	False int    `json:"false"`

	asksStatus bool
}

// Constant reports whether the condition cannot be false.
func (b *Branch) Constant() bool {
	text := strings.ToLower(strings.TrimSpace(b.Text))
	return text == "always()" || text == "true"
}

// Of looks at all scenarios of a record.
func Of(r result.Record) Report {
	c := counting{byShape: map[string]*counted{}, byDigest: map[string]*counted{}}
	r = result.GatherWorkflows(r) // of a record that was not written yet
	for _, f := range r.Workflows {
		c.file(f)
	}
	for s := range r.Scenarios() {
		c.scenario(s)
	}
	out := Report{Workflows: []Workflow{}}
	for _, f := range c.order {
		f.sum()
		out.Workflows = append(out.Workflows, f.Workflow)
	}
	return out
}

type counting struct {
	byShape  map[string]*counted
	byDigest map[string]*counted
	order    []*counted
}

type counted struct {
	Workflow
	runs map[string]bool // by scenario and run
}

// file begins the count of a file, or finds that of a file with the same outline.
func (c *counting) file(f outline.File) {
	digest := f.Digest
	f.Digest = ""
	shape, err := json.Marshal(f)
	if err != nil {
		panic("coverage: an outline cannot be written: " + err.Error()) // only strings and numbers
	}
	if c.byShape[string(shape)] == nil {
		n := &counted{begin(f), map[string]bool{}}
		c.byShape[string(shape)] = n
		c.order = append(c.order, n)
	}
	c.byDigest[digest] = c.byShape[string(shape)]
}

func begin(f outline.File) Workflow {
	w := Workflow{Path: f.Path, Broken: f.Broken, Scenarios: []string{}, Permissions: declared(f.Permissions), Jobs: []Job{}}
	for _, j := range f.Jobs {
		job := Job{Key: j.Key, Line: j.Line, Scenarios: []string{}, If: branchOf(j.If), Calls: j.Calls, ownPermissions: j.Permissions != nil}
		job.Permissions = declared(f.Permissions)
		if j.Permissions != nil {
			job.Permissions = declared(j.Permissions)
		}
		for _, cell := range j.Cells {
			job.Cells = append(job.Cells, Cell{Name: cell})
		}
		for i, s := range j.Steps {
			job.Steps = append(job.Steps, Step{Number: i + 1, Name: s.Name, Line: s.Line, If: branchOf(s.If)})
		}
		w.Jobs = append(w.Jobs, job)
	}
	return w
}

func branchOf(c *outline.Condition) *Branch {
	if c == nil {
		return nil
	}
	return &Branch{Line: c.Line, Text: c.Text, asksStatus: c.AsksStatus}
}

func (w *Workflow) job(key string) *Job {
	i := slices.IndexFunc(w.Jobs, func(j Job) bool { return j.Key == key })
	if i < 0 {
		return nil
	}
	return &w.Jobs[i]
}
