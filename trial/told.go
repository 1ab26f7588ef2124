package trial

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/result"
)

// SoFar is the file in a run's directory that holds each finished scenario, one JSON object a line,
// until there is a record: what a run that was killed had found out.
const SoFar = "scenarios.ndjson"

// told passes events on with every known secret taken out, and keeps what has finished. The suite
// calls it from one goroutine at a time.
type told struct {
	scrub *evidence.Scrubber
	show  func(result.Event) // may be nil
	file  *os.File
	err   error // of the first line that could not be kept
}

func tell(dir string, s *evidence.Scrubber, show func(result.Event)) (*told, error) {
	f, err := os.Create(filepath.Join(dir, SoFar))
	if err != nil {
		return nil, fmt.Errorf("keep finished scenarios: %w", err)
	}
	return &told{scrub: s, show: show, file: f}, nil
}

func (t *told) event(e result.Event) {
	clean, err := result.Scrub(e, t.scrub)
	if err != nil {
		// An event that cannot be cleaned is told by what it is about alone.
		clean = result.Event{Kind: e.Kind, Trial: e.Trial, Scenario: e.Scenario, Steps: e.Steps, Step: e.Step}
		if e.Result != nil {
			clean.Result = &result.Scenario{ID: e.Result.ID, Verdict: e.Result.Verdict}
		}
	}
	if clean.Result != nil && t.err == nil {
		t.err = json.NewEncoder(t.file).Encode(struct {
			Trial    int              `json:"trial"`
			Scenario *result.Scenario `json:"scenario"`
		}{clean.Trial, clean.Result})
	}
	if t.show != nil {
		t.show(clean)
	}
}

func (t *told) close() error {
	if err := errors.Join(t.err, t.file.Close()); err != nil {
		return fmt.Errorf("keep finished scenarios: %w", err)
	}
	return nil
}

// superseded removes the file: the record holds all of it.
func (t *told) superseded() error {
	if err := os.Remove(t.file.Name()); err != nil {
		return fmt.Errorf("remove finished scenarios: %w", err)
	}
	return nil
}
