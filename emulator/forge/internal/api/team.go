package api

import (
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// asRepository is the form in which a team's repository is shown, not only that it has it.
const asRepository = "repository"

// teamRoutes are those of teams. See https://docs.github.com/en/rest/teams.
func (a *API) teamRoutes() []route {
	const all = "/orgs/{org}/teams"
	const one = all + "/{team}"
	return append(a.teamRepoRoutes(one), []route{
		{method: http.MethodGet, pattern: all, list: true, query: []string{"team_type"}, do: func(c *call) (answer, error) {
			kind, err := c.oneOf("team_type", "all", "organization", "enterprise")
			if err != nil {
				return answer{}, err
			}
			teams, err := a.State.Teams(c.who, c.param["org"], "")
			if kind == "enterprise" {
				teams = []wire.Team{}
			}
			return list(c, a.Base, teams, err)
		}},
		{method: http.MethodPost, pattern: all, do: a.putTeam},
		{method: http.MethodGet, pattern: one, do: func(c *call) (answer, error) {
			return answered(a.State.Team(c.who, c.param["org"], c.param["team"]))
		}},
		{method: http.MethodPatch, pattern: one, do: a.putTeam},
		{method: http.MethodDelete, pattern: one, do: func(c *call) (answer, error) {
			return done(a.State.DeleteTeam(c.who, c.param["org"], c.param["team"]))
		}},
		{method: http.MethodGet, pattern: one + "/teams", list: true, do: func(c *call) (answer, error) {
			teams, err := a.State.Teams(c.who, c.param["org"], c.param["team"])
			return list(c, a.Base, teams, err)
		}},
		{method: http.MethodGet, pattern: one + "/members", list: true, query: []string{"role"}, do: func(c *call) (answer, error) {
			role, err := c.oneOf("role", "all", "member", "maintainer")
			if err != nil {
				return answer{}, err
			}
			who, err := a.State.TeamMembers(c.who, c.param["org"], c.param["team"], role)
			return list(c, a.Base, who, err)
		}},
		{method: http.MethodGet, pattern: one + "/memberships/{login}", do: func(c *call) (answer, error) {
			return answered(a.State.TeamMembership(c.who, c.param["org"], c.param["team"], c.param["login"]))
		}},
		{method: http.MethodPut, pattern: one + "/memberships/{login}", do: a.putTeamMembership},
		{method: http.MethodDelete, pattern: one + "/memberships/{login}", do: func(c *call) (answer, error) {
			return done(a.State.RemoveTeamMembership(c.who, c.param["org"], c.param["team"], c.param["login"]))
		}},
		{method: http.MethodGet, pattern: "/user/teams", list: true, do: func(c *call) (answer, error) {
			teams, err := a.State.MyTeams(c.who)
			return list(c, a.Base, teams, err)
		}},
	}...)
}

func (a *API) teamRepoRoutes(one string) []route {
	return []route{
		{method: http.MethodGet, pattern: one + "/repos", list: true, do: func(c *call) (answer, error) {
			repos, err := a.State.TeamRepos(c.who, c.param["org"], c.param["team"])
			return list(c, a.Base, repos, err)
		}},
		{method: http.MethodGet, pattern: one + "/repos/{owner}/{repo}", media: []string{asRepository}, do: func(c *call) (answer, error) {
			r, err := a.State.TeamRepo(c.who, c.param["org"], c.param["team"], c.repo())
			if err == nil && c.media.param == asRepository {
				return ok(r)
			}
			return done(err)
		}},
		{method: http.MethodPut, pattern: one + "/repos/{owner}/{repo}", do: func(c *call) (answer, error) {
			var in struct {
				Permission string `json:"permission"`
			}
			if err := c.decode(smallBody, &in); err != nil {
				return answer{}, err
			}
			return done(a.State.SetTeamRepo(c.who, c.param["org"], c.param["team"], c.repo(), in.Permission))
		}},
		{method: http.MethodDelete, pattern: one + "/repos/{owner}/{repo}", do: func(c *call) (answer, error) {
			return done(a.State.RemoveTeamRepo(c.who, c.param["org"], c.param["team"], c.repo()))
		}},
		{method: http.MethodGet, pattern: "/repos/{owner}/{repo}/teams", list: true, do: func(c *call) (answer, error) {
			teams, err := a.State.RepoTeams(c.who, c.repo())
			return list(c, a.Base, teams, err)
		}},
	}
}

// putTeam makes a team, or changes one.
func (a *API) putTeam(c *call) (answer, error) {
	var in struct {
		Name         *string      `json:"name"`
		Description  *string      `json:"description"`
		Privacy      *string      `json:"privacy"`
		Notification *string      `json:"notification_setting"`
		Permission   *string      `json:"permission"`
		Parent       given[int64] `json:"parent_team_id"`
		Maintainers  []string     `json:"maintainers"`
		Repos        []string     `json:"repo_names"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	slug := c.param["team"]
	if slug != "" && (in.Maintainers != nil || in.Repos != nil) {
		return answer{}, wire.Unsupported("maintainers and repo_names of a team that is there already")
	}
	e := state.TeamEdit{Name: in.Name, Description: in.Description, Privacy: in.Privacy, Notification: in.Notification,
		Permission: in.Permission, Maintainers: in.Maintainers, Repos: in.Repos}
	if in.Parent.set {
		e.Parent = &in.Parent.value
	}
	t, err := a.State.PutTeam(c.who, c.param["org"], slug, e)
	return made(slug == "", t, err)
}

func (a *API) putTeamMembership(c *call) (answer, error) {
	var in struct {
		Role string `json:"role"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	switch in.Role {
	case "", "member", "maintainer":
	default:
		return answer{}, wire.Unprocessable("Invalid request.\n\nrole: want member or maintainer.")
	}
	return answered(a.State.SetTeamMembership(c.who, c.param["org"], c.param["team"], c.param["login"], in.Role == "maintainer"))
}
