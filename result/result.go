// Package result holds what a run found out, as plain values with a versioned JSON form. The
// record is the only input of every report, claim and judgement.
package result

import (
	"encoding/json"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/internal/outline"
	"github.com/understudy-dev/understudy/match"
)

// Schema is the version of the record's JSON form. It changes when a reader of the previous form
// would misread the new one.
const Schema = 1

// Verdict is what a scenario or a step came to.
type Verdict string

// The four verdicts. Skipped is given by the plan only.
const (
	Passed  Verdict = "passed"
	Failed  Verdict = "failed"  // the product is wrong
	Broken  Verdict = "broken"  // the test or its environment is wrong
	Skipped Verdict = "skipped" // the plan left it out, with a reason
)

// Worse returns the graver of two verdicts: failed before broken before passed before skipped.
// A scenario that is failed and broken is failed: the product's fault is not hidden by ours.
func Worse(a, b Verdict) Verdict {
	rank := map[Verdict]int{Failed: 3, Broken: 2, Passed: 1, Skipped: 0}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// Record is one run, whole.
type Record struct {
	Schema     int               `json:"schema"`
	Kit        string            `json:"kit"` // version of understudy
	Started    time.Time         `json:"started"`
	Ended      time.Time         `json:"ended"`
	Seed       int64             `json:"seed"`
	Faults     []string          `json:"faults,omitempty"`     // in force in each scenario from the start
	Strictness map[string]string `json:"strictness,omitempty"` // policies that are not as grave as by default
	Budget     *Budget           `json:"budget,omitempty"`     // of time
	Jobs       int               `json:"jobs"`                 // scenarios at once
	Isolation  string            `json:"isolation"`
	Platform   Platform          `json:"platform"`
	Features   []Source          `json:"features"`
	Cells      []Cell            `json:"cells"`
	Workflows  []outline.File    `json:"workflows,omitempty"` // that events looked at, each once
	Warnings   []string          `json:"warnings,omitempty"`
	Problems   []Problem         `json:"problems,omitempty"` // of the run as a whole; any makes it broken
}

// Platform says which build of the system under test was run.
type Platform struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"` // file → "sha256:…"
	Defect string            `json:"defect,omitempty"`
	Preset string            `json:"preset,omitempty"` // a file's name and "sha256:…", or a URL
}

// Source is a feature file as it was when the run began.
type Source struct {
	URI  string `json:"uri"`
	Text string `json:"text"`
}

// Cell is suite × profile × environment × case.
type Cell struct {
	Suite       string  `json:"suite"`
	Profile     string  `json:"profile"`
	Environment string  `json:"environment"`
	Case        string  `json:"case,omitempty"`
	Trials      []Trial `json:"trials"`
}

// Trial is one run of a cell. Scenarios stand in file order.
type Trial struct {
	Number    int        `json:"number"` // from 1
	Scenarios []Scenario `json:"scenarios"`
}

// Scenario is one scenario, run or skipped.
type Scenario struct {
	ID       string         `json:"id"` // "triage.feature:6"; unique in a trial
	Feature  string         `json:"feature"`
	Rule     string         `json:"rule,omitempty"`
	Name     string         `json:"name"`
	Tags     []string       `json:"tags,omitempty"`
	Verdict  Verdict        `json:"verdict"`
	Reason   string         `json:"reason,omitempty"` // of a skip
	Steps    []Step         `json:"steps"`
	After    []Observation  `json:"after,omitempty"`    // made after the steps, by the packs
	Findings []Finding      `json:"findings,omitempty"` // of policies and clean-up, after the steps
	Journal  []driver.Entry `json:"journal,omitempty"`
	Evidence []evidence.Ref `json:"evidence,omitempty"`
	Order    *Order         `json:"order,omitempty"` // where the order of deliveries was decided
	Worker   int            `json:"worker"`
	Started  time.Time      `json:"started"`
	Seconds  float64        `json:"seconds"`

	LeaseSeconds float64 `json:"lease_seconds,omitempty"` // of getting a place, before Started
}

// Order is the order of deliveries to workflows, and of jobs, under which a scenario ran.
type Order struct {
	Schedule string   `json:"schedule"`          // as --schedule takes it; "0" is the usual one
	Choices  []string `json:"choices,omitempty"` // that were not the usual ones, in words
	Tried    int      `json:"tried,omitempty"`   // how many orders were explored
	All      bool     `json:"all,omitempty"`     // there are no others
}

// Step is one step as it went.
type Step struct {
	Number       int           `json:"number"` // from 1; background steps count
	Keyword      string        `json:"keyword"`
	Text         string        `json:"text"`
	Argument     string        `json:"argument,omitempty"` // docstring or table, as written
	Line         int           `json:"line"`
	Verdict      Verdict       `json:"verdict"` // skipped: not reached
	Problem      *Problem      `json:"problem,omitempty"`
	Observations []Observation `json:"observations,omitempty"`
	Seconds      float64       `json:"seconds"`
}

// Problem is why something is not passed.
type Problem struct {
	Verdict  Verdict  `json:"verdict"`
	What     string   `json:"what"`               // one sentence
	Where    string   `json:"where,omitempty"`    // "file:line"
	Expected string   `json:"expected,omitempty"` // of a mismatch
	Seen     string   `json:"seen,omitempty"`
	Hint     string   `json:"hint,omitempty"`
	Pending  []string `json:"pending,omitempty"` // work that was still open at a deadline
	Stack    string   `json:"stack,omitempty"`   // of a panic
}

// Observation is one thing that a step looked at, whether or not it was as expected.
type Observation struct {
	Subject  string          `json:"subject"`       // "issue.labels", "agent.operation", "run.conclusion"
	Key      string          `json:"key,omitempty"` // which one: "run:5 Emit triage JSON"
	Got      json.RawMessage `json:"got"`
	Want     string          `json:"want"`
	OK       bool            `json:"ok"`
	Matcher  *match.Spec     `json:"matcher,omitempty"`  // Want, written down; nil where nothing is expected or it cannot be
	Tries    int             `json:"tries,omitempty"`    // how often it was looked at, in a wait
	Decided  string          `json:"decided,omitempty"`  // "exact" at quiet, "watched" where quiet cannot be known
	Sequence uint64          `json:"sequence,omitempty"` // of the journal's last entry when it was made
}

// Finding is what a policy or the clean-up found after the steps.
type Finding struct {
	Policy  string  `json:"policy"` // "unexpected-failed-run", "unclaimed-failed-operation", "cleanup", …
	Problem Problem `json:"problem"`
	Cause   string  `json:"cause,omitempty"` // node of the causal tree it is about: "run:5"
}

// Warning tells whether the finding leaves its scenario's verdict as it is.
func (f Finding) Warning() bool { return f.Problem.Verdict == Passed }

// Event is one piece of progress while a suite runs.
type Event struct {
	Kind     string // "started", "step", "finished"
	Trial    int
	Scenario string // id
	Name     string
	Step     int // with "step": its number
	Steps    int // how many there are
	Text     string
	Result   *Scenario // with "finished"
}
