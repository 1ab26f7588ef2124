package wire

// TeamBrief is a team as it stands inside another.
type TeamBrief struct {
	ID                  int64   `json:"id"`
	NodeID              string  `json:"node_id"`
	Name                string  `json:"name"`
	Slug                string  `json:"slug"`
	Description         *string `json:"description"`
	Privacy             string  `json:"privacy"`                        // closed, secret
	NotificationSetting string  `json:"notification_setting,omitempty"` // notifications_enabled, notifications_disabled
	Permission          string  `json:"permission"`                     // pull, triage, push, maintain, admin
	URL                 string  `json:"url"`
	HTMLURL             string  `json:"html_url"`
	MembersURL          string  `json:"members_url"`
	RepositoriesURL     string  `json:"repositories_url"`
	Type                string  `json:"type,omitempty"` // organization
	OrganizationID      int64   `json:"organization_id,omitempty"`
}

// asked is a team as events about pull requests show those whose review is asked for.
func (t TeamBrief) asked() TeamBrief {
	t.NotificationSetting, t.Type, t.OrganizationID = "", "", 0
	return t
}

// Team is a team of an organisation. See https://docs.github.com/en/rest/teams/teams.
type Team struct {
	TeamBrief
	Permissions *Permissions `json:"permissions,omitempty"` // in the repository whose teams are listed
	Parent      *TeamBrief   `json:"parent"`
}

// AskedTeams are teams as events about pull requests show those whose review is asked for.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request
func AskedTeams(all []Team) []Team {
	out := make([]Team, len(all))
	for n, t := range all {
		t.TeamBrief = t.asked()
		if t.Parent != nil {
			above := t.Parent.asked()
			t.Parent = &above
		}
		out[n] = t
	}
	return out
}

// FullTeam is a team as asked for by name.
type FullTeam struct {
	Team
	CreatedAt    Time             `json:"created_at"`
	UpdatedAt    Time             `json:"updated_at"`
	MembersCount int              `json:"members_count"`
	ReposCount   int              `json:"repos_count"`
	Organization TeamOrganization `json:"organization"`
}

// TeamOrganization is an organisation as its teams show it.
type TeamOrganization struct {
	Organization
	Name                    string `json:"name"`
	IsVerified              bool   `json:"is_verified"`
	HasOrganizationProjects bool   `json:"has_organization_projects"`
	HasRepositoryProjects   bool   `json:"has_repository_projects"`
	PublicRepos             int    `json:"public_repos"`
	PublicGists             int    `json:"public_gists"`
	Followers               int    `json:"followers"`
	Following               int    `json:"following"`
	HTMLURL                 string `json:"html_url"`
	CreatedAt               Time   `json:"created_at"`
	UpdatedAt               Time   `json:"updated_at"`
	ArchivedAt              Time   `json:"archived_at"`
	Type                    string `json:"type"`
}

// TeamMembership is what an account is in a team.
type TeamMembership struct {
	URL   string `json:"url"`
	Role  string `json:"role"`  // member, maintainer
	State string `json:"state"` // active, pending
}

// TeamRepository is a repository as a team has it.
type TeamRepository struct {
	Repository
	RoleName       string `json:"role_name"`
	HasDiscussions *bool  `json:"has_discussions,omitempty"` // nil: this form does not tell
}
