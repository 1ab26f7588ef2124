package wire

// Workflow is a workflow file.
type Workflow struct {
	ID        int64  `json:"id"`
	NodeID    string `json:"node_id"`
	Name      string `json:"name"`
	Path      string `json:"path"`
	State     string `json:"state"`
	CreatedAt Time   `json:"created_at"`
	UpdatedAt Time   `json:"updated_at"`
	URL       string `json:"url"`
	HTMLURL   string `json:"html_url"`
	BadgeURL  string `json:"badge_url"`
}

// Run is a workflow run. Cause is ours: what started the run, such as "event:41".
type Run struct {
	ID              int64            `json:"id"`
	Name            string           `json:"name"`
	NodeID          string           `json:"node_id"`
	HeadBranch      string           `json:"head_branch"`
	HeadSHA         string           `json:"head_sha"`
	Path            string           `json:"path"`
	DisplayTitle    string           `json:"display_title"`
	RunNumber       int              `json:"run_number"`
	Event           string           `json:"event"`
	Status          string           `json:"status"`
	Conclusion      *string          `json:"conclusion"`
	WorkflowID      int64            `json:"workflow_id"`
	URL             string           `json:"url"`
	HTMLURL         string           `json:"html_url"`
	PullRequests    []struct{}       `json:"pull_requests"`
	CreatedAt       Time             `json:"created_at"`
	UpdatedAt       Time             `json:"updated_at"`
	Actor           User             `json:"actor"`
	RunAttempt      int              `json:"run_attempt"`
	RunStartedAt    Time             `json:"run_started_at"`
	TriggeringActor User             `json:"triggering_actor"`
	JobsURL         string           `json:"jobs_url"`
	LogsURL         string           `json:"logs_url"`
	CheckSuiteURL   string           `json:"check_suite_url"`
	CheckSuiteID    int64            `json:"check_suite_id"`
	CheckSuiteNode  string           `json:"check_suite_node_id"`
	PreviousURL     *string          `json:"previous_attempt_url"`
	Referenced      []struct{}       `json:"referenced_workflows"`
	ArtifactsURL    string           `json:"artifacts_url"`
	CancelURL       string           `json:"cancel_url"`
	RerunURL        string           `json:"rerun_url"`
	WorkflowURL     string           `json:"workflow_url"`
	HeadCommit      *SimpleCommit    `json:"head_commit"`
	Repository      *ShortRepository `json:"repository"`
	HeadRepository  *ShortRepository `json:"head_repository"`
	Cause           string           `json:"understudy_cause"`
}

// Job is a job of a run.
type Job struct {
	ID              int64    `json:"id"`
	RunID           int64    `json:"run_id"`
	RunURL          string   `json:"run_url"`
	RunAttempt      int      `json:"run_attempt"`
	NodeID          string   `json:"node_id"`
	HeadSHA         string   `json:"head_sha"`
	HeadBranch      string   `json:"head_branch"`
	URL             string   `json:"url"`
	HTMLURL         string   `json:"html_url"`
	Status          string   `json:"status"`
	Conclusion      *string  `json:"conclusion"`
	CreatedAt       Time     `json:"created_at"`
	StartedAt       Time     `json:"started_at"`
	CompletedAt     Time     `json:"completed_at"`
	Name            string   `json:"name"`
	Steps           []Step   `json:"steps"`
	CheckRunURL     string   `json:"check_run_url"`
	Labels          []string `json:"labels"`
	RunnerID        *int64   `json:"runner_id"`
	RunnerName      *string  `json:"runner_name"`
	RunnerGroupID   *int64   `json:"runner_group_id"`
	RunnerGroupName *string  `json:"runner_group_name"`
	WorkflowName    string   `json:"workflow_name"`
}

// Step is a step of a job.
type Step struct {
	Name        string  `json:"name"`
	Status      string  `json:"status"`
	Conclusion  *string `json:"conclusion"`
	Number      int     `json:"number"`
	StartedAt   Time    `json:"started_at"`
	CompletedAt Time    `json:"completed_at"`
}

// DispatchedRun tells who dispatched a workflow which run comes of it.
// https://docs.github.com/en/rest/actions/workflows#create-a-workflow-dispatch-event
type DispatchedRun struct {
	ID      int64  `json:"workflow_run_id"`
	URL     string `json:"run_url"`
	HTMLURL string `json:"html_url"`
}

// RunUsage is how long a run took. Nothing here is billed.
// https://docs.github.com/en/rest/actions/workflow-runs#get-workflow-run-usage
type RunUsage struct {
	Billable struct{} `json:"billable"`
	Duration int64    `json:"run_duration_ms"`
}

// Artifact is a bundle of files that a run left.
type Artifact struct {
	ID                 int64       `json:"id"`
	NodeID             string      `json:"node_id"`
	Name               string      `json:"name"`
	SizeInBytes        int64       `json:"size_in_bytes"`
	URL                string      `json:"url"`
	ArchiveDownloadURL string      `json:"archive_download_url"`
	Expired            bool        `json:"expired"`
	Digest             *string     `json:"digest"`
	CreatedAt          Time        `json:"created_at"`
	UpdatedAt          Time        `json:"updated_at"`
	ExpiresAt          Time        `json:"expires_at"`
	WorkflowRun        ArtifactRun `json:"workflow_run"`
}

// ArtifactRun names the run of an artifact.
type ArtifactRun struct {
	ID               int64  `json:"id"`
	RepositoryID     int64  `json:"repository_id"`
	HeadRepositoryID int64  `json:"head_repository_id"`
	HeadBranch       string `json:"head_branch"`
	HeadSHA          string `json:"head_sha"`
}

// Variable is an Actions variable. An organisation's says who sees it.
type Variable struct {
	Name        string `json:"name"`
	Value       string `json:"value"`
	CreatedAt   Time   `json:"created_at"`
	UpdatedAt   Time   `json:"updated_at"`
	Visibility  string `json:"visibility,omitempty"` // all, private, selected
	SelectedURL string `json:"selected_repositories_url,omitempty"`
}

// Secret is an Actions secret, without its value. An organisation's says who sees it.
type Secret struct {
	Name        string `json:"name"`
	CreatedAt   Time   `json:"created_at"`
	UpdatedAt   Time   `json:"updated_at"`
	Visibility  string `json:"visibility,omitempty"` // all, private, selected
	SelectedURL string `json:"selected_repositories_url,omitempty"`
}

// PublicKey is the key that secrets are sealed with.
type PublicKey struct {
	KeyID string `json:"key_id"`
	Key   string `json:"key"`
}
