package api

import (
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) reviewCommentRoutes() []route {
	const pulls = "/repos/{owner}/{repo}/pulls"
	query := []string{"sort", "direction", "since"}
	return []route{
		{method: http.MethodGet, pattern: pulls + "/comments", list: true, query: query, do: func(c *call) (answer, error) {
			return a.listReviewComments(c, 0)
		}},
		{method: http.MethodGet, pattern: pulls + "/{number}/comments", list: true, query: query, do: func(c *call) (answer, error) {
			p, err := a.pull(c, state.ReadPulls)
			if err != nil {
				return answer{}, err
			}
			return a.listReviewComments(c, p.Number)
		}},
		{method: http.MethodPost, pattern: pulls + "/{number}/comments", do: a.createReviewComment},
		{method: http.MethodPost, pattern: pulls + "/{number}/comments/{id}/replies", do: a.replyToReviewComment},
		{method: http.MethodGet, pattern: pulls + "/comments/{id}", do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			return answered(a.State.ReviewComment(c.who, c.repo(), id))
		}},
		{method: http.MethodPatch, pattern: pulls + "/comments/{id}", do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			body, err := commentBody(c)
			if err != nil {
				return answer{}, err
			}
			return answered(a.State.EditReviewComment(c.who, c.repo(), id, body))
		}},
		{method: http.MethodDelete, pattern: pulls + "/comments/{id}", do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			return done(a.State.DeleteReviewComment(c.who, c.repo(), id))
		}},
	}
}

func (a *API) listReviewComments(c *call, number int) (answer, error) {
	f := state.ReviewCommentFilter{Number: number}
	var err error
	if f.Sort, err = c.oneOf("sort", "created", "updated", "created_at"); err != nil {
		return answer{}, err
	}
	// Without sort there is no direction, as at GitHub.
	direction, err := c.oneOf("direction", map[bool]string{true: "asc", false: "desc"}[c.URL.Query().Get("sort") == ""], "asc", "desc")
	if err != nil {
		return answer{}, err
	}
	f.Descending = direction == "desc" && c.URL.Query().Get("sort") != ""
	if f.Since, err = c.sinceOf(); err != nil {
		return answer{}, err
	}
	all, err := a.State.ReviewComments(c.who, c.repo(), f)
	return list(c, a.Base, all, err)
}

func (a *API) createReviewComment(c *call) (answer, error) {
	var in struct {
		draftComment
		Commit    string `json:"commit_id"`
		InReplyTo int64  `json:"in_reply_to"`
	}
	p, err := a.pull(c, state.WritePulls)
	if err != nil {
		return answer{}, err
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	if in.InReplyTo != 0 {
		return createdComment(c, func() (wire.ReviewComment, error) {
			return a.State.AddReviewComment(c.who, c.repo(), p.Number, "", state.NewReviewComment{Body: in.Body}, in.InReplyTo)
		})
	}
	switch {
	case in.Body == "":
		return answer{}, missing("body")
	case in.Commit == "":
		return answer{}, missing("commit_id")
	case in.Path == "":
		return answer{}, missing("path")
	}
	return createdComment(c, func() (made wire.ReviewComment, err error) {
		err = untilStill(func() error {
			if p, err = a.pull(c, state.WritePulls); err != nil {
				return err
			}
			commit, found := reviewedCommit(p, in.Commit)
			if !found {
				return wire.Invalid(wire.FieldError{Resource: "PullRequestReviewComment", Field: "commit_id", Code: "invalid", Message: "commit_id is not part of the pull request"})
			}
			d, err := a.pullDiff(c, p, commit, true)
			if err != nil {
				return err
			}
			at, problems := d.find(in.draftComment)
			if len(problems) > 0 {
				return wire.Invalid(problems...)
			}
			made, err = a.State.AddReviewComment(c.who, c.repo(), p.Number, p.Known, state.NewReviewComment{Body: in.Body, Anchor: at}, 0)
			return err
		})
		if err == nil && made.CommitID != p.Known {
			err = a.followComments(c.Request, a.Git.Open(p.Repo.ID), p, p.Known, p.Facts.Common)
		}
		return made, err
	})
}

func (a *API) replyToReviewComment(c *call) (answer, error) {
	p, err := a.pull(c, state.WritePulls)
	if err != nil {
		return answer{}, err
	}
	id, err := c.number("id")
	if err != nil {
		return answer{}, err
	}
	body, err := commentBody(c)
	if err != nil {
		return answer{}, err
	}
	return createdComment(c, func() (wire.ReviewComment, error) {
		return a.State.AddReviewComment(c.who, c.repo(), p.Number, "", state.NewReviewComment{Body: body}, id)
	})
}

// createdComment is the answer to a new comment, which says where it is.
func createdComment(c *call, do func() (wire.ReviewComment, error)) (answer, error) {
	v, err := do()
	if err != nil {
		return answer{}, err
	}
	c.header.Set("Location", v.URL)
	return created(v)
}
