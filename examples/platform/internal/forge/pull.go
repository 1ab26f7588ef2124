package forge

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Pull returns a pull request's JSON.
func (c *Client) Pull(ctx context.Context, number int64) ([]byte, error) {
	var raw json.RawMessage
	_, err := c.call(ctx, http.MethodGet, fmt.Sprintf("/pulls/%d", number), nil, &raw)
	return raw, err
}

// Head is where a pull request comes from.
type Head struct {
	Branch string
	SHA    string
	Own    bool // it is a branch of the repository itself; of a fork, or nobody knows, it is not
}

// PullHead returns the head of a pull request as it is now.
func (c *Client) PullHead(ctx context.Context, number int) (Head, error) {
	type side struct {
		Ref  string `json:"ref"`
		SHA  string `json:"sha"`
		Repo *struct {
			FullName string `json:"full_name"`
		} `json:"repo"`
	}
	var w struct{ Head, Base side }
	_, err := c.call(ctx, http.MethodGet, fmt.Sprintf("/pulls/%d", number), nil, &w)
	own := w.Head.Repo != nil && w.Base.Repo != nil && w.Head.Repo.FullName == w.Base.Repo.FullName
	return Head{Branch: w.Head.Ref, SHA: w.Head.SHA, Own: own}, err
}

// NewPull describes a pull request between branches of the repository.
type NewPull struct {
	Title string `json:"title"`
	Body  string `json:"body"`
	Head  string `json:"head"`
	Base  string `json:"base"`
}

// OpenPull opens a pull request and returns its number; when one is open for the branch already, that one's.
func (c *Client) OpenPull(ctx context.Context, in NewPull) (int, error) {
	var made struct {
		Number int `json:"number"`
	}
	_, err := c.call(ctx, http.MethodPost, "/pulls", in, &made)
	if !is(err, http.StatusUnprocessableEntity) {
		return made.Number, err
	}
	_, rest, _ := strings.Cut(c.base, "/repos/")
	owner, _, _ := strings.Cut(rest, "/")
	q := url.Values{"state": {"open"}, "head": {owner + ":" + in.Head}, "base": {in.Base}}
	var list []struct {
		Number int `json:"number"`
	}
	if _, other := c.call(ctx, http.MethodGet, "/pulls?"+q.Encode(), nil, &list); other != nil || len(list) == 0 {
		return 0, err
	}
	return list[0].Number, nil
}

// Review submits a review of a pull request. Says is APPROVE, REQUEST_CHANGES or COMMENT, sha the
// commit that was looked at. Nobody can approve or refuse what is his own: that becomes a comment.
// See https://docs.github.com/en/rest/pulls/reviews#create-a-review-for-a-pull-request.
func (c *Client) Review(ctx context.Context, number int, says, body, sha string) error {
	path := fmt.Sprintf("/pulls/%d/reviews", number)
	in := map[string]any{"event": says, "body": body, "commit_id": sha}
	_, err := c.call(ctx, http.MethodPost, path, in, nil)
	if is(err, http.StatusUnprocessableEntity) && says != "COMMENT" {
		in["event"] = "COMMENT"
		_, err = c.call(ctx, http.MethodPost, path, in, nil)
	}
	return err
}
