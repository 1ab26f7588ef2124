package wire

// Protection is what a branch is protected with.
// https://docs.github.com/en/rest/branches/branch-protection#get-branch-protection
type Protection struct {
	URL              string           `json:"url"`
	Checks           *RequiredChecks  `json:"required_status_checks,omitempty"`
	Reviews          *RequiredReviews `json:"required_pull_request_reviews,omitempty"`
	Signatures       Switch           `json:"required_signatures"`
	Admins           Switch           `json:"enforce_admins"`
	Restrictions     *Restrictions    `json:"restrictions,omitempty"`
	LinearHistory    Switch           `json:"required_linear_history"`
	ForcePushes      Switch           `json:"allow_force_pushes"`
	Deletions        Switch           `json:"allow_deletions"`
	BlockCreations   Switch           `json:"block_creations"`
	Conversations    Switch           `json:"required_conversation_resolution"`
	LockBranch       Switch           `json:"lock_branch"`
	AllowForkSyncing Switch           `json:"allow_fork_syncing"`
}

// Switch is a part of a Protection that is on or off.
type Switch struct {
	URL     string `json:"url,omitempty"`
	Enabled bool   `json:"enabled"`
}

// RequiredChecks are the checks that a commit must have passed.
type RequiredChecks struct {
	URL         string          `json:"url"`
	Strict      bool            `json:"strict"`
	Contexts    []string        `json:"contexts"`
	ContextsURL string          `json:"contexts_url"`
	Checks      []RequiredCheck `json:"checks"`
}

// RequiredCheck is one of them.
type RequiredCheck struct {
	Context string `json:"context"`
	AppID   *int64 `json:"app_id"` // null: whoever says it
}

// RequiredReviews says how many have to approve.
type RequiredReviews struct {
	URL          string `json:"url"`
	DismissStale bool   `json:"dismiss_stale_reviews"`
	CodeOwners   bool   `json:"require_code_owner_reviews"`
	Count        int    `json:"required_approving_review_count"`
	LastPush     bool   `json:"require_last_push_approval"`
}

// Restrictions are those who alone may push.
type Restrictions struct {
	URL      string     `json:"url"`
	UsersURL string     `json:"users_url"`
	TeamsURL string     `json:"teams_url"`
	AppsURL  string     `json:"apps_url"`
	Users    []User     `json:"users"`
	Teams    []struct{} `json:"teams"`
	Apps     []struct{} `json:"apps"`
}
