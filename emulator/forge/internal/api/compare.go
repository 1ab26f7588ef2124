package api

import (
	"net/http"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// maxCompared is how many commits a page of a comparison shows when no page is asked for, as at GitHub.
const maxCompared = 250

func (a *API) compareRoutes() []route {
	return []route{
		{method: http.MethodGet, pattern: "/repos/{owner}/{repo}/compare/{basehead...}", query: []string{"per_page", "page"},
			media: []string{"diff", "patch"}, do: a.compareCommits},
	}
}

// comparedEnd is one side of a comparison.
type comparedEnd struct {
	text string // as the client names it
	sha  string
}

// compareCommits says how two commits stand to each other: BASE...HEAD, each a branch, a tag or a hash, after
// OWNER: or OWNER:NAME: when it is of another repository of the network.
// https://docs.github.com/en/rest/commits/commits#compare-two-commits
func (a *API) compareCommits(c *call) (answer, error) {
	repo, g, err := a.reader(c)
	if err != nil {
		return answer{}, err
	}
	left, right, found := strings.Cut(c.param["basehead"], "...")
	if !found || left == "" || right == "" {
		return answer{}, wire.NotFound()
	}
	var ends [2]comparedEnd
	for i, text := range []string{left, right} {
		if ends[i], err = a.comparedEnd(c, repo, text); err != nil {
			return answer{}, err
		}
	}
	if ends[0].sha != ends[1].sha {
		g = a.Git.Open(repo.ID) // a fork's objects have come in
	}
	rel, err := g.Relate(c.Context(), ends[0].sha, ends[1].sha)
	if err != nil {
		return answer{}, err
	}
	if rel.Common == "" {
		return answer{}, wire.NewError(http.StatusNotFound, "No common ancestor between "+left+" and "+right+".")
	}
	text := ""
	switch c.media.param {
	case "diff":
		text, err = g.DiffTextBetween(c.Context(), rel.Common, ends[1].sha)
	case "patch":
		text, err = g.MailTextBetween(c.Context(), rel.Common, ends[1].sha)
	default:
		return a.comparison(c, repo, g, ends, rel)
	}
	return answer{status: http.StatusOK, raw: []byte(text), kind: "application/vnd.github." + c.media.param + "; charset=utf-8"}, err
}

// comparedEnd finds a commit, also in another repository of the network, whose objects it brings in.
func (a *API) comparedEnd(c *call, repo state.Repo, text string) (comparedEnd, error) {
	at, ref := repo, text
	if owner, rest, other := strings.Cut(text, ":"); other {
		name := ""
		if n, r, named := strings.Cut(rest, ":"); named {
			name, rest = n, r
		}
		var err error
		if at, err = a.State.Related(c.who, repo.FullName, owner, name); err != nil {
			return comparedEnd{}, err
		}
		ref = rest
	}
	sha, err := a.Git.Open(at.ID).Resolve(at.Refs, ref)
	if err != nil {
		return comparedEnd{}, err
	}
	if at.ID != repo.ID {
		err = a.Git.Open(repo.ID).Borrow(at.ID, sha)
	}
	return comparedEnd{text, sha}, err
}

func (a *API) comparison(c *call, repo state.Repo, g *gitstore.Repo, ends [2]comparedEnd, rel gitstore.Relation) (answer, error) {
	var commits [3]*object.Commit
	for i, sha := range []string{ends[0].sha, rel.Common, ends[1].sha} {
		var err error
		if commits[i], err = g.Commit(sha); err != nil {
			return answer{}, err
		}
	}
	p, named := wire.EscapePath(repo.FullName), wire.EscapePath(ends[0].text+"..."+ends[1].text)
	v := wire.Comparison{
		URL: a.Base.API("/repos/%s/compare/%s", p, named), HTMLURL: a.Base.HTML("/%s/compare/%s", p, named),
		PermalinkURL: a.Base.HTML("/%s/compare/%s:%s...%s:%s", p, repo.Owner(), ends[0].sha[:7], repo.Owner(), ends[1].sha[:7]),
		BaseCommit:   a.viewCommit(repo.FullName, commits[0]), MergeBase: a.viewCommit(repo.FullName, commits[1]),
		Status: comparedStatus(rel), Ahead: len(rel.Ahead), Behind: rel.Behind, Total: len(rel.Ahead), Commits: []wire.Commit{}, Files: []wire.CommitFile{},
	}
	v.DiffURL, v.PatchURL = v.HTMLURL+".diff", v.HTMLURL+".patch"
	shown := rel.Ahead
	if q := c.URL.Query(); q.Has("page") || q.Has("per_page") {
		shown = page(c, a.Base, shown)
	} else if len(shown) > maxCompared {
		shown = shown[len(shown)-maxCompared:]
	}
	for _, sha := range shown {
		x, err := g.Commit(sha)
		if err != nil {
			return answer{}, err
		}
		v.Commits = append(v.Commits, a.viewCommit(repo.FullName, x))
	}
	if positive(c.URL.Query().Get("page"), 1) > 1 {
		return ok(v) // files are on the first page only
	}
	files, err := g.DiffBetween(c.Context(), rel.Common, ends[1].sha)
	for i, f := range files {
		if i < maxFiles {
			v.Files = append(v.Files, a.viewFile(repo.FullName, rel.Common, ends[1].sha, f))
		}
	}
	return answered(v, err)
}

func comparedStatus(rel gitstore.Relation) string {
	switch {
	case len(rel.Ahead) > 0 && rel.Behind > 0:
		return "diverged"
	case len(rel.Ahead) > 0:
		return "ahead"
	case rel.Behind > 0:
		return "behind"
	}
	return "identical"
}
