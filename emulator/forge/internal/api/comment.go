package api

import (
	"net/http"
)

func (a *API) commentRoutes() []route {
	return append(a.issueCommentRoutes(), a.oneCommentRoutes()...)
}

// issueCommentRoutes are about the comments of one issue.
func (a *API) issueCommentRoutes() []route {
	const issues = "/repos/{owner}/{repo}/issues"
	return []route{
		{method: http.MethodGet, pattern: issues + "/{number}/comments", list: true, query: []string{"since"}, do: func(c *call) (answer, error) {
			n, err := c.issue()
			if err != nil {
				return answer{}, err
			}
			since, err := c.sinceOf()
			if err != nil {
				return answer{}, err
			}
			all, err := a.State.Comments(c.who, c.repo(), n, since)
			return list(c, a.Base, all, err)
		}},
		{method: http.MethodPost, pattern: issues + "/{number}/comments", do: func(c *call) (answer, error) {
			n, err := c.issue()
			if err != nil {
				return answer{}, err
			}
			body, err := commentBody(c)
			if err != nil {
				return answer{}, err
			}
			v, err := a.State.AddComment(c.who, c.repo(), n, body)
			if err != nil {
				return answer{}, err
			}
			return created(v)
		}},
	}
}

// oneCommentRoutes are about a comment by its id.
func (a *API) oneCommentRoutes() []route {
	const issues = "/repos/{owner}/{repo}/issues"
	return []route{
		{method: http.MethodGet, pattern: issues + "/comments/{id}", do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			v, err := a.State.Comment(c.who, c.repo(), id)
			if err != nil {
				return answer{}, err
			}
			return ok(v)
		}},
		{method: http.MethodPatch, pattern: issues + "/comments/{id}", do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			body, err := commentBody(c)
			if err != nil {
				return answer{}, err
			}
			v, err := a.State.EditComment(c.who, c.repo(), id, body)
			if err != nil {
				return answer{}, err
			}
			return ok(v)
		}},
		{method: http.MethodDelete, pattern: issues + "/comments/{id}", do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			if err := a.State.DeleteComment(c.who, c.repo(), id); err != nil {
				return answer{}, err
			}
			return noContent()
		}},
	}
}

func commentBody(c *call) (string, error) {
	var in struct {
		Body *string `json:"body"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return "", err
	}
	if in.Body == nil {
		return "", missing("body")
	}
	return *in.Body, nil
}
