package wire

import "strconv"

// Label is a label of a repository.
type Label struct {
	ID          int64   `json:"id"`
	NodeID      string  `json:"node_id"`
	URL         string  `json:"url"`
	Name        string  `json:"name"`
	Color       string  `json:"color"`
	Default     bool    `json:"default"`
	Description *string `json:"description"`
}

// Issue is an issue.
type Issue struct {
	URL               string     `json:"url"`
	RepositoryURL     string     `json:"repository_url"`
	LabelsURL         string     `json:"labels_url"`
	CommentsURL       string     `json:"comments_url"`
	EventsURL         string     `json:"events_url"`
	HTMLURL           string     `json:"html_url"`
	ID                int64      `json:"id"`
	NodeID            string     `json:"node_id"`
	Number            int        `json:"number"`
	Title             string     `json:"title"`
	User              User       `json:"user"`
	Labels            []Label    `json:"labels"`
	State             string     `json:"state"`
	Locked            bool       `json:"locked"`
	Assignee          *User      `json:"assignee"`
	Assignees         []User     `json:"assignees"`
	Milestone         *Milestone `json:"milestone"`
	Comments          int        `json:"comments"`
	CreatedAt         Time       `json:"created_at"`
	UpdatedAt         Time       `json:"updated_at"`
	ClosedAt          Time       `json:"closed_at"`
	ClosedBy          *User      `json:"closed_by"`
	AuthorAssociation string     `json:"author_association"`
	ActiveLockReason  *string    `json:"active_lock_reason"`
	Body              *string    `json:"body"`
	Reactions         Reactions  `json:"reactions"`
	TimelineURL       string     `json:"timeline_url"`
	StateReason       *string    `json:"state_reason"`
	Type              *struct{}  `json:"type"`
	App               *struct{}  `json:"performed_via_github_app"`

	PullRequest *PullOfIssue `json:"pull_request,omitempty"` // of a pull request only
	Draft       *bool        `json:"draft,omitempty"`
}

// Link fills in the addresses of an issue of the repository at repoURL.
func (i *Issue) Link(b Base, repo string) {
	repo = EscapePath(repo)
	issue := "/issues/" + strconv.Itoa(i.Number)
	i.RepositoryURL = b.api + "/repos/" + repo
	i.URL = i.RepositoryURL + issue
	i.LabelsURL, i.CommentsURL = i.URL+"/labels{/name}", i.URL+"/comments"
	i.EventsURL, i.TimelineURL = i.URL+"/events", i.URL+"/timeline"
	i.HTMLURL = b.site + "/" + repo + issue
	i.NodeID = NodeID("Issue", i.ID)
	i.Reactions.URL = i.URL + "/reactions"
}

// Reactions counts reactions.
type Reactions struct {
	URL      string `json:"url"`
	Total    int    `json:"total_count"`
	PlusOne  int    `json:"+1"`
	MinusOne int    `json:"-1"`
	Laugh    int    `json:"laugh"`
	Hooray   int    `json:"hooray"`
	Confused int    `json:"confused"`
	Heart    int    `json:"heart"`
	Rocket   int    `json:"rocket"`
	Eyes     int    `json:"eyes"`
}

// Comment is a comment on an issue.
type Comment struct {
	URL               string    `json:"url"`
	HTMLURL           string    `json:"html_url"`
	IssueURL          string    `json:"issue_url"`
	ID                int64     `json:"id"`
	NodeID            string    `json:"node_id"`
	User              User      `json:"user"`
	CreatedAt         Time      `json:"created_at"`
	UpdatedAt         Time      `json:"updated_at"`
	Body              string    `json:"body"`
	AuthorAssociation string    `json:"author_association"`
	Reactions         Reactions `json:"reactions"`
	App               *struct{} `json:"performed_via_github_app"`
}

// Link fills in the addresses of a comment on an issue.
func (c *Comment) Link(b Base, repo string, issue int) {
	c.URL = b.API("/repos/%s/issues/comments/%d", EscapePath(repo), c.ID)
	c.IssueURL = b.API("/repos/%s/issues/%d", EscapePath(repo), issue)
	c.HTMLURL = b.HTML("/%s/issues/%d#issuecomment-%d", EscapePath(repo), issue, c.ID)
	c.NodeID = NodeID("IssueComment", c.ID)
	c.Reactions.URL = c.URL + "/reactions"
}
