package github

import (
	"context"
	"fmt"
	"net/http"

	"github.com/understudy-dev/understudy/driver"
)

type labels struct{ c *client }

func (s labels) Set(ctx context.Context, r driver.Repo, l driver.Label) error {
	body := map[string]string{"color": l.Color, "description": l.Description}
	_, err := s.c.do(ctx, http.MethodPatch, repoPath(r, "/labels/%s", l.Name), body, nil)
	if isStatus(err, http.StatusNotFound) {
		body["name"] = l.Name
		err = s.c.make(ctx, repoPath(r, "/labels"), body, nil, s.c.exists(repoPath(r, "/labels/%s", l.Name), nil))
	}
	if err != nil {
		return fmt.Errorf("set label %q of %s: %w", l.Name, r, err)
	}
	return nil
}
