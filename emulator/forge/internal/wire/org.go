package wire

// OrganizationProfile is an organisation as asked for by name. What only its members see is nil for
// others.
type OrganizationProfile struct {
	Organization
	Name                      string  `json:"name"`
	Company                   *string `json:"company"`
	Blog                      string  `json:"blog,omitempty"`
	Location                  *string `json:"location"`
	Email                     *string `json:"email"`
	TwitterUsername           *string `json:"twitter_username"`
	IsVerified                bool    `json:"is_verified"`
	HasOrganizationProjects   bool    `json:"has_organization_projects"`
	HasRepositoryProjects     bool    `json:"has_repository_projects"`
	PublicRepos               int     `json:"public_repos"`
	PublicGists               int     `json:"public_gists"`
	Followers                 int     `json:"followers"`
	Following                 int     `json:"following"`
	HTMLURL                   string  `json:"html_url"`
	CreatedAt                 Time    `json:"created_at"`
	UpdatedAt                 Time    `json:"updated_at"`
	ArchivedAt                Time    `json:"archived_at"`
	Type                      string  `json:"type"`
	TotalPrivateRepos         *int    `json:"total_private_repos,omitempty"`
	OwnedPrivateRepos         *int    `json:"owned_private_repos,omitempty"`
	DefaultPermission         string  `json:"default_repository_permission,omitempty"`
	MembersCanCreateRepos     *bool   `json:"members_can_create_repositories,omitempty"`
	TwoFactorRequirementOn    *bool   `json:"two_factor_requirement_enabled,omitempty"`
	MembersCanCreatePublic    *bool   `json:"members_can_create_public_repositories,omitempty"`
	MembersCanCreatePrivate   *bool   `json:"members_can_create_private_repositories,omitempty"`
	MembersAllowedRepoCreated string  `json:"members_allowed_repository_creation_type,omitempty"`
}

// Membership is what an account is in an organisation.
type Membership struct {
	URL             string       `json:"url"`
	State           string       `json:"state"` // active, pending
	Role            string       `json:"role"`  // admin, member
	OrganizationURL string       `json:"organization_url"`
	Organization    Organization `json:"organization"`
	User            User         `json:"user"`
}
