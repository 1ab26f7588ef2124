package wire

import (
	"encoding/json"
)

// Review is what somebody says about a pull request as a whole.
// https://docs.github.com/en/rest/pulls/reviews#get-a-review-for-a-pull-request
type Review struct {
	ID                int64       `json:"id"`
	NodeID            string      `json:"node_id"`
	User              User        `json:"user"`
	Body              string      `json:"body"`
	State             string      `json:"state"` // PENDING, COMMENTED, APPROVED, CHANGES_REQUESTED, DISMISSED; events have it in lower case
	HTMLURL           string      `json:"html_url"`
	PullRequestURL    string      `json:"pull_request_url"`
	AuthorAssociation string      `json:"author_association"`
	Links             ReviewLinks `json:"_links"`
	SubmittedAt       *Time       `json:"submitted_at,omitempty"` // absent while it is pending
	CommitID          string      `json:"commit_id"`
}

// ReviewLinks repeats addresses of a Review.
type ReviewLinks struct {
	HTML        Href `json:"html"`
	PullRequest Href `json:"pull_request"`
}

// Link fills in the addresses of a review of a pull request.
func (r *Review) Link(b Base, repo string, pull int) {
	r.NodeID = NodeID("PullRequestReview", r.ID)
	r.HTMLURL = b.HTML("/%s/pull/%d#pullrequestreview-%d", EscapePath(repo), pull, r.ID)
	r.PullRequestURL = b.API("/repos/%s/pulls/%d", EscapePath(repo), pull)
	r.Links = ReviewLinks{HTML: Href{r.HTMLURL}, PullRequest: Href{r.PullRequestURL}}
}

// ReviewComment is a comment on a line or a file of a pull request's diff. What it points at is null once the
// head has moved past it; the original values stay.
// https://docs.github.com/en/rest/pulls/comments#get-a-review-comment-for-a-pull-request
type ReviewComment struct {
	URL               string             `json:"url"`
	ReviewID          int64              `json:"pull_request_review_id"`
	ID                int64              `json:"id"`
	NodeID            string             `json:"node_id"`
	DiffHunk          string             `json:"diff_hunk"`
	Path              string             `json:"path"`
	CommitID          string             `json:"commit_id"`
	OriginalCommitID  string             `json:"original_commit_id"`
	InReplyTo         int64              `json:"in_reply_to_id,omitempty"`
	User              User               `json:"user"`
	Body              string             `json:"body"`
	CreatedAt         Time               `json:"created_at"`
	UpdatedAt         Time               `json:"updated_at"`
	HTMLURL           string             `json:"html_url"`
	PullRequestURL    string             `json:"pull_request_url"`
	AuthorAssociation string             `json:"author_association"`
	Links             ReviewCommentLinks `json:"_links"`
	StartLine         *int               `json:"start_line"`
	OriginalStartLine *int               `json:"original_start_line"`
	StartSide         *string            `json:"start_side"`
	Line              *int               `json:"line"`
	OriginalLine      *int               `json:"original_line"`
	Side              string             `json:"side"`
	Position          *int               `json:"position"`
	OriginalPosition  *int               `json:"original_position"`
	SubjectType       string             `json:"subject_type"` // line, file
	Reactions         Reactions          `json:"reactions"`
}

// ReviewCommentLinks repeats addresses of a ReviewComment.
type ReviewCommentLinks struct {
	Self        Href `json:"self"`
	HTML        Href `json:"html"`
	PullRequest Href `json:"pull_request"`
}

// Link fills in the addresses of a comment on the diff of a pull request.
func (c *ReviewComment) Link(b Base, repo string, pull int) {
	c.NodeID = NodeID("PullRequestReviewComment", c.ID)
	c.URL = b.API("/repos/%s/pulls/comments/%d", EscapePath(repo), c.ID)
	c.HTMLURL = b.HTML("/%s/pull/%d#discussion_r%d", EscapePath(repo), pull, c.ID)
	c.PullRequestURL = b.API("/repos/%s/pulls/%d", EscapePath(repo), pull)
	c.Links = ReviewCommentLinks{Self: Href{c.URL}, HTML: Href{c.HTMLURL}, PullRequest: Href{c.PullRequestURL}}
	c.Reactions.URL = c.URL + "/reactions"
}

// ReviewEvent is the webhook body of a review, or of a comment on a diff. The pull request has no fields
// beyond those of lists, as at GitHub.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request_review
type ReviewEvent struct {
	Action       string         `json:"action"`
	Review       *EventReview   `json:"review,omitempty"`
	Comment      *ReviewComment `json:"comment,omitempty"`
	PullRequest  ListedPull     `json:"pull_request"`
	Changes      map[string]any `json:"changes,omitempty"`
	Repository   *Repository    `json:"repository"`
	Organization *Organization  `json:"organization,omitempty"`
	Sender       *User          `json:"sender"`
}

// EventReview is a review as events show it: an empty text is null.
type EventReview struct {
	Review
	Body *string `json:"body"`
}

// Reviewers are those whose review is asked for.
// https://docs.github.com/en/rest/pulls/review-requests#get-all-requested-reviewers-for-a-pull-request
type Reviewers struct {
	Users []User `json:"users"`
	Teams []Team `json:"teams"`
}

// Unmet is the 422 answer that says in sentences what is wrong.
func Unmet(reasons ...string) *Error {
	e := Unprocessable("Unprocessable Entity")
	for _, r := range reasons {
		e.Errors = append(e.Errors, FieldError{Message: r})
	}
	return e
}

// MarshalJSON implements json.Marshaler. What names no field is a sentence.
func (f FieldError) MarshalJSON() ([]byte, error) {
	if f.Resource == "" && f.Code == "" {
		return json.Marshal(f.Message)
	}
	type plain FieldError
	return json.Marshal(plain(f))
}
