package wire

import "encoding/json"

// Event is a webhook body. Which fields are set depends on the event.
type Event struct {
	Action        string          `json:"action,omitempty"`
	Number        int             `json:"number,omitempty"` // of the pull request
	PullRequest   *Pull           `json:"pull_request,omitempty"`
	Before        string          `json:"before,omitempty"` // the head of a pull request until a push
	After         string          `json:"after,omitempty"`
	Issue         *EventIssue     `json:"issue,omitempty"`
	Reviewer      *User           `json:"requested_reviewer,omitempty"`
	ReviewingTeam *Team           `json:"requested_team,omitempty"`
	Comment       *Comment        `json:"comment,omitempty"`
	Label         *Label          `json:"label,omitempty"`
	Assignee      *User           `json:"assignee,omitempty"`
	Milestone     *Milestone      `json:"milestone,omitempty"`
	Scope         string          `json:"scope,omitempty"` // of a membership: team
	Member        *User           `json:"member,omitempty"`
	Team          *Team           `json:"team,omitempty"`
	Changes       map[string]any  `json:"changes,omitempty"`
	WorkflowRun   *EventRun       `json:"workflow_run,omitempty"`
	WorkflowJob   *Job            `json:"workflow_job,omitempty"`
	Workflow      *Workflow       `json:"workflow,omitempty"`
	Rule          *ProtectionRule `json:"rule,omitempty"`
	Forkee        *Repository     `json:"forkee,omitempty"`
	CheckRun      *CheckRun       `json:"check_run,omitempty"`
	CheckSuite    *CheckSuite     `json:"check_suite,omitempty"`
	Repository    *Repository     `json:"repository,omitempty"`
	Organization  *Organization   `json:"organization,omitempty"`
	Sender        *User           `json:"sender,omitempty"`
}

// EventIssue is an issue as webhooks show it: who closed it stands there as the sender only.
type EventIssue struct {
	Issue
	ClosedBy *struct{} `json:"closed_by,omitempty"` // hides that of Issue
}

// EventRun is a run as webhooks show it: the journal has its cause.
type EventRun struct {
	Run
	Cause *struct{} `json:"understudy_cause,omitempty"` // hides that of Run
}

// Push is the webhook body of a push of one ref.
type Push struct {
	Ref          string         `json:"ref"`
	Before       string         `json:"before"`
	After        string         `json:"after"`
	Repository   PushRepository `json:"repository"`
	Pusher       Pusher         `json:"pusher"`
	Organization *Organization  `json:"organization,omitempty"`
	Sender       *User          `json:"sender"`
	Created      bool           `json:"created"`
	Deleted      bool           `json:"deleted"`
	Forced       bool           `json:"forced"`
	BaseRef      *string        `json:"base_ref"`
	Compare      string         `json:"compare"`
	Commits      []PushCommit   `json:"commits"`
	HeadCommit   *PushCommit    `json:"head_commit"`
}

// PushRepository is a repository as push events alone show it: times are numbers, and the
// organisation is a name.
type PushRepository struct {
	Repository
	Owner        PushOwner `json:"owner"`
	URL          string    `json:"url"` // the page's
	CreatedAt    int64     `json:"created_at"`
	PushedAt     int64     `json:"pushed_at"`
	Stargazers   int       `json:"stargazers"`
	MasterBranch string    `json:"master_branch"`
	Organization string    `json:"organization,omitempty"`
}

// PushOwner is the owner of a pushed repository.
type PushOwner struct {
	User
	Name  string  `json:"name"`
	Email *string `json:"email"`
}

// NewPushRepository makes it of what other events show; email is the owner's.
func NewPushRepository(r Repository, email *string) PushRepository {
	p := PushRepository{
		Repository: r, Owner: PushOwner{User: r.Owner, Name: r.Owner.Login, Email: email}, URL: r.HTMLURL,
		CreatedAt: r.CreatedAt.Unix(), PushedAt: r.PushedAt.Unix(), Stargazers: r.StargazersCount, MasterBranch: r.DefaultBranch,
	}
	if r.Owner.Type == "Organization" {
		p.Organization = r.Owner.Login
	}
	return p
}

// Pusher is who pushed.
type Pusher struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// PushCommit is one commit of a push.
type PushCommit struct {
	ID        string     `json:"id"`
	TreeID    string     `json:"tree_id"`
	Distinct  bool       `json:"distinct"`
	Message   string     `json:"message"`
	Timestamp string     `json:"timestamp"`
	URL       string     `json:"url"`
	Author    PushAuthor `json:"author"`
	Committer PushAuthor `json:"committer"`
	Added     []string   `json:"added"`
	Removed   []string   `json:"removed"`
	Modified  []string   `json:"modified"`
}

// PushAuthor is the author or committer of a pushed commit.
type PushAuthor struct {
	Name     string `json:"name"`
	Email    string `json:"email"`
	Username string `json:"username,omitempty"`
}

// Create is the webhook body of a new branch or tag.
type Create struct {
	Ref          string        `json:"ref"`
	RefType      string        `json:"ref_type"` // branch, tag
	MasterBranch string        `json:"master_branch"`
	Description  *string       `json:"description"`
	PusherType   string        `json:"pusher_type"`
	Repository   *Repository   `json:"repository"`
	Organization *Organization `json:"organization,omitempty"`
	Sender       *User         `json:"sender"`
}

// Delete is the webhook body of a branch or tag that is there no more.
type Delete struct {
	Ref          string        `json:"ref"`
	RefType      string        `json:"ref_type"`
	PusherType   string        `json:"pusher_type"`
	Repository   *Repository   `json:"repository"`
	Organization *Organization `json:"organization,omitempty"`
	Sender       *User         `json:"sender"`
}

// WorkflowDispatch is the webhook body of a workflow that somebody started by hand.
type WorkflowDispatch struct {
	Inputs       map[string]string `json:"inputs"` // with the file's defaults; null when it takes none
	Ref          string            `json:"ref"`
	Workflow     string            `json:"workflow"` // path of the file
	Repository   *Repository       `json:"repository"`
	Organization *Organization     `json:"organization,omitempty"`
	Sender       *User             `json:"sender"`
}

// RepositoryDispatch is the webhook body of an event that a client made up.
type RepositoryDispatch struct {
	Action        string          `json:"action"`
	Branch        string          `json:"branch"`
	ClientPayload json.RawMessage `json:"client_payload"`
	Repository    *Repository     `json:"repository"`
	Organization  *Organization   `json:"organization,omitempty"`
	Sender        *User           `json:"sender"`
}
