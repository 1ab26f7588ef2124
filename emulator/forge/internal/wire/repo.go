package wire

// ShortRepository is a repository as it stands inside runs.
type ShortRepository struct {
	ID               int64   `json:"id"`
	NodeID           string  `json:"node_id"`
	Name             string  `json:"name"`
	FullName         string  `json:"full_name"`
	Private          bool    `json:"private"`
	Owner            User    `json:"owner"`
	HTMLURL          string  `json:"html_url"`
	Description      *string `json:"description"`
	Fork             bool    `json:"fork"`
	URL              string  `json:"url"`
	ForksURL         string  `json:"forks_url"`
	KeysURL          string  `json:"keys_url"`
	CollaboratorsURL string  `json:"collaborators_url"`
	TeamsURL         string  `json:"teams_url"`
	HooksURL         string  `json:"hooks_url"`
	IssueEventsURL   string  `json:"issue_events_url"`
	EventsURL        string  `json:"events_url"`
	AssigneesURL     string  `json:"assignees_url"`
	BranchesURL      string  `json:"branches_url"`
	TagsURL          string  `json:"tags_url"`
	BlobsURL         string  `json:"blobs_url"`
	GitTagsURL       string  `json:"git_tags_url"`
	GitRefsURL       string  `json:"git_refs_url"`
	TreesURL         string  `json:"trees_url"`
	StatusesURL      string  `json:"statuses_url"`
	LanguagesURL     string  `json:"languages_url"`
	StargazersURL    string  `json:"stargazers_url"`
	ContributorsURL  string  `json:"contributors_url"`
	SubscribersURL   string  `json:"subscribers_url"`
	SubscriptionURL  string  `json:"subscription_url"`
	CommitsURL       string  `json:"commits_url"`
	GitCommitsURL    string  `json:"git_commits_url"`
	CommentsURL      string  `json:"comments_url"`
	IssueCommentURL  string  `json:"issue_comment_url"`
	ContentsURL      string  `json:"contents_url"`
	CompareURL       string  `json:"compare_url"`
	MergesURL        string  `json:"merges_url"`
	ArchiveURL       string  `json:"archive_url"`
	DownloadsURL     string  `json:"downloads_url"`
	IssuesURL        string  `json:"issues_url"`
	PullsURL         string  `json:"pulls_url"`
	MilestonesURL    string  `json:"milestones_url"`
	NotificationsURL string  `json:"notifications_url"`
	LabelsURL        string  `json:"labels_url"`
	ReleasesURL      string  `json:"releases_url"`
	DeploymentsURL   string  `json:"deployments_url"`
}

// Repository is a repository as it stands in lists and in webhook bodies.
type Repository struct {
	ShortRepository
	CreatedAt       Time         `json:"created_at"`
	UpdatedAt       Time         `json:"updated_at"`
	PushedAt        Time         `json:"pushed_at"`
	GitURL          string       `json:"git_url"`
	SSHURL          string       `json:"ssh_url"`
	CloneURL        string       `json:"clone_url"`
	SVNURL          string       `json:"svn_url"`
	Homepage        *string      `json:"homepage"`
	Size            int          `json:"size"`
	StargazersCount int          `json:"stargazers_count"`
	WatchersCount   int          `json:"watchers_count"`
	Language        *string      `json:"language"`
	HasIssues       bool         `json:"has_issues"`
	HasProjects     bool         `json:"has_projects"`
	HasDownloads    bool         `json:"has_downloads"`
	HasWiki         bool         `json:"has_wiki"`
	HasPages        bool         `json:"has_pages"`
	HasDiscussions  bool         `json:"has_discussions"`
	ForksCount      int          `json:"forks_count"`
	MirrorURL       *string      `json:"mirror_url"`
	Archived        bool         `json:"archived"`
	Disabled        bool         `json:"disabled"`
	OpenIssuesCount int          `json:"open_issues_count"`
	License         *struct{}    `json:"license"`
	AllowForking    bool         `json:"allow_forking"`
	Signoff         bool         `json:"web_commit_signoff_required"`
	IsTemplate      bool         `json:"is_template"`
	Topics          []string     `json:"topics"`
	Visibility      string       `json:"visibility"`
	Forks           int          `json:"forks"`
	OpenIssues      int          `json:"open_issues"`
	Watchers        int          `json:"watchers"`
	DefaultBranch   string       `json:"default_branch"`
	Permissions     *Permissions `json:"permissions,omitempty"`
	*MergeSettings               // for who may push, and in events about pull requests
}

// FullRepository is a repository as asked for by name.
type FullRepository struct {
	Repository
	Organization     *User       `json:"organization,omitempty"`
	Parent           *Repository `json:"parent,omitempty"`
	Source           *Repository `json:"source,omitempty"`
	NetworkCount     int         `json:"network_count"`
	SubscribersCount int         `json:"subscribers_count"`
}

// MergeSettings say how pull requests of a repository can be merged.
type MergeSettings struct {
	AllowMergeCommit    bool `json:"allow_merge_commit"`
	AllowSquashMerge    bool `json:"allow_squash_merge"`
	AllowRebaseMerge    bool `json:"allow_rebase_merge"`
	AllowAutoMerge      bool `json:"allow_auto_merge"`
	AllowUpdateBranch   bool `json:"allow_update_branch"`
	DeleteBranchOnMerge bool `json:"delete_branch_on_merge"`

	SquashTitleDefault string `json:"squash_merge_commit_title"`
	SquashTextDefault  string `json:"squash_merge_commit_message"`
	MergeTitleDefault  string `json:"merge_commit_title"`
	MergeTextDefault   string `json:"merge_commit_message"`
}

// Link fills in the addresses of a repository that has an id, an owner and a name.
func (r *Repository) Link(b Base) {
	r.NodeID = NodeID("Repository", r.ID)
	r.FullName = r.Owner.Login + "/" + r.Name
	r.HTMLURL = b.HTML("/%s", EscapePath(r.FullName))
	r.CloneURL, r.SVNURL = r.HTMLURL+".git", r.HTMLURL
	r.GitURL, r.SSHURL = r.HTMLURL+".git", r.HTMLURL+".git"
	u := b.API("/repos/%s", EscapePath(r.FullName))
	r.URL = u
	r.ForksURL, r.KeysURL = u+"/forks", u+"/keys{/key_id}"
	r.CollaboratorsURL, r.TeamsURL = u+"/collaborators{/collaborator}", u+"/teams"
	r.HooksURL, r.IssueEventsURL = u+"/hooks", u+"/issues/events{/number}"
	r.EventsURL, r.AssigneesURL = u+"/events", u+"/assignees{/user}"
	r.BranchesURL, r.TagsURL = u+"/branches{/branch}", u+"/tags"
	r.BlobsURL, r.GitTagsURL = u+"/git/blobs{/sha}", u+"/git/tags{/sha}"
	r.GitRefsURL, r.TreesURL = u+"/git/refs{/sha}", u+"/git/trees{/sha}"
	r.StatusesURL, r.LanguagesURL = u+"/statuses/{sha}", u+"/languages"
	r.StargazersURL, r.ContributorsURL = u+"/stargazers", u+"/contributors"
	r.SubscribersURL, r.SubscriptionURL = u+"/subscribers", u+"/subscription"
	r.CommitsURL, r.GitCommitsURL = u+"/commits{/sha}", u+"/git/commits{/sha}"
	r.CommentsURL, r.IssueCommentURL = u+"/comments{/number}", u+"/issues/comments{/number}"
	r.ContentsURL, r.CompareURL = u+"/contents/{+path}", u+"/compare/{base}...{head}"
	r.MergesURL, r.ArchiveURL = u+"/merges", u+"/{archive_format}{/ref}"
	r.DownloadsURL, r.IssuesURL = u+"/downloads", u+"/issues{/number}"
	r.PullsURL, r.MilestonesURL = u+"/pulls{/number}", u+"/milestones{/number}"
	r.NotificationsURL, r.LabelsURL = u+"/notifications{?since,all,participating}", u+"/labels{/name}"
	r.ReleasesURL, r.DeploymentsURL = u+"/releases{/id}", u+"/deployments"
}
