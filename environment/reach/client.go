package reach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
)

// client asks a forge with one token.
type client struct {
	http  *http.Client
	api   string
	token string
}

// maxAnswer bounds what is read of one answer, and maxPages of a list.
const (
	maxAnswer = 8 << 20
	maxPages  = 100
)

var nextPage = regexp.MustCompile(`<([^>]+)>;\s*rel="next"`)

// get asks for a path and reads the answer into out when there is one of 200. It follows no redirection.
func (c client) get(ctx context.Context, path string, out any) (status int, next string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.api+path, nil)
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	req.Header.Set("User-Agent", "understudy")
	req.Header.Set("Authorization", "Bearer "+c.token)
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return 0, "", fmt.Errorf("GET %s: %w", path, err)
	case len(body) > maxAnswer:
		return 0, "", fmt.Errorf("GET %s: the answer has more than %d bytes", path, maxAnswer)
	case resp.StatusCode == http.StatusUnauthorized:
		return 0, "", errors.New("the token is not valid (401)")
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests || resp.Header.Get("X-RateLimit-Remaining") == "0" && resp.StatusCode == http.StatusForbidden:
		return 0, "", fmt.Errorf("GET %s: %s", path, resp.Status)
	case resp.StatusCode == http.StatusOK && out != nil:
		if err := json.Unmarshal(body, out); err != nil {
			return 0, "", fmt.Errorf("GET %s: the answer is no JSON of the form that is described: %w", path, err)
		}
	}
	if m := nextPage.FindStringSubmatch(resp.Header.Get("Link")); m != nil {
		next, _ = strings.CutPrefix(m[1], c.api) // elsewhere the token has no business
		if next == m[1] {
			return 0, "", fmt.Errorf("GET %s: its next page is not below %s", path, c.api)
		}
	}
	return resp.StatusCode, next, nil
}

// list reads all pages of a list; the status is that of the first page that is not 200.
func list[T any](ctx context.Context, c client, path string, page func([]byte) ([]T, error)) (all []T, status int, err error) {
	for range maxPages {
		var raw json.RawMessage
		status, next, err := c.get(ctx, path, &raw)
		if err != nil || status != http.StatusOK {
			return nil, status, err
		}
		more, err := page(raw)
		if err != nil {
			return nil, 0, fmt.Errorf("GET %s: the answer is no list of the form that is described: %w", path, err)
		}
		if all = append(all, more...); next == "" {
			return all, status, nil
		}
		path = next
	}
	return nil, 0, fmt.Errorf("GET %s: the list has more than %d pages", path, maxPages)
}

// plain reads a page that is a list itself.
func plain[T any](raw []byte) (all []T, err error) { return all, json.Unmarshal(raw, &all) }
