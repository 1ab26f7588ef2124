package actions

import (
	"context"
	"io"
	"time"
)

// Host is what the engine needs of the forge that owns the repositories: files in, objects out.
// Implementations are safe for concurrent use. Repositories are named "owner/name".
type Host interface {
	// Source returns the workflow files at a commit. ref "" means the default branch's head.
	Source(ctx context.Context, repo, ref string) (Source, error)
	// SaveRun stores a run. With ID 0 it is created and gets its ID and number, which are returned.
	SaveRun(ctx context.Context, r Run) (Run, error)
	// SaveJob stores a job, likewise.
	SaveJob(ctx context.Context, j Job) (Job, error)
	// Grant mints what one job may use. The token's cause is "job:ID"; it starts no runs.
	Grant(ctx context.Context, j Job) (Grant, error)
	// Revoke ends a grant when its job has ended.
	Revoke(ctx context.Context, token string) error
	// AppendLog adds to a job's log.
	AppendLog(ctx context.Context, job int64, chunk []byte) error
}

// ArtifactStore keeps artifacts. The v4 service in front of it is ArtifactService.
type ArtifactStore interface {
	PutArtifact(ctx context.Context, a Artifact, zip io.Reader) (Artifact, error)
	Artifacts(ctx context.Context, run int64) ([]Artifact, error)
	OpenArtifact(ctx context.Context, id int64) (io.ReadCloser, error)
	DeleteArtifact(ctx context.Context, id int64) error
}

// CacheStore keeps cache entries. Which of them a job may see is decided in front of it.
type CacheStore interface {
	// PutCache stores a new entry. A repository has one of a key, version and ref.
	PutCache(ctx context.Context, c Cache, content io.Reader) (Cache, error)
	// Caches lists the entries of a repository.
	Caches(ctx context.Context, repo string) ([]Cache, error)
	// UseCache notes that an entry is used now. It reports false when it is gone.
	UseCache(ctx context.Context, repo string, id int64) bool
	// OpenCache returns an entry's bytes.
	OpenCache(ctx context.Context, id int64) (io.ReadCloser, error)
}

// Source is the workflow files of a repository at one commit.
type Source struct {
	SHA           string
	Ref           string // "refs/heads/main"
	DefaultBranch string
	Files         []File
	Disabled      []string          // paths of files that start no runs
	Permissive    bool              // tokens of jobs whose files do not say otherwise write everything but id-tokens
	Variables     map[string]string // of the repository, for conditions, names and matrices; with nil, what asks for `vars` there fails
}

// File is one workflow file.
type File struct {
	Path string // ".github/workflows/ci.yml"
	Data []byte
}

// Run is one workflow run.
type Run struct {
	ID              int64
	Number          int // per workflow, from 1
	Repo            string
	Workflow        string // path of the file
	Name            string
	Title           string
	Event           string
	Actor           string // login
	Cause           string // "event:41"
	HeadSHA         string
	HeadBranch      string
	Status          string // queued, in_progress, completed
	Conclusion      string // success, failure, cancelled, skipped, startup_failure, timed_out, action_required
	Reason          string // why it failed before any job ran: "ci.yml:7: container: is not supported"
	Created         time.Time
	Started         time.Time
	Completed       time.Time
	Attempt         int    // from 1; each re-run is one more
	TriggeringActor string // login of who asked for this attempt; Actor is who caused the first
}

// Job is one job of a run, or one cell of its matrix.
type Job struct {
	ID          int64
	RunID       int64
	Repo        string
	Key         string // id in the file
	Name        string // as shown: "run (triage)"
	Status      string // queued, in_progress, completed
	Conclusion  string
	TimedOut    bool              // it was ended at timeout-minutes; its conclusion is cancelled, as at GitHub
	Error       string            // the last words of the log of the step that failed first
	Permissions map[string]string // scope → read, write, none; nil is the default
	Environment string            // that the job names; "" is none
	Untrusted   bool              // of a fork's pull request: its grant holds no secrets
	Steps       []Step
	Created     time.Time
	Started     time.Time
	Completed   time.Time
	Attempt     int   // of the run; the host gives it
	Kept        int64 // job of an earlier attempt that was not run again: this one has its result and log; 0 is none
	Annotations []Annotation
}

// Annotation is what a job says about lines of a file, by a workflow command or because a step failed.
type Annotation struct {
	Level       string // notice, warning, failure
	Path        string
	StartLine   int
	EndLine     int
	StartColumn int // 0 is none
	EndColumn   int
	Title       string
	Message     string
	RawDetails  string
	Step        int // that said it; 0 is the job itself
}

// Step is one step of a job.
type Step struct {
	Number     int
	Name       string
	Status     string
	Conclusion string // success, failure, skipped, cancelled
	Started    time.Time
	Completed  time.Time
	Summary    string // Markdown that it left in $GITHUB_STEP_SUMMARY
}

// Grant is what one job may use.
type Grant struct {
	Token              string
	Secrets            map[string]string // of the repository and its organisation
	EnvironmentSecrets map[string]string // of the job's environment; they win, also over what a caller passes on
	Variables          map[string]string // of the environment, the repository and the organisation
}

// Artifact is a bundle of files that a run left.
type Artifact struct {
	ID      int64
	RunID   int64
	JobID   int64
	Repo    string
	Name    string
	Size    int64
	Digest  string // "sha256:…" of the zip
	Expires time.Time
	Created time.Time
	Attempt int // of the run; the host gives it
}

// Cache is an entry of a repository's cache: files of a job that later jobs begin with.
type Cache struct {
	ID      int64
	JobID   int64 // that made it
	Repo    string
	Ref     string // whose runs it is for: "refs/heads/main"
	Key     string
	Version string // a digest of paths and form
	Size    int64
	Created time.Time
	Used    time.Time
}
