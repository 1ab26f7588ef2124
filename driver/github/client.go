// Package github is a client of the GitHub dialect: the same for the local forge and github.com.
//
//	f := github.New(github.Options{APIURL: srv.URL() + "/api/v3", Tokens: map[string]string{"admin": token}})
//	s, err := f.As("admin")
//	err = s.Repos.Create(ctx, driver.NewRepo{Repo: driver.Repo{Owner: "acme", Name: "app"}, AutoInit: true})
//
// https://docs.github.com/en/rest?apiVersion=2022-11-28
package github

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

	"github.com/understudy-dev/understudy/driver"
)

// Options says where the forge is and who acts on it.
type Options struct {
	APIURL string            // "https://api.github.com" or "http://127.0.0.1:PORT/api/v3"
	Tokens map[string]string // actor → token
	Client *http.Client      // nil: one of its own
	// Wait lets time pass when the forge says that requests come too fast; nil really waits.
	Wait func(ctx context.Context, d time.Duration) error
}

// maxBody bounds what is read of one answer: the largest artifact GitHub's own runner makes in tests.
const maxBody = 512 << 20

// Forge is a code host seen through its REST API. It is safe for concurrent use.
type Forge struct {
	o Options
}

// New returns a client. It makes no request.
func New(o Options) *Forge {
	if o.Client == nil {
		// A transport of its own: idle connections end with Close, and no proxy variable is read.
		o.Client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	}
	if o.Wait == nil {
		o.Wait = pause
	}
	o.APIURL = strings.TrimSuffix(o.APIURL, "/")
	return &Forge{o: o}
}

// Close drops idle connections.
func (f *Forge) Close() { f.o.Client.CloseIdleConnections() }

// As returns the forge as actor sees it.
func (f *Forge) As(actor string) (driver.Session, error) {
	token, ok := f.o.Tokens[actor]
	if !ok {
		return driver.Session{}, fmt.Errorf("actor %q: %w", actor, driver.ErrUnknownActor)
	}
	c := &client{base: f.o.APIURL, token: token, http: f.o.Client, wait: f.o.Wait}
	return driver.Session{
		Repos: repos{c}, Files: files{c}, Members: members{c}, Config: config{c}, Labels: labels{c}, Issues: issues{c}, Reactions: reactions{c}, Pulls: pulls{c}, Reviews: reviews{c}, Runs: runs{c},
	}, nil
}

type client struct {
	base  string
	token string
	http  *http.Client
	wait  func(ctx context.Context, d time.Duration) error
}

// StatusError is an answer outside 2xx. It unwraps to the driver's sentinel for its status.
type StatusError struct {
	Method, Path string
	Status       int
	Message      string

	header http.Header
}

// Error gives the request and GitHub's message.
func (e *StatusError) Error() string {
	return fmt.Sprintf("%s %s: %d %s", e.Method, e.Path, e.Status, e.Message)
}

// Unwrap returns the sentinel that stands for the status, or nil.
func (e *StatusError) Unwrap() error {
	switch e.Status {
	case http.StatusNotFound, http.StatusGone:
		return driver.ErrNotFound
	case http.StatusForbidden, http.StatusUnauthorized:
		return driver.ErrDenied
	case http.StatusConflict, http.StatusMethodNotAllowed: // the latter of what cannot be merged
		return driver.ErrConflict
	case http.StatusUnprocessableEntity:
		if strings.Contains(e.Message, "already") {
			return driver.ErrConflict
		}
	case http.StatusNotImplemented:
		return driver.ErrUnsupported
	}
	return nil
}

// decodeError is an answer that came whole and says something else.
type decodeError struct{ err error }

// Error implements error.
func (e *decodeError) Error() string { return "decode answer: " + e.err.Error() }

// Unwrap returns what is wrong with it.
func (e *decodeError) Unwrap() error { return e.err }

// once makes one request.
func (c *client) once(ctx context.Context, method, path string, body, out any) (http.Header, error) {
	var r io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		r = bytes.NewReader(b)
	}
	target := path
	if !strings.HasPrefix(path, "http://") && !strings.HasPrefix(path, "https://") {
		target = c.base + path
	}
	req, err := http.NewRequestWithContext(ctx, method, target, r)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Accept", "application/vnd.github+json")
	req.Header.Set("X-GitHub-Api-Version", "2022-11-28")
	req.Header.Set("User-Agent", "understudy")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	if err != nil {
		return nil, fmt.Errorf("%s %s: read answer: %w", method, path, err)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, &StatusError{Method: method, Path: path, Status: resp.StatusCode, Message: message(data), header: resp.Header}
	}
	switch out := out.(type) {
	case nil:
	case *[]byte:
		*out = data
	default:
		if err := json.Unmarshal(data, out); err != nil {
			return nil, fmt.Errorf("%s %s: %w", method, path, &decodeError{err})
		}
	}
	return resp.Header, nil
}

func message(body []byte) string {
	var e struct {
		Message string `json:"message"`
		Errors  []struct {
			Resource, Field, Code, Message string
		} `json:"errors"`
	}
	if json.Unmarshal(body, &e) != nil || e.Message == "" {
		return strings.ToValidUTF8(string(body[:min(len(body), 200)]), "")
	}
	for _, d := range e.Errors {
		if d.Message == "" {
			d.Message = strings.TrimSpace(d.Resource + " " + d.Field + " " + d.Code)
		}
		e.Message += "; " + d.Message
	}
	return e.Message
}

var nextLink = regexp.MustCompile(`<([^>]+)>;\s*rel="next"`)

// pages reads every page of a list. One page is decoded by page, which appends to the caller's slice.
func (c *client) pages(ctx context.Context, path string, page func([]byte) error) error {
	return c.eachPage(ctx, path, func(raw []byte, _ http.Header) error { return page(raw) })
}

// eachPage is pages with the headers of each.
func (c *client) eachPage(ctx context.Context, path string, page func([]byte, http.Header) error) error {
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	path += sep + "per_page=100"
	for path != "" {
		var raw []byte
		h, err := c.do(ctx, http.MethodGet, path, nil, &raw)
		if err != nil {
			return err
		}
		if err := page(raw, h); err != nil {
			return fmt.Errorf("GET %s: decode answer: %w", path, err)
		}
		path = ""
		if m := nextLink.FindStringSubmatch(h.Get("Link")); m != nil {
			path = m[1]
		}
	}
	return nil
}

func repoPath(r driver.Repo, rest string, args ...any) string {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = url.PathEscape(s)
		}
	}
	return "/repos/" + url.PathEscape(r.Owner) + "/" + url.PathEscape(r.Name) + fmt.Sprintf(rest, args...)
}

func isStatus(err error, status int) bool {
	var e *StatusError
	return errors.As(err, &e) && e.Status == status
}
