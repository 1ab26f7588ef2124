package forge

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// NotFound reports whether err is the forge's answer that something is not there.
func NotFound(err error) bool { return is(err, http.StatusNotFound) }

// at is the query for a branch, "" for the default one.
func at(branch string) string {
	if branch == "" {
		return ""
	}
	return "?ref=" + url.QueryEscape(branch)
}

// Files returns the git hashes of the files that lie in a directory of a branch, by name. A directory that is not
// there has none.
// https://docs.github.com/en/rest/repos/contents#get-repository-content
func (c *Client) Files(ctx context.Context, branch, dir string) (map[string]string, error) {
	var list []struct {
		Name string `json:"name"`
		Type string `json:"type"`
		SHA  string `json:"sha"`
	}
	_, err := c.call(ctx, http.MethodGet, "/contents/"+escape(dir)+at(branch), nil, &list)
	if NotFound(err) {
		return map[string]string{}, nil
	}
	out := map[string]string{}
	for _, e := range list {
		if e.Type == "file" {
			out[e.Name] = e.SHA
		}
	}
	return out, err
}

// Read returns a file of a branch.
func (c *Client) Read(ctx context.Context, branch, path string) ([]byte, error) {
	var w struct {
		Encoding string `json:"encoding"`
		Content  string `json:"content"`
	}
	if _, err := c.call(ctx, http.MethodGet, "/contents/"+escape(path)+at(branch), nil, &w); err != nil {
		return nil, err
	}
	if w.Encoding != "base64" {
		return nil, fmt.Errorf("%s comes as %q, not as base64", path, w.Encoding)
	}
	return base64.StdEncoding.DecodeString(strings.ReplaceAll(w.Content, "\n", ""))
}
