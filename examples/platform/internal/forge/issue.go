package forge

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Comment is a comment on an issue.
type Comment struct {
	ID   int64  `json:"id"`
	Body string `json:"body"`
	User struct {
		Login string `json:"login"`
		Type  string `json:"type"` // User, Bot
	} `json:"user"`
}

// Bot reports whether no person wrote it.
func (c Comment) Bot() bool { return c.User.Type == "Bot" }

// Labels returns the names of an issue's labels.
func (c *Client) Labels(ctx context.Context, issue int) ([]string, error) {
	var w struct {
		Labels []struct {
			Name string `json:"name"`
		} `json:"labels"`
	}
	if _, err := c.call(ctx, http.MethodGet, fmt.Sprintf("/issues/%d", issue), nil, &w); err != nil {
		return nil, err
	}
	var names []string
	for _, l := range w.Labels {
		names = append(names, l.Name)
	}
	return names, nil
}

// AddLabel puts a label on an issue, through the labels API: an edit of the issue would be another
// event.
func (c *Client) AddLabel(ctx context.Context, issue int, label string) error {
	in := map[string]any{"labels": []string{label}}
	_, err := c.call(ctx, http.MethodPost, fmt.Sprintf("/issues/%d/labels", issue), in, nil)
	return err
}

// RemoveLabel takes a label off an issue. It may be gone already.
func (c *Client) RemoveLabel(ctx context.Context, issue int, label string) error {
	_, err := c.call(ctx, http.MethodDelete, fmt.Sprintf("/issues/%d/labels/%s", issue, url.PathEscape(label)), nil, nil)
	if is(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// CreateLabel makes a label known to the repository. It may be there already.
func (c *Client) CreateLabel(ctx context.Context, name, color, description string) error {
	in := map[string]any{"name": name, "color": color, "description": description}
	_, err := c.call(ctx, http.MethodPost, "/labels", in, nil)
	if is(err, http.StatusUnprocessableEntity) {
		// GitHub says 422 for a name that is taken and for a bad one alike.
		_, err = c.call(ctx, http.MethodGet, "/labels/"+url.PathEscape(name), nil, nil)
	}
	return err
}

// Comments returns all comments of an issue, the oldest first.
func (c *Client) Comments(ctx context.Context, issue int) ([]Comment, error) {
	var all []Comment
	for page := 1; page <= maxPages; page++ {
		var comments []Comment
		path := fmt.Sprintf("/issues/%d/comments?per_page=100&page=%d", issue, page)
		header, err := c.call(ctx, http.MethodGet, path, nil, &comments)
		if err != nil {
			return nil, err
		}
		all = append(all, comments...)
		if !strings.Contains(header.Get("Link"), `rel="next"`) {
			break
		}
	}
	return all, nil
}

// Append writes a comment.
func (c *Client) Append(ctx context.Context, issue int, body string) (made Comment, err error) {
	_, err = c.call(ctx, http.MethodPost, fmt.Sprintf("/issues/%d/comments", issue), map[string]any{"body": body}, &made)
	return made, err
}

// Stick writes the comment that begins with marker, or replaces its text when it is there already.
func (c *Client) Stick(ctx context.Context, issue int, marker, text string) error {
	body := marker + "\n" + text
	comments, err := c.Comments(ctx, issue)
	if err != nil {
		return err
	}
	for _, old := range comments {
		if strings.HasPrefix(old.Body, marker) {
			_, err := c.call(ctx, http.MethodPatch, fmt.Sprintf("/issues/comments/%d", old.ID), map[string]any{"body": body}, nil)
			return err
		}
	}
	_, err = c.Append(ctx, issue, body)
	return err
}

// React shows a reaction to an issue or pull request and returns its number; it may be there already.
// See https://docs.github.com/en/rest/reactions/reactions#create-reaction-for-an-issue.
func (c *Client) React(ctx context.Context, issue int, content string) (int64, error) {
	var w struct {
		ID int64 `json:"id"`
	}
	_, err := c.call(ctx, http.MethodPost, fmt.Sprintf("/issues/%d/reactions", issue), map[string]string{"content": content}, &w)
	return w.ID, err
}

// Unreact takes a reaction of one's own back.
func (c *Client) Unreact(ctx context.Context, issue int, content string) error {
	id, err := c.React(ctx, issue, content) // which tells its number
	if err != nil {
		return err
	}
	_, err = c.call(ctx, http.MethodDelete, fmt.Sprintf("/issues/%d/reactions/%d", issue, id), nil, nil)
	return err
}
