package state

import (
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

type workflow struct {
	id      int64
	path    string
	name    string
	created time.Time
	runs    int // numbers given so far
	state   string
}

// States of a workflow that somebody can choose.
const (
	workflowActive   = "active"
	workflowDisabled = "disabled_manually"
)

// WorkflowFile is a workflow file as it stands on the default branch.
type WorkflowFile struct {
	Path string
	Name string
}

// Workflows lists the workflows of a repository: the files given, which stand on its default
// branch, and those that had runs.
func (s *State) Workflows(who Identity, full string, files []WorkflowFile) ([]wire.Workflow, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadActions)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		s.workflow(r, f.Path).name = f.Name
	}
	out := []wire.Workflow{}
	for _, w := range r.workflows {
		out = append(out, s.viewWorkflow(r, w))
	}
	return out, nil
}

// workflow returns the workflow of a path, known from now on.
func (s *State) workflow(r *repo, p string) *workflow {
	for _, w := range r.workflows {
		if w.path == p {
			return w
		}
	}
	// Not now: a read may be what makes it known, and reads change no answer.
	w := &workflow{id: s.nextID(nounWorkflow), path: p, name: p, created: r.pushed, state: r.newWorkflowState()}
	r.workflows = append(r.workflows, w)
	return w
}

// findWorkflow finds a known workflow by id or by its file's base name.
func (r *repo) findWorkflow(name string) *workflow {
	i := slices.IndexFunc(r.workflows, func(w *workflow) bool {
		return path.Base(w.path) == name || strconv.FormatInt(w.id, 10) == name
	})
	if i < 0 {
		return nil
	}
	return r.workflows[i]
}

func (s *State) viewWorkflow(r *repo, w *workflow) wire.Workflow {
	full := wire.EscapePath(r.fullName())
	return wire.Workflow{
		ID: w.id, NodeID: wire.NodeID("Workflow", w.id), Name: w.name, Path: w.path, State: w.state,
		CreatedAt: wire.Time{Time: w.created}, UpdatedAt: wire.Time{Time: w.created},
		URL:      s.base.API("/repos/%s/actions/workflows/%d", full, w.id),
		HTMLURL:  s.base.HTML("/%s/blob/%s/%s", full, r.defaultBranch, wire.EscapePath(w.path)),
		BadgeURL: s.base.HTML("/%s/workflows/%s/badge.svg", full, wire.EscapePath(w.name)),
	}
}
