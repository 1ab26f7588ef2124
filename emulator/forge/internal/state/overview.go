package state

import (
	"cmp"
	"slices"
	"time"
)

// RepoView is a repository with what is in it, for whoever set the forge up.
type RepoView struct {
	Name    string // owner/name
	Private bool
	Issues  []IssueView // latest first
	Runs    []RunView   // latest first
}

// IssueView is an issue in short.
type IssueView struct {
	Number   int
	Title    string
	State    string
	Author   string
	Labels   []string
	Comments int
	Created  time.Time
}

// RunView is a run with its jobs.
type RunView struct {
	Run  Run
	Jobs []Job
}

// Overview returns all repositories by name, as they are at one moment.
func (s *State) Overview() []RepoView {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []RepoView
	for _, r := range s.repos {
		v := RepoView{Name: r.fullName(), Private: r.private}
		for _, i := range slices.Backward(r.issues) {
			iv := IssueView{Number: i.number, Title: i.title, State: i.state, Author: i.author, Comments: len(i.comments), Created: i.created}
			for _, l := range i.labels {
				iv.Labels = append(iv.Labels, l.name)
			}
			v.Issues = append(v.Issues, iv)
		}
		for _, x := range slices.Backward(r.runs) {
			rv := RunView{Run: x.Run}
			for _, j := range x.jobs {
				rv.Jobs = append(rv.Jobs, j.Job.clone())
			}
			v.Runs = append(v.Runs, rv)
		}
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b RepoView) int { return cmp.Compare(a.Name, b.Name) })
	return out
}
