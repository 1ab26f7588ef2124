package wire

// MergedUpstream says what was done to a branch of a fork.
// https://docs.github.com/en/rest/branches/branches#sync-a-fork-branch-with-the-upstream-repository
type MergedUpstream struct {
	Message    string `json:"message"`
	MergeType  string `json:"merge_type"` // merge, fast-forward, none
	BaseBranch string `json:"base_branch"`
}

// WorkflowPermissions is what the tokens of a repository's jobs may by default.
type WorkflowPermissions struct {
	Default string `json:"default_workflow_permissions"`
	Pulls   bool   `json:"can_approve_pull_request_reviews"` // and open pull requests
}

// ForkApproval says whose pull requests from forks run workflows only when somebody approves.
// https://docs.github.com/en/rest/actions/permissions#get-fork-pr-contributor-approval-permissions-for-a-repository
type ForkApproval struct {
	Policy string `json:"approval_policy"`
}

// ActionsPermissions says whether a repository runs workflows.
// https://docs.github.com/en/rest/actions/permissions#get-github-actions-permissions-for-a-repository
type ActionsPermissions struct {
	Enabled bool   `json:"enabled"`
	Allowed string `json:"allowed_actions,omitempty"`
}
