package api

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// environmentRoutes are those of https://docs.github.com/en/rest/deployments/environments. The variables and
// secrets of an environment stand beside those of the other levels.
func (a *API) environmentRoutes() []route {
	return []route{
		{method: http.MethodGet, pattern: repoLevel + "/environments", list: true, do: func(c *call) (answer, error) {
			all, err := a.State.Environments(c.who, c.repo())
			return counted(c, a.Base, "environments", all, err)
		}},
		{method: http.MethodGet, pattern: environmentLevel, do: func(c *call) (answer, error) {
			return answered(a.State.Environment(c.who, c.repo(), c.param["environment"]))
		}},
		{method: http.MethodPut, pattern: environmentLevel, do: a.putEnvironment},
		{method: http.MethodDelete, pattern: environmentLevel, do: func(c *call) (answer, error) {
			return done(a.State.DeleteEnvironment(c.who, c.repo(), c.param["environment"]))
		}},
	}
}

// putEnvironment refuses what would have to hold a deployment back: nothing here waits for a reviewer.
func (a *API) putEnvironment(c *call) (answer, error) {
	var in struct {
		WaitTimer         int             `json:"wait_timer"`
		PreventSelfReview bool            `json:"prevent_self_review"`
		Reviewers         json.RawMessage `json:"reviewers"`
		BranchPolicy      json.RawMessage `json:"deployment_branch_policy"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	var rules []string
	if in.WaitTimer != 0 {
		rules = append(rules, "wait_timer")
	}
	if in.PreventSelfReview {
		rules = append(rules, "prevent_self_review")
	}
	if s := string(in.Reviewers); s != "" && s != "null" && s != "[]" {
		rules = append(rules, "reviewers")
	}
	if s := string(in.BranchPolicy); s != "" && s != "null" {
		rules = append(rules, "deployment_branch_policy")
	}
	if len(rules) > 0 {
		return answer{}, wire.Unprocessable("Understudy has no deployment protection rules: " + strings.Join(rules, ", ") + ". Leave them out; every job may deploy.")
	}
	return answered(a.State.PutEnvironment(c.who, c.repo(), c.param["environment"]))
}
