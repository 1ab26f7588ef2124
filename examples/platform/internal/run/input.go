package run

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"example.com/crew/internal/defect"
)

// What the agent is told, below its workspace.
const (
	inputDir     = "input"
	eventFile    = "event.json"    // the event's payload, at $CREW_EVENT_PATH
	feedbackFile = "feedback.json" // {"iteration": 1, "message": …} of the iteration before, at $CREW_FEEDBACK
)

const maxPayload = 1 << 20

// event is the payload that an agent is told, and what of it stands in the environment too.
type event struct {
	text  string
	Issue struct {
		URL string `json:"html_url"`
	} `json:"issue"`
	Pull struct {
		URL  string `json:"html_url"`
		Head struct {
			SHA string `json:"sha"`
		} `json:"head"`
	} `json:"pull_request"`
}

// readEvent reads a payload. What others wrote in it stays a text in a file: no part of it becomes a
// part of a command.
func readEvent(payload string) (*event, error) {
	if payload == "" {
		return nil, nil
	}
	if len(payload) > maxPayload {
		return nil, fmt.Errorf("the event's payload is larger than %d bytes", maxPayload)
	}
	e := event{text: payload}
	if err := json.Unmarshal([]byte(payload), &e); err != nil {
		return nil, fmt.Errorf("the event's payload is no JSON object as dispatch makes it: %w", err)
	}
	for _, u := range []string{e.Issue.URL, e.Pull.URL} {
		if strings.ContainsFunc(u, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return nil, fmt.Errorf("the event's payload has the address %q", u)
		}
	}
	if sha := e.Pull.Head.SHA; sha != "" && !commit.MatchString(sha) {
		return nil, fmt.Errorf("the event's payload has the head commit %q", sha)
	}
	return &e, nil
}

var commit = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

// variables are what of the payload stands in the environment.
func (e *event) variables(d defect.Name) (env []string) {
	if e.Issue.URL != "" {
		env = append(env, "CREW_ISSUE_URL="+e.Issue.URL)
	}
	if e.Pull.URL != "" {
		env = append(env, "CREW_PULL_REQUEST_URL="+e.Pull.URL)
	}
	if e.Pull.Head.SHA != "" && d != defect.HeadCommitLost {
		env = append(env, "CREW_HEAD_SHA="+e.Pull.Head.SHA)
	}
	return env
}

func (t *task) input(name string) string { return filepath.Join(workspace(t.place), inputDir, name) }

// tell writes what the agent is told in its n-th iteration.
func (t *task) tell(n int, feedback string) error {
	if t.event != nil && t.Defect != defect.PayloadNotDelivered {
		if err := os.WriteFile(t.input(eventFile), []byte(t.event.text), 0o644); err != nil {
			return err
		}
	}
	if feedback == "" || t.Defect == defect.FeedbackLost {
		return nil
	}
	return writeJSON(filepath.Join(workspace(t.place), inputDir), feedbackFile, struct {
		Iteration int    `json:"iteration"`
		Message   string `json:"message"`
	}{n - 1, feedback})
}
