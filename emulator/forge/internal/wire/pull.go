package wire

import "strconv"

// Pull is a pull request as it is asked for by number, and as events show it.
// https://docs.github.com/en/rest/pulls/pulls#get-a-pull-request
type Pull struct {
	ListedPull
	Merged              bool   `json:"merged"`
	Mergeable           *bool  `json:"mergeable"` // null until it is known
	Rebaseable          *bool  `json:"rebaseable"`
	MergeableState      string `json:"mergeable_state"` // clean, dirty, unknown, draft, behind, blocked, unstable
	MergedBy            *User  `json:"merged_by"`
	Comments            int    `json:"comments"`
	ReviewComments      int    `json:"review_comments"`
	MaintainerCanModify bool   `json:"maintainer_can_modify"`
	Commits             int    `json:"commits"`
	Additions           int    `json:"additions"`
	Deletions           int    `json:"deletions"`
	ChangedFiles        int    `json:"changed_files"`
}

// ListedPull is a pull request as lists show it.
type ListedPull struct {
	URL                string     `json:"url"`
	ID                 int64      `json:"id"`
	NodeID             string     `json:"node_id"`
	HTMLURL            string     `json:"html_url"`
	DiffURL            string     `json:"diff_url"`
	PatchURL           string     `json:"patch_url"`
	IssueURL           string     `json:"issue_url"`
	Number             int        `json:"number"`
	State              string     `json:"state"`
	Locked             bool       `json:"locked"`
	Title              string     `json:"title"`
	User               User       `json:"user"`
	Body               *string    `json:"body"`
	CreatedAt          Time       `json:"created_at"`
	UpdatedAt          Time       `json:"updated_at"`
	ClosedAt           Time       `json:"closed_at"`
	MergedAt           Time       `json:"merged_at"`
	MergeCommitSHA     *string    `json:"merge_commit_sha"` // of an open one: the test merge
	Assignee           *User      `json:"assignee"`
	Assignees          []User     `json:"assignees"`
	RequestedReviewers []User     `json:"requested_reviewers"`
	RequestedTeams     []Team     `json:"requested_teams"`
	Labels             []Label    `json:"labels"`
	Milestone          *Milestone `json:"milestone"`
	Draft              bool       `json:"draft"`
	CommitsURL         string     `json:"commits_url"`
	ReviewCommentsURL  string     `json:"review_comments_url"`
	ReviewCommentURL   string     `json:"review_comment_url"`
	CommentsURL        string     `json:"comments_url"`
	StatusesURL        string     `json:"statuses_url"`
	Head               PullEnd    `json:"head"`
	Base               PullEnd    `json:"base"`
	Links              PullLinks  `json:"_links"`
	AuthorAssociation  string     `json:"author_association"`
	AutoMerge          *struct{}  `json:"auto_merge"`
	ActiveLockReason   *string    `json:"active_lock_reason"`
}

// PullEnd is a branch that a pull request leads from or to, at one commit.
type PullEnd struct {
	Label string      `json:"label"` // owner:branch
	Ref   string      `json:"ref"`
	SHA   string      `json:"sha"`
	User  *User       `json:"user"`
	Repo  *Repository `json:"repo"` // null when it is gone
}

// PullLinks repeats addresses of a Pull.
type PullLinks struct {
	Self           Href `json:"self"`
	HTML           Href `json:"html"`
	Issue          Href `json:"issue"`
	Comments       Href `json:"comments"`
	ReviewComments Href `json:"review_comments"`
	ReviewComment  Href `json:"review_comment"`
	Commits        Href `json:"commits"`
	Statuses       Href `json:"statuses"`
}

// Href is an address.
type Href struct {
	Href string `json:"href"`
}

// Link fills in the addresses of a pull request of a repository. Its ID, Number and head are set.
func (p *ListedPull) Link(b Base, repo string) {
	repo, n := EscapePath(repo), strconv.Itoa(p.Number)
	api := b.api + "/repos/" + repo
	p.NodeID = NodeID("PullRequest", p.ID)
	p.URL, p.IssueURL = api+"/pulls/"+n, api+"/issues/"+n
	p.HTMLURL = b.site + "/" + repo + "/pull/" + n
	p.DiffURL, p.PatchURL = p.HTMLURL+".diff", p.HTMLURL+".patch"
	p.CommitsURL, p.ReviewCommentsURL = p.URL+"/commits", p.URL+"/comments"
	p.ReviewCommentURL, p.CommentsURL = api+"/pulls/comments{/number}", p.IssueURL+"/comments"
	p.StatusesURL = api + "/statuses/" + p.Head.SHA
	p.Links = PullLinks{
		Self: Href{p.URL}, HTML: Href{p.HTMLURL}, Issue: Href{p.IssueURL}, Comments: Href{p.CommentsURL},
		ReviewComments: Href{p.ReviewCommentsURL}, ReviewComment: Href{p.ReviewCommentURL}, Commits: Href{p.CommitsURL}, Statuses: Href{p.StatusesURL},
	}
}

// PullOfIssue says in an issue that it is a pull request.
type PullOfIssue struct {
	URL      string `json:"url"`
	HTMLURL  string `json:"html_url"`
	DiffURL  string `json:"diff_url"`
	PatchURL string `json:"patch_url"`
	MergedAt Time   `json:"merged_at"`
}

// AsPull makes the addresses of an issue, which Link has set, those of a pull request with an id of its own.
func (i *Issue) AsPull(b Base, repo string, id int64, merged Time) {
	p := ListedPull{ID: id, Number: i.Number}
	p.Link(b, repo)
	i.HTMLURL, i.NodeID = p.HTMLURL, p.NodeID
	i.PullRequest = &PullOfIssue{URL: p.URL, HTMLURL: p.HTMLURL, DiffURL: p.DiffURL, PatchURL: p.PatchURL, MergedAt: merged}
}

// MergedPull answers a merge.
type MergedPull struct {
	SHA     string `json:"sha"`
	Merged  bool   `json:"merged"`
	Message string `json:"message"`
}
