package wire

import "net/url"

// User is an account as it stands inside other objects.
type User struct {
	Login             string `json:"login"`
	ID                int64  `json:"id"`
	NodeID            string `json:"node_id"`
	AvatarURL         string `json:"avatar_url"`
	GravatarID        string `json:"gravatar_id"`
	URL               string `json:"url"`
	HTMLURL           string `json:"html_url"`
	FollowersURL      string `json:"followers_url"`
	FollowingURL      string `json:"following_url"`
	GistsURL          string `json:"gists_url"`
	StarredURL        string `json:"starred_url"`
	SubscriptionsURL  string `json:"subscriptions_url"`
	OrganizationsURL  string `json:"organizations_url"`
	ReposURL          string `json:"repos_url"`
	EventsURL         string `json:"events_url"`
	ReceivedEventsURL string `json:"received_events_url"`
	Type              string `json:"type"` // User, Bot, Organization
	UserViewType      string `json:"user_view_type"`
	SiteAdmin         bool   `json:"site_admin"`
}

// NewUser returns the account's addresses and type.
func NewUser(b Base, id int64, login, kind string) User {
	u := b.API("/users/%s", url.PathEscape(login))
	return User{
		Login: login, ID: id, NodeID: NodeID(kind, id),
		AvatarURL: b.Avatar(id), URL: u, HTMLURL: b.HTML("/%s", url.PathEscape(login)),
		FollowersURL: u + "/followers", FollowingURL: u + "/following{/other_user}",
		GistsURL: u + "/gists{/gist_id}", StarredURL: u + "/starred{/owner}{/repo}",
		SubscriptionsURL: u + "/subscriptions", OrganizationsURL: u + "/orgs", ReposURL: u + "/repos",
		EventsURL: u + "/events{/privacy}", ReceivedEventsURL: u + "/received_events",
		Type: kind, UserViewType: "public",
	}
}

// Profile is an account as asked for by name.
type Profile struct {
	User
	Name        *string `json:"name"`
	Company     *string `json:"company"`
	Blog        string  `json:"blog"`
	Location    *string `json:"location"`
	Email       *string `json:"email"`
	Hireable    *bool   `json:"hireable"`
	Bio         *string `json:"bio"`
	PublicRepos int     `json:"public_repos"`
	PublicGists int     `json:"public_gists"`
	Followers   int     `json:"followers"`
	Following   int     `json:"following"`
	CreatedAt   Time    `json:"created_at"`
	UpdatedAt   Time    `json:"updated_at"`
}

// Organization is an organisation as it stands in lists and in webhook bodies.
type Organization struct {
	Login            string  `json:"login"`
	ID               int64   `json:"id"`
	NodeID           string  `json:"node_id"`
	URL              string  `json:"url"`
	ReposURL         string  `json:"repos_url"`
	EventsURL        string  `json:"events_url"`
	HooksURL         string  `json:"hooks_url"`
	IssuesURL        string  `json:"issues_url"`
	MembersURL       string  `json:"members_url"`
	PublicMembersURL string  `json:"public_members_url"`
	AvatarURL        string  `json:"avatar_url"`
	Description      *string `json:"description"`
}

// NewOrganization returns the organisation's addresses.
func NewOrganization(b Base, id int64, login string) *Organization {
	u := b.API("/orgs/%s", url.PathEscape(login))
	return &Organization{
		Login: login, ID: id, NodeID: NodeID("Organization", id), URL: u,
		ReposURL: u + "/repos", EventsURL: u + "/events", HooksURL: u + "/hooks", IssuesURL: u + "/issues",
		MembersURL: u + "/members{/member}", PublicMembersURL: u + "/public_members{/member}",
		AvatarURL: b.Avatar(id),
	}
}

// Collaborator is somebody with a role in a repository.
type Collaborator struct {
	User
	Permissions Permissions `json:"permissions"`
	RoleName    string      `json:"role_name"`
}

// Permissions are what somebody may do in a repository.
type Permissions struct {
	Admin    bool `json:"admin"`
	Maintain bool `json:"maintain"`
	Push     bool `json:"push"`
	Triage   bool `json:"triage"`
	Pull     bool `json:"pull"`
}

// Permission is the answer to "what may this user do here".
type Permission struct {
	Permission string       `json:"permission"` // admin, write, read, none
	RoleName   string       `json:"role_name"`  // admin, maintain, write, triage, read, none
	User       Collaborator `json:"user"`
}
