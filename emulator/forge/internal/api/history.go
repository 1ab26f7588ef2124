package api

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// maxHistory bounds how far back one list of commits goes.
const maxHistory = 10_000

func (a *API) commitRoutes() []route {
	const commits = "/repos/{owner}/{repo}/commits"
	return []route{
		{method: http.MethodGet, pattern: commits, list: true, query: []string{"sha", "path", "author", "committer", "since", "until"}, do: a.listCommits},
		{method: http.MethodGet, pattern: commits + "/{ref...}", query: []string{"per_page", "page"}, media: []string{"sha", "diff", "patch"}, do: a.getCommit},
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
	is := func(who string, sig object.Signature) bool {
		return who == "" || sig.Email == who || strings.EqualFold(a.loginOf(sig.Email), who)
	}
	keep := func(x *object.Commit) bool {
		at := x.Committer.When
		if at.Before(since) || !until.IsZero() && at.After(until) {
			return false
		}
		return is(q.Get("author"), x.Author) && is(q.Get("committer"), x.Committer)
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
	x, err := g.Commit(sha)
	if err != nil {
		return answer{}, err
	}
	text := ""
	switch c.media.param {
	case "sha":
		text = sha
	case "diff":
		text, err = g.DiffText(c.Context(), x)
	case "patch":
		text, err = g.MailText(c.Context(), x)
	default:
		return a.commitAnswer(c, repo.FullName, g, x)
	}
	return answer{status: http.StatusOK, raw: []byte(text), kind: "application/vnd.github." + c.media.param + "; charset=utf-8"}, err
}

// maxFiles is how many files of a commit one page shows at most, as at GitHub.
const maxFiles = 300

func (a *API) commitAnswer(c *call, full string, g *gitstore.Repo, x *object.Commit) (answer, error) {
	files, err := g.Diff(c.Context(), x)
	if err != nil {
		return answer{}, err
	}
	v := a.viewCommit(full, x)
	v.Stats = &wire.CommitStats{}
	for _, f := range files {
		v.Stats.Additions += f.Additions
		v.Stats.Deletions += f.Deletions
	}
	v.Stats.Total = v.Stats.Additions + v.Stats.Deletions
	before := ""
	if len(x.ParentHashes) > 0 {
		before = x.ParentHashes[0].String()
	}
	for _, f := range pageOf(c, a.Base, files, maxFiles, maxFiles) {
		v.Files = append(v.Files, a.viewFile(full, before, v.SHA, f))
	}
	return ok(v)
}

// viewFile shows what became of a file between two commits.
func (a *API) viewFile(full, before, at string, f gitstore.FileDiff) wire.CommitFile {
	if f.Status == "removed" {
		at = before // where it still is
	}
	p, file := wire.EscapePath(full), wire.EscapePath(f.Path)
	return wire.CommitFile{
		SHA: f.SHA, Filename: f.Path, Status: f.Status, Additions: f.Additions, Deletions: f.Deletions, Changes: f.Additions + f.Deletions,
		BlobURL: a.Base.HTML("/%s/blob/%s/%s", p, at, file), RawURL: a.Base.Raw("/%s/%s/%s", p, at, file),
		ContentsURL: a.Base.API("/repos/%s/contents/%s?ref=%s", p, file, at), Patch: f.Patch, Previous: f.Previous,
	}
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
