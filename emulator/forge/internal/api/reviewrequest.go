package api

import (
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) reviewRequestRoutes() []route {
	const requested = "/repos/{owner}/{repo}/pulls/{number}/requested_reviewers"
	return []route{
		{method: http.MethodGet, pattern: requested, do: func(c *call) (answer, error) {
			n, err := c.issue()
			if err != nil {
				return answer{}, err
			}
			return answered(a.State.Reviewers(c.who, c.repo(), n))
		}},
		{method: http.MethodPost, pattern: requested, do: a.reviewers(http.StatusCreated, a.State.RequestReviews)},
		{method: http.MethodDelete, pattern: requested, do: a.reviewers(http.StatusOK, a.State.DropRequests)},
	}
}

// reviewers is a handler that changes whose review is asked for.
func (a *API) reviewers(status int, do func(who state.Identity, full string, number int, ask state.ReviewAsk) (wire.ListedPull, error)) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		p, err := a.pull(c, state.TriagePulls)
		if err != nil {
			return answer{}, err
		}
		var in struct {
			Users []string `json:"reviewers"`
			Teams []string `json:"team_reviewers"`
		}
		if err := c.decode(smallBody, &in); err != nil {
			return answer{}, err
		}
		v, err := do(c.who, c.repo(), p.Number, state.ReviewAsk(in))
		return answer{status: status, body: v}, err
	}
}
