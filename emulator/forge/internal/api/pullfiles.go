package api

import (
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// maxPullFiles is how many files of a pull request are listed.
// https://docs.github.com/en/rest/pulls/pulls#list-pull-requests-files
const maxPullFiles = 3000

func (a *API) pullFileRoutes() []route {
	const pull = "/repos/{owner}/{repo}/pulls/{number}"
	return []route{
		{method: http.MethodGet, pattern: pull + "/commits", list: true, do: a.listPullCommits},
		{method: http.MethodGet, pattern: pull + "/files", list: true, do: a.listPullFiles},
		{method: http.MethodGet, pattern: "/repos/{owner}/{repo}/commits/{ref...}/pulls", list: true, do: a.listPullsOf},
	}
}

// compared is a pull request whose facts are those of its branches as they are, as far as they are there.
func (a *API) compared(c *call) (state.Pull, error) {
	p, err := a.pull(c, state.ReadPulls)
	if err != nil {
		return p, err
	}
	if err := a.freshen(c, c.repo(), p.Number); err != nil {
		return p, err
	}
	return a.pull(c, state.ReadPulls)
}

func (a *API) listPullCommits(c *call) (answer, error) {
	p, err := a.compared(c)
	if err != nil {
		return answer{}, err
	}
	g := a.Git.Open(p.Repo.ID)
	views := []wire.Commit{}
	for _, sha := range page(c, a.Base, p.Facts.Shas) {
		x, err := g.Commit(sha)
		if err != nil {
			return answer{}, err
		}
		views = append(views, a.viewCommit(p.Repo.FullName, x))
	}
	return ok(views)
}

func (a *API) listPullFiles(c *call) (answer, error) {
	p, err := a.compared(c)
	if err != nil {
		return answer{}, err
	}
	files, err := a.Git.Open(p.Repo.ID).DiffBetween(c.Context(), p.Facts.Common, p.Facts.Head)
	if err != nil {
		return answer{}, err
	}
	views := []wire.CommitFile{}
	for _, f := range page(c, a.Base, files[:min(len(files), maxPullFiles)]) {
		views = append(views, a.viewFile(p.Repo.FullName, p.Facts.Common, p.Facts.Head, f))
	}
	return ok(views)
}

// pullText is a pull request as git shows it: diff or patch.
func (a *API) pullText(c *call) (answer, error) {
	p, err := a.compared(c)
	if err != nil {
		return answer{}, err
	}
	g := a.Git.Open(p.Repo.ID)
	text := ""
	if c.media.param == "diff" {
		text, err = g.DiffTextBetween(c.Context(), p.Facts.Common, p.Facts.Head)
	} else {
		text, err = g.MailTextBetween(c.Context(), p.Facts.Base, p.Facts.Head)
	}
	return answer{status: http.StatusOK, raw: []byte(text), kind: "application/vnd.github." + c.media.param + "; charset=utf-8"}, err
}

func (a *API) listPullsOf(c *call) (answer, error) {
	repo, err := a.State.Authorize(c.who, c.repo(), state.ReadPulls)
	if err != nil {
		return answer{}, err
	}
	sha, err := a.Git.Open(repo.ID).Resolve(repo.Refs, c.param["ref"])
	if err != nil {
		return answer{}, wire.Unprocessable("No commit found for SHA: " + c.param["ref"])
	}
	all, err := a.State.PullsOf(c.who, c.repo(), sha)
	return list(c, a.Base, all, err)
}
