// Package dispatch decides which agents an event of the forge starts.
package dispatch

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"example.com/crew/internal/config"
	"example.com/crew/internal/defect"
)

// Event is what crew looks at in an issues event.
type Event struct {
	Action string `json:"action"`
	Label  struct {
		Name string `json:"name"`
	} `json:"label"`
	Issue struct {
		Number int `json:"number"`
	} `json:"issue"`
}

// ReadEvent reads the payload of the event called name; only issues events are known.
func ReadEvent(name, file string) (Event, error) {
	if name != "issues" {
		return Event{}, fmt.Errorf("event %q is unknown; crew is started by issues", name)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return Event{}, fmt.Errorf("read the event: %w", err)
	}
	var e Event
	if err := json.Unmarshal(data, &e); err != nil {
		return Event{}, fmt.Errorf("read the event: %w", err)
	}
	if e.Issue.Number < 1 {
		return Event{}, fmt.Errorf("read the event: it names no issue")
	}
	return e, nil
}

// Decision is what starts, and why that much or that little.
type Decision struct {
	Matrix Matrix
	Reason string
}

// Matrix is a workflow job's matrix. Include is never nil, so that it is "[]" in JSON.
type Matrix struct {
	Include []Cell `json:"include"`
}

// Cell is one agent to run.
type Cell struct {
	Agent string `json:"agent"`
	Issue int    `json:"issue"`
}

// Decide is pure. Nothing to start is a decision, not an error.
func Decide(c config.Config, e Event, d defect.Name) Decision {
	none := Decision{Matrix: Matrix{Include: []Cell{}}}
	if e.Action != "labeled" {
		none.Reason = fmt.Sprintf("issue action %q starts no agent", e.Action)
		return none
	}
	var cells []Cell
	var names []string
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		if c.Agents[name].Label == e.Label.Name || d == defect.AnyLabelTriggers {
			cells = append(cells, Cell{Agent: name, Issue: e.Issue.Number})
			names = append(names, name)
		}
	}
	switch {
	case len(cells) == 0:
		none.Reason = fmt.Sprintf("label %q starts no agent", e.Label.Name)
		return none
	case c.KillSwitch:
		none.Reason = "the kill switch is on"
		return none
	}
	return Decision{
		Matrix: Matrix{Include: cells},
		Reason: fmt.Sprintf("label %q starts %s", e.Label.Name, strings.Join(names, ", ")),
	}
}
