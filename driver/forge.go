package driver

import (
	"context"
	"time"
)

// Forge is a code host. Each actor has his own view of it.
type Forge interface {
	// As returns the view of the named actor; ErrUnknownActor when there is none.
	As(actor string) (Session, error)
}

// Session is the forge as one actor sees it.
type Session struct {
	Repos     Repos
	Files     Files
	Members   Members
	Config    Config
	Labels    Labels
	Issues    Issues
	Reactions Reactions
	Pulls     Pulls
	Reviews   Reviews
	Runs      Runs
}

// NewUser describes an account of a person or, with Bot, of a program.
type NewUser struct {
	Login string
	Name  string
	Bot   bool
}

// Repo names a repository.
type Repo struct{ Owner, Name string }

// String returns "owner/name".
func (r Repo) String() string { return r.Owner + "/" + r.Name }

// Ref names an issue or a pull request of a repository.
type Ref struct {
	Repo   Repo
	Number int
}

// NewRepo describes a repository to create; AutoInit makes the first commit with a README.
type NewRepo struct {
	Repo        Repo
	Description string
	Private     bool
	AutoInit    bool
}

// NewFork describes a fork to make. Owner is an organisation; "" is the actor himself. Name "" leaves it to
// the forge.
type NewFork struct {
	Of    Repo
	Owner string
	Name  string
}

// RepoInfo is a repository as read.
type RepoInfo struct {
	Repo          Repo
	Parent        Repo // of a fork; else the zero value
	Private       bool
	DefaultBranch string
	CloneURL      string
}

// Repos creates, forks, reads and removes repositories.
type Repos interface {
	Create(ctx context.Context, in NewRepo) error
	// Fork makes a fork, or returns the one that is there. Its branches may come some time later.
	Fork(ctx context.Context, in NewFork) (Repo, error)
	Get(ctx context.Context, r Repo) (RepoInfo, error)
	Delete(ctx context.Context, r Repo) error
	Branches(ctx context.Context, r Repo) (map[string]string, error) // branch → commit
}

// NewFile is the content one path shall have; Content nil deletes the path.
type NewFile struct {
	Path       string
	Content    []byte
	Executable bool
}

// NewCommit describes one commit on a branch; Branch "" is the default branch. With New the branch is
// made by it and begins at the default branch; that it is there already is an error.
type NewCommit struct {
	Branch  string
	New     bool
	Message string
	Files   []NewFile
}

// Files reads and commits content.
type Files interface {
	Commit(ctx context.Context, r Repo, in NewCommit) (sha string, err error)
	Read(ctx context.Context, r Repo, rev, path string) ([]byte, error) // rev "" is the default branch
}

// Members reads and sets who may do what.
type Members interface {
	Role(ctx context.Context, r Repo, login string) (string, error) // admin, maintain, write, triage, read, none
	SetRole(ctx context.Context, r Repo, login, role string) error
}

// Config holds the Actions variables and secrets of a repository. Secrets cannot be read back.
type Config interface {
	SetVariable(ctx context.Context, r Repo, name, value string) error
	Variables(ctx context.Context, r Repo) (map[string]string, error)
	SetSecret(ctx context.Context, r Repo, name, value string) error
}

// Label is a label of a repository. Color is six hexadecimal digits.
type Label struct{ Name, Color, Description string }

// Labels defines the labels of a repository.
type Labels interface {
	// Set makes the label, or gives the one of that name this colour and description.
	Set(ctx context.Context, r Repo, l Label) error
}

// NewIssue describes an issue to open.
type NewIssue struct {
	Title, Body string
	Labels      []string
}

// Issue is an issue as read.
type Issue struct {
	Ref    Ref
	Title  string
	Body   string
	State  string // open, closed
	Author string
	Labels []string // in the order the forge gives them
}

// IssueEdit changes what is not nil.
type IssueEdit struct {
	Title, Body, State *string
	AddLabels          []string
	RemoveLabels       []string
}

// Comment is one comment of an issue or pull request.
type Comment struct {
	ID     int64
	Author string
	Body   string
}

// Issues opens, reads and edits issues.
type Issues interface {
	Open(ctx context.Context, r Repo, in NewIssue) (Issue, error)
	Get(ctx context.Context, ref Ref) (Issue, error)
	Edit(ctx context.Context, ref Ref, edit IssueEdit) error
	Comment(ctx context.Context, ref Ref, body string) (Comment, error)
	Comments(ctx context.Context, ref Ref) ([]Comment, error)
}

// Reaction is what somebody shows without words. Content is +1, -1, laugh, confused, heart, hooray, rocket or eyes.
type Reaction struct {
	Author  string
	Content string
}

// Reactions reads the reactions to issues and pull requests.
type Reactions interface {
	List(ctx context.Context, ref Ref) ([]Reaction, error) // oldest first
}

// RunFilter selects runs; zero fields select all. Cause selects the runs that it started itself; a
// driver that cannot tell answers ErrUnsupported.
type RunFilter struct {
	Workflow string // file name, such as "crew.yml"
	Event    string
	Actor    string
	Cause    Cause
}

// Run is one workflow run.
type Run struct {
	ID         int64
	Workflow   string // file name
	Name       string
	Event      string
	Actor      string
	Status     string // queued, in_progress, completed
	Conclusion string // success, failure, cancelled, skipped, timed_out; "" until completed
	HeadSHA    string
	Cause      Cause // what started it; "" when the driver cannot tell
	URL        string
}

// Job is one job, or one cell of a job's matrix.
type Job struct {
	ID         int64
	Name       string
	Status     string
	Conclusion string
	Steps      []JobStep
}

// JobStep is one step of a job.
type JobStep struct {
	Number     int
	Name       string
	Status     string
	Conclusion string
}

// Artifact is a file bundle that a run left.
type Artifact struct {
	ID     int64
	Name   string
	Run    int64
	Size   int64
	Digest string // "sha256:…" of the zip
}

// Runs reads workflow runs and what they left.
type Runs interface {
	List(ctx context.Context, r Repo, f RunFilter) ([]Run, error) // newest first
	Jobs(ctx context.Context, r Repo, run int64) ([]Job, error)
	Log(ctx context.Context, r Repo, job int64) ([]byte, error)
	Artifacts(ctx context.Context, r Repo, run int64) ([]Artifact, error)
	Open(ctx context.Context, r Repo, artifact int64) ([]byte, error) // the zip
}

// Entry is one line of a lease's journal.
type Entry struct {
	Seq     uint64            `json:"seq"`
	Time    time.Time         `json:"time"`
	Change  bool              `json:"change"`
	Type    string            `json:"type"`
	Cause   Cause             `json:"cause,omitempty"`
	Actor   string            `json:"actor,omitempty"`
	Subject string            `json:"subject,omitempty"`
	Detail  map[string]string `json:"detail,omitempty"`
}

// Journal is what happened in the lease, with causes. Only a local environment has one.
type Journal interface {
	Entries(ctx context.Context, after uint64) ([]Entry, error)
}

// Ledger tells when nothing is going on any more. Only a local environment has one.
type Ledger interface {
	// Wait returns at the next change after sequence number after, or at quiet, whichever is first.
	Wait(ctx context.Context, after uint64) (seq uint64, quiet bool, err error)
	// Pending names the work that is still open.
	Pending() []string
}

// Marker tells the environment on whose behalf the scenario's own calls are made from now on.
// Marks are journalled as entries of type "step".
type Marker interface {
	Mark(ctx context.Context, cause Cause, text string) error
}
