// Package tracker polls an issue tracker of the Jira Cloud dialect and turns what happened there since the last poll
// into normalised events.
package tracker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	maxBody  = 16 << 20
	maxPages = 1000
)

// Client calls the tracker's API with one account's token.
type Client struct {
	base, email, token string
	http               *http.Client
}

// New returns a client of the site at address, such as https://example.atlassian.net.
func New(address, email, token string) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("tracker address %q is no http or https URL", address)
	}
	return &Client{base: strings.TrimSuffix(address, "/"), email: email, token: token, http: &http.Client{Timeout: 30 * time.Second}}, nil
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

func absent(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Status == http.StatusNotFound
}

func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return err
	}
	req.SetBasicAuth(c.email, c.token)
	req.Header.Set("Accept", "application/json")
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	switch {
	case err != nil:
		return err
	case len(data) > maxBody:
		return fmt.Errorf("%s %s: the answer is larger than %d bytes", method, path, maxBody)
	case res.StatusCode < 200 || res.StatusCode > 299:
		var f struct{ ErrorMessages []string }
		_ = json.Unmarshal(data, &f) // whatever it is, the status says enough
		return &Error{method, path, res.StatusCode, strings.Join(f.ErrorMessages, "; ")}
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("%s %s: the answer is no JSON that crew knows: %w", method, path, err)
	}
	return nil
}

type account struct {
	ID   string `json:"accountId"`
	Type string `json:"accountType"`
}

type issue struct {
	ID     string
	Key    string
	Fields struct {
		Labels  []string
		Creator account
	}
}

// issues are all of a project, by key.
func (c *Client) issues(ctx context.Context, project string) (all []issue, err error) {
	query := url.Values{"jql": {fmt.Sprintf("project = %q ORDER BY key", project)}, "fields": {"labels,creator"}, "maxResults": {"100"}}
	for range maxPages {
		var page struct {
			Issues        []issue
			NextPageToken string
		}
		if err := c.call(ctx, http.MethodGet, "/rest/api/3/search/jql?"+query.Encode(), nil, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Issues...)
		if page.NextPageToken == "" {
			return all, nil
		}
		query.Set("nextPageToken", page.NextPageToken)
	}
	return nil, fmt.Errorf("project %s has more than %d pages of issues", project, maxPages)
}

// number is an id of Jira's, which is a number in a text.
type number int64

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(data []byte) error {
	v, err := strconv.ParseInt(strings.Trim(string(data), `"`), 10, 64)
	*n = number(v)
	return err
}

// stamp is a time as Jira writes it.
type stamp struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler.
func (s *stamp) UnmarshalJSON(data []byte) (err error) {
	s.Time, err = time.Parse(`"2006-01-02T15:04:05.000-0700"`, string(data))
	return err
}

type history struct {
	ID      number
	Author  account
	Created stamp
	Items   []struct {
		Field string
		From  string `json:"fromString"`
		To    string `json:"toString"`
	}
}

type comment struct {
	ID      number
	Author  account
	Created stamp
	Body    string
}

// pages reads a list that is counted from startAt, page by page.
func (c *Client) pages(ctx context.Context, path string, read func(data json.RawMessage) (entries, total int, err error)) error {
	start := 0
	sign := "?"
	if strings.Contains(path, "?") {
		sign = "&"
	}
	for range maxPages {
		var data json.RawMessage
		if err := c.call(ctx, http.MethodGet, path+sign+"maxResults=100&startAt="+strconv.Itoa(start), nil, &data); err != nil {
			return err
		}
		n, total, err := read(data)
		if err != nil {
			return err
		}
		if start += n; n == 0 || start >= total {
			return nil
		}
	}
	return fmt.Errorf("%s has more than %d pages", path, maxPages)
}

func (c *Client) changelog(ctx context.Context, key string) (all []history, err error) {
	err = c.pages(ctx, "/rest/api/3/issue/"+url.PathEscape(key)+"/changelog", func(data json.RawMessage) (int, int, error) {
		var page struct {
			Total  int
			Values []history
		}
		err := json.Unmarshal(data, &page)
		all = append(all, page.Values...)
		return len(page.Values), page.Total, err
	})
	return all, err
}

// comments are read by version 2 of the API, which gives plain text.
func (c *Client) comments(ctx context.Context, key string) (all []comment, err error) {
	err = c.pages(ctx, "/rest/api/2/issue/"+url.PathEscape(key)+"/comment?orderBy=created", func(data json.RawMessage) (int, int, error) {
		var page struct {
			Total    int
			Comments []comment
		}
		err := json.Unmarshal(data, &page)
		all = append(all, page.Comments...)
		return len(page.Comments), page.Total, err
	})
	return all, err
}

// levels are crew's roles, and which project roles of a tracker stand for them, highest first.
func levels() []struct {
	role  string
	names []string
} {
	return []struct {
		role  string
		names []string
	}{
		{"admin", []string{"admin", "administrator", "administrators"}},
		{"maintain", []string{"maintain", "maintainer", "maintainers"}},
		{"write", []string{"write", "writer", "writers", "developer", "developers", "member", "members"}},
		{"triage", []string{"triage", "triager", "triagers"}},
		{"read", []string{"read", "reader", "readers", "viewer", "viewers", "user", "users"}},
	}
}

// roles are crew's roles of accounts in a project: the highest that a project role gives them, themselves or by a group.
func (c *Client) roles(ctx context.Context, project string) (map[string]string, error) {
	var named map[string]string
	base := "/rest/api/3/project/" + url.PathEscape(project) + "/role"
	if err := c.call(ctx, http.MethodGet, base, nil, &named); err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, level := range levels() {
		for name, address := range named {
			if !slices.Contains(level.names, strings.ToLower(name)) {
				continue
			}
			accounts, err := c.holders(ctx, base+"/"+url.PathEscape(path.Base(address)))
			if err != nil {
				return nil, err
			}
			for _, a := range accounts {
				if out[a] == "" {
					out[a] = level.role
				}
			}
		}
	}
	return out, nil
}

// holders are the accounts that have a project role.
func (c *Client) holders(ctx context.Context, path string) (all []string, err error) {
	var role struct {
		Actors []struct {
			Group *struct{ GroupID string }   `json:"actorGroup"`
			User  *struct{ AccountID string } `json:"actorUser"`
		}
	}
	if err := c.call(ctx, http.MethodGet, path, nil, &role); err != nil {
		return nil, err
	}
	for _, a := range role.Actors {
		if a.User != nil {
			all = append(all, a.User.AccountID)
		}
		if a.Group == nil {
			continue
		}
		err := c.pages(ctx, "/rest/api/3/group/member?groupId="+url.QueryEscape(a.Group.GroupID), func(data json.RawMessage) (int, int, error) {
			var page struct {
				Total  int
				Values []account
			}
			err := json.Unmarshal(data, &page)
			for _, m := range page.Values {
				all = append(all, m.ID)
			}
			return len(page.Values), page.Total, err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// mark is how far an issue was polled: the last ids that were seen, kept with the issue as an entity property.
type mark struct {
	Changelog number `json:"changelog"`
	Comment   number `json:"comment"`
}

func propertyPath(key string) string {
	return "/rest/api/3/issue/" + url.PathEscape(key) + "/properties/crew.poll"
}

// marked is an issue's mark; seen is false when it was never polled.
func (c *Client) marked(ctx context.Context, key string) (m mark, seen bool, err error) {
	var property struct{ Value mark }
	err = c.call(ctx, http.MethodGet, propertyPath(key), nil, &property)
	if absent(err) {
		return mark{}, false, nil
	}
	return property.Value, err == nil, err
}

func (c *Client) setMark(ctx context.Context, key string, m mark) error {
	return c.call(ctx, http.MethodPut, propertyPath(key), m, nil)
}
