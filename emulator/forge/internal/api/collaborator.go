package api

import (
	"net/http"
)

// rolePattern is where a role in a repository is given and taken.
const rolePattern = repoPattern + "/collaborators/{login}"

func (a *API) collaboratorRoutes() []route {
	const all = "/repos/{owner}/{repo}/collaborators"
	return []route{
		{method: http.MethodGet, pattern: all, list: true, do: func(c *call) (answer, error) {
			who, err := a.State.Collaborators(c.who, c.repo())
			return list(c, a.Base, who, err)
		}},
		{method: http.MethodGet, pattern: all + "/{login}", do: func(c *call) (answer, error) {
			if err := a.State.IsCollaborator(c.who, c.repo(), c.param["login"]); err != nil {
				return answer{}, err
			}
			return noContent()
		}},
		{method: http.MethodPut, pattern: all + "/{login}", do: a.putCollaborator},
		{method: http.MethodDelete, pattern: all + "/{login}", do: func(c *call) (answer, error) {
			if err := a.State.RemoveCollaborator(c.who, c.repo(), c.param["login"]); err != nil {
				return answer{}, err
			}
			return noContent()
		}},
		{method: http.MethodGet, pattern: all + "/{login}/permission", do: func(c *call) (answer, error) {
			p, err := a.State.Permission(c.who, c.repo(), c.param["login"])
			if err != nil {
				return answer{}, err
			}
			return ok(p)
		}},
	}
}

// putCollaborator gives the role at once. GitHub sends an invitation first to who is outside the
// organisation; here it counts as accepted, and the answer is that of an accepted one.
func (a *API) putCollaborator(c *call) (answer, error) {
	in := struct {
		Permission string `json:"permission"`
	}{"push"}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	if _, err := a.State.SetCollaborator(c.who, c.repo(), c.param["login"], in.Permission); err != nil {
		return answer{}, err
	}
	return noContent()
}
