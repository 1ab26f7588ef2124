package state

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// The views are for whoever set the forge up: nobody's permission is asked.

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

// IssueView is an issue; Body and Comments are those of View only, not of a list.
type IssueView struct {
	Number       int
	Title        string
	Body         string
	State        string
	Author       string
	Labels       []LabelView
	Comments     []CommentView
	CommentCount int
	Created      time.Time
	Closed       time.Time
}

// LabelView is a label.
type LabelView struct{ Name, Color, Description string }

// CommentView is a comment.
type CommentView struct {
	ID      int64
	Author  string
	Body    string
	Created time.Time
	Edited  bool
}

// RunView is a run with its jobs.
type RunView struct {
	Run  Run
	Jobs []Job
}

// MemberView is somebody with a role in a repository.
type MemberView struct {
	Login string
	Kind  string
	Role  Role
}

// RepoViews returns all repositories by name, as they are at one moment.
func (s *State) RepoViews() []RepoView {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []RepoView
	for _, r := range s.repos {
		out = append(out, r.overview())
	}
	slices.SortFunc(out, func(a, b RepoView) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// RepoView returns one repository.
func (s *State) RepoView(full string) (RepoView, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.known(full)
	if err != nil {
		return RepoView{}, err
	}
	return r.overview(), nil
}

// known finds a repository whatever anybody may do. The caller holds the lock.
func (s *State) known(full string) (*repo, error) {
	if r := s.repos[key(full)]; r != nil {
		return r, nil
	}
	return nil, fmt.Errorf("repository %s: %w", full, driver.ErrNotFound)
}

func (r *repo) overview() RepoView {
	v := RepoView{Name: r.fullName(), Description: r.description, Private: r.private, DefaultBranch: r.defaultBranch,
		Issues: len(r.issues), Runs: len(r.runs), Hooks: len(r.hearing()), Pushed: r.pushed}
	for _, i := range r.issues {
		if i.state == stateOpen {
			v.OpenIssues++
		}
	}
	for _, x := range r.runs {
		if x.Status != completed {
			v.Going++
		}
		v.LastRun = x.Run
	}
	return v
}

// IssueViews lists at most limit issues with numbers below before, latest first; before 0 begins at the latest.
func (s *State) IssueViews(full string, before, limit int) ([]IssueView, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.known(full)
	if err != nil {
		return nil, err
	}
	var out []IssueView
	for _, i := range slices.Backward(r.issues) {
		if (before == 0 || i.number < before) && len(out) < limit {
			out = append(out, i.overview())
		}
	}
	return out, nil
}

func (i *issue) overview() IssueView {
	v := IssueView{Number: i.number, Title: i.title, State: i.state, Author: i.author, CommentCount: len(i.comments), Created: i.created, Closed: i.closed}
	for _, l := range i.labels {
		v.Labels = append(v.Labels, LabelView{l.name, l.color, l.description})
	}
	return v
}

// IssueView returns one issue with its text and comments.
func (s *State) IssueView(full string, number int) (IssueView, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.known(full)
	if err != nil {
		return IssueView{}, err
	}
	if number < 1 || number > len(r.issues) {
		return IssueView{}, fmt.Errorf("issue %s#%d: %w", full, number, driver.ErrNotFound)
	}
	i := r.issues[number-1]
	v := i.overview()
	v.Body = i.body
	for _, c := range i.comments {
		v.Comments = append(v.Comments, CommentView{ID: c.id, Author: c.author, Body: c.body, Created: c.created, Edited: c.updated.After(c.created)})
	}
	return v, nil
}

// RunsView lists at most limit runs with ids below before, latest first; before 0 begins at the latest.
func (s *State) RunsView(full string, before int64, limit int) ([]Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.known(full)
	if err != nil {
		return nil, err
	}
	var out []Run
	for _, x := range slices.Backward(r.runs) {
		if (before == 0 || x.ID < before) && len(out) < limit {
			out = append(out, x.Run)
		}
	}
	return out, nil
}

// RunView returns one run with the jobs of its latest attempt.
func (s *State) RunView(id int64) (RunView, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.runs[id]
	if x == nil {
		return RunView{}, fmt.Errorf("run %d: %w", id, driver.ErrNotFound)
	}
	v := RunView{Run: x.Run}
	for _, j := range x.jobs {
		if j.Attempt != x.Attempt {
			continue
		}
		v.Jobs = append(v.Jobs, j.clone())
	}
	return v, nil
}

// JobRun returns the id of the run that a job is of.
func (s *State) JobRun(id int64) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.jobs[id]; j != nil {
		return j.RunID, nil
	}
	return 0, fmt.Errorf("job %d: %w", id, driver.ErrNotFound)
}

// LabelViews lists the labels of a repository.
func (s *State) LabelViews(full string) ([]LabelView, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.known(full)
	if err != nil {
		return nil, err
	}
	var out []LabelView
	for _, l := range r.labels {
		out = append(out, LabelView{l.name, l.color, l.description})
	}
	return out, nil
}

// MemberViews lists who has a role in a repository beyond what its visibility gives, by login.
func (s *State) MemberViews(full string) ([]MemberView, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.known(full)
	if err != nil {
		return nil, err
	}
	var out []MemberView
	for _, a := range s.accounts {
		if s.collaborates(a, r) {
			out = append(out, MemberView{a.login, a.kind, s.roleOf(a, r)})
		}
	}
	slices.SortFunc(out, func(a, b MemberView) int { return cmp.Compare(a.Login, b.Login) })
	return out, nil
}

// LogFrom returns what is in a job's log from a byte on, at most limit bytes of it, and how long the
// log is. completed tells whether the job has ended, so that nothing more comes.
func (s *State) LogFrom(id int64, from, limit int) (chunk []byte, size int, ended bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.jobs[id]
	if j == nil {
		return nil, 0, false, wire.NotFound()
	}
	size, ended = len(j.log), j.Status == completed
	from = min(max(from, 0), size)
	return slices.Clone(j.log[from:min(size, from+limit)]), size, ended, nil
}
