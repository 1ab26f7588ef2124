package api

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) pullRoutes() []route {
	const pulls = "/repos/{owner}/{repo}/pulls"
	return []route{
		{method: http.MethodGet, pattern: pulls, list: true, query: []string{"state", "head", "base", "sort", "direction"}, do: a.listPulls},
		{method: http.MethodPost, pattern: pulls, do: a.openPull},
		{method: http.MethodGet, pattern: pulls + "/{number}", media: []string{"diff", "patch"}, do: a.getPull},
		{method: http.MethodPatch, pattern: pulls + "/{number}", do: a.editPull},
	}
}

func (a *API) listPulls(c *call) (answer, error) {
	var f state.PullFilter
	var err error
	if f.State, err = c.oneOf("state", "open", "closed", "all"); err != nil {
		return answer{}, err
	}
	if f.Sort, err = c.oneOf("sort", "created", "updated", "popularity", "long-running"); err != nil {
		return answer{}, err
	}
	// Only the newest first is by default the other way round.
	usual, other := "asc", "desc"
	if f.Sort == "created" {
		usual, other = other, usual
	}
	direction, err := c.oneOf("direction", usual, other)
	if err != nil {
		return answer{}, err
	}
	f.Ascending, f.Head, f.Base = direction == "asc", c.URL.Query().Get("head"), c.URL.Query().Get("base")
	all, err := a.State.Pulls(c.who, c.repo(), f)
	return list(c, a.Base, all, err)
}

func (a *API) openPull(c *call) (answer, error) {
	var in struct {
		Title       *string `json:"title"`
		Issue       int     `json:"issue"`
		Head        *string `json:"head"`
		HeadRepo    string  `json:"head_repo"`
		Base        *string `json:"base"`
		Body        *string `json:"body"`
		Draft       bool    `json:"draft"`
		Maintainers *bool   `json:"maintainer_can_modify"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	switch {
	case in.Head == nil:
		return answer{}, missing("head")
	case in.Base == nil:
		return answer{}, missing("base")
	case in.Title == nil && in.Issue == 0:
		return answer{}, missing("title")
	}
	n := state.NewPull{Issue: in.Issue, Head: *in.Head, HeadRepo: in.HeadRepo, Base: *in.Base, Draft: in.Draft,
		NoMaintainers: in.Maintainers != nil && !*in.Maintainers}
	if in.Title != nil {
		n.Title = *in.Title
	}
	if in.Body != nil {
		n.Body = *in.Body
	}
	p, err := a.newPull(c, n)
	if err != nil {
		return answer{}, err
	}
	c.header.Set("Location", p.URL)
	return created(p)
}

// newPull opens a pull request: its refs are in git before anybody hears of it.
func (a *API) newPull(c *call, in state.NewPull) (made wire.Pull, err error) {
	plan, err := a.State.PlanPull(c.who, c.repo(), in)
	if err != nil {
		return made, err
	}
	err = a.Git.Update(plan.Repo.ID, func(g *gitstore.Repo) error {
		return untilStill(func() error {
			if plan, err = a.State.PlanPull(c.who, c.repo(), in); err != nil {
				return err
			}
			facts, err := a.compare(c.Request, g, plan)
			if err != nil {
				return err
			}
			if facts.Commits > 0 {
				if err := setPullRefs(g, plan, facts); err != nil {
					return err
				}
			}
			made, err = a.State.OpenPull(c.who, c.repo(), in, plan.Number, facts)
			return err
		})
	})
	return made, err
}

// untilStill does something again as long as branches move meanwhile, but not for ever.
func untilStill(do func() error) (err error) {
	for range 1000 {
		if err = do(); !errors.Is(err, state.ErrMoved) {
			return err
		}
	}
	return err
}

// pull reads the number of the path and returns that pull request, when who asks may do need.
func (a *API) pull(c *call, need state.Need) (state.Pull, error) {
	n, err := c.issue()
	if err != nil {
		return state.Pull{}, err
	}
	return a.State.PullEnds(c.who, c.repo(), n, need)
}

func (a *API) getPull(c *call) (answer, error) {
	if c.media.param == "diff" || c.media.param == "patch" {
		return a.pullText(c)
	}
	p, err := a.pull(c, state.ReadPulls)
	if err != nil {
		return answer{}, err
	}
	if err := a.freshen(c, c.repo(), p.Number); err != nil {
		return answer{}, err
	}
	return answered(a.State.Pull(c.who, c.repo(), p.Number))
}

func (a *API) editPull(c *call) (answer, error) {
	var in struct {
		Title       *string `json:"title"`
		Body        *string `json:"body"`
		State       *string `json:"state"`
		Base        *string `json:"base"`
		Maintainers *bool   `json:"maintainer_can_modify"`
	}
	p, err := a.pull(c, state.WritePulls)
	if err != nil {
		return answer{}, err
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	if err := cmp.Or(a.freshen(c, c.repo(), p.Number), a.mayReopen(c.repo(), p.Number, in.State)); err != nil {
		return answer{}, err
	}
	if _, err := a.State.EditPull(c.who, c.repo(), p.Number, state.PullEdit{
		Title: in.Title, Body: in.Body, State: in.State, Base: in.Base, Maintainers: in.Maintainers}); err != nil {
		return answer{}, err
	}
	if err := a.settleNow(c.Request, c.who, p.Repo); err != nil {
		return answer{}, err
	}
	if err := a.freshen(c, c.repo(), p.Number); err != nil {
		return answer{}, err
	}
	return answered(a.State.Pull(c.who, c.repo(), p.Number))
}
