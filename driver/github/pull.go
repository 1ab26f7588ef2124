package github

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/understudy-dev/understudy/driver"
)

type pulls struct{ c *client }

type wirePull struct {
	wireIssue
	Draft          bool   `json:"draft"`
	Merged         bool   `json:"merged"`
	MergedAt       string `json:"merged_at"`
	MergeCommitSHA string `json:"merge_commit_sha"`
	MergeableState string `json:"mergeable_state"`
	Head           struct {
		Label string `json:"label"`
		SHA   string `json:"sha"`
		Repo  struct {
			FullName string `json:"full_name"`
		} `json:"repo"`
	} `json:"head"`
	Base struct {
		Ref string `json:"ref"`
	} `json:"base"`
}

func (w wirePull) pull(r driver.Repo) driver.Pull {
	i := w.issue(r)
	out := driver.Pull{
		Ref: i.Ref, Title: i.Title, Body: i.Body, State: i.State, Author: i.Author, Labels: i.Labels, Head: w.Head.Label, HeadSHA: w.Head.SHA,
		Base: w.Base.Ref, Draft: w.Draft, Merged: w.Merged || w.MergedAt != "", Mergeable: w.MergeableState,
	}
	out.HeadRepo = named(w.Head.Repo.FullName)
	if out.Merged {
		out.MergeCommit = w.MergeCommitSHA // else that of a test merge
	}
	return out
}

func (s pulls) Open(ctx context.Context, r driver.Repo, in driver.NewPull) (driver.Pull, error) {
	body := map[string]any{"title": in.Title, "body": in.Body, "head": in.Head, "base": in.Base, "draft": in.Draft}
	if in.HeadRepo != "" {
		body["head_repo"] = in.HeadRepo
	}
	var w wirePull
	there := listed(s.c, repoPath(r, "/pulls"), &w, func(w wirePull, _ time.Time) bool {
		return (w.Head.Label == in.Head || w.Head.Label == r.Owner+":"+in.Head) && w.Base.Ref == in.Base && w.Title == in.Title
	})
	if err := s.c.make(ctx, repoPath(r, "/pulls"), body, &w, there); err != nil {
		return driver.Pull{}, fmt.Errorf("open pull request in %s: %w", r, err)
	}
	return w.pull(r), nil
}

func (s pulls) Get(ctx context.Context, ref driver.Ref) (driver.Pull, error) {
	var w wirePull
	if _, err := s.c.do(ctx, http.MethodGet, repoPath(ref.Repo, "/pulls/%d", ref.Number), nil, &w); err != nil {
		return driver.Pull{}, fmt.Errorf("get pull request %s#%d: %w", ref.Repo, ref.Number, err)
	}
	return w.pull(ref.Repo), nil
}

func (s pulls) List(ctx context.Context, r driver.Repo, f driver.PullFilter) ([]driver.Pull, error) {
	q := url.Values{}
	for name, value := range map[string]string{"state": f.State, "head": f.Head, "base": f.Base} {
		if value != "" {
			q.Set(name, value)
		}
	}
	target := repoPath(r, "/pulls")
	if len(q) > 0 {
		target += "?" + q.Encode()
	}
	out := []driver.Pull{}
	err := s.c.pages(ctx, target, func(raw []byte) error {
		var page []wirePull
		if err := json.Unmarshal(raw, &page); err != nil {
			return err
		}
		for _, w := range page {
			out = append(out, w.pull(r))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list pull requests of %s: %w", r, err)
	}
	return out, nil
}

func (s pulls) Files(ctx context.Context, ref driver.Ref) ([]string, error) {
	out := []string{}
	err := s.c.pages(ctx, repoPath(ref.Repo, "/pulls/%d/files", ref.Number), func(raw []byte) error {
		var page []struct {
			Filename string `json:"filename"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return err
		}
		for _, f := range page {
			out = append(out, f.Filename)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list files of pull request %s#%d: %w", ref.Repo, ref.Number, err)
	}
	return out, nil
}

func (s pulls) Merge(ctx context.Context, ref driver.Ref, in driver.MergePull) (string, error) {
	body := map[string]any{}
	for name, value := range map[string]string{"merge_method": in.Method, "commit_title": in.Title, "commit_message": in.Message, "sha": in.SHA} {
		if value != "" {
			body[name] = value
		}
	}
	var w struct {
		SHA string `json:"sha"`
	}
	there := func(ctx context.Context) (bool, error) { // what is merged is not merged again
		p, err := s.Get(ctx, ref)
		w.SHA = p.MergeCommit
		return p.Merged, err
	}
	if _, err := s.c.pursue(ctx, http.MethodPut, repoPath(ref.Repo, "/pulls/%d/merge", ref.Number), body, &w, there); err != nil {
		return "", fmt.Errorf("merge pull request %s#%d: %w", ref.Repo, ref.Number, err)
	}
	return w.SHA, nil
}
