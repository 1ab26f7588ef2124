package api

import (
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

func (a *API) statusRoutes() []route {
	const repo = "/repos/{owner}/{repo}"
	return []route{
		{method: http.MethodPost, pattern: repo + "/statuses/{sha}", do: a.createStatus},
		{method: http.MethodGet, pattern: repo + "/commits/{ref...}/status", query: []string{"per_page", "page"}, do: a.combinedStatus},
		{method: http.MethodGet, pattern: repo + "/commits/{ref...}/statuses", list: true, do: a.listStatuses},
	}
}

func (a *API) createStatus(c *call) (answer, error) {
	repo, err := a.State.Authorize(c.who, c.repo(), state.WriteStatuses)
	if err != nil {
		return answer{}, err
	}
	var in struct {
		State       *string  `json:"state"`
		TargetURL   nullable `json:"target_url"`
		Description nullable `json:"description"`
		Context     string   `json:"context"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	if in.State == nil {
		return answer{}, missing("state")
	}
	x, err := commitOf(a.Git.Open(repo.ID), c.param["sha"])
	if err != nil {
		return answer{}, err
	}
	v, err := a.State.CreateStatus(c.who, c.repo(), state.Status{SHA: c.param["sha"], State: *in.State, Context: in.Context,
		Description: in.Description.value, TargetURL: in.TargetURL.value}, a.viewCommit(repo.FullName, x))
	return answer{status: http.StatusCreated, body: v}, err
}

func (a *API) combinedStatus(c *call) (answer, error) {
	x, _, err := a.commitNamed(c, state.ReadStatuses)
	if err != nil {
		return answer{}, err
	}
	v, err := a.State.CombinedStatus(c.who, c.repo(), x.Hash.String())
	if err != nil {
		return answer{}, err
	}
	v.Statuses = page(c, a.Base, v.Statuses)
	return ok(v)
}

func (a *API) listStatuses(c *call) (answer, error) {
	x, _, err := a.commitNamed(c, state.ReadStatuses)
	if err != nil {
		return answer{}, err
	}
	all, err := a.State.Statuses(c.who, c.repo(), x.Hash.String())
	return list(c, a.Base, all, err)
}
