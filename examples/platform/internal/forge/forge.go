// Package forge is the part of GitHub's REST API that crew uses.
package forge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

const (
	maxBody  = 16 << 20
	maxPages = 100
)

// Client calls the API with one token, about one repository. It is safe for concurrent use.
type Client struct {
	base  string // "https://api.github.com/repos/acme/app"
	token string
	http  *http.Client
}

var repoName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+$`)

// New returns a client for the repository "owner/name" of the API at the URL api.
func New(api, token, repo string) (*Client, error) {
	u, err := url.Parse(api)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("API address %q is no http or https URL", api)
	case !repoName.MatchString(repo):
		return nil, fmt.Errorf("repository %q is not of the form owner/name", repo)
	case token == "":
		return nil, errors.New("no token")
	}
	return &Client{
		base: strings.TrimSuffix(api, "/") + "/repos/" + repo, token: token,
		http: &http.Client{Timeout: 30 * time.Second},
	}, nil
}

// Error is an answer that is not 2xx.
type Error struct {
	Method, Path string
	Status       int
	Message      string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s %s: %d %s", e.Method, e.Path, e.Status, e.Message)
}

// is reports whether err is an answer with one of these statuses.
func is(err error, status ...int) bool {
	e, ok := errors.AsType[*Error](err)
	for _, s := range status {
		if ok && e.Status == s {
			return true
		}
	}
	return false
}

// call sends in as JSON when it is not nil and decodes the answer into out when that is not nil.
// path is relative to the repository.
func (c *Client) call(ctx context.Context, method, path string, in, out any) (http.Header, error) {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	req.Header.Set("User-Agent", "crew")
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxBody))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		var w struct {
			Message string `json:"message"`
		}
		if json.Unmarshal(data, &w) != nil || w.Message == "" {
			w.Message = http.StatusText(res.StatusCode)
		}
		return nil, &Error{method, path, res.StatusCode, w.Message}
	}
	if out != nil {
		if err := json.Unmarshal(data, out); err != nil {
			return nil, fmt.Errorf("%s %s: %w", method, path, err)
		}
	}
	return res.Header, nil
}
