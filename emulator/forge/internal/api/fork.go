package api

import (
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) forkRoutes() []route {
	const repo = "/repos/{owner}/{repo}"
	return []route{
		{method: http.MethodGet, pattern: repo + "/forks", list: true, query: []string{"sort"}, do: a.listForks},
		{method: http.MethodPost, pattern: repo + "/forks", do: a.fork},
		{method: http.MethodPost, pattern: repo + "/merge-upstream", do: a.mergeUpstream},
	}
}

func (a *API) listForks(c *call) (answer, error) {
	sort, err := c.oneOf("sort", "newest", "oldest", "stargazers", "watchers")
	if err != nil {
		return answer{}, err
	}
	all, err := a.State.Forks(c.who, c.repo(), sort)
	return list(c, a.Base, all, err)
}

func (a *API) fork(c *call) (answer, error) {
	var in struct {
		Organization      string `json:"organization"`
		Name              string `json:"name"`
		DefaultBranchOnly bool   `json:"default_branch_only"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	fork := state.NewFork{Owner: in.Organization, Name: in.Name, DefaultBranchOnly: in.DefaultBranchOnly}
	var claimed int64
	r, err := a.State.Fork(c.who, c.repo(), fork, func(from state.Repo, id int64) (refs map[string]string, err error) {
		claimed = id
		defer a.Git.Hold(from.ID)()
		if from, err = a.State.Find(from.FullName); err != nil {
			return nil, wire.NotFound()
		}
		refs = fork.ForkRefs(from)
		return refs, a.Git.Fork(from.ID, id, from.DefaultBranch, refs)
	})
	if claimed != 0 && r.ID != claimed { // refused after all, or another request was faster
		if err := a.Git.Discard(claimed); err != nil {
			return answer{}, err
		}
	}
	return answer{status: http.StatusAccepted, body: r}, err
}

func (a *API) mergeUpstream(c *call) (answer, error) {
	var in struct {
		Branch string `json:"branch"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	if in.Branch == "" {
		return answer{}, missing("branch")
	}
	fork, parent, err := a.State.Upstream(c.who, c.repo())
	if err != nil {
		return answer{}, err
	}
	theirs, found := parent.Refs["refs/heads/"+in.Branch]
	if !found {
		return answer{}, wire.Unprocessable("The upstream repository has no branch " + in.Branch + ".")
	}
	if err := a.Git.Share(parent.ID, fork.ID); err != nil {
		return answer{}, err
	}
	out := wire.MergedUpstream{BaseBranch: parent.Owner() + ":" + in.Branch}
	err = a.update(c.Request, c.who, fork, func(g *gitstore.Repo) error {
		if fork, err = a.State.Find(fork.FullName); err != nil {
			return wire.NotFound()
		}
		ours, found := fork.Refs["refs/heads/"+in.Branch]
		if !found {
			return wire.NewError(http.StatusNotFound, "Branch not found")
		}
		next, how, err := a.catchUp(c, g, ours, theirs, "Merge branch '"+out.BaseBranch+"' into "+in.Branch)
		if err != nil {
			return err
		}
		if out.MergeType = how; how == "none" {
			return nil
		}
		return a.move(c, g, fork, "refs/heads/"+in.Branch, ours, next)
	})
	out.Message = map[string]string{
		"none": "This branch is not behind the upstream ", "fast-forward": "Successfully fetched and fast-forwarded from upstream ",
		"merge": "Successfully fetched and merged from upstream ",
	}[out.MergeType] + out.BaseBranch + "."
	return answered(out, err)
}

// catchUp returns the commit that has all of ours and theirs, and how it came about: none, fast-forward or
// merge, for which it makes a commit.
func (a *API) catchUp(c *call, g *gitstore.Repo, ours, theirs, message string) (next, how string, err error) {
	if has, err := g.IsAncestor(theirs, ours); err != nil || has {
		return ours, "none", err
	}
	if behind, err := g.IsAncestor(ours, theirs); err != nil || behind {
		return theirs, "fast-forward", err
	}
	next, err = a.mergeCommit(c, g, ours, theirs, message)
	return next, "merge", err
}
