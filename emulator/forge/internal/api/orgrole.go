package api

import (
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// roleRoutes are those of roles in organisations, and of who is outside of them.
// https://docs.github.com/en/rest/orgs/organization-roles
func (a *API) roleRoutes() []route {
	const org = "/orgs/{org}"
	const roles, users, outside = org + "/organization-roles", org + "/organization-roles/users/{login}", org + "/outside_collaborators"
	return append(a.customRoleRoutes(),
		route{method: http.MethodPatch, pattern: org, do: a.editOrg},
		route{method: http.MethodGet, pattern: roles, do: func(c *call) (answer, error) {
			all, err := a.State.OrgRoles(c.who, c.param["org"])
			return whole("roles", all, err)
		}},
		route{method: http.MethodGet, pattern: roles + "/{id}", do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			return answered(a.State.OrgRole(c.who, c.param["org"], id))
		}},
		route{method: http.MethodGet, pattern: roles + "/{id}/users", list: true, do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			all, err := a.State.OrgRoleUsers(c.who, c.param["org"], id)
			return list(c, a.Base, all, err)
		}},
		route{method: http.MethodPut, pattern: users + "/{id}", do: func(c *call) (answer, error) { return a.grantRole(c, true) }},
		route{method: http.MethodDelete, pattern: users + "/{id}", do: func(c *call) (answer, error) { return a.grantRole(c, false) }},
		route{method: http.MethodDelete, pattern: users, do: func(c *call) (answer, error) {
			return done(a.State.RevokeOrgRoles(c.who, c.param["org"], c.param["login"]))
		}},
		route{method: http.MethodGet, pattern: outside, list: true, do: func(c *call) (answer, error) {
			all, err := a.State.OutsideCollaborators(c.who, c.param["org"])
			return list(c, a.Base, all, err)
		}},
		route{method: http.MethodPut, pattern: outside + "/{login}", do: func(c *call) (answer, error) {
			return done(a.State.PutOutside(c.who, c.param["org"], c.param["login"]))
		}},
		route{method: http.MethodDelete, pattern: outside + "/{login}", do: func(c *call) (answer, error) {
			return done(a.State.RemoveOutside(c.who, c.param["org"], c.param["login"]))
		}},
	)
}

// customRoleRoutes are those of roles that an organisation makes, which Enterprise Cloud has.
// https://docs.github.com/en/enterprise-cloud@latest/rest/orgs/custom-roles
func (a *API) customRoleRoutes() []route {
	const ofOrg, ofRepo = "/orgs/{org}/organization-roles", "/orgs/{org}/custom-repository-roles"
	return []route{
		{method: http.MethodPost, pattern: ofOrg, do: a.putOrgRole},
		{method: http.MethodPatch, pattern: ofOrg + "/{id}", do: a.putOrgRole},
		{method: http.MethodDelete, pattern: ofOrg + "/{id}", do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			return done(a.State.DeleteOrgRole(c.who, c.param["org"], id))
		}},
		{method: http.MethodGet, pattern: ofRepo, do: func(c *call) (answer, error) {
			all, err := a.State.RepoRoles(c.who, c.param["org"])
			return whole("custom_roles", all, err)
		}},
		{method: http.MethodPost, pattern: ofRepo, do: a.putRepoRole},
		{method: http.MethodGet, pattern: ofRepo + "/{id}", do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			return answered(a.State.RepoRole(c.who, c.param["org"], id))
		}},
		{method: http.MethodPatch, pattern: ofRepo + "/{id}", do: a.putRepoRole},
		{method: http.MethodDelete, pattern: ofRepo + "/{id}", do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			return done(a.State.DeleteRepoRole(c.who, c.param["org"], id))
		}},
	}
}

// whole is a whole list with its length, under a name.
func whole[T any](name string, all []T, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	return ok(map[string]any{"total_count": len(all), name: all})
}

func (a *API) grantRole(c *call, on bool) (answer, error) {
	id, err := c.number("id")
	if err != nil {
		return answer{}, err
	}
	return done(a.State.GrantOrgRole(c.who, c.param["org"], c.param["login"], id, on))
}

// roleOf reads the body of a role that is made or changed, and its number, which is 0 for a new one.
func roleOf(c *call) (id int64, e state.RoleEdit, err error) {
	var in struct {
		Name        *string  `json:"name"`
		Description *string  `json:"description"`
		BaseRole    *string  `json:"base_role"`
		Permissions []string `json:"permissions"`
	}
	if c.param["id"] != "" {
		if id, err = c.number("id"); err != nil || id == 0 {
			return -1, e, err
		}
	}
	err = c.decode(smallBody, &in)
	return id, state.RoleEdit{Name: in.Name, Description: in.Description, Base: in.BaseRole, Permissions: in.Permissions}, err
}

func (a *API) putOrgRole(c *call) (answer, error) {
	id, e, err := roleOf(c)
	if err != nil {
		return answer{}, err
	}
	r, err := a.State.PutOrgRole(c.who, c.param["org"], id, e)
	return made(id == 0, r, err)
}

func (a *API) putRepoRole(c *call) (answer, error) {
	id, e, err := roleOf(c)
	if err != nil {
		return answer{}, err
	}
	r, err := a.State.PutRepoRole(c.who, c.param["org"], id, e)
	return made(id == 0, r, err)
}

// made is the answer with something that is new, or was changed.
func made[T any](isNew bool, body T, err error) (answer, error) {
	if err == nil && isNew {
		return created(body)
	}
	return answered(body, err)
}

func (a *API) editOrg(c *call) (answer, error) {
	var in struct {
		Name *string `json:"name"`
		Base *string `json:"default_repository_permission"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	return answered(a.State.EditOrg(c.who, c.param["org"], state.OrgEdit{Name: in.Name, Base: in.Base}))
}
