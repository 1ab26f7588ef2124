package forge

import (
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// RepoView is a repository with what is in it.
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
	State    string // open, closed
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
func (a *Admin) Overview() []RepoView {
	var out []RepoView
	for _, r := range a.state.Overview() {
		v := RepoView{Name: r.Name, Private: r.Private}
		for _, i := range r.Issues {
			v.Issues = append(v.Issues, IssueView(i))
		}
		for _, x := range r.Runs {
			rv := RunView{Run: Run(x.Run)}
			for _, j := range x.Jobs {
				rv.Jobs = append(rv.Jobs, viewJob(j))
			}
			v.Runs = append(v.Runs, rv)
		}
		out = append(out, v)
	}
	return out
}

func viewJob(j state.Job) Job {
	out := Job{
		ID: j.ID, RunID: j.RunID, Repo: j.Repo, Key: j.Key, Name: j.Name, Status: j.Status, Conclusion: j.Conclusion,
		TimedOut: j.TimedOut, Error: j.Error, Permissions: j.Permissions, Created: j.Created, Started: j.Started, Completed: j.Completed,
	}
	for _, s := range j.Steps {
		out.Steps = append(out.Steps, Step(s))
	}
	return out
}

// Log returns the log of a job as far as it is written.
func (a *Admin) Log(job int64) ([]byte, error) {
	b, err := a.state.Log(job)
	return b, wrap("read log", err)
}
