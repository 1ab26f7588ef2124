package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrSchema says that a record was written by a version of understudy that this one cannot read.
var ErrSchema = errors.New("unknown schema version")

// Write stores the record at path in one step: a reader sees the old file or the new one, whole. A
// record without a schema version gets the current one.
func Write(path string, r Record) error {
	if r.Schema == 0 {
		r.Schema = Schema
	}
	if err := write(path, r); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}

func write(path string, r Record) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".record-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // is gone already when all went well
	defer tmp.Close()
	if _, err := tmp.Write(append(b, '\n')); err != nil {
		return err
	}
	if err := tmp.Chmod(0o644); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// Read reads a record that Write stored. It refuses a schema version that it does not know, with
// ErrSchema, and keys that the version does not have.
func Read(path string) (Record, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return Record{}, fmt.Errorf("read record: %w", err)
	}
	r, err := decode(b)
	if err != nil {
		return Record{}, fmt.Errorf("read record %s: %w", path, err)
	}
	return r, nil
}

func decode(b []byte) (Record, error) {
	var head struct {
		Schema *int   `json:"schema"`
		Kit    string `json:"kit"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return Record{}, err
	}
	switch {
	case head.Schema == nil:
		return Record{}, fmt.Errorf("%w: it names none; is it a record?", ErrSchema)
	case *head.Schema != Schema:
		return Record{}, fmt.Errorf("%w %d, written by understudy %q; this understudy reads %d", ErrSchema, *head.Schema, head.Kit, Schema)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var r Record
	err := d.Decode(&r)
	return r, err
}

// Scenarios goes through the scenarios of all cells and trials in order.
func (r Record) Scenarios() iter.Seq[Scenario] {
	return func(yield func(Scenario) bool) {
		for _, c := range r.Cells {
			for _, t := range c.Trials {
				for _, s := range t.Scenarios {
					if !yield(s) {
						return
					}
				}
			}
		}
	}
}

// Only returns the record with that scenario alone.
func (r Record) Only(id string) Record {
	cells := r.Cells
	r.Cells = nil
	for _, c := range cells {
		trials := c.Trials
		c.Trials = nil
		for _, t := range trials {
			t.Scenarios = slices.DeleteFunc(slices.Clone(t.Scenarios), func(s Scenario) bool { return s.ID != id })
			c.Trials = append(c.Trials, t)
		}
		r.Cells = append(r.Cells, c)
	}
	return r
}

// Tries are the verdicts that each scenario came to in the trials of all cells, in order, by id.
func (r Record) Tries() map[string][]Verdict {
	tries := map[string][]Verdict{}
	for s := range r.Scenarios() {
		tries[s.ID] = append(tries[s.ID], s.Verdict)
	}
	return tries
}

// Counts is how many scenarios came to which verdict.
type Counts struct{ Passed, Failed, Broken, Skipped int }

// Total is how many scenarios there are.
func (c Counts) Total() int { return c.Passed + c.Failed + c.Broken + c.Skipped }

// Counts counts the scenarios. A verdict that is none of the four counts as broken.
func (r Record) Counts() Counts {
	var c Counts
	for s := range r.Scenarios() {
		switch s.Verdict {
		case Passed:
			c.Passed++
		case Failed:
			c.Failed++
		case Skipped:
			c.Skipped++
		default:
			c.Broken++
		}
	}
	return c
}

// Verdict is what the whole run came to: the gravest of its scenarios and of its own problems. A run
// without any scenario is broken, and so is one that has a problem and nothing failed.
func (r Record) Verdict() Verdict {
	c := r.Counts()
	v := Skipped
	switch {
	case c.Failed > 0:
		v = Failed
	case c.Broken > 0 || c.Total() == 0:
		v = Broken
	case c.Passed > 0:
		v = Passed
	}
	if len(r.Problems) > 0 {
		v = Worse(v, Broken)
	}
	for _, p := range r.Problems {
		v = Worse(v, p.Verdict)
	}
	return v
}

// ExitCode is what a program that ran r ends with: 0 when nothing is wrong, 1 when anything failed,
// else 3 when anything is broken. (2, for wrong usage, is given before there is a record.)
func ExitCode(r Record) int {
	switch r.Verdict() {
	case Failed:
		return 1
	case Broken:
		return 3
	}
	return 0
}

// Sentence is What without the end that Expected and Seen tell again, for those who show all three.
func (p Problem) Sentence() string {
	return strings.TrimSuffix(p.What, fmt.Sprintf(": expected %s, saw %s", p.Expected, p.Seen))
}
