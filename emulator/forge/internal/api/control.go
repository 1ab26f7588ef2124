package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// controlRoutes start, end and repeat runs.
func (a *API) controlRoutes() []route {
	const repo = "/repos/{owner}/{repo}"
	const runs = repo + "/actions/runs/{id}"
	const workflows = repo + "/actions/workflows/{workflow}"
	return []route{
		{method: http.MethodPost, pattern: repo + "/dispatches", do: a.dispatchRepository},
		{method: http.MethodPost, pattern: workflows + "/dispatches", do: a.dispatchWorkflow},
		{method: http.MethodPut, pattern: workflows + "/enable", do: a.enable(true)},
		{method: http.MethodPut, pattern: workflows + "/disable", do: a.enable(false)},
		{method: http.MethodPost, pattern: runs + "/cancel", do: a.cancel(false)},
		{method: http.MethodPost, pattern: runs + "/force-cancel", do: a.cancel(true)},
		{method: http.MethodPost, pattern: runs + "/rerun", do: a.rerun(state.RerunAll)},
		{method: http.MethodPost, pattern: runs + "/approve", do: a.approveRun},
		{method: http.MethodPost, pattern: runs + "/rerun-failed-jobs", do: a.rerun(state.RerunFailed)},
		{method: http.MethodPost, pattern: repo + "/actions/jobs/{id}/rerun", do: a.rerunJob},
		{method: http.MethodGet, pattern: runs + "/attempts/{attempt}", query: []string{"exclude_pull_requests"}, do: a.getAttempt},
		{method: http.MethodGet, pattern: runs + "/attempts/{attempt}/jobs", list: true, do: a.attemptJobs},
		{method: http.MethodGet, pattern: runs + "/timing", do: a.runTiming},
		{method: http.MethodGet, pattern: runs + "/logs", do: a.runLogs},
		{method: http.MethodGet, pattern: runs + "/attempts/{attempt}/logs", do: a.runLogs},
		{method: http.MethodDelete, pattern: runs + "/logs", do: a.deleteLogs},
		{method: http.MethodDelete, pattern: runs, do: a.deleteRun},
	}
}

func (a *API) runTiming(c *call) (answer, error) {
	id, err := c.number("id")
	if err != nil {
		return answer{}, err
	}
	return answered(a.State.Usage(c.who, c.repo(), id))
}

// accepted is the answer to what is done after it.
func accepted() (answer, error) {
	return answer{status: http.StatusAccepted, body: struct{}{}}, nil
}

func (a *API) enable(enabled bool) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		w, err := a.findWorkflow(c)
		if err != nil {
			return answer{}, err
		}
		return done(a.State.EnableWorkflow(c.who, c.repo(), fmt.Sprint(w.ID), enabled))
	}
}

func (a *API) cancel(force bool) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		id, err := c.number("id")
		if err != nil {
			return answer{}, err
		}
		if err := a.State.CancelRun(c.who, c.repo(), id, force); err != nil {
			return answer{}, err
		}
		return accepted()
	}
}

// Limits of repository_dispatch.
// https://docs.github.com/en/rest/repos/repos#create-a-repository-dispatch-event
const (
	maxEventType  = 100
	maxProperties = 10
)

func (a *API) dispatchRepository(c *call) (answer, error) {
	var in struct {
		Type    *string         `json:"event_type"`
		Payload json.RawMessage `json:"client_payload"`
	}
	if _, err := a.State.Authorize(c.who, c.repo(), state.WriteContents); err != nil {
		return answer{}, err
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	if in.Type == nil {
		return answer{}, missing("event_type")
	}
	if n := len([]rune(*in.Type)); n == 0 || n > maxEventType {
		return answer{}, wire.Unprocessable(fmt.Sprintf("Invalid request.\n\nevent_type has %d characters; want 1 to %d.", n, maxEventType))
	}
	if len(in.Payload) == 0 || bytes.Equal(in.Payload, []byte("null")) {
		in.Payload = json.RawMessage("{}")
	}
	var properties map[string]json.RawMessage
	if err := json.Unmarshal(in.Payload, &properties); err != nil {
		return answer{}, wire.Unprocessable("Invalid request.\n\nFor 'properties/client_payload', it is not an object.")
	}
	if n := len(properties); n > maxProperties {
		return answer{}, tooMany(maxProperties, n)
	}
	return done(a.State.DispatchRepository(c.who, c.repo(), *in.Type, in.Payload))
}

func tooMany(most, given int) error {
	return wire.Unprocessable(fmt.Sprintf("Invalid request.\n\nNo more than %d properties are allowed; %d were supplied.", most, given))
}
