// Package outline is what a journal keeps of workflow files and of what became of their jobs, so that a
// record is enough to say which jobs, steps and conditions no scenario took.
//
// The engine writes one entry for each file that an event looked at and one for each job that ended; they
// change nothing that a scenario can see and stand outside of the causal tree.
package outline

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// The types of the entries.
const (
	FileEntry = "workflow.file" // subject is the path
	JobEntry  = "workflow.job"  // subject is the job, as in "job:7"
)

// Ours reports whether an entry of that type is of this package.
func Ours(entryType string) bool { return entryType == FileEntry || entryType == JobEntry }

// File is a workflow file.
type File struct {
	Path        string            `json:"path"`
	Digest      string            `json:"digest"`           // of path and text
	Broken      bool              `json:"broken,omitempty"` // it has mistakes: it cannot run
	Permissions map[string]string `json:"permissions"`      // nil: it says nothing
	Jobs        []Job             `json:"jobs,omitempty"`
}

// Job is one job of the file.
type Job struct {
	Key         string            `json:"key"`
	Line        int               `json:"line"`
	If          *Condition        `json:"if,omitempty"`
	Permissions map[string]string `json:"permissions"`     // nil: those of the file
	Calls       string            `json:"calls,omitempty"` // the file that it runs, as written
	Cells       []string          `json:"cells,omitempty"` // of a matrix without expressions
	Steps       []Step            `json:"steps,omitempty"`
}

// Step is one step of a job.
type Step struct {
	Name string     `json:"name"` // as written; what it runs or uses where there is none
	Line int        `json:"line"`
	If   *Condition `json:"if,omitempty"`
}

// Condition is the value of an `if:`.
type Condition struct {
	Line       int    `json:"line"`
	Text       string `json:"text"`
	AsksStatus bool   `json:"asks_status,omitempty"` // it calls success, failure, cancelled or always
}

// Outcome is what became of a job, or of one cell of its matrix.
type Outcome struct {
	Digest     string   // of the file
	Job        string   // key
	Run        string   // "run:5"
	Callers    []string // the jobs that called the file, the nearest first: digest, '#', key
	Skipped    string   // why it did not begin: its "if", its "needs", an empty "matrix"; "" when it did
	Cell       string   // "linux, 1.26"; "" without a matrix
	Conclusion string
	Steps      []string // their conclusions in the file's order; "" was not reported
}

// Detail is the file as the detail of its entry.
func (f File) Detail() (map[string]string, error) {
	text, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("outline %s: %w", f.Path, err)
	}
	return map[string]string{"digest": f.Digest, "outline": string(text)}, nil
}

// ReadFile reads the detail of a file's entry.
func ReadFile(detail map[string]string) (File, error) {
	var f File
	if err := json.Unmarshal([]byte(detail["outline"]), &f); err != nil {
		return File{}, fmt.Errorf("read outline: %w", err)
	}
	return f, nil
}

// Detail is the outcome as the detail of its entry.
func (o Outcome) Detail() map[string]string {
	d := map[string]string{}
	for key, value := range map[string]string{
		"digest": o.Digest, "job": o.Job, "run": o.Run, "callers": strings.Join(o.Callers, " "), "skipped": o.Skipped,
		"cell": o.Cell, "conclusion": o.Conclusion, "steps": counted(o.Steps),
	} {
		if value != "" {
			d[key] = value
		}
	}
	return d
}

// ReadOutcome reads the detail of a job's entry.
func ReadOutcome(d map[string]string) (Outcome, error) {
	steps, err := uncounted(d["steps"])
	o := Outcome{
		Digest: d["digest"], Job: d["job"], Run: d["run"], Skipped: d["skipped"], Cell: d["cell"], Conclusion: d["conclusion"], Steps: steps,
	}
	if d["callers"] != "" {
		o.Callers = strings.Fields(d["callers"])
	}
	return o, err
}

// counted writes "1 success, 3 skipped".
func counted(steps []string) string {
	var parts []string
	for i, s := range steps {
		if s != "" {
			parts = append(parts, strconv.Itoa(i+1)+" "+s)
		}
	}
	return strings.Join(parts, ", ")
}

// maxSteps is as many as a job can have.
const maxSteps = 1000

func uncounted(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	var steps []string
	for part := range strings.SplitSeq(text, ", ") {
		number, conclusion, ok := strings.Cut(part, " ")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n <= len(steps) || n > maxSteps {
			return nil, fmt.Errorf("read outcome: step %q", part)
		}
		for len(steps) < n {
			steps = append(steps, "")
		}
		steps[n-1] = conclusion
	}
	return steps, nil
}
