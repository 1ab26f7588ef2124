package api

import (
	"errors"
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

const repoPattern = "/repos/{owner}/{repo}"

func (a *API) repoRoutes() []route {
	const one = repoPattern
	return []route{
		{method: http.MethodGet, pattern: one, do: func(c *call) (answer, error) {
			r, err := a.State.Repo(c.who, c.repo())
			if err != nil {
				return answer{}, err
			}
			a.speak(c, &r.Repository)
			return ok(r)
		}},
		{method: http.MethodPost, pattern: "/orgs/{org}/repos", do: func(c *call) (answer, error) { return a.createRepo(c, c.param["org"]) }},
		{method: http.MethodPost, pattern: "/user/repos", do: func(c *call) (answer, error) { return a.createRepo(c, "") }},
		{method: http.MethodPatch, pattern: one, do: a.editRepo},
		{method: http.MethodDelete, pattern: one, do: func(c *call) (answer, error) {
			gone, err := a.State.DeleteRepo(c.who, c.repo())
			for _, id := range gone {
				err = errors.Join(err, a.Git.Remove(id))
			}
			return done(err)
		}},
	}
}

func (a *API) createRepo(c *call, org string) (answer, error) {
	var in struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Private     bool   `json:"private"`
		AutoInit    bool   `json:"auto_init"`
		Visibility  string `json:"visibility"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	switch in.Visibility {
	case "private", "internal":
		in.Private = true
	}
	if err := a.taken(c, org, in.Name); err != nil {
		return answer{}, err
	}
	in.Private = in.Private || a.forcedPrivate(c, org)
	r, err := a.State.CreateRepo(c.who, org, state.NewRepo{Name: in.Name, Description: in.Description, Private: in.Private},
		func(id int64) error { return a.Git.Create(id, state.DefaultBranch) })
	if err != nil {
		return answer{}, err
	}
	if !in.AutoInit {
		return created(r)
	}
	c.inits = true
	text := "# " + in.Name + "\n"
	if in.Description != "" {
		text += in.Description + "\n"
	}
	_, err = a.commit(c, r.FullName, change{message: "Initial commit", path: "README.md", content: []byte(text)})
	if err != nil {
		return answer{}, err
	}
	if r, err = a.State.Repo(c.who, r.FullName); err != nil {
		return answer{}, err
	}
	return created(r)
}

func (a *API) editRepo(c *call) (answer, error) {
	var in struct {
		Name          *string `json:"name"`
		Private       *bool   `json:"private"`
		Visibility    *string `json:"visibility"`
		Description   *string `json:"description"`
		DefaultBranch *string `json:"default_branch"`
		AllowForking  *bool   `json:"allow_forking"`
		HasIssues     *bool   `json:"has_issues"`
		Archived      *bool   `json:"archived"`
		Commit        *bool   `json:"allow_merge_commit"`
		Squash        *bool   `json:"allow_squash_merge"`
		Rebase        *bool   `json:"allow_rebase_merge"`
		UpdateBranch  *bool   `json:"allow_update_branch"`
		DeleteBranch  *bool   `json:"delete_branch_on_merge"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	if in.Name != nil && *in.Name != c.param["repo"] {
		return answer{}, wire.Unsupported("renaming a repository")
	}
	if in.Visibility != nil {
		private := *in.Visibility != "public"
		in.Private = &private
	}
	r, err := a.State.EditRepo(c.who, c.repo(), state.RepoEdit{Private: in.Private, Description: in.Description, DefaultBranch: in.DefaultBranch,
		AllowForking: in.AllowForking, HasIssues: in.HasIssues, Archived: in.Archived,
		Merging: state.MergingEdit{Commit: in.Commit, Squash: in.Squash, Rebase: in.Rebase, UpdateBranch: in.UpdateBranch, DeleteBranch: in.DeleteBranch}},
		func(id int64, branch string) error {
			return a.Git.Update(id, func(*gitstore.Repo) error { return a.Git.SetHead(id, branch) })
		})
	if err != nil {
		return answer{}, err
	}
	return ok(r)
}
