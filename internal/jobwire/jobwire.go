// Package jobwire is what the kit and understudy-job say to each other: a Spec as JSON on the
// job's standard input, Events as one JSON object a line on its standard output.
package jobwire

import (
	"encoding/json"
	"time"
)

// Spec is one job, or one cell of a job's matrix, to run. Everything is explicit: the runner reads
// neither its environment nor the forge to find out more.
type Spec struct {
	Workflow     []byte          `json:"workflow"`      // the file's bytes
	WorkflowPath string          `json:"workflow_path"` // ".github/workflows/ci.yml"
	WorkflowName string          `json:"workflow_name"` // of the run: with a called workflow, of the one that calls
	Job          string          `json:"job"`           // the job's key in the file
	Cell         map[string]any  `json:"cell,omitempty"`
	Needs        map[string]Need `json:"needs,omitempty"`

	// Contexts have values that no step can change: inputs, strategy. They take the place of the runner's own.
	Contexts map[string]json.RawMessage `json:"contexts,omitempty"`

	Event           string            `json:"event"` // "issues"
	Payload         json.RawMessage   `json:"payload"`
	Repo            string            `json:"repo"` // "owner/name"
	Ref             string            `json:"ref"`  // "refs/heads/main"
	SHA             string            `json:"sha"`
	Actor           string            `json:"actor"`
	RunID           int64             `json:"run_id"`
	RunNumber       int               `json:"run_number"`
	RunAttempt      int               `json:"run_attempt"`
	TriggeringActor string            `json:"triggering_actor"` // who asked for this attempt
	JobID           int64             `json:"job_id"`
	ServerURL       string            `json:"server_url"`
	APIURL          string            `json:"api_url"`
	ResultsURL      string            `json:"results_url"` // base of the artifact service, with trailing slash
	RuntimeToken    string            `json:"runtime_token"`
	IDTokenURL      string            `json:"id_token_url,omitempty"` // where the job asks for an id-token; "" when it may not
	IDToken         string            `json:"id_token,omitempty"`     // what it asks with
	Token           string            `json:"token"`                  // GITHUB_TOKEN
	Secrets         map[string]string `json:"secrets,omitempty"`
	Variables       map[string]string `json:"variables,omitempty"`
	Env             map[string]string `json:"env"` // complete environment of the steps, before the workflow's own env
	Dir             string            `json:"dir"` // an empty directory of this job alone; the workspace is made inside

	Minute time.Duration `json:"minute,omitempty"` // of timeout-minutes; 0 is a minute, tests have shorter ones
}

// Need is how a needed job ended.
type Need struct {
	Result  string            `json:"result"` // success, failure, cancelled, skipped
	Outputs map[string]string `json:"outputs,omitempty"`
}

// EventType names an event.
type EventType string

// The events of one job, in the order they can come. JobCompleted is the last one.
const (
	JobStarted    EventType = "job.started"
	StepStarted   EventType = "step.started"
	Log           EventType = "log"
	Annotated     EventType = "annotation"
	Summarized    EventType = "summary"
	StepCompleted EventType = "step.completed"
	JobCompleted  EventType = "job.completed"
)

// Event is one thing the runner reports.
type Event struct {
	Type       EventType         `json:"type"`
	Time       time.Time         `json:"time"`
	Step       int               `json:"step,omitempty"` // from 1, in the file's order; 0 is the job itself
	Name       string            `json:"name,omitempty"`
	Line       string            `json:"line,omitempty"`       // of a log, masked
	Annotation *Annotation       `json:"annotation,omitempty"` // masked
	Summary    string            `json:"summary,omitempty"`    // Markdown that a step left for its summary, masked
	Conclusion string            `json:"conclusion,omitempty"` // success, failure, skipped, cancelled
	Outputs    map[string]string `json:"outputs,omitempty"`    // of the job
	Error      string            `json:"error,omitempty"`      // why the runner itself could not go on
}

// Annotation is what a workflow command, or a failure, says about lines of a file.
type Annotation struct {
	Level       string `json:"level"` // notice, warning, failure
	Path        string `json:"path,omitempty"`
	StartLine   int    `json:"start_line,omitempty"`
	EndLine     int    `json:"end_line,omitempty"`
	StartColumn int    `json:"start_column,omitempty"`
	EndColumn   int    `json:"end_column,omitempty"`
	Title       string `json:"title,omitempty"`
	Message     string `json:"message"`
}
