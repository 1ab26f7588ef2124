// Package jira is a client of the Jira Cloud dialect: the same for the local tracker and atlassian.net.
//
//	t := jira.New(jira.Options{URL: srv.URL(), Credential: func(account string) (jira.Credential, error) { … }})
//	s, err := t.As(ctx, "") // who administers it
//	err = s.Projects.Create(ctx, "APP")
//
// https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/
package jira

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/driver"
)

// Credential is what an account shows: its address and an API token, and its accountId for groups.
type Credential struct{ Email, Token, AccountID string }

// Options says where the tracker is and who acts on it. URL and Credential are needed.
type Options struct {
	URL string // "https://example.atlassian.net" or "http://127.0.0.1:PORT"
	// Credential is that of an account, made if it has to be; "" is the one that administers the tracker.
	Credential func(account string) (Credential, error)
	// Number makes the next issue of a project get a number; nil: the tracker cannot be told.
	Number func(project string, number int) error
	Client *http.Client // nil: one of its own
}

// maxBody bounds what is read of one answer.
const maxBody = 16 << 20

// Tracker is a tracker seen through its REST API. It is safe for concurrent use.
type Tracker struct{ o Options }

// New returns a client. It makes no request.
func New(o Options) *Tracker {
	if o.Client == nil {
		// A transport of its own: idle connections end with Close, and no proxy variable is read.
		o.Client = &http.Client{Transport: &http.Transport{}}
	}
	o.URL = strings.TrimSuffix(o.URL, "/")
	return &Tracker{o}
}

// Close drops idle connections.
func (t *Tracker) Close() { t.o.Client.CloseIdleConnections() }

// As implements driver.Tracker.
func (t *Tracker) As(_ context.Context, account string) (driver.TrackerSession, error) {
	who, err := t.o.Credential(account)
	if err != nil {
		return driver.TrackerSession{}, err
	}
	c := &client{t.o, who}
	return driver.TrackerSession{Tickets: tickets{c}, Projects: projects{c}}, nil
}

type client struct {
	o   Options
	who Credential
}

// StatusError is an answer outside 2xx. It unwraps to the driver's sentinel for its status.
type StatusError struct {
	Method, Path string
	Status       int
	Message      string
}

// Error gives the request and Jira's message.
func (e *StatusError) Error() string {
	return fmt.Sprintf("%s %s: %d %s", e.Method, e.Path, e.Status, e.Message)
}

// Unwrap returns the sentinel that stands for the status, or nil.
func (e *StatusError) Unwrap() error {
	switch e.Status {
	case http.StatusNotFound:
		return driver.ErrNotFound
	case http.StatusForbidden, http.StatusUnauthorized:
		return driver.ErrDenied
	case http.StatusConflict:
		return driver.ErrConflict
	case http.StatusNotImplemented:
		return driver.ErrUnsupported
	}
	if strings.Contains(e.Message, "already") {
		return driver.ErrConflict
	}
	return nil
}

// do makes one request. What comes back is read into out unless that is nil.
func (c *client) do(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.o.URL+path, body)
	if err != nil {
		return err
	}
	req.SetBasicAuth(c.who.Email, c.who.Token)
	req.Header.Set("Accept", "application/json")
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.o.Client.Do(req)
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
		return &StatusError{method, path, res.StatusCode, message(data)}
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("%s %s: decode answer: %w", method, path, err)
	}
	return nil
}

// message is what an error of Jira's says: its texts, and those of its fields.
func message(data []byte) string {
	var f struct {
		ErrorMessages []string
		Errors        map[string]string
		Message       string
	}
	if json.Unmarshal(data, &f) != nil {
		return strings.ToValidUTF8(string(data[:min(len(data), 200)]), "?")
	}
	all := f.ErrorMessages
	for field, text := range f.Errors {
		all = append(all, field+": "+text)
	}
	slices.Sort(all)
	return cmp.Or(strings.Join(all, "; "), f.Message)
}

type projects struct{ c *client }

func (p projects) Create(ctx context.Context, key string) error {
	in := map[string]any{"key": key, "name": key, "projectTypeKey": "software", "leadAccountId": p.c.who.AccountID}
	err := p.c.do(ctx, http.MethodGet, "/rest/api/3/project/"+url.PathEscape(key), nil, nil)
	if errors.Is(err, driver.ErrNotFound) {
		err = p.c.do(ctx, http.MethodPost, "/rest/api/3/project", in, nil)
	}
	if err != nil {
		return fmt.Errorf("create project %s: %w", key, err)
	}
	return nil
}

func (p projects) Back(ctx context.Context, project, role, group string) error {
	id, err := p.role(ctx, role)
	if err == nil {
		err = p.group(ctx, group)
	}
	if err == nil {
		path := fmt.Sprintf("/rest/api/3/project/%s/role/%d", url.PathEscape(project), id)
		err = p.c.do(ctx, http.MethodPost, path, map[string]any{"group": []string{group}}, nil)
	}
	if err != nil {
		return fmt.Errorf("back role %s of project %s by group %s: %w", role, project, group, err)
	}
	return nil
}

// role is the id of a project role, which is made if there is none.
func (p projects) role(ctx context.Context, name string) (int64, error) {
	type role struct {
		ID   int64
		Name string
	}
	var all []role
	if err := p.c.do(ctx, http.MethodGet, "/rest/api/3/role", nil, &all); err != nil {
		return 0, err
	}
	for _, r := range all {
		if r.Name == name {
			return r.ID, nil
		}
	}
	var made role
	err := p.c.do(ctx, http.MethodPost, "/rest/api/3/role", map[string]any{"name": name, "description": name}, &made)
	return made.ID, err
}

// group makes a group if there is none.
func (p projects) group(ctx context.Context, name string) error {
	path := "/rest/api/3/group/member?maxResults=1&groupname=" + url.QueryEscape(name)
	err := p.c.do(ctx, http.MethodGet, path, nil, nil)
	if errors.Is(err, driver.ErrNotFound) {
		err = p.c.do(ctx, http.MethodPost, "/rest/api/3/group", map[string]any{"name": name}, nil)
	}
	return err
}

func (p projects) Join(ctx context.Context, group, account string) error {
	who, err := p.c.o.Credential(account)
	if err == nil {
		err = p.group(ctx, group)
	}
	if err == nil {
		path := "/rest/api/3/group/user?groupname=" + url.QueryEscape(group)
		err = p.c.do(ctx, http.MethodPost, path, map[string]any{"accountId": who.AccountID}, nil)
	}
	if err != nil && !errors.Is(err, driver.ErrConflict) {
		return fmt.Errorf("add %s to group %s: %w", account, group, err)
	}
	return nil
}
