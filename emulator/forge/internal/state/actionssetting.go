package state

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// Whether the workflows of a repository run. In a fork none does until somebody enables it, or all.
// https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#workflows-in-forked-repositories
const (
	actionsOn     = ""
	actionsOfFork = "fork"
	actionsOff    = "off"
)

// workflowOfFork is the state of a workflow that came with a fork and that nobody has enabled.
const workflowOfFork = "disabled_fork"

// newWorkflowState is the state of a workflow that becomes known.
func (r *repo) newWorkflowState() string {
	if r.actions == actionsOfFork {
		return workflowOfFork
	}
	return workflowActive
}

// Disabled lists the paths of a repository's workflows that start no runs: known ones, and those of files. In an
// archived repository none does.
func (s *State) Disabled(full string, files []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[key(full)]
	if r == nil {
		return nil
	}
	var out []string
	for _, w := range r.workflows {
		if w.state != workflowActive || r.actions == actionsOff || r.archived {
			out = append(out, w.path)
		}
	}
	for _, path := range files {
		if (r.actions != actionsOn || r.archived) && r.findPath(path) == nil {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// ActionsPermissions says whether a repository runs workflows.
func (s *State) ActionsPermissions(who Identity, full string) (wire.ActionsPermissions, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadSettings)
	if err != nil {
		return wire.ActionsPermissions{}, err
	}
	if r.actions != actionsOn {
		return wire.ActionsPermissions{}, nil
	}
	return wire.ActionsPermissions{Enabled: true, Allowed: "all"}, nil
}

// EnableActions lets a repository run workflows, or keeps it from that. Enabled, those that came with a
// fork run as well.
func (s *State) EnableActions(who Identity, full string, enabled bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, Administer)
	if err != nil {
		return err
	}
	if r.actions = actionsOff; enabled {
		r.actions = actionsOn
		for _, w := range r.workflows {
			if w.state == workflowOfFork {
				w.state = workflowActive
			}
		}
	}
	s.led.Changed()
	return nil
}

// What the tokens of jobs may by default: read contents and packages, or write everything but id-tokens.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#permissions
const (
	tokensRead  = "read"
	tokensWrite = "write"
)

// tokens is what the tokens of a repository's jobs may by default. An organisation that lets them read lets no
// repository do otherwise.
func (r *repo) tokens() string {
	above := tokensRead
	if r.org() != nil {
		if above = cmp.Or(r.owner.actionsTokens, tokensRead); above == tokensRead {
			return tokensRead
		}
	}
	return cmp.Or(r.actionsTokens, above)
}

// JobsWrite reports whether the tokens of a repository's jobs write by default.
func (s *State) JobsWrite(full string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[key(full)]
	return r != nil && r.tokens() == tokensWrite
}

// WorkflowPermissions says what the tokens of a repository's jobs may, unless their files say otherwise.
// https://docs.github.com/en/rest/actions/permissions#get-default-workflow-permissions-for-a-repository
func (s *State) WorkflowPermissions(who Identity, full string) (wire.WorkflowPermissions, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadSettings)
	if err != nil {
		return wire.WorkflowPermissions{}, err
	}
	return wire.WorkflowPermissions{Default: r.tokens(), Pulls: r.actionsPulls}, nil
}

// WorkflowPermissionsEdit changes what is not nil: what tokens may by default, read or write, and whether jobs
// may open and approve pull requests with them.
type WorkflowPermissionsEdit struct {
	Default *string
	Pulls   *bool
}

// SetWorkflowPermissions changes what the tokens of a repository's jobs may. What its organisation prevents is 409.
func (s *State) SetWorkflowPermissions(who Identity, full string, e WorkflowPermissionsEdit) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, Administer)
	if err != nil {
		return err
	}
	if e.Default != nil {
		if *e.Default == tokensWrite && r.org() != nil && r.owner.actionsTokens != tokensWrite {
			return wire.NewError(http.StatusConflict, "The organization "+r.owner.login+" lets the tokens of jobs only read by default: PUT /orgs/"+
				r.owner.login+"/actions/permissions/workflow comes first.")
		}
		r.actionsTokens = *e.Default
	}
	if e.Pulls != nil {
		r.actionsPulls = *e.Pulls
	}
	s.led.Changed()
	return nil
}

// OrgWorkflowPermissions says what the tokens of jobs may by default in an organisation's repositories.
// https://docs.github.com/en/rest/actions/permissions#get-default-workflow-permissions-for-an-organization
func (s *State) OrgWorkflowPermissions(who Identity, org string) (wire.WorkflowPermissions, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.ownedOrg(who, org, "organization_administration", "read")
	if err != nil {
		return wire.WorkflowPermissions{}, err
	}
	return wire.WorkflowPermissions{Default: cmp.Or(o.actionsTokens, tokensRead), Pulls: o.actionsPulls}, nil
}

// SetOrgWorkflowPermissions changes them. Whether jobs may open and approve pull requests is for new repositories.
func (s *State) SetOrgWorkflowPermissions(who Identity, org string, e WorkflowPermissionsEdit) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.ownedOrg(who, org, "organization_administration", "write")
	if err != nil {
		return err
	}
	if e.Default != nil {
		o.actionsTokens = *e.Default
	}
	if e.Pulls != nil {
		o.actionsPulls = *e.Pulls
	}
	s.led.Changed()
	return nil
}

// barsActions reports whether who is a job's token that may neither open nor approve pull requests here, as it may in no
// new repository.
// https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/enabling-features-for-your-repository/managing-github-actions-settings-for-a-repository#preventing-github-actions-from-creating-or-approving-pull-requests
func (r *repo) barsActions(who Identity) bool {
	return key(who.Login) == key(ActionsLogin) && !r.actionsPulls
}
