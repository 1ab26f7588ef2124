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

// ProtectionRule is a Protection as webhooks show it. Levels are off, non_admins and everyone.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#branch_protection_rule
type ProtectionRule struct {
	ID             int64    `json:"id"`
	RepositoryID   int64    `json:"repository_id"`
	Name           string   `json:"name"`
	CreatedAt      Time     `json:"created_at"`
	UpdatedAt      Time     `json:"updated_at"`
	Reviews        string   `json:"pull_request_reviews_enforcement_level"`
	Count          int      `json:"required_approving_review_count"`
	DismissStale   bool     `json:"dismiss_stale_reviews_on_push"`
	CodeOwners     bool     `json:"require_code_owner_review"`
	DismissersOnly bool     `json:"authorized_dismissal_actors_only"`
	IgnoreAuthors  bool     `json:"ignore_approvals_from_contributors"`
	Contexts       []string `json:"required_status_checks"`
	Checks         string   `json:"required_status_checks_enforcement_level"`
	Strict         bool     `json:"strict_required_status_checks_policy"`
	Signatures     string   `json:"signature_requirement_enforcement_level"`
	Linear         string   `json:"linear_history_requirement_enforcement_level"`
	Lock           string   `json:"lock_branch_enforcement_level"`
	Admins         bool     `json:"admin_enforced"`
	ForcePushes    string   `json:"allow_force_pushes_enforcement_level"`
	Deletions      string   `json:"allow_deletions_enforcement_level"`
	MergeQueue     string   `json:"merge_queue_enforcement_level"`
	Deployments    string   `json:"required_deployments_enforcement_level"`
	Conversations  string   `json:"required_conversation_resolution_level"`
	ActorsOnly     bool     `json:"authorized_actors_only"`
	Actors         []string `json:"authorized_actor_names"`
}
