package wire

// Milestone is a milestone of a repository.
// https://docs.github.com/en/rest/issues/milestones
type Milestone struct {
	URL         string  `json:"url"`
	HTMLURL     string  `json:"html_url"`
	LabelsURL   string  `json:"labels_url"`
	ID          int64   `json:"id"`
	NodeID      string  `json:"node_id"`
	Number      int     `json:"number"`
	Title       string  `json:"title"`
	Description *string `json:"description"`
	Creator     User    `json:"creator"`
	Open        int     `json:"open_issues"`
	Closed      int     `json:"closed_issues"`
	State       string  `json:"state"`
	CreatedAt   Time    `json:"created_at"`
	UpdatedAt   Time    `json:"updated_at"`
	DueOn       Time    `json:"due_on"`
	ClosedAt    Time    `json:"closed_at"`
}

// Link fills in the addresses of a milestone.
func (m *Milestone) Link(b Base, repo string) {
	repo = EscapePath(repo)
	m.URL = b.API("/repos/%s/milestones/%d", repo, m.Number)
	m.LabelsURL = m.URL + "/labels"
	m.HTMLURL = b.HTML("/%s/milestone/%d", repo, m.Number)
}

// Reaction is what somebody feels about an issue or a comment.
// https://docs.github.com/en/rest/reactions/reactions
type Reaction struct {
	ID        int64  `json:"id"`
	NodeID    string `json:"node_id"`
	User      User   `json:"user"`
	Content   string `json:"content"`
	CreatedAt Time   `json:"created_at"`
}
