package wire

import "net/url"

// App is a GitHub App, as itself or as who made a check run. See https://docs.github.com/en/rest/apps/apps.
type App struct {
	ID            int64             `json:"id"`
	Slug          string            `json:"slug"`
	NodeID        string            `json:"node_id"`
	ClientID      string            `json:"client_id,omitempty"`
	Owner         User              `json:"owner"`
	Name          string            `json:"name"`
	Description   *string           `json:"description"`
	ExternalURL   string            `json:"external_url"`
	HTMLURL       string            `json:"html_url"`
	CreatedAt     Time              `json:"created_at"`
	UpdatedAt     Time              `json:"updated_at"`
	Permissions   map[string]string `json:"permissions"`
	Events        []string          `json:"events"`
	Installations *int              `json:"installations_count,omitempty"` // to the app itself
}

// Installation is an app on an account. See https://docs.github.com/en/rest/apps/apps.
type Installation struct {
	ID                     int64             `json:"id"`
	Account                User              `json:"account"`
	RepositorySelection    string            `json:"repository_selection"` // all, selected
	AccessTokensURL        string            `json:"access_tokens_url"`
	RepositoriesURL        string            `json:"repositories_url"`
	HTMLURL                string            `json:"html_url"`
	AppID                  int64             `json:"app_id"`
	AppSlug                string            `json:"app_slug"`
	ClientID               string            `json:"client_id"`
	TargetID               int64             `json:"target_id"`
	TargetType             string            `json:"target_type"` // User, Organization
	Permissions            map[string]string `json:"permissions"`
	Events                 []string          `json:"events"`
	CreatedAt              Time              `json:"created_at"`
	UpdatedAt              Time              `json:"updated_at"`
	SingleFileName         *string           `json:"single_file_name"`
	HasMultipleSingleFiles bool              `json:"has_multiple_single_files"`
	SingleFilePaths        []string          `json:"single_file_paths"`
	SuspendedBy            *User             `json:"suspended_by"`
	SuspendedAt            *Time             `json:"suspended_at"`
}

// InstallationToken is the answer to an app that asks for a token.
type InstallationToken struct {
	Token               string            `json:"token"`
	ExpiresAt           Time              `json:"expires_at"`
	Permissions         map[string]string `json:"permissions"`
	RepositorySelection string            `json:"repository_selection"`
	Repositories        []Repository      `json:"repositories,omitempty"` // where it was narrowed to some
}

// InstallationEvent is the webhook body of what happens to an installation; it goes to the app alone.
type InstallationEvent struct {
	Action       string            `json:"action"`
	Installation Installation      `json:"installation"`
	Repositories []RepositoryBrief `json:"repositories,omitempty"`
	Selection    string            `json:"repository_selection,omitempty"` // of installation_repositories
	Added        []RepositoryBrief `json:"repositories_added,omitzero"`    // of installation_repositories, also when there is none
	Removed      []RepositoryBrief `json:"repositories_removed,omitzero"`  // likewise
	Requester    *User             `json:"requester"`
	Organization *Organization     `json:"organization,omitempty"`
	Sender       *User             `json:"sender"`
}

// RepositoryBrief names a repository.
type RepositoryBrief struct {
	ID       int64  `json:"id"`
	NodeID   string `json:"node_id"`
	Name     string `json:"name"`
	FullName string `json:"full_name"`
	Private  bool   `json:"private"`
}

// InstallationBrief names, in a webhook body, the installation that the event is delivered for.
type InstallationBrief struct {
	ID     int64  `json:"id"`
	NodeID string `json:"node_id"`
}

// LinkApp fills in the addresses of an app.
func LinkApp(b Base, a *App) {
	a.NodeID = NodeID("Integration", a.ID)
	a.HTMLURL = b.HTML("/apps/%s", url.PathEscape(a.Slug))
	a.ExternalURL = a.HTMLURL
}

// LinkInstallation fills in the addresses of an installation.
func LinkInstallation(b Base, i *Installation) {
	i.AccessTokensURL = b.API("/app/installations/%d/access_tokens", i.ID)
	i.RepositoriesURL = b.API("/installation/repositories")
	i.HTMLURL = b.HTML("/settings/installations/%d", i.ID)
	if i.TargetType == "Organization" {
		i.HTMLURL = b.HTML("/organizations/%s/settings/installations/%d", url.PathEscape(i.Account.Login), i.ID)
	}
}
