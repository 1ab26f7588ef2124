package actions

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

const pastDir = "ended"

// pastFile is where it stands how the jobs of a run ended: on disk, since every run can be repeated for as
// long as the engine lives and few are.
func (e *Engine) pastFile(run int64) string {
	return filepath.Join(e.o.Dir, pastDir, strconv.FormatInt(run, 10)+".json")
}

// remember keeps how the run's jobs ended, for another attempt.
func (r *run) remember() {
	if err := r.e.keepPast(r.rec.ID, r.root.remember()); err != nil {
		r.e.broken(fmt.Errorf("keep how run %d ended: %w", r.rec.ID, err))
	}
}

func (e *Engine) keepPast(run int64, past *pastGraph) error {
	data, err := json.Marshal(past)
	if err != nil {
		return err
	}
	file := e.pastFile(run)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}

// past is how the jobs of a run ended in its last attempt; nil when this engine did not run it.
func (e *Engine) past(run int64) (*pastGraph, error) {
	data, err := os.ReadFile(e.pastFile(run))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read how run %d ended: %w", run, err)
	}
	var past pastGraph
	if err := json.Unmarshal(data, &past); err != nil {
		return nil, fmt.Errorf("read how run %d ended: %w", run, err)
	}
	return &past, nil
}
