package forge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
)

// RefView is a branch or a tag.
type RefView struct {
	Name string // short: main, v1.0
	Tag  bool
	SHA  string
}

// CommitView is a commit.
type CommitView struct {
	SHA     string
	Message string
	Author  string // name
	When    time.Time
	Parents []string
}

// ChangeView is one path that a commit changed against its first parent.
type ChangeView struct{ Path, Status string } // Status is added, removed, modified

// EntryView is one entry of a directory.
type EntryView struct {
	Path string // whole
	Type string // blob, tree, commit (of a submodule), link
	Size int64  // of a blob
}

// Name is the last part of the path.
func (e EntryView) Name() string { return e.Path[strings.LastIndexByte(e.Path, '/')+1:] }

// Refs lists the branches and then the tags of a repository, by name.
func (v View) Refs(repo string) ([]RefView, error) {
	r, err := v.a.state.Find(repo)
	if err != nil {
		return nil, wrap("see branches", err)
	}
	var out []RefView
	for name, sha := range r.Refs {
		if short, ok := strings.CutPrefix(name, "refs/heads/"); ok {
			out = append(out, RefView{Name: short, SHA: sha})
		} else if short, ok := strings.CutPrefix(name, "refs/tags/"); ok {
			out = append(out, RefView{Name: short, Tag: true, SHA: sha})
		}
	}
	slices.SortFunc(out, func(a, b RefView) int {
		if a.Tag != b.Tag {
			if a.Tag {
				return 1
			}
			return -1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out, nil
}

// at opens a repository at the commit that rev names; "" is the default branch.
func (v View) at(repo, rev string) (*gitstore.Repo, string, error) {
	r, err := v.a.state.Find(repo)
	if err != nil {
		return nil, "", err
	}
	if rev == "" {
		rev = "refs/heads/" + r.DefaultBranch
	}
	g := v.a.git.Open(r.ID)
	sha, err := g.Resolve(r.Refs, rev)
	if err != nil {
		err = fmt.Errorf("%q in %s: %w", rev, repo, err)
	}
	return g, sha, err
}

// Commits lists at most limit commits from rev on, newest first; rev "" is the default branch.
func (v View) Commits(repo, rev string, limit int) ([]CommitView, error) {
	g, sha, err := v.at(repo, rev)
	if err != nil {
		return nil, wrap("see commits", err)
	}
	list, err := g.Log(sha, "", limit, nil)
	var out []CommitView
	for _, c := range list {
		out = append(out, viewCommit(c))
	}
	return out, wrap("see commits", err)
}

// Commit returns one commit and what it changed.
func (v View) Commit(repo, rev string) (CommitView, []ChangeView, error) {
	g, sha, err := v.at(repo, rev)
	if err != nil {
		return CommitView{}, nil, wrap("see commit", err)
	}
	c, err := g.Commit(sha)
	if err != nil {
		return CommitView{}, nil, wrap("see commit", err)
	}
	list, err := g.Changes(c)
	var out []ChangeView
	for _, ch := range list {
		out = append(out, ChangeView{ch.Path, ch.Status})
	}
	return viewCommit(c), out, wrap("see commit", err)
}

func viewCommit(c *object.Commit) CommitView {
	v := CommitView{SHA: c.Hash.String(), Message: c.Message, Author: c.Author.Name, When: c.Author.When}
	for _, p := range c.ParentHashes {
		v.Parents = append(v.Parents, p.String())
	}
	return v
}

// Entry returns what is at a path of a revision; path "" is its whole tree. A directory comes with its
// entries, directories first.
func (v View) Entry(repo, rev, path string) (EntryView, []EntryView, error) {
	g, sha, err := v.at(repo, rev)
	if err != nil {
		return EntryView{}, nil, wrap("see files", err)
	}
	e, err := g.Find(sha, path)
	if err != nil {
		return EntryView{}, nil, wrap(fmt.Sprintf("see %q", path), err)
	}
	if e.Type != "tree" {
		return viewEntry(e), nil, nil
	}
	list, err := g.List(sha, path)
	var out []EntryView
	for _, x := range list {
		out = append(out, viewEntry(x))
	}
	slices.SortStableFunc(out, func(a, b EntryView) int {
		switch {
		case a.Type == b.Type || a.Type != "tree" && b.Type != "tree":
			return strings.Compare(a.Path, b.Path)
		case a.Type == "tree":
			return -1
		}
		return 1
	})
	return viewEntry(e), out, wrap("see files", err)
}

func viewEntry(e gitstore.Entry) EntryView {
	if e.Mode == "120000" {
		e.Type = "link"
	}
	return EntryView{Path: e.Path, Type: e.Type, Size: e.Size}
}

// ErrTooLarge says that a file is longer than the limit given.
var ErrTooLarge = errors.New("file is longer than is shown")

// File returns the content of a file of at most limit bytes, else ErrTooLarge.
func (v View) File(repo, rev, path string, limit int64) ([]byte, error) {
	g, sha, err := v.at(repo, rev)
	if err != nil {
		return nil, wrap("see file", err)
	}
	e, err := g.Find(sha, path)
	if err == nil && e.Type != "blob" {
		err = gitstore.ErrNotFound
	}
	if err == nil && e.Size > limit {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, wrap(fmt.Sprintf("see %q", path), err)
	}
	b, err := g.Blob(e.SHA, limit)
	return b, wrap(fmt.Sprintf("see %q", path), err)
}
