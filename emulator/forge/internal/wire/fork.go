package wire

// MergedUpstream says what was done to a branch of a fork.
// https://docs.github.com/en/rest/branches/branches#sync-a-fork-branch-with-the-upstream-repository
type MergedUpstream struct {
	Message    string `json:"message"`
	MergeType  string `json:"merge_type"` // merge, fast-forward, none
	BaseBranch string `json:"base_branch"`
}

// ActionsPermissions says whether a repository runs workflows.
// https://docs.github.com/en/rest/actions/permissions#get-github-actions-permissions-for-a-repository
type ActionsPermissions struct {
	Enabled bool   `json:"enabled"`
	Allowed string `json:"allowed_actions,omitempty"`
}
