package github

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/understudy-dev/understudy/driver"
)

type repos struct{ c *client }

type wireRepo struct {
	FullName      string `json:"full_name"`
	Private       bool   `json:"private"`
	DefaultBranch string `json:"default_branch"`
	CloneURL      string `json:"clone_url"`
	Parent        struct {
		FullName string `json:"full_name"`
	} `json:"parent"`
}

func named(full string) (r driver.Repo) {
	r.Owner, r.Name, _ = strings.Cut(full, "/")
	return r
}

func (s repos) Create(ctx context.Context, in driver.NewRepo) error {
	body := map[string]any{
		"name": in.Repo.Name, "description": in.Description, "private": in.Private, "auto_init": in.AutoInit,
	}
	var me struct {
		Login string `json:"login"`
	}
	if _, err := s.c.do(ctx, http.MethodGet, "/user", nil, &me); err != nil {
		return fmt.Errorf("create repository %s: %w", in.Repo, err)
	}
	path := "/orgs/" + url.PathEscape(in.Repo.Owner) + "/repos"
	if strings.EqualFold(me.Login, in.Repo.Owner) {
		path = "/user/repos"
	}
	is := s.c.exists(repoPath(in.Repo, ""), nil)
	var err error
	created := func(ctx context.Context) (bool, error) {
		if err = s.c.make(ctx, path, body, nil, is); !errors.Is(err, driver.ErrConflict) {
			return true, err
		}
		there, missing := is(ctx) // a name that was given up just now is still taken
		return there, missing
	}
	if _, failed := s.c.later(ctx, created); failed != nil || err != nil {
		return fmt.Errorf("create repository %s: %w", in.Repo, cmp.Or(failed, err))
	}
	if !in.AutoInit {
		return nil
	}
	return s.begun(ctx, in.Repo)
}

// begun waits for a new repository's first branches, which may come some time after it.
func (s repos) begun(ctx context.Context, r driver.Repo) error {
	_, err := s.c.later(ctx, func(ctx context.Context) (bool, error) {
		branches, err := s.Branches(ctx, r)
		return len(branches) > 0, err
	})
	return err
}

func (s repos) Get(ctx context.Context, r driver.Repo) (driver.RepoInfo, error) {
	var w wireRepo
	if _, err := s.c.do(ctx, http.MethodGet, repoPath(r, ""), nil, &w); err != nil {
		return driver.RepoInfo{}, fmt.Errorf("get repository %s: %w", r, err)
	}
	return driver.RepoInfo{
		Repo: r, Parent: named(w.Parent.FullName), Private: w.Private, DefaultBranch: w.DefaultBranch, CloneURL: w.CloneURL,
	}, nil
}

func (s repos) Fork(ctx context.Context, in driver.NewFork) (driver.Repo, error) {
	body := map[string]any{}
	for name, value := range map[string]string{"organization": in.Owner, "name": in.Name} {
		if value != "" {
			body[name] = value
		}
	}
	var w wireRepo
	if err := s.c.make(ctx, repoPath(in.Of, "/forks"), body, &w, harmless); err != nil { // a second one is the first
		return driver.Repo{}, fmt.Errorf("fork %s: %w", in.Of, err)
	}
	fork := named(w.FullName)
	if branches, err := s.Branches(ctx, fork); err != nil || len(branches) > 0 {
		return fork, err
	}
	if branches, err := s.Branches(ctx, in.Of); err != nil || len(branches) == 0 {
		return fork, err // it has none to come
	}
	return fork, s.begun(ctx, fork)
}

func (s repos) Delete(ctx context.Context, r driver.Repo) error {
	if _, err := s.c.do(ctx, http.MethodDelete, repoPath(r, ""), nil, nil); err != nil {
		return fmt.Errorf("delete repository %s: %w", r, err)
	}
	return nil
}

func (s repos) Branches(ctx context.Context, r driver.Repo) (map[string]string, error) {
	out := map[string]string{}
	err := s.c.pages(ctx, repoPath(r, "/branches"), func(raw []byte) error {
		var page []struct {
			Name   string `json:"name"`
			Commit struct {
				SHA string `json:"sha"`
			} `json:"commit"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return err
		}
		for _, b := range page {
			out[b.Name] = b.Commit.SHA
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list branches of %s: %w", r, err)
	}
	return out, nil
}

type files struct{ c *client }

// Commit makes one commit of all files through the git data API, so that one event follows. A branch that has moved
// since it was read, or was read as it had been before, is read again.
func (s files) Commit(ctx context.Context, r driver.Repo, in driver.NewCommit) (string, error) {
	var sha string
	var moved error
	_, err := s.c.later(ctx, func(ctx context.Context) (bool, error) {
		var err error
		sha, err = s.commit(ctx, r, in)
		if moved = nil; isStatus(err, http.StatusUnprocessableEntity) && strings.Contains(err.Error(), "not a fast forward") {
			moved = err
			return false, nil
		}
		return true, err
	})
	if err = cmp.Or(err, moved); err != nil {
		return "", fmt.Errorf("commit to %s: %w", r, err)
	}
	return sha, nil
}

type object struct {
	SHA string `json:"sha"`
}

func (s files) commit(ctx context.Context, r driver.Repo, in driver.NewCommit) (string, error) {
	branch, base := in.Branch, in.Branch
	if branch == "" || in.New {
		info, err := repos(s).Get(ctx, r)
		if err != nil {
			return "", err
		}
		if base = info.DefaultBranch; branch == "" {
			branch = base
		}
	}
	var ref struct {
		Object object `json:"object"`
	}
	if _, err := s.c.do(ctx, http.MethodGet, repoPath(r, "/git/ref/heads/")+escapePath(base), nil, &ref); err != nil {
		return "", err
	}
	var head struct {
		Tree object `json:"tree"`
	}
	if _, err := s.c.do(ctx, http.MethodGet, repoPath(r, "/git/commits/%s", ref.Object.SHA), nil, &head); err != nil {
		return "", err
	}
	tree, err := s.tree(ctx, r, head.Tree.SHA, in.Files)
	if err != nil {
		return "", err
	}
	var commit object
	body := map[string]any{"message": in.Message, "tree": tree, "parents": []string{ref.Object.SHA}}
	if err := s.c.make(ctx, repoPath(r, "/git/commits"), body, &commit, harmless); err != nil {
		return "", err
	}
	if in.New {
		var made struct {
			Object object `json:"object"`
		}
		look := s.c.exists(repoPath(r, "/git/ref/heads/")+escapePath(branch), &made)
		there := func(ctx context.Context) (bool, error) {
			is, err := look(ctx)
			return is && made.Object.SHA == commit.SHA, err
		}
		return commit.SHA, s.c.make(ctx, repoPath(r, "/git/refs"), map[string]any{"ref": "refs/heads/" + branch, "sha": commit.SHA}, nil, there)
	}
	path := repoPath(r, "/git/refs/heads/") + escapePath(branch)
	_, err = s.c.do(ctx, http.MethodPatch, path, map[string]any{"sha": commit.SHA}, nil)
	return commit.SHA, err
}

func (s files) tree(ctx context.Context, r driver.Repo, base string, in []driver.NewFile) (string, error) {
	entries := make([]map[string]any, 0, len(in))
	for _, f := range in {
		e := map[string]any{"path": f.Path, "mode": "100644", "type": "blob"}
		if f.Executable {
			e["mode"] = "100755"
		}
		if f.Content == nil {
			e["sha"] = nil
		} else {
			var blob object
			body := map[string]any{"content": base64.StdEncoding.EncodeToString(f.Content), "encoding": "base64"}
			if err := s.c.make(ctx, repoPath(r, "/git/blobs"), body, &blob, harmless); err != nil {
				return "", err
			}
			e["sha"] = blob.SHA
		}
		entries = append(entries, e)
	}
	var tree object
	body := map[string]any{"base_tree": base, "tree": entries}
	err := s.c.make(ctx, repoPath(r, "/git/trees"), body, &tree, harmless)
	return tree.SHA, err
}

func (s files) Read(ctx context.Context, r driver.Repo, rev, path string) ([]byte, error) {
	target := repoPath(r, "/contents/") + escapePath(path)
	if rev != "" {
		target += "?ref=" + url.QueryEscape(rev)
	}
	var w struct {
		Type, Encoding, Content string
	}
	if _, err := s.c.do(ctx, http.MethodGet, target, nil, &w); err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", path, r, err)
	}
	if w.Type != "file" || w.Encoding != "base64" {
		return nil, fmt.Errorf("read %s of %s: it is a %s with encoding %q", path, r, w.Type, w.Encoding)
	}
	b, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(w.Content, "\n", ""))
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", path, r, err)
	}
	return b, nil
}

func escapePath(p string) string {
	parts := strings.Split(p, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

type members struct{ c *client }

func (s members) Role(ctx context.Context, r driver.Repo, login string) (string, error) {
	var w struct {
		RoleName string `json:"role_name"`
	}
	if _, err := s.c.do(ctx, http.MethodGet, repoPath(r, "/collaborators/%s/permission", login), nil, &w); err != nil {
		return "", fmt.Errorf("read role of %s on %s: %w", login, r, err)
	}
	return w.RoleName, nil
}

// rolePermission names a role as the collaborators API wants it.
func rolePermission(role string) string {
	switch role {
	case "read":
		return "pull"
	case "write":
		return "push"
	}
	return role
}

func (s members) SetRole(ctx context.Context, r driver.Repo, login, role string) error {
	method, body := http.MethodPut, any(map[string]string{"permission": rolePermission(role)})
	if role == "none" {
		method, body = http.MethodDelete, nil
	}
	if _, err := s.c.do(ctx, method, repoPath(r, "/collaborators/%s", login), body, nil); err != nil {
		return fmt.Errorf("set role of %s on %s: %w", login, r, err)
	}
	// The role is not seen at once everywhere. One that a membership gives as well may stay another.
	_, err := s.c.later(ctx, func(ctx context.Context) (bool, error) {
		is, err := s.Role(ctx, r, login)
		if errors.Is(err, driver.ErrDenied) || errors.Is(err, driver.ErrNotFound) {
			return true, nil // who gave his own role away does not see it any more
		}
		return is == role || role == "none" && is == "read", err
	})
	return err
}
