package github

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/driver"
)

type reviews struct{ c *client }

type wireReview struct {
	ID   int64 `json:"id"`
	User struct {
		Login string `json:"login"`
	} `json:"user"`
	State    string `json:"state"`
	Body     string `json:"body"`
	CommitID string `json:"commit_id"`

	SubmittedAt time.Time `json:"submitted_at"`
}

func (w wireReview) review() driver.Review {
	return driver.Review{ID: w.ID, Author: w.User.Login, State: strings.ToLower(w.State), Body: w.Body, Commit: w.CommitID}
}

func (s reviews) Submit(ctx context.Context, ref driver.Ref, in driver.NewReview) (driver.Review, error) {
	body := map[string]string{"event": strings.ToUpper(in.Says)}
	if in.Body != "" {
		body["body"] = in.Body
	}
	var w wireReview
	path := repoPath(ref.Repo, "/pulls/%d/reviews", ref.Number)
	state := map[string]string{driver.ReviewComment: "COMMENTED", driver.ReviewApprove: "APPROVED", driver.ReviewRequestChanges: "CHANGES_REQUESTED"}[in.Says]
	there := listed(s.c, path, &w, func(w wireReview, from time.Time) bool {
		return w.State == state && w.Body == in.Body && w.SubmittedAt.After(from)
	})
	if err := s.c.make(ctx, path, body, &w, there); err != nil {
		return driver.Review{}, fmt.Errorf("review pull request %s#%d: %w", ref.Repo, ref.Number, err)
	}
	return w.review(), nil
}

func (s reviews) List(ctx context.Context, ref driver.Ref) ([]driver.Review, error) {
	out := []driver.Review{}
	err := s.c.pages(ctx, repoPath(ref.Repo, "/pulls/%d/reviews", ref.Number), func(raw []byte) error {
		var page []wireReview
		if err := json.Unmarshal(raw, &page); err != nil {
			return err
		}
		for _, w := range page {
			out = append(out, w.review())
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list reviews of pull request %s#%d: %w", ref.Repo, ref.Number, err)
	}
	return out, nil
}
