package forge

import (
	"fmt"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// View reads what a person may want to see of a forge. It asks nobody for permission, changes nothing and
// leaves no trace in the journal. What is absent is driver.ErrNotFound. Its methods may be called from
// any goroutine.
type View struct{ a *Admin }

// View returns the forge as seen by who set it up.
func (a *Admin) View() View { return View{a} }

// RepoView is a repository in short.
type RepoView struct {
	Name          string // owner/name
	Description   string
	Private       bool
	DefaultBranch string
	Issues        int
	OpenIssues    int
	Runs          int
	Going         int // runs that have not ended
	Hooks         int // that hear of it, the organisation's included
	Pushed        time.Time
	LastRun       Run // zero when there is none
}

// IssueView is an issue. A list of issues has neither bodies nor comments, only their count.
type IssueView struct {
	Number       int
	Title        string
	Body         string
	State        string // open, closed
	Author       string
	Labels       []LabelView
	Comments     []CommentView // oldest first
	CommentCount int
	Created      time.Time
	Closed       time.Time
}

// LabelView is a label. Color has six hexadecimal digits.
type LabelView struct{ Name, Color, Description string }

// CommentView is a comment.
type CommentView struct {
	ID      int64
	Author  string
	Body    string
	Created time.Time
	Edited  bool
}

// RunView is a run with its jobs, in the order they were created.
type RunView struct {
	Run  Run
	Jobs []Job
}

// MemberView is somebody with a role in a repository beyond what its visibility gives.
type MemberView struct {
	Login string
	Kind  string // User, Bot
	Role  string
}

// Repos returns all repositories by name, as they are at one moment.
func (v View) Repos() []RepoView {
	var out []RepoView
	for _, r := range v.a.state.RepoViews() {
		out = append(out, viewRepo(r))
	}
	return out
}

// Repo returns one repository.
func (v View) Repo(repo string) (RepoView, error) {
	r, err := v.a.state.RepoView(repo)
	return viewRepo(r), wrap("see repository", err)
}

func viewRepo(r state.RepoView) RepoView {
	return RepoView{
		Name: r.Name, Description: r.Description, Private: r.Private, DefaultBranch: r.DefaultBranch, Issues: r.Issues,
		OpenIssues: r.OpenIssues, Runs: r.Runs, Going: r.Going, Hooks: r.Hooks, Pushed: r.Pushed, LastRun: Run(r.LastRun),
	}
}

// Issues lists at most limit issues with numbers below before, latest first; before 0 begins at the latest.
func (v View) Issues(repo string, before, limit int) ([]IssueView, error) {
	list, err := v.a.state.IssueViews(repo, before, limit)
	var out []IssueView
	for _, i := range list {
		out = append(out, viewIssue(i))
	}
	return out, wrap("see issues", err)
}

// Issue returns one issue with its text and comments.
func (v View) Issue(repo string, number int) (IssueView, error) {
	i, err := v.a.state.IssueView(repo, number)
	return viewIssue(i), wrap("see issue", err)
}

func viewIssue(i state.IssueView) IssueView {
	out := IssueView{Number: i.Number, Title: i.Title, Body: i.Body, State: i.State, Author: i.Author, CommentCount: i.CommentCount,
		Created: i.Created, Closed: i.Closed}
	for _, l := range i.Labels {
		out.Labels = append(out.Labels, LabelView(l))
	}
	for _, c := range i.Comments {
		out.Comments = append(out.Comments, CommentView(c))
	}
	return out
}

// Runs lists at most limit runs with ids below before, latest first; before 0 begins at the latest.
func (v View) Runs(repo string, before int64, limit int) ([]Run, error) {
	list, err := v.a.state.RunsView(repo, before, limit)
	var out []Run
	for _, r := range list {
		out = append(out, Run(r))
	}
	return out, wrap("see runs", err)
}

// Run returns one run with its jobs.
func (v View) Run(id int64) (RunView, error) {
	x, err := v.a.state.RunView(id)
	out := RunView{Run: Run(x.Run)}
	for _, j := range x.Jobs {
		out.Jobs = append(out.Jobs, viewJob(j))
	}
	return out, wrap("see run", err)
}

// JobRun returns the run that a job is of.
func (v View) JobRun(job int64) (RunView, error) {
	id, err := v.a.state.JobRun(job)
	if err != nil {
		return RunView{}, wrap("see job", err)
	}
	return v.Run(id)
}

func viewJob(j state.Job) Job {
	out := Job{
		ID: j.ID, RunID: j.RunID, Repo: j.Repo, Key: j.Key, Name: j.Name, Status: j.Status, Conclusion: j.Conclusion,
		TimedOut: j.TimedOut, Error: j.Error, Permissions: j.Permissions, Created: j.Created, Started: j.Started, Completed: j.Completed,
		Attempt: j.Attempt, Kept: j.Kept,
	}
	for _, s := range j.Steps {
		out.Steps = append(out.Steps, Step(s))
	}
	for _, n := range j.Annotations {
		out.Annotations = append(out.Annotations, Annotation(n))
	}
	return out
}

// Labels lists the labels of a repository.
func (v View) Labels(repo string) ([]LabelView, error) {
	list, err := v.a.state.LabelViews(repo)
	var out []LabelView
	for _, l := range list {
		out = append(out, LabelView(l))
	}
	return out, wrap("see labels", err)
}

// Members lists who has a role in a repository, by login.
func (v View) Members(repo string) ([]MemberView, error) {
	list, err := v.a.state.MemberViews(repo)
	var out []MemberView
	for _, m := range list {
		out = append(out, MemberView{m.Login, m.Kind, m.Role.String()})
	}
	return out, wrap("see members", err)
}

// LogPart is a part of a job's log.
type LogPart struct {
	Text  []byte
	Size  int  // of the whole log
	Ended bool // the job has ended: nothing more comes
}

// Log returns what is in a job's log from a byte on, at most limit bytes of it. A from beyond the end is
// the end.
func (v View) Log(job int64, from, limit int) (LogPart, error) {
	text, size, ended, err := v.a.state.LogFrom(job, from, limit)
	return LogPart{text, size, ended}, wrap(fmt.Sprintf("read log of job %d", job), err)
}
