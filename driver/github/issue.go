package github

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/understudy-dev/understudy/driver"
)

type issues struct{ c *client }

type wireIssue struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	Body   string `json:"body"`
	State  string `json:"state"`

	CreatedAt time.Time `json:"created_at"`

	User struct {
		Login string `json:"login"`
	} `json:"user"`
	Labels []struct {
		Name string `json:"name"`
	} `json:"labels"`
}

func (w wireIssue) issue(r driver.Repo) driver.Issue {
	out := driver.Issue{
		Ref: driver.Ref{Repo: r, Number: w.Number}, Title: w.Title, Body: w.Body, State: w.State,
		Author: w.User.Login, Labels: []string{},
	}
	for _, l := range w.Labels {
		out.Labels = append(out.Labels, l.Name)
	}
	return out
}

func (s issues) Open(ctx context.Context, r driver.Repo, in driver.NewIssue) (driver.Issue, error) {
	body := map[string]any{"title": in.Title, "body": in.Body}
	if len(in.Labels) > 0 {
		body["labels"] = in.Labels
	}
	var w wireIssue
	// Another one with the same words, opened in the same moment, would be taken for it.
	there := listed(s.c, repoPath(r, "/issues")+"?state=all", &w, func(w wireIssue, from time.Time) bool {
		return w.Title == in.Title && w.Body == in.Body && w.CreatedAt.After(from)
	})
	if err := s.c.make(ctx, repoPath(r, "/issues"), body, &w, there); err != nil {
		return driver.Issue{}, fmt.Errorf("open issue in %s: %w", r, err)
	}
	return w.issue(r), nil
}

func (s issues) Get(ctx context.Context, ref driver.Ref) (driver.Issue, error) {
	var w wireIssue
	if _, err := s.c.do(ctx, http.MethodGet, repoPath(ref.Repo, "/issues/%d", ref.Number), nil, &w); err != nil {
		return driver.Issue{}, fmt.Errorf("get issue %s#%d: %w", ref.Repo, ref.Number, err)
	}
	return w.issue(ref.Repo), nil
}

// Edit changes labels through the labels API: a PATCH of the issue would be an event of its own.
func (s issues) Edit(ctx context.Context, ref driver.Ref, edit driver.IssueEdit) error {
	fail := func(err error) error { return fmt.Errorf("edit issue %s#%d: %w", ref.Repo, ref.Number, err) }
	body := map[string]any{}
	for name, v := range map[string]*string{"title": edit.Title, "body": edit.Body, "state": edit.State} {
		if v != nil {
			body[name] = *v
		}
	}
	if len(body) > 0 {
		if _, err := s.c.do(ctx, http.MethodPatch, repoPath(ref.Repo, "/issues/%d", ref.Number), body, nil); err != nil {
			return fail(err)
		}
	}
	if len(edit.AddLabels) > 0 {
		body := map[string]any{"labels": edit.AddLabels}
		if err := s.c.make(ctx, repoPath(ref.Repo, "/issues/%d/labels", ref.Number), body, nil, harmless); err != nil {
			return fail(err)
		}
	}
	for _, l := range edit.RemoveLabels {
		if _, err := s.c.do(ctx, http.MethodDelete, repoPath(ref.Repo, "/issues/%d/labels/%s", ref.Number, l), nil, nil); err != nil {
			return fail(err)
		}
	}
	return nil
}

type wireComment struct {
	ID   int64  `json:"id"`
	Body string `json:"body"`
	User struct {
		Login string `json:"login"`
	} `json:"user"`
	CreatedAt time.Time `json:"created_at"`
}

func (w wireComment) comment() driver.Comment {
	return driver.Comment{ID: w.ID, Author: w.User.Login, Body: w.Body}
}

func (s issues) Comment(ctx context.Context, ref driver.Ref, body string) (driver.Comment, error) {
	var w wireComment
	path := repoPath(ref.Repo, "/issues/%d/comments", ref.Number)
	there := listed(s.c, path, &w, func(w wireComment, from time.Time) bool { return w.Body == body && w.CreatedAt.After(from) })
	if err := s.c.make(ctx, path, map[string]string{"body": body}, &w, there); err != nil {
		return driver.Comment{}, fmt.Errorf("comment on %s#%d: %w", ref.Repo, ref.Number, err)
	}
	return w.comment(), nil
}

func (s issues) Comments(ctx context.Context, ref driver.Ref) ([]driver.Comment, error) {
	out := []driver.Comment{}
	err := s.c.pages(ctx, repoPath(ref.Repo, "/issues/%d/comments", ref.Number), func(raw []byte) error {
		var page []wireComment
		if err := json.Unmarshal(raw, &page); err != nil {
			return err
		}
		for _, w := range page {
			out = append(out, w.comment())
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list comments of %s#%d: %w", ref.Repo, ref.Number, err)
	}
	return out, nil
}

type reactions struct{ c *client }

func (s reactions) List(ctx context.Context, ref driver.Ref) ([]driver.Reaction, error) {
	out := []driver.Reaction{}
	err := s.c.pages(ctx, repoPath(ref.Repo, "/issues/%d/reactions", ref.Number), func(raw []byte) error {
		var page []struct {
			Content string `json:"content"`
			User    struct {
				Login string `json:"login"`
			} `json:"user"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return err
		}
		for _, w := range page {
			out = append(out, driver.Reaction{Author: w.User.Login, Content: w.Content})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list reactions to %s#%d: %w", ref.Repo, ref.Number, err)
	}
	return out, nil
}
