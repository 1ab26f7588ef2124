package forge

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"golang.org/x/crypto/nacl/box"
)

// File is a file to commit.
type File struct {
	Path string
	Text string
}

// DefaultBranch returns the name of the repository's default branch.
func (c *Client) DefaultBranch(ctx context.Context) (string, error) {
	var w struct {
		DefaultBranch string `json:"default_branch"`
	}
	_, err := c.call(ctx, http.MethodGet, "", nil, &w)
	return w.DefaultBranch, err
}

// Role returns the name of a person's role in the repository; none is no role.
func (c *Client) Role(ctx context.Context, login string) (string, error) {
	var w struct {
		RoleName string `json:"role_name"`
	}
	_, err := c.call(ctx, http.MethodGet, "/collaborators/"+url.PathEscape(login)+"/permission", nil, &w)
	return w.RoleName, err
}

// Paths returns the paths of all files at the head of branch.
func (c *Client) Paths(ctx context.Context, branch string) ([]string, error) {
	var w struct {
		Tree []struct {
			Path string `json:"path"`
			Type string `json:"type"`
		} `json:"tree"`
		Truncated bool `json:"truncated"`
	}
	if _, err := c.call(ctx, http.MethodGet, "/git/trees/"+escape(branch)+"?recursive=1", nil, &w); err != nil {
		return nil, err
	}
	if w.Truncated {
		return nil, errors.New("the repository has more files than the forge lists")
	}
	var paths []string
	for _, e := range w.Tree {
		if e.Type == "blob" {
			paths = append(paths, e.Path)
		}
	}
	return paths, nil
}

// escape keeps the slashes: they are part of the address.
func escape(path string) string { return (&url.URL{Path: path}).EscapedPath() }

type object struct {
	SHA string `json:"sha"`
}

// Commit makes one commit with all the files on top of branch. When they are there already with the
// same text it makes none and returns "".
func (c *Client) Commit(ctx context.Context, branch, message string, files []File) (sha string, err error) {
	for try := 0; ; try++ {
		sha, err = c.commit(ctx, branch, message, files)
		// The branch moved since it was read: begin again from where it is now.
		if !is(err, http.StatusUnprocessableEntity, http.StatusConflict) || try == 2 {
			return sha, err
		}
	}
}

func (c *Client) commit(ctx context.Context, branch, message string, files []File) (string, error) {
	refPath := escape(branch)
	var ref struct {
		Object object `json:"object"`
	}
	if _, err := c.call(ctx, http.MethodGet, "/git/ref/heads/"+refPath, nil, &ref); err != nil {
		return "", err
	}
	var parent struct {
		Tree object `json:"tree"`
	}
	if _, err := c.call(ctx, http.MethodGet, "/git/commits/"+ref.Object.SHA, nil, &parent); err != nil {
		return "", err
	}
	var entries []map[string]any
	for _, f := range files {
		entries = append(entries, map[string]any{"path": f.Path, "mode": "100644", "type": "blob", "content": f.Text})
	}
	var tree, made object
	in := map[string]any{"base_tree": parent.Tree.SHA, "tree": entries}
	if _, err := c.call(ctx, http.MethodPost, "/git/trees", in, &tree); err != nil {
		return "", err
	}
	if tree.SHA == parent.Tree.SHA {
		return "", nil
	}
	in = map[string]any{"message": message, "tree": tree.SHA, "parents": []string{ref.Object.SHA}}
	if _, err := c.call(ctx, http.MethodPost, "/git/commits", in, &made); err != nil {
		return "", err
	}
	in = map[string]any{"sha": made.SHA, "force": false}
	_, err := c.call(ctx, http.MethodPatch, "/git/refs/heads/"+refPath, in, nil)
	return made.SHA, err
}

// SetVariable sets an Actions variable.
func (c *Client) SetVariable(ctx context.Context, name, value string) error {
	var old struct {
		Value string `json:"value"`
	}
	in := map[string]any{"name": name, "value": value}
	_, err := c.call(ctx, http.MethodGet, "/actions/variables/"+name, nil, &old)
	switch {
	case is(err, http.StatusNotFound):
		_, err = c.call(ctx, http.MethodPost, "/actions/variables", in, nil)
	case err == nil && old.Value != value:
		_, err = c.call(ctx, http.MethodPatch, "/actions/variables/"+name, in, nil)
	}
	return err
}

// SetSecret sets an Actions secret. It is sealed with the repository's key before it is sent.
func (c *Client) SetSecret(ctx context.Context, name, value string) error {
	var key struct {
		ID  string `json:"key_id"`
		Key string `json:"key"`
	}
	if _, err := c.call(ctx, http.MethodGet, "/actions/secrets/public-key", nil, &key); err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(key.Key)
	if err != nil || len(raw) != 32 {
		return fmt.Errorf("the repository's public key is not 32 bytes of base64")
	}
	sealed, err := box.SealAnonymous(nil, []byte(value), (*[32]byte)(raw), rand.Reader)
	if err != nil {
		return err
	}
	in := map[string]any{"encrypted_value": base64.StdEncoding.EncodeToString(sealed), "key_id": key.ID}
	_, err = c.call(ctx, http.MethodPut, "/actions/secrets/"+name, in, nil)
	return err
}
