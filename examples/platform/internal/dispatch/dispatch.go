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

// Event is what crew looks at in an event of an issue or a pull request.
type Event struct {
	For    string // issue, pull_request
	Number int    // of it
	Action string
	Label  string // that was put on
	Fork   bool   // the pull request comes from another repository, or from one that nobody knows
	Sender string // who did it
	Role   string // of the sender in the repository, where NeedsRole says that it matters
}

// NeedsRole reports whether the sender's role decides: putting on labels needs a role already.
func (e Event) NeedsRole() bool { return e.Action != config.Labeled }

// ReadEvent reads the payload of the event called name.
func ReadEvent(name, file string) (Event, error) {
	if name != "issues" && name != "pull_request_target" {
		return Event{}, fmt.Errorf("event %q is unknown; crew is started by issues and pull_request_target", name)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return Event{}, fmt.Errorf("read the event: %w", err)
	}
	type side struct {
		Repo struct {
			FullName string `json:"full_name"`
		} `json:"repo"`
	}
	var w struct {
		Action string `json:"action"`
		Label  struct {
			Name string `json:"name"`
		} `json:"label"`
		Issue struct {
			Number int `json:"number"`
		} `json:"issue"`
		Pull struct {
			Number int  `json:"number"`
			Head   side `json:"head"`
			Base   side `json:"base"`
		} `json:"pull_request"`
		Sender struct {
			Login string `json:"login"`
		} `json:"sender"`
	}
	if err := json.Unmarshal(data, &w); err != nil {
		return Event{}, fmt.Errorf("read the event: %w", err)
	}
	e := Event{For: config.Issue, Number: w.Issue.Number, Action: w.Action, Label: w.Label.Name, Sender: w.Sender.Login}
	if name == "pull_request_target" {
		head, base := w.Pull.Head.Repo.FullName, w.Pull.Base.Repo.FullName
		e.For, e.Number, e.Fork = config.PullRequest, w.Pull.Number, head == "" || head != base
	}
	if e.Number < 1 {
		return Event{}, fmt.Errorf("read the event: it names no %s", strings.ReplaceAll(e.For, "_", " "))
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
	what := fmt.Sprintf("%s action %q", strings.ReplaceAll(e.For, "_", " "), e.Action)
	if e.Action == config.Labeled {
		what = fmt.Sprintf("label %q", e.Label)
	}
	if e.Fork && d != defect.ForkFlagLost {
		what += " of a fork's pull request"
	}
	var cells []Cell
	var names []string
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		if starts(c.Agents[name], e, d) {
			cells = append(cells, Cell{Agent: name, Issue: e.Number})
			names = append(names, name)
		}
	}
	none := Decision{Matrix: Matrix{Include: []Cell{}}}
	switch {
	case len(cells) == 0:
		none.Reason = what + " starts no agent"
		return none
	case c.KillSwitch:
		none.Reason = "the kill switch is on"
		return none
	case !authorised(e) && d != defect.UnauthorisedAccepted:
		none.Reason = fmt.Sprintf("%s starts no agent: %s has the role %s, which may not", what, e.Sender, e.Role)
		return none
	}
	return Decision{
		Matrix: Matrix{Include: cells},
		Reason: fmt.Sprintf("%s starts %s", what, strings.Join(names, ", ")),
	}
}

func starts(a config.Agent, e Event, d defect.Name) bool {
	if e.Fork && !a.Forks && d != defect.ForkFlagLost {
		return false
	}
	any := d == defect.AnyLabelTriggers && e.Action == config.Labeled && a.Starts(e.For, e.Action, a.Label)
	return !a.Disabled() && (any || a.Starts(e.For, e.Action, e.Label))
}

// authorised says whether who sent the event may start agents with it.
func authorised(e Event) bool {
	return !e.NeedsRole() || slices.Contains([]string{"write", "maintain", "admin"}, e.Role)
}
