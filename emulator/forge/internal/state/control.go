package state

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/journal"
)

// EnableWorkflow lets a workflow start runs, or keeps it from that.
func (s *State) EnableWorkflow(who Identity, full, workflow string, enabled bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, WriteActions)
	if err != nil {
		return err
	}
	w := r.findWorkflow(workflow)
	switch {
	case w == nil:
		return wire.NotFound()
	case enabled:
		w.state = workflowActive
	default:
		w.state = workflowDisabled
	}
	return nil
}

// DispatchWorkflow journals workflow_dispatch for a workflow file at a commit. Who may and what the file
// takes was looked at before. With promise the run to come gets the id that is returned.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#workflow_dispatch
func (s *State) DispatchWorkflow(who Identity, full, path, ref, sha string, inputs map[string]string, promise bool) (run int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, WriteActions)
	if err != nil {
		return 0, err
	}
	if w := r.findPath(path); w != nil && w.state != workflowActive || r.actions == actionsOff {
		return 0, wire.Unprocessable("Cannot trigger a 'workflow_dispatch' on a disabled workflow")
	}
	body := wire.WorkflowDispatch{Inputs: inputs, Ref: ref, Workflow: path, Repository: s.eventRepo(r), Organization: s.eventOrg(r), Sender: s.eventSender(who)}
	seq := s.emit(who, r, "workflow_dispatch", r.fullName()+" "+path, body, map[string]string{"event": "workflow_dispatch", "ref": ref, "sha": sha})
	if promise { // whoever starts the run has to wait for the lock
		run = s.nextID(nounRun)
		s.promised[fmt.Sprintf("event:%d", seq)] = run
	}
	return run, nil
}

// DispatchRepository journals repository_dispatch, an event that the client made up.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#repository_dispatch
func (s *State) DispatchRepository(who Identity, full, typ string, payload json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, WriteContents)
	if err != nil {
		return err
	}
	body := wire.RepositoryDispatch{Action: typ, Branch: r.defaultBranch, ClientPayload: payload, Repository: s.eventRepo(r),
		Organization: s.eventOrg(r), Sender: s.eventSender(who)}
	s.emit(who, r, "repository_dispatch."+typ, r.fullName(), body, map[string]string{"event": "repository_dispatch", "action": typ,
		"ref": "refs/heads/" + r.defaultBranch, "sha": r.refs["refs/heads/"+r.defaultBranch]})
	return nil
}

// CancelRun asks whoever runs a run to end it: the entry run.cancel names it. With force, jobs with
// `if: always()` do not run either.
func (s *State) CancelRun(who Identity, full string, id int64, force bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, x, err := s.run(who, full, WriteActions, id)
	if err != nil {
		return err
	}
	if x.Status == completed {
		return wire.NewError(http.StatusConflict, "Cannot cancel a workflow run that is completed.")
	}
	typ := "run.cancel"
	if force {
		typ = "run.force_cancel"
	}
	s.jour.Append(journal.Entry{Time: s.now(), Kind: journal.Change, Type: typ, Cause: who.Cause, Actor: who.Login,
		Subject: fmt.Sprintf("run:%d", id), Detail: map[string]string{"repo": r.fullName(), "run": fmt.Sprint(id)}})
	return nil
}
