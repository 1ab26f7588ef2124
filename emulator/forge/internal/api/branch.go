package api

import (
	"net/http"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) branchRoutes() []route {
	const repo = "/repos/{owner}/{repo}"
	return []route{
		{method: http.MethodPost, pattern: repo + "/merges", do: a.mergeBranch},
		{method: http.MethodPost, pattern: repo + "/branches/{branch}/rename", do: a.renameBranch},
		{method: http.MethodGet, pattern: repo + "/topics", list: true, do: func(c *call) (answer, error) {
			all, err := a.State.Topics(c.who, c.repo())
			if err != nil {
				return answer{}, err
			}
			return ok(topics{Names: page(c, a.Base, all)})
		}},
		{method: http.MethodPut, pattern: repo + "/topics", do: a.setTopics},
	}
}

type topics struct {
	Names []string `json:"names"`
}

func (a *API) setTopics(c *call) (answer, error) {
	var in topics
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	if in.Names == nil {
		return answer{}, missing("names")
	}
	all, err := a.State.SetTopics(c.who, c.repo(), in.Names)
	return answered(topics{Names: all}, err)
}

// mergeBranch makes a merge commit of two branches; when there is nothing to merge, no content.
// https://docs.github.com/en/rest/branches/branches#merge-a-branch
func (a *API) mergeBranch(c *call) (answer, error) {
	var in struct {
		Base    string  `json:"base"`
		Head    string  `json:"head"`
		Message *string `json:"commit_message"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	if in.Base == "" || in.Head == "" {
		return answer{}, missing(map[bool]string{true: "base", false: "head"}[in.Base == ""])
	}
	message := "Merge " + in.Head + " into " + in.Base
	if in.Message != nil && *in.Message != "" {
		message = *in.Message
	}
	var ans answer
	err := a.updateRepo(c, func(repo state.Repo, g *gitstore.Repo) error {
		base := "refs/heads/" + in.Base
		ours, found := repo.Refs[base]
		if !found {
			return wire.NewError(http.StatusNotFound, "Base does not exist")
		}
		theirs, err := g.Resolve(repo.Refs, in.Head)
		if err != nil {
			return wire.NewError(http.StatusNotFound, "Head does not exist")
		}
		if has, err := g.IsAncestor(theirs, ours); err != nil || has {
			ans.status = http.StatusNoContent
			return err
		}
		sha, err := a.mergeCommit(c, g, ours, theirs, message)
		if err != nil {
			return err
		}
		if err := a.move(c, g, repo, base, ours, sha); err != nil {
			return err
		}
		made, err := g.Commit(sha)
		if err != nil {
			return err
		}
		ans = answer{status: http.StatusCreated, body: a.viewCommit(repo.FullName, made)}
		return nil
	})
	return ans, err
}

// mergeCommit makes the commit that has two others as its parents; their conflict is 409.
func (a *API) mergeCommit(c *call, g *gitstore.Repo, ours, theirs, message string) (string, error) {
	tree, clean, err := g.Merged(lasting(c.Request), ours, theirs)
	if err != nil {
		return "", err
	}
	if !clean {
		return "", wire.NewError(http.StatusConflict, "Merge conflict")
	}
	who := a.orActor(c, nil)
	return g.WriteCommit(gitstore.NewCommit{Tree: tree, Parents: []string{ours, theirs}, Message: message, Author: who, Committer: who})
}

// renameBranch makes a branch have another name. The default branch stays that, and needs an administrator.
// https://docs.github.com/en/rest/branches/branches#rename-a-branch
func (a *API) renameBranch(c *call) (answer, error) {
	var in struct {
		Name string `json:"new_name"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	if in.Name == "" {
		return answer{}, missing("new_name")
	}
	was := c.param["branch"]
	err := a.updateRepo(c, func(repo state.Repo, g *gitstore.Repo) error {
		from, to := "refs/heads/"+was, "refs/heads/"+in.Name
		sha, found := repo.Refs[from]
		if !found {
			return wire.NewError(http.StatusNotFound, "Branch not found")
		}
		if !gitstore.RefName(to) || strings.HasPrefix(in.Name, "refs/") {
			return wire.Unprocessable("The branch name is not valid.")
		}
		if _, taken := repo.Refs[to]; taken {
			return wire.Unprocessable("The branch " + in.Name + " already exists.")
		}
		if was == repo.DefaultBranch {
			if _, err := a.State.Authorize(c.who, repo.FullName, state.Administer); err != nil {
				return err
			}
		}
		if err := a.move(c, g, repo, to, state.Zero, sha); err != nil {
			return err
		}
		if was == repo.DefaultBranch {
			edit := state.RepoEdit{DefaultBranch: &in.Name}
			if _, err := a.State.EditRepo(c.who, repo.FullName, edit, a.Git.SetHead); err != nil {
				return err
			}
		}
		a.State.RetargetPulls(c.who, repo.FullName, was, in.Name)
		repo.Refs[to] = sha
		return a.move(c, g, repo, from, sha, state.Zero)
	})
	if err != nil {
		return answer{}, err
	}
	c.param["branch"] = in.Name
	ans, err := a.getBranch(c)
	ans.status = http.StatusCreated
	return ans, err
}
