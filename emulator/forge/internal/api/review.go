package api

import (
	"net/http"
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) reviewRoutes() []route {
	const reviews = "/repos/{owner}/{repo}/pulls/{number}/reviews"
	return []route{
		{method: http.MethodGet, pattern: reviews, list: true, do: func(c *call) (answer, error) {
			n, err := c.issue()
			if err != nil {
				return answer{}, err
			}
			all, err := a.State.Reviews(c.who, c.repo(), n)
			return list(c, a.Base, all, err)
		}},
		{method: http.MethodPost, pattern: reviews, do: a.createReview},
		{method: http.MethodGet, pattern: reviews + "/{id}", do: onReview(func(c *call, n int, id int64) (wire.Review, error) {
			return a.State.Review(c.who, c.repo(), n, id)
		})},
		{method: http.MethodPut, pattern: reviews + "/{id}", do: onReview(func(c *call, n int, id int64) (wire.Review, error) {
			body, err := commentBody(c)
			if err != nil {
				return wire.Review{}, err
			}
			return a.State.EditReview(c.who, c.repo(), n, id, body)
		})},
		{method: http.MethodDelete, pattern: reviews + "/{id}", do: onReview(func(c *call, n int, id int64) (wire.Review, error) {
			return a.State.DeleteReview(c.who, c.repo(), n, id)
		})},
		{method: http.MethodPost, pattern: reviews + "/{id}/events", do: onReview(a.submitReview)},
		{method: http.MethodPut, pattern: reviews + "/{id}/dismissals", do: onReview(a.dismissReview)},
		{method: http.MethodGet, pattern: reviews + "/{id}/comments", list: true, do: func(c *call) (answer, error) {
			n, err := c.issue()
			if err != nil {
				return answer{}, err
			}
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			all, err := a.State.ReviewComments(c.who, c.repo(), state.ReviewCommentFilter{Number: n, Review: id})
			return list(c, a.Base, all, err)
		}},
	}
}

// onReview is a handler that is about one review.
func onReview(do func(c *call, number int, id int64) (wire.Review, error)) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		n, err := c.issue()
		if err != nil {
			return answer{}, err
		}
		id, err := c.number("id")
		if err != nil {
			return answer{}, err
		}
		return answered(do(c, n, id))
	}
}

// draftComment is a comment as a new review has it.
type draftComment struct {
	Path        string `json:"path"`
	Body        string `json:"body"`
	Position    int    `json:"position"`
	Line        int    `json:"line"`
	Side        string `json:"side"`
	StartLine   int    `json:"start_line"`
	StartSide   string `json:"start_side"`
	SubjectType string `json:"subject_type"`
}

func (a *API) createReview(c *call) (answer, error) {
	var in struct {
		Commit   string         `json:"commit_id"`
		Body     string         `json:"body"`
		Event    string         `json:"event"`
		Comments []draftComment `json:"comments"`
	}
	p, err := a.pull(c, state.WritePulls)
	if err != nil {
		return answer{}, err
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	var made wire.Review
	err = untilStill(func() error {
		if p, err = a.pull(c, state.WritePulls); err != nil {
			return err
		}
		nr := state.NewReview{Body: in.Body, Event: in.Event}
		var found bool
		if nr.Commit, found = reviewedCommit(p, in.Commit); !found {
			return wire.Unmet("The commitOID is not part of the pull request")
		}
		d, err := a.pullDiff(c, p, nr.Commit, len(in.Comments) > 0)
		if err != nil {
			return err
		}
		for _, x := range in.Comments {
			at, problems := d.find(x)
			if len(problems) > 0 {
				return wire.Unmet(sentence(problems))
			}
			nr.Comments = append(nr.Comments, state.NewReviewComment{Body: x.Body, Anchor: at})
		}
		made, err = a.State.CreateReview(c.who, c.repo(), p.Number, p.Known, nr)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	return ok(made)
}

// reviewedCommit is the commit that a review or comment is about, if it is one of the pull request; "" is the head.
func reviewedCommit(p state.Pull, sha string) (string, bool) {
	if sha == "" {
		return p.Known, true
	}
	return sha, sha == p.Known || slices.Contains(p.Facts.Shas, sha)
}

func (a *API) submitReview(c *call, n int, id int64) (wire.Review, error) {
	var in struct {
		Body  *string `json:"body"`
		Event string  `json:"event"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return wire.Review{}, err
	}
	return a.State.SubmitReview(c.who, c.repo(), n, id, in.Event, in.Body)
}

func (a *API) dismissReview(c *call, n int, id int64) (wire.Review, error) {
	var in struct {
		Message *string `json:"message"`
		Event   string  `json:"event"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return wire.Review{}, err
	}
	if in.Event != "" && in.Event != "DISMISS" {
		return wire.Review{}, wire.Unmet("Event is invalid")
	}
	if in.Message == nil {
		return wire.Review{}, missing("message")
	}
	return a.State.DismissReview(c.who, c.repo(), n, id, *in.Message)
}
