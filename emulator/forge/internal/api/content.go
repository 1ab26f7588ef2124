package api

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"path"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) contentRoutes() []route {
	const one = "/repos/{owner}/{repo}/contents/{path...}"
	return []route{
		{method: http.MethodGet, pattern: one, query: []string{"ref"}, media: []string{"raw", "object"}, do: a.getContent},
		{method: http.MethodGet, pattern: "/repos/{owner}/{repo}/readme", query: []string{"ref"}, media: []string{"raw", "object"}, do: a.getReadme},
		{method: http.MethodPut, pattern: one, do: a.putContent},
		{method: http.MethodDelete, pattern: one, do: a.deleteContent},
	}
}

// at opens a repository at the commit that rev names; "" is the default branch.
func (a *API) at(c *call, full, rev string) (state.Repo, *gitstore.Repo, string, error) {
	repo, err := a.State.Authorize(c.who, full, state.ReadContents)
	if err != nil {
		return repo, nil, "", err
	}
	g := a.Git.Open(repo.ID)
	if len(repo.Refs) == 0 {
		return repo, g, "", wire.NewError(http.StatusNotFound, "This repository is empty.")
	}
	sha, err := g.Resolve(repo.Refs, cmp.Or(rev, repo.DefaultBranch))
	if err != nil {
		return repo, g, "", wire.NewError(http.StatusNotFound, "No commit found for the ref "+cmp.Or(rev, repo.DefaultBranch))
	}
	return repo, g, sha, nil
}

func (a *API) getContent(c *call) (answer, error) {
	rev := c.URL.Query().Get("ref")
	repo, g, sha, err := a.at(c, c.repo(), rev)
	if err != nil {
		return answer{}, err
	}
	rev = cmp.Or(rev, repo.DefaultBranch)
	p := strings.Trim(c.param["path"], "/")
	e, err := g.Find(sha, p)
	if err != nil {
		return answer{}, err
	}
	if e.Type == "tree" {
		entries, err := g.List(sha, p)
		if err != nil {
			return answer{}, err
		}
		out := make([]wire.Content, len(entries))
		for i, e := range entries {
			out[i] = a.viewContent(repo.FullName, rev, e)
		}
		if c.media.param == "object" {
			v := a.viewContent(repo.FullName, rev, e)
			v.Path, v.Name, v.Entries = p, strings.TrimPrefix(path.Base("/"+p), "/"), out
			return ok(v)
		}
		return ok(out)
	}
	v := a.viewContent(repo.FullName, rev, e)
	if e.Type == "commit" {
		return ok(v)
	}
	data, err := g.Blob(e.SHA, largeBody)
	if err != nil {
		return answer{}, err
	}
	switch {
	case c.media.param == "raw":
		return answer{status: http.StatusOK, raw: data, kind: "application/vnd.github.raw; charset=utf-8"}, nil
	case v.Type == "symlink":
		v.Target = string(data)
	case len(data) > 1<<20: // beyond 1 MB only the raw form carries the content
		empty := ""
		v.Content, v.Encoding = &empty, "none"
	default:
		text := lines(base64.StdEncoding.EncodeToString(data))
		v.Content, v.Encoding = &text, "base64"
	}
	return ok(v)
}

// getReadme answers with the README file that GitHub would show: it looks in .github, then at the top, then in docs.
// https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-readmes
func (a *API) getReadme(c *call) (answer, error) {
	_, g, sha, err := a.at(c, c.repo(), c.URL.Query().Get("ref"))
	if err != nil {
		return answer{}, err
	}
	for _, dir := range []string{".github", "", "docs"} {
		entries, err := g.List(sha, dir)
		if err != nil {
			continue // it is not there, or no directory
		}
		for _, e := range entries {
			name := strings.ToLower(path.Base(e.Path))
			if e.Type == "blob" && (name == "readme" || strings.HasPrefix(name, "readme.")) {
				c.param["path"] = e.Path
				return a.getContent(c)
			}
		}
	}
	return answer{}, wire.NotFound()
}

// lines breaks base64 text as GitHub does, after each 60 characters.
func lines(s string) string {
	var b strings.Builder
	for len(s) > 60 {
		b.WriteString(s[:60] + "\n")
		s = s[60:]
	}
	if s != "" {
		b.WriteString(s + "\n")
	}
	return b.String()
}

func (a *API) viewContent(full, rev string, e gitstore.Entry) wire.Content {
	r, p := wire.EscapePath(full), wire.EscapePath(e.Path)
	v := wire.Content{
		Name: path.Base(e.Path), Path: e.Path, SHA: e.SHA, Size: e.Size, Type: "file",
		URL:     a.Base.API("/repos/%s/contents/%s?ref=%s", r, p, wire.EscapePath(rev)),
		HTMLURL: a.Base.HTML("/%s/blob/%s/%s", r, wire.EscapePath(rev), p),
		GitURL:  a.Base.API("/repos/%s/git/blobs/%s", r, e.SHA),
	}
	raw := a.Base.Raw("/%s/%s/%s", r, wire.EscapePath(rev), p)
	v.DownloadURL = &raw
	switch {
	case e.Type == "tree":
		v.Type, v.DownloadURL = "dir", nil
		v.HTMLURL = a.Base.HTML("/%s/tree/%s/%s", r, wire.EscapePath(rev), p)
		v.GitURL = a.Base.API("/repos/%s/git/trees/%s", r, e.SHA)
	case e.Type == "commit":
		v.Type, v.DownloadURL = "submodule", nil
	case e.Mode == "120000":
		v.Type = "symlink"
	}
	v.Links = wire.ContentLinks{Self: v.URL, Git: v.GitURL, HTML: v.HTMLURL}
	return v
}

func (a *API) putContent(c *call) (answer, error) {
	var in struct {
		Message   string  `json:"message"`
		Content   *string `json:"content"`
		SHA       string  `json:"sha"`
		Branch    string  `json:"branch"`
		Author    *person `json:"author"`
		Committer *person `json:"committer"`
	}
	if err := c.decode(largeBody, &in); err != nil {
		return answer{}, err
	}
	p, err := pathOf(c)
	if err != nil {
		return answer{}, err
	}
	if in.Message == "" {
		return answer{}, missing("message")
	}
	if in.Content == nil {
		return answer{}, missing("content")
	}
	data, err := base64.StdEncoding.DecodeString(*in.Content)
	if err != nil {
		return answer{}, wire.Unprocessable("content is not valid Base64")
	}
	done, err := a.commit(c, c.repo(), change{message: in.Message, path: p, content: append([]byte{}, data...),
		sha: in.SHA, branch: in.Branch, author: in.Author, committer: in.Committer})
	if err != nil {
		return answer{}, err
	}
	e, err := done.git.Find(done.commit.Hash.String(), p)
	if err != nil {
		return answer{}, err
	}
	v := a.viewContent(done.repo.FullName, cmp.Or(in.Branch, done.repo.DefaultBranch), e)
	body := wire.ContentChange{Content: &v, Commit: a.viewGitCommit(done.repo.FullName, done.commit)}
	if done.isNew {
		return created(body)
	}
	return ok(body)
}

func (a *API) deleteContent(c *call) (answer, error) {
	var in struct {
		Message   string  `json:"message"`
		SHA       string  `json:"sha"`
		Branch    string  `json:"branch"`
		Author    *person `json:"author"`
		Committer *person `json:"committer"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	p, err := pathOf(c)
	if err != nil {
		return answer{}, err
	}
	if in.Message == "" {
		return answer{}, missing("message")
	}
	done, err := a.commit(c, c.repo(), change{message: in.Message, path: p, sha: in.SHA, branch: in.Branch, author: in.Author, committer: in.Committer})
	if err != nil {
		return answer{}, err
	}
	return ok(wire.ContentChange{Commit: a.viewGitCommit(done.repo.FullName, done.commit)})
}

func pathOf(c *call) (string, error) {
	p := strings.TrimSuffix(c.param["path"], "/")
	if !gitstore.CleanPath(p) {
		return "", wire.Unprocessable("path contains a malformed path component")
	}
	return p, nil
}
