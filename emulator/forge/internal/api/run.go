package api

import (
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

func runQuery() []string {
	return []string{"actor", "branch", "event", "status", "head_sha", "exclude_pull_requests"}
}

func (a *API) runRoutes() []route {
	const runs = "/repos/{owner}/{repo}/actions/runs"
	const jobs = "/repos/{owner}/{repo}/actions/jobs"
	return []route{
		{method: http.MethodGet, pattern: runs, list: true, query: runQuery(), do: func(c *call) (answer, error) { return a.listRuns(c, "") }},
		{method: http.MethodGet, pattern: runs + "/{id}", query: []string{"exclude_pull_requests"}, do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			r, err := a.State.Run(c.who, c.repo(), id)
			if err != nil {
				return answer{}, err
			}
			return ok(r)
		}},
		{method: http.MethodGet, pattern: runs + "/{id}/jobs", list: true, query: []string{"filter"}, do: func(c *call) (answer, error) {
			filter, err := c.oneOf("filter", "latest", "all")
			if err != nil {
				return answer{}, err
			}
			return a.listJobs(c, map[string]int{"latest": 0, "all": -1}[filter])
		}},
		{method: http.MethodGet, pattern: jobs + "/{id}", do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			j, err := a.State.Job(c.who, c.repo(), id)
			if err != nil {
				return answer{}, err
			}
			return ok(j)
		}},
		{method: http.MethodGet, pattern: jobs + "/{id}/logs", do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			if err := a.State.SeeLog(c.who, c.repo(), id); err != nil {
				return answer{}, err
			}
			return a.redirect(c, signedLog, id)
		}},
	}
}

// listJobs lists the jobs of one attempt of a run, counted as state.Jobs does.
func (a *API) listJobs(c *call, attempt int) (answer, error) {
	id, err := c.number("id")
	if err != nil {
		return answer{}, err
	}
	all, err := a.State.Jobs(c.who, c.repo(), id, attempt)
	return counted(c, a.Base, "jobs", all, err)
}

func (a *API) listRuns(c *call, workflow string) (answer, error) {
	q := c.URL.Query()
	all, err := a.State.Runs(c.who, c.repo(), state.RunFilter{Workflow: workflow, Branch: q.Get("branch"), Event: q.Get("event"),
		Status: q.Get("status"), Actor: q.Get("actor"), HeadSHA: q.Get("head_sha")})
	return counted(c, a.Base, "workflow_runs", all, err)
}
