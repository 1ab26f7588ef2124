package wire

// IssueEvent is something that happened to an issue: of the lists of events, and of a timeline.
// https://docs.github.com/en/rest/using-the-rest-api/issue-event-types
type IssueEvent struct {
	ID          int64           `json:"id"`
	NodeID      string          `json:"node_id"`
	URL         string          `json:"url"`
	Actor       *User           `json:"actor"`
	Event       string          `json:"event"`
	CommitID    *string         `json:"commit_id"`
	CommitURL   *string         `json:"commit_url"`
	CreatedAt   Time            `json:"created_at"`
	App         *struct{}       `json:"performed_via_github_app"`
	Label       *EventLabel     `json:"label,omitempty"`
	Assignee    *User           `json:"assignee,omitempty"`
	Assigner    *User           `json:"assigner,omitempty"` // not in a timeline
	Milestone   *EventMilestone `json:"milestone,omitempty"`
	Rename      *EventRename    `json:"rename,omitempty"`
	LockReason  *string         `json:"lock_reason,omitempty"`
	StateReason *string         `json:"state_reason,omitempty"` // in a timeline
	Issue       *Issue          `json:"issue,omitempty"`        // in the list of a repository
}

// Commented is a comment in a timeline.
type Commented struct {
	Comment
	Event string `json:"event"`
	Actor User   `json:"actor"`
}

// EventLabel is a label as it was.
type EventLabel struct {
	Name  string `json:"name"`
	Color string `json:"color"`
}

// EventMilestone is a milestone as it was called.
type EventMilestone struct {
	Title string `json:"title"`
}

// EventRename is a change of a title.
type EventRename struct {
	From string `json:"from"`
	To   string `json:"to"`
}
