package run

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Status is how a run ended.
type Status string

// The ways a run can end. What is not Succeeded fails the job.
const (
	Succeeded Status = "succeeded"
	Invalid   Status = "invalid" // the agent's result did not pass validation
	Broken    Status = "broken"  // crew could not run the agent at all
)

// Record is run.json: how a run ended, for the post step and for people.
type Record struct {
	Agent     string `json:"agent"`
	Issue     int    `json:"issue"`
	Status    Status `json:"status"`
	Message   string `json:"message"` // "" when it succeeded
	Runtime   string `json:"runtime"`
	Iteration int    `json:"iteration"`  // whose output counts: the last one, valid or not; 0 is none
	AgentExit int    `json:"agent_exit"` // of that iteration

	// Config has git's hashes of the configuration's files by name, before the agent could touch them.
	Config map[string]string `json:"config"`
}

// Names of files in the output directory.
const (
	RecordFile  = "run.json"
	MetricsFile = "metrics.json"
	PolicyFile  = "policy.json"
	LogFile     = "agent.log" // inside an iteration
	resultsFile = "output/behaviour-results.json"
)

// IterationDir is the directory of the n-th iteration's files in the output directory.
func IterationDir(output string, n int) string {
	return filepath.Join(output, fmt.Sprintf("iteration-%d", n))
}

// ReadRecord reads run.json from an output directory.
func ReadRecord(output string) (Record, error) {
	var r Record
	data, err := os.ReadFile(filepath.Join(output, RecordFile))
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%s: %w", RecordFile, err)
	}
	return r, nil
}

func writeJSON(dir, name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), append(data, '\n'), 0o644)
}
