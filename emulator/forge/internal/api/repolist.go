package api

import (
	"net/http"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) repoListRoutes() []route {
	return []route{
		{method: http.MethodGet, pattern: "/orgs/{org}/repos", list: true, query: []string{"type", "sort", "direction"}, do: a.listOrgRepos},
		{method: http.MethodGet, pattern: "/users/{login}/repos", list: true, query: []string{"type", "sort", "direction"}, do: a.listUserRepos},
		{method: http.MethodGet, pattern: "/user/repos", list: true,
			query: []string{"visibility", "affiliation", "type", "sort", "direction"}, do: a.listMyRepos},
	}
}

// order reads how a list of repositories is sorted: names up, times down, unless said otherwise.
func (c *call) order(usual string) (f state.RepoFilter, err error) {
	if f.Sort, err = c.oneOf("sort", usual, "created", "updated", "pushed", "full_name"); err != nil {
		return f, err
	}
	direction := "desc"
	if f.Sort == "full_name" {
		direction = "asc"
	}
	direction, err = c.oneOf("direction", direction, "asc", "desc")
	f.Descending = direction == "desc"
	return f, err
}

func (a *API) listOrgRepos(c *call) (answer, error) {
	f, err := c.order("created")
	if err != nil {
		return answer{}, err
	}
	kind, err := c.oneOf("type", "all", "public", "private", "sources", "member", "forks")
	if err != nil {
		return answer{}, err
	}
	switch kind {
	case "forks", "sources":
		f.Origin = kind
	default:
		f.Visibility = kind
	}
	all, err := a.State.OrgRepos(c.who, c.param["org"], f)
	return a.repoPage(c, all, err)
}

func (a *API) listUserRepos(c *call) (answer, error) {
	f, err := c.order("full_name")
	if err != nil {
		return answer{}, err
	}
	kind, err := c.oneOf("type", "owner", "all", "member")
	if err != nil {
		return answer{}, err
	}
	all, err := a.State.UserRepos(c.who, c.param["login"], kind != "member", kind != "owner", f)
	return a.repoPage(c, all, err)
}

func (a *API) listMyRepos(c *call) (answer, error) {
	f, err := c.order("full_name")
	if err != nil {
		return answer{}, err
	}
	if f.Visibility, err = c.oneOf("visibility", "all", "public", "private"); err != nil {
		return answer{}, err
	}
	q := c.URL.Query()
	if q.Has("affiliation") {
		f.Affiliation = strings.Split(q.Get("affiliation"), ",")
	}
	kind, err := c.oneOf("type", "all", "owner", "public", "private", "member")
	if err != nil {
		return answer{}, err
	}
	if q.Has("type") && (q.Has("affiliation") || q.Has("visibility")) {
		return answer{}, wire.Unprocessable("If you specify visibility or affiliation, you cannot specify type.")
	}
	switch kind {
	case "owner":
		f.Affiliation = []string{"owner"}
	case "member":
		f.Affiliation = []string{"collaborator", "organization_member"}
	case "public", "private":
		f.Visibility = kind
	}
	all, err := a.State.MyRepos(c.who, f)
	return a.repoPage(c, all, err)
}

// repoPage answers with a page of repositories.
func (a *API) repoPage(c *call, all []wire.Repository, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	some := page(c, a.Base, all)
	for i := range some {
		a.speak(c, &some[i])
	}
	return ok(some)
}
