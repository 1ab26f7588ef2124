package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) actionsSettingRoutes() []route {
	const repo = repoLevel + "/actions/permissions"
	const org = orgLevel + "/actions/permissions"
	const tokens, approval = "/workflow", "/fork-pr-contributor-approval"
	return []route{
		{method: http.MethodGet, pattern: repo, do: func(c *call) (answer, error) {
			return answered(a.State.ActionsPermissions(c.who, c.repo()))
		}},
		{method: http.MethodPut, pattern: repo, do: a.setActionsPermissions},
		{method: http.MethodGet, pattern: repo + tokens, do: func(c *call) (answer, error) {
			return answered(a.State.WorkflowPermissions(c.who, c.repo()))
		}},
		{method: http.MethodPut, pattern: repo + tokens, do: setWorkflowPermissions(func(c *call, e state.WorkflowPermissionsEdit) error {
			return a.State.SetWorkflowPermissions(c.who, c.repo(), e)
		})},
		{method: http.MethodGet, pattern: org + tokens, do: func(c *call) (answer, error) {
			return answered(a.State.OrgWorkflowPermissions(c.who, c.param["org"]))
		}},
		{method: http.MethodPut, pattern: org + tokens, do: setWorkflowPermissions(func(c *call, e state.WorkflowPermissionsEdit) error {
			return a.State.SetOrgWorkflowPermissions(c.who, c.param["org"], e)
		})},
		{method: http.MethodGet, pattern: repo + approval, do: func(c *call) (answer, error) {
			return answered(a.State.ForkApproval(c.who, c.repo()))
		}},
		{method: http.MethodPut, pattern: repo + approval, do: setForkApproval(func(c *call, policy string) error {
			return a.State.SetForkApproval(c.who, c.repo(), policy)
		})},
		{method: http.MethodGet, pattern: org + approval, do: func(c *call) (answer, error) {
			return answered(a.State.OrgForkApproval(c.who, c.param["org"]))
		}},
		{method: http.MethodPut, pattern: org + approval, do: setForkApproval(func(c *call, policy string) error {
			return a.State.SetOrgForkApproval(c.who, c.param["org"], policy)
		})},
	}
}

func (a *API) setActionsPermissions(c *call) (answer, error) {
	var in struct {
		Enabled *bool  `json:"enabled"`
		Allowed string `json:"allowed_actions"`
		Pinned  bool   `json:"sha_pinning_required"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	switch {
	case in.Enabled == nil:
		return answer{}, missing("enabled")
	case in.Allowed != "" && in.Allowed != "all":
		return answer{}, wire.Unsupported("allowed_actions " + in.Allowed + ": all actions are allowed")
	case in.Pinned:
		return answer{}, wire.Unsupported("sha_pinning_required")
	}
	return done(a.State.EnableActions(c.who, c.repo(), *in.Enabled))
}

func setWorkflowPermissions(set func(*call, state.WorkflowPermissionsEdit) error) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		var in struct {
			Default *string `json:"default_workflow_permissions"`
			Pulls   *bool   `json:"can_approve_pull_request_reviews"`
		}
		if err := c.decode(smallBody, &in); err != nil {
			return answer{}, err
		}
		if in.Default != nil && *in.Default != "read" && *in.Default != "write" {
			return answer{}, wire.Unprocessable("Invalid request.\n\ndefault_workflow_permissions is read or write.")
		}
		return done(set(c, state.WorkflowPermissionsEdit{Default: in.Default, Pulls: in.Pulls}))
	}
}

func setForkApproval(set func(c *call, policy string) error) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		var in struct {
			Policy string `json:"approval_policy"`
		}
		if err := c.decode(smallBody, &in); err != nil {
			return answer{}, err
		}
		if !slices.Contains(state.ApprovalPolicies(), in.Policy) {
			return answer{}, wire.Unprocessable("Invalid request.\n\napproval_policy is one of " + strings.Join(state.ApprovalPolicies(), ", ") + ".")
		}
		return done(set(c, in.Policy))
	}
}

// approveRun lets a run go on that waits for approval.
func (a *API) approveRun(c *call) (answer, error) {
	id, err := c.number("id")
	if err != nil {
		return answer{}, err
	}
	if err := a.State.ApproveRun(c.who, c.repo(), id); err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusCreated, body: struct{}{}}, nil
}
