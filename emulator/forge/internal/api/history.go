package api

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// maxHistory bounds how far back one list of commits goes.
const maxHistory = 10_000

func (a *API) commitRoutes() []route {
	const commits = "/repos/{owner}/{repo}/commits"
	return []route{
		{method: http.MethodGet, pattern: commits, list: true, query: []string{"sha", "path", "author", "since", "until"}, do: a.listCommits},
		{method: http.MethodGet, pattern: commits + "/{ref...}", media: []string{"sha"}, do: a.getCommit},
	}
}

func (a *API) listCommits(c *call) (answer, error) {
	q := c.URL.Query()
	repo, g, sha, err := a.at(c, c.repo(), q.Get("sha"))
	if err != nil {
		if len(repo.Refs) == 0 && repo.FullName != "" {
			err = wire.NewError(http.StatusConflict, "Git Repository is empty.")
		}
		return answer{}, err
	}
	since, err := c.sinceOf()
	if err != nil {
		return answer{}, err
	}
	var until time.Time
	if s := q.Get("until"); s != "" {
		if until, err = time.Parse(time.RFC3339, s); err != nil {
			return answer{}, wire.Unprocessable("Invalid request.\n\nInvalid until: want ISO 8601.")
		}
	}
	author := q.Get("author")
	keep := func(x *object.Commit) bool {
		at := x.Committer.When
		if at.Before(since) || !until.IsZero() && at.After(until) {
			return false
		}
		return author == "" || x.Author.Email == author || strings.EqualFold(a.loginOf(x.Author.Email), author)
	}
	found, err := g.Log(sha, strings.Trim(q.Get("path"), "/"), maxHistory, keep)
	if err != nil {
		return answer{}, err
	}
	views := []wire.Commit{}
	for _, x := range page(c, a.Base, found) {
		views = append(views, a.viewCommit(repo.FullName, x))
	}
	return ok(views)
}

func (a *API) getCommit(c *call) (answer, error) {
	repo, g, err := a.reader(c)
	if err != nil {
		return answer{}, err
	}
	sha, err := g.Resolve(repo.Refs, c.param["ref"])
	if err != nil {
		return answer{}, wire.Unprocessable("No commit found for SHA: " + c.param["ref"])
	}
	if c.media.param == "sha" {
		return answer{status: http.StatusOK, raw: []byte(sha), kind: "application/vnd.github.sha; charset=utf-8"}, nil
	}
	x, err := g.Commit(sha)
	if err != nil {
		return answer{}, err
	}
	v := a.viewCommit(repo.FullName, x)
	changes, err := g.Changes(x)
	if err != nil {
		return answer{}, err
	}
	p := wire.EscapePath(repo.FullName)
	for _, ch := range changes {
		f := wire.CommitFile{Filename: ch.Path, Status: ch.Status,
			BlobURL: a.Base.HTML("/%s/blob/%s/%s", p, sha, wire.EscapePath(ch.Path)),
			RawURL:  a.Base.Raw("/%s/%s/%s", p, sha, wire.EscapePath(ch.Path))}
		if ch.SHA != "" {
			f.SHA = &ch.SHA
		}
		v.Files = append(v.Files, f)
	}
	return ok(v)
}

func (a *API) loginOf(email string) string {
	if u := a.State.ByEmail(email); u != nil {
		return u.Login
	}
	return ""
}

func (a *API) viewCommit(full string, x *object.Commit) wire.Commit {
	g, p := a.viewGitCommit(full, x), wire.EscapePath(full)
	v := wire.Commit{
		SHA: g.SHA, NodeID: g.NodeID, URL: a.Base.API("/repos/%s/commits/%s", p, g.SHA), HTMLURL: g.HTMLURL,
		CommentsURL: a.Base.API("/repos/%s/commits/%s/comments", p, g.SHA),
		Author:      a.State.ByEmail(x.Author.Email), Committer: a.State.ByEmail(x.Committer.Email), Parents: []wire.Link{},
		Commit: wire.CommitDetail{Author: g.Author, Committer: g.Committer, Message: g.Message, Tree: g.Tree, URL: g.URL, Verification: g.Verification},
	}
	for _, l := range g.Parents {
		l.URL = a.Base.API("/repos/%s/commits/%s", p, l.SHA)
		v.Parents = append(v.Parents, l)
	}
	return v
}
