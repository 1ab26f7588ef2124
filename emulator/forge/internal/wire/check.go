package wire

// CheckRun is one check of a commit: a job of a workflow, or what another app says.
// https://docs.github.com/en/rest/checks/runs#get-a-check-run
type CheckRun struct {
	ID           int64       `json:"id"`
	NodeID       string      `json:"node_id"`
	HeadSHA      string      `json:"head_sha"`
	ExternalID   string      `json:"external_id"`
	URL          string      `json:"url"`
	HTMLURL      string      `json:"html_url"`
	DetailsURL   string      `json:"details_url"`
	Status       string      `json:"status"`
	Conclusion   *string     `json:"conclusion"`
	StartedAt    Time        `json:"started_at"`
	CompletedAt  Time        `json:"completed_at"`
	Output       CheckOutput `json:"output"`
	Name         string      `json:"name"`
	CheckSuite   any         `json:"check_suite"` // CheckSuiteID, in events CheckRunSuite
	App          App         `json:"app"`
	PullRequests []struct{}  `json:"pull_requests"`
}

// CheckSuiteID names the suite of a check run.
type CheckSuiteID struct {
	ID int64 `json:"id"`
}

// CheckOutput is what a check run says.
type CheckOutput struct {
	Title            *string `json:"title"`
	Summary          *string `json:"summary"`
	Text             *string `json:"text"`
	AnnotationsCount int     `json:"annotations_count"`
	AnnotationsURL   string  `json:"annotations_url"`
}

// Annotation is what a check run says about lines of a file.
// https://docs.github.com/en/rest/checks/runs#list-check-run-annotations
type Annotation struct {
	Path        string  `json:"path"`
	BlobHref    string  `json:"blob_href"`
	StartLine   int     `json:"start_line"`
	StartColumn *int    `json:"start_column"`
	EndLine     int     `json:"end_line"`
	EndColumn   *int    `json:"end_column"`
	Level       string  `json:"annotation_level"` // notice, warning, failure
	Title       *string `json:"title"`
	Message     string  `json:"message"`
	RawDetails  *string `json:"raw_details"`
}

// CheckSuite is the check runs of one app at a commit; a run of a workflow is one.
// https://docs.github.com/en/rest/checks/suites#get-a-check-suite
type CheckSuite struct {
	ID                   int64         `json:"id"`
	NodeID               string        `json:"node_id"`
	HeadBranch           *string       `json:"head_branch"`
	HeadSHA              string        `json:"head_sha"`
	Status               string        `json:"status"`
	Conclusion           *string       `json:"conclusion"`
	URL                  string        `json:"url"`
	Before               *string       `json:"before"`
	After                *string       `json:"after"`
	PullRequests         []struct{}    `json:"pull_requests"`
	App                  App           `json:"app"`
	Repository           *Repository   `json:"repository,omitempty"` // not in events
	CreatedAt            Time          `json:"created_at"`
	UpdatedAt            Time          `json:"updated_at"`
	HeadCommit           *SimpleCommit `json:"head_commit,omitempty"`
	LatestCheckRunsCount int           `json:"latest_check_runs_count"`
	CheckRunsURL         string        `json:"check_runs_url"`
}

// CheckRunSuite is a suite as events about its check runs show it.
type CheckRunSuite struct {
	CheckSuite
	LatestCheckRunsCount *int    `json:"latest_check_runs_count,omitempty"` // hides that of CheckSuite
	CheckRunsURL         *string `json:"check_runs_url,omitempty"`          // likewise
}

// SimpleCommit is a commit in short.
type SimpleCommit struct {
	ID        string `json:"id"`
	TreeID    string `json:"tree_id"`
	Message   string `json:"message"`
	Timestamp Time   `json:"timestamp"`
	Author    Person `json:"author"`
	Committer Person `json:"committer"`
}

// Person is a name with an address, as commits have them.
type Person struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// Status is a commit status.
// https://docs.github.com/en/rest/commits/statuses
type Status struct {
	URL         string  `json:"url"`
	AvatarURL   string  `json:"avatar_url"`
	ID          int64   `json:"id"`
	NodeID      string  `json:"node_id"`
	State       string  `json:"state"` // error, failure, pending, success
	Description *string `json:"description"`
	TargetURL   *string `json:"target_url"`
	Context     string  `json:"context"`
	CreatedAt   Time    `json:"created_at"`
	UpdatedAt   Time    `json:"updated_at"`
	Creator     *User   `json:"creator,omitempty"` // not in a combined status
}

// CombinedStatus is the latest status of each context of a commit, and what they come to.
type CombinedStatus struct {
	State      string      `json:"state"` // failure, pending, success
	Statuses   []Status    `json:"statuses"`
	SHA        string      `json:"sha"`
	TotalCount int         `json:"total_count"`
	Repository *Repository `json:"repository"`
	CommitURL  string      `json:"commit_url"`
	URL        string      `json:"url"`
}

// StatusEvent is the webhook body of a commit status.
type StatusEvent struct {
	ID           int64          `json:"id"`
	SHA          string         `json:"sha"`
	Name         string         `json:"name"` // of the repository, with its owner
	TargetURL    *string        `json:"target_url"`
	AvatarURL    string         `json:"avatar_url"`
	Context      string         `json:"context"`
	Description  *string        `json:"description"`
	State        string         `json:"state"`
	Commit       Commit         `json:"commit"`
	Branches     []StatusBranch `json:"branches"`
	CreatedAt    Time           `json:"created_at"`
	UpdatedAt    Time           `json:"updated_at"`
	Repository   *Repository    `json:"repository"`
	Organization *Organization  `json:"organization,omitempty"`
	Sender       *User          `json:"sender"`
}

// StatusBranch is a branch whose head a status is about.
type StatusBranch struct {
	Name      string     `json:"name"`
	Commit    BranchHead `json:"commit"`
	Protected bool       `json:"protected"`
}

// BranchHead names the commit of a branch.
type BranchHead struct {
	SHA string `json:"sha"`
	URL string `json:"url"`
}
