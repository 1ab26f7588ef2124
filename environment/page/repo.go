package page

import (
	"bytes"
	"errors"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/internal/journal"
)

const (
	window       = 200       // rows of a list on one sheet
	latest       = 12        // changes on the first sheet
	longestFile  = 512 << 10 // bytes of a file that are shown
	shownCommits = 200
)

// home is the first sheet.
type home struct {
	Repos   []forge.RepoView
	Changes []journal.Entry // latest first
	Total   int
}

func (p *page) home(w http.ResponseWriter, r *http.Request) error {
	main := home{Repos: p.view.Repos()}
	s := sheet{Title: "Repositories", Part: "repositories"}
	for _, x := range main.Repos {
		s.Going = s.Going || x.Going > 0
	}
	all := p.o.Forge.Admin().Journal().Facts(0)
	main.Total = len(all)
	for _, e := range slices.Backward(all) {
		if len(main.Changes) == latest {
			break
		}
		if e.Kind == journal.Change {
			main.Changes = append(main.Changes, e)
		}
	}
	s.Main = main
	return p.send(w, r, http.StatusOK, "home", s)
}

// tabs stand above all sheets of a repository.
type tabs struct {
	forge.RepoView
	Tab string
}

// repo begins a sheet of the repository that the request names.
func (p *page) repo(r *http.Request, tab string) (sheet, string, error) {
	name := r.PathValue("owner") + "/" + r.PathValue("repo")
	v, err := p.view.Repo(name)
	if errors.Is(err, driver.ErrNotFound) {
		hint := "there is none yet"
		if repos := p.view.Repos(); len(repos) > 0 {
			names := make([]string, 0, len(repos))
			for _, x := range repos[:min(len(repos), 20)] {
				names = append(names, x.Name)
			}
			hint = "there are " + strings.Join(names, ", ")
		}
		err = missing("repository", hint)
	}
	if err != nil {
		return sheet{}, "", err
	}
	return sheet{Title: v.Name, Part: "repositories", Going: v.Going > 0, Repo: &tabs{v, tab}}, v.Name, nil
}

// listing is a directory or a file at a revision.
type listing struct {
	Repo    string
	Rev     string // as asked for; "" is the default branch
	Branch  string // the default
	Refs    []forge.RefView
	Empty   bool // the repository has no commit
	Last    forge.CommitView
	Crumbs  []crumb
	Entry   forge.EntryView
	Entries []forge.EntryView
	Readme  string
	Base    string // of the README's relative addresses
	File    *file
}

type crumb struct{ Name, Path string }

// file is the content of a file, as far as it can be shown.
type file struct {
	Lines    []string
	Text     string
	Markdown bool
	Why      string // it is not shown
}

func (p *page) files(w http.ResponseWriter, r *http.Request) error {
	s, name, err := p.repo(r, "files")
	if err != nil {
		return err
	}
	v := listing{Repo: name, Rev: r.URL.Query().Get("ref"), Branch: s.Repo.DefaultBranch}
	if v.Refs, err = p.view.Refs(name); err != nil {
		return err
	}
	if len(v.Refs) == 0 {
		v.Empty = true
		s.Main = v
		return p.send(w, r, http.StatusOK, "files", s)
	}
	at := strings.Trim(r.PathValue("path"), "/")
	if v.Entry, v.Entries, err = p.view.Entry(name, v.Rev, at); err != nil {
		return orMissing(err, "file or revision", "the branches and tags are "+refNames(v.Refs))
	}
	last, err := p.view.Commits(name, v.Rev, 1)
	if err != nil {
		return err
	}
	v.Last = last[0]
	for i, seg := range strings.Split(at, "/") {
		if at != "" {
			v.Crumbs = append(v.Crumbs, crumb{seg, strings.Join(strings.Split(at, "/")[:i+1], "/")})
		}
	}
	if v.Entry.Type == "tree" {
		err = p.readme(&v, name)
	} else {
		v.Base = path.Dir(at)
		v.File, err = p.file(name, v.Rev, v.Entry, r.URL.Query().Has("plain"))
	}
	if err != nil {
		return err
	}
	v.Base = filesURL(name, v.Rev, strings.TrimPrefix(v.Base, "."))
	s.Main = v
	return p.send(w, r, http.StatusOK, "files", s)
}

func refNames(refs []forge.RefView) string {
	var out []string
	for _, x := range refs[:min(len(refs), 20)] {
		out = append(out, x.Name)
	}
	return strings.Join(out, ", ")
}

// orMissing says what is absent; another error stays.
func orMissing(err error, what, hint string) error {
	if errors.Is(err, driver.ErrNotFound) {
		return missing(what, hint)
	}
	return err
}

func (p *page) readme(v *listing, repo string) error {
	v.Base = v.Entry.Path
	for _, e := range v.Entries {
		if e.Type == "blob" && strings.EqualFold(e.Name(), "readme.md") {
			f, err := p.file(repo, v.Rev, e, false)
			if err == nil && f.Markdown && f.Why == "" {
				v.Readme = f.Text
			}
			return err
		}
	}
	return nil
}

func (p *page) file(repo, rev string, e forge.EntryView, plain bool) (*file, error) {
	switch e.Type {
	case "commit":
		return &file{Why: "This is a submodule."}, nil
	case "link":
		e.Type = "blob"
	}
	data, err := p.view.File(repo, rev, e.Path, longestFile)
	switch {
	case errors.Is(err, forge.ErrTooLarge):
		return &file{Why: "This file is too long to be shown: " + size(e.Size) + "."}, nil
	case errors.Is(err, driver.ErrNotFound):
		return &file{Why: "The content of this file is not here: the record that this forge is from left it out."}, nil
	case err != nil:
		return nil, err
	case bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 || !utf8.Valid(data):
		return &file{Why: "This file is not text: " + size(e.Size) + "."}, nil
	case len(data) == 0:
		return &file{Why: "This file is empty."}, nil
	}
	f := &file{Text: string(data), Markdown: !plain && strings.EqualFold(path.Ext(e.Path), ".md")}
	if !f.Markdown {
		f.Lines = strings.Split(strings.TrimSuffix(f.Text, "\n"), "\n")
		f.Text = ""
	}
	return f, nil
}

// history is a list of commits.
type history struct {
	Repo, Rev string
	Commits   []forge.CommitView
	Limit     int
}

func (p *page) commits(w http.ResponseWriter, r *http.Request) error {
	s, name, err := p.repo(r, "commits")
	if err != nil {
		return err
	}
	v := history{Repo: name, Rev: r.URL.Query().Get("ref"), Limit: shownCommits}
	if v.Commits, err = p.view.Commits(name, v.Rev, shownCommits); err != nil && (v.Rev != "" || !errors.Is(err, driver.ErrNotFound)) {
		return orMissing(err, "revision", "the first sheet of the repository lists branches and tags")
	}
	s.Main = v
	return p.send(w, r, http.StatusOK, "commits", s)
}

func (p *page) commit(w http.ResponseWriter, r *http.Request) error {
	s, name, err := p.repo(r, "commits")
	if err != nil {
		return err
	}
	c, changes, err := p.view.Commit(name, r.PathValue("sha"))
	if err != nil {
		return orMissing(err, "commit", "commits lists the latest ones")
	}
	s.Title = firstLine(c.Message)
	more := max(0, len(changes)-1000)
	s.Main = struct {
		Repo    string
		Commit  forge.CommitView
		Changes []forge.ChangeView
		More    int
	}{name, c, changes[:len(changes)-more], more}
	return p.send(w, r, http.StatusOK, "commit", s)
}

// about shows what is set up for a repository.
func (p *page) about(w http.ResponseWriter, r *http.Request) error {
	s, name, err := p.repo(r, "about")
	if err != nil {
		return err
	}
	var v struct {
		Repo    string
		Refs    []forge.RefView
		Labels  []forge.LabelView
		Members []forge.MemberView
	}
	v.Repo = name
	if v.Refs, err = p.view.Refs(name); err != nil {
		return err
	}
	if v.Labels, err = p.view.Labels(name); err != nil {
		return err
	}
	if v.Members, err = p.view.Members(name); err != nil {
		return err
	}
	s.Main = v
	return p.send(w, r, http.StatusOK, "about", s)
}

// number reads a number of an address; what is none is 0, which nothing has.
func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
