package api

import (
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

func (a *API) labelRoutes() []route {
	const labels = "/repos/{owner}/{repo}/labels"
	return []route{
		{method: http.MethodGet, pattern: labels, list: true, do: func(c *call) (answer, error) {
			all, err := a.State.Labels(c.who, c.repo())
			return list(c, a.Base, all, err)
		}},
		{method: http.MethodPost, pattern: labels, do: func(c *call) (answer, error) {
			in, err := labelBody(c)
			if err != nil {
				return answer{}, err
			}
			l, err := a.State.CreateLabel(c.who, c.repo(), in)
			if err != nil {
				return answer{}, err
			}
			return created(l)
		}},
		{method: http.MethodGet, pattern: labels + "/{name}", do: func(c *call) (answer, error) {
			l, err := a.State.Label(c.who, c.repo(), c.param["name"])
			if err != nil {
				return answer{}, err
			}
			return ok(l)
		}},
		{method: http.MethodPatch, pattern: labels + "/{name}", do: func(c *call) (answer, error) {
			in, err := labelBody(c)
			if err != nil {
				return answer{}, err
			}
			l, err := a.State.EditLabel(c.who, c.repo(), c.param["name"], in)
			if err != nil {
				return answer{}, err
			}
			return ok(l)
		}},
		{method: http.MethodDelete, pattern: labels + "/{name}", do: func(c *call) (answer, error) {
			if err := a.State.DeleteLabel(c.who, c.repo(), c.param["name"]); err != nil {
				return answer{}, err
			}
			return noContent()
		}},
	}
}

func labelBody(c *call) (state.LabelEdit, error) {
	var in struct {
		Name        *string `json:"name"`
		NewName     *string `json:"new_name"`
		Color       *string `json:"color"`
		Description *string `json:"description"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return state.LabelEdit{}, err
	}
	if in.NewName != nil {
		in.Name = in.NewName
	}
	return state.LabelEdit{Name: in.Name, Color: in.Color, Description: in.Description}, nil
}
