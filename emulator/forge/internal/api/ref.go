package api

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) refRoutes() []route {
	const git = "/repos/{owner}/{repo}/git"
	const branches = "/repos/{owner}/{repo}/branches"
	return []route{
		{method: http.MethodGet, pattern: git + "/ref/{ref...}", do: a.getRef},
		{method: http.MethodGet, pattern: git + "/matching-refs/{ref...}", do: a.matchingRefs},
		{method: http.MethodPost, pattern: git + "/refs", do: a.createRef},
		{method: http.MethodPatch, pattern: git + "/refs/{ref...}", do: a.updateRef},
		{method: http.MethodDelete, pattern: git + "/refs/{ref...}", do: a.deleteRef},
		{method: http.MethodGet, pattern: branches, list: true, query: []string{"protected"}, do: a.listBranches},
		{method: http.MethodGet, pattern: "/repos/{owner}/{repo}/tags", list: true, do: a.listTags},
		{method: http.MethodGet, pattern: branches + "/{branch...}", do: a.getBranch},
	}
}

func (a *API) getRef(c *call) (answer, error) {
	repo, err := a.State.Authorize(c.who, c.repo(), state.ReadContents)
	if err != nil {
		return answer{}, err
	}
	if len(repo.Refs) == 0 {
		return answer{}, wire.NewError(http.StatusConflict, "Git Repository is empty.")
	}
	name := "refs/" + strings.TrimPrefix(c.param["ref"], "refs/")
	sha, found := repo.Refs[name]
	if !found {
		return answer{}, wire.NotFound()
	}
	return a.refAnswer(a.Git.Open(repo.ID), repo.FullName, name, sha, http.StatusOK)
}

func (a *API) refAnswer(g *gitstore.Repo, full, name, sha string, status int) (answer, error) {
	v, err := a.viewRef(g, full, name, sha)
	return answer{status: status, body: v}, err
}

func (a *API) viewRef(g *gitstore.Repo, full, name, sha string) (wire.Ref, error) {
	typ, err := g.Type(sha)
	if err != nil {
		return wire.Ref{}, err
	}
	p := wire.EscapePath(full)
	dir := map[string]string{"commit": "commits", "tree": "trees", "blob": "blobs", "tag": "tags"}[typ]
	return wire.Ref{
		Ref: name, NodeID: nodeOf("Ref", full+":"+name), URL: a.Base.API("/repos/%s/git/%s", p, wire.EscapePath(name)),
		Object: wire.GitObject{Type: typ, SHA: sha, URL: a.Base.API("/repos/%s/git/%s/%s", p, dir, sha)},
	}, nil
}

func (a *API) matchingRefs(c *call) (answer, error) {
	repo, err := a.State.Authorize(c.who, c.repo(), state.ReadContents)
	if err != nil {
		return answer{}, err
	}
	g := a.Git.Open(repo.ID)
	out := []wire.Ref{}
	for _, name := range slices.Sorted(maps.Keys(repo.Refs)) {
		if !strings.HasPrefix(name, "refs/"+c.param["ref"]) {
			continue
		}
		v, err := a.viewRef(g, repo.FullName, name, repo.Refs[name])
		if err != nil {
			return answer{}, err
		}
		out = append(out, v)
	}
	return ok(out)
}

// updateRepo runs fn with the refs as they are while nobody else can move them. An empty repository takes
// no objects, as at GitHub: the contents API or a push makes the first commit.
func (a *API) updateRepo(c *call, fn func(state.Repo, *gitstore.Repo) error) error {
	repo, err := a.State.Authorize(c.who, c.repo(), state.WriteContents)
	if err != nil {
		return err
	}
	return a.update(c.Request, c.who, repo, func(g *gitstore.Repo) error {
		now, err := a.State.Find(repo.FullName)
		if err != nil {
			return wire.NotFound()
		}
		if len(now.Refs) == 0 {
			return wire.NewError(http.StatusConflict, "Git Repository is empty.")
		}
		return fn(now, g)
	})
}

func (a *API) createRef(c *call) (answer, error) {
	var in struct {
		Ref string `json:"ref"`
		SHA string `json:"sha"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	if in.Ref == "" || in.SHA == "" {
		return answer{}, missing(map[bool]string{true: "ref", false: "sha"}[in.Ref == ""])
	}
	var ans answer
	err := a.updateRepo(c, func(repo state.Repo, g *gitstore.Repo) error {
		if !gitstore.RefName(in.Ref) || gitstore.OfPulls(in.Ref) {
			return wire.Unprocessable("Reference name is not valid: want refs/heads/NAME or refs/tags/NAME")
		}
		if _, found := repo.Refs[in.Ref]; found {
			return wire.Unprocessable("Reference already exists")
		}
		if err := checkTarget(g, in.Ref, in.SHA); err != nil {
			return err
		}
		if err := a.move(c, g, repo, in.Ref, state.Zero, in.SHA); err != nil {
			return err
		}
		var err error
		ans, err = a.refAnswer(g, repo.FullName, in.Ref, in.SHA, http.StatusCreated)
		return err
	})
	return ans, err
}

// checkTarget says whether a ref may name an object: a branch only a commit.
func checkTarget(g *gitstore.Repo, ref, sha string) error {
	typ, err := g.Type(sha)
	if err != nil {
		return wire.Unprocessable("Object does not exist")
	}
	if strings.HasPrefix(ref, "refs/heads/") && typ != "commit" {
		return wire.Unprocessable("Reference update failed: a branch names a commit, not a " + typ)
	}
	return nil
}

func (a *API) updateRef(c *call) (answer, error) {
	var in struct {
		SHA   string `json:"sha"`
		Force bool   `json:"force"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	if in.SHA == "" {
		return answer{}, missing("sha")
	}
	name := "refs/" + c.param["ref"]
	if gitstore.OfPulls(name) {
		return answer{}, wire.Unprocessable("Reference cannot be updated")
	}
	var ans answer
	err := a.updateRepo(c, func(repo state.Repo, g *gitstore.Repo) error {
		before, found := repo.Refs[name]
		if !found {
			return wire.Unprocessable("Reference does not exist")
		}
		if err := checkTarget(g, name, in.SHA); err != nil {
			return err
		}
		if !in.Force {
			if ff, err := g.IsAncestor(before, in.SHA); err != nil || !ff {
				return wire.Unprocessable("Update is not a fast forward")
			}
		}
		if before != in.SHA {
			if err := a.move(c, g, repo, name, before, in.SHA); err != nil {
				return err
			}
		}
		var err error
		ans, err = a.refAnswer(g, repo.FullName, name, in.SHA, http.StatusOK)
		return err
	})
	return ans, err
}

func (a *API) deleteRef(c *call) (answer, error) {
	name := "refs/" + c.param["ref"]
	if gitstore.OfPulls(name) {
		return answer{}, wire.Unprocessable("Reference cannot be deleted")
	}
	err := a.updateRepo(c, func(repo state.Repo, g *gitstore.Repo) error {
		before, found := repo.Refs[name]
		if !found {
			return wire.Unprocessable("Reference does not exist")
		}
		if name == "refs/heads/"+repo.DefaultBranch {
			return wire.Unprocessable("Cannot delete the default branch")
		}
		return a.move(c, g, repo, name, before, state.Zero)
	})
	if err != nil {
		return answer{}, err
	}
	return noContent()
}

// shortNames returns the names of the refs below a prefix, sorted, without it.
func shortNames(refs map[string]string, prefix string) []string {
	var out []string
	for name := range refs {
		if short, found := strings.CutPrefix(name, prefix); found {
			out = append(out, short)
		}
	}
	slices.Sort(out)
	return out
}

func (a *API) listBranches(c *call) (answer, error) {
	repo, err := a.State.Authorize(c.who, c.repo(), state.ReadContents)
	if err != nil {
		return answer{}, err
	}
	protected, err := c.oneOf("protected", "", "true", "false")
	if err != nil {
		return answer{}, err
	}
	rules := a.State.ProtectedBranches(repo.FullName)
	out := []wire.Branch{}
	for _, short := range shortNames(repo.Refs, "refs/heads/") {
		_, guarded := rules[short]
		if protected != "" && (protected == "true") != guarded {
			continue
		}
		sha := repo.Refs["refs/heads/"+short]
		out = append(out, wire.Branch{Name: short, Protected: guarded, Commit: wire.Link{SHA: sha, URL: a.Base.API("/repos/%s/commits/%s", wire.EscapePath(repo.FullName), sha)}})
	}
	return list(c, a.Base, out, nil)
}

func (a *API) getBranch(c *call) (answer, error) {
	repo, err := a.State.Authorize(c.who, c.repo(), state.ReadContents)
	if err != nil {
		return answer{}, err
	}
	sha, found := repo.Refs["refs/heads/"+c.param["branch"]]
	if !found {
		return answer{}, wire.NewError(http.StatusNotFound, "Branch not found")
	}
	commit, err := a.Git.Open(repo.ID).Commit(sha)
	if err != nil {
		return answer{}, err
	}
	p, name := wire.EscapePath(repo.FullName), wire.EscapePath(c.param["branch"])
	self := a.Base.API("/repos/%s/branches/%s", p, name)
	v := wire.Branch{
		Name: c.param["branch"], Commit: a.viewCommit(repo.FullName, commit), Protection: &wire.BranchProtection{},
		Links: &wire.BranchLinks{Self: self, HTML: a.Base.HTML("/%s/tree/%s", p, name)}, ProtectionURL: self + "/protection",
	}
	v.Protection.Checks.Enforcement, v.Protection.Checks.Contexts, v.Protection.Checks.Checks = "off", []string{}, []wire.RequiredCheck{}
	if rule, found := a.State.ProtectedBranches(repo.FullName)[c.param["branch"]]; found {
		v.Protected = true
		summarize(v.Protection, rule)
	}
	return ok(v)
}
