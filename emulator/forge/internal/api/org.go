package api

import (
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) orgRoutes() []route {
	const one = "/orgs/{org}"
	return []route{
		{method: http.MethodGet, pattern: one, do: func(c *call) (answer, error) { return answered(a.State.Org(c.who, c.param["org"])) }},
		{method: http.MethodGet, pattern: "/user/orgs", list: true, do: func(c *call) (answer, error) {
			all, err := a.State.Orgs(c.who)
			return list(c, a.Base, all, err)
		}},
		{method: http.MethodGet, pattern: "/users/{login}/orgs", list: true, do: func(c *call) (answer, error) {
			all, err := a.State.PublicOrgs(c.param["login"])
			return list(c, a.Base, all, err)
		}},
		{method: http.MethodGet, pattern: one + "/members", list: true, query: []string{"role", "filter"}, do: a.listMembers},
		{method: http.MethodGet, pattern: one + "/members/{login}", do: func(c *call) (answer, error) {
			outside, err := a.State.IsMember(c.who, c.param["org"], c.param["login"])
			if err == nil && outside {
				c.header.Set("Location", a.Base.API("/orgs/%s/public_members/%s", wire.EscapePath(c.param["org"]), wire.EscapePath(c.param["login"])))
				return answer{status: http.StatusFound}, nil
			}
			return done(err)
		}},
		{method: http.MethodDelete, pattern: one + "/members/{login}", do: func(c *call) (answer, error) {
			return done(a.State.RemoveMember(c.who, c.param["org"], c.param["login"], false))
		}},
		{method: http.MethodGet, pattern: one + "/public_members", list: true, do: func(c *call) (answer, error) {
			all, err := a.State.PublicMembers(c.param["org"])
			return list(c, a.Base, all, err)
		}},
		{method: http.MethodGet, pattern: one + "/public_members/{login}", do: func(c *call) (answer, error) {
			return done(a.State.IsPublicMember(c.param["org"], c.param["login"]))
		}},
		{method: http.MethodPut, pattern: one + "/public_members/{login}", do: func(c *call) (answer, error) {
			return done(a.State.SetPublic(c.who, c.param["org"], c.param["login"], true))
		}},
		{method: http.MethodDelete, pattern: one + "/public_members/{login}", do: func(c *call) (answer, error) {
			return done(a.State.SetPublic(c.who, c.param["org"], c.param["login"], false))
		}},
	}
}

func (a *API) listMembers(c *call) (answer, error) {
	role, err := c.oneOf("role", "all", "admin", "member")
	if err != nil {
		return answer{}, err
	}
	if filter, err := c.oneOf("filter", "all", "2fa_disabled", "2fa_insecure"); err != nil || filter != "all" {
		if err == nil {
			err = wire.Unsupported("filter " + filter + " of members")
		}
		return answer{}, err
	}
	all, err := a.State.Members(c.who, c.param["org"], role)
	return list(c, a.Base, all, err)
}

func (a *API) membershipRoutes() []route {
	const one = "/orgs/{org}/memberships/{login}"
	const mine = "/user/memberships/orgs"
	return []route{
		{method: http.MethodGet, pattern: one, do: func(c *call) (answer, error) {
			return answered(a.State.Membership(c.who, c.param["org"], c.param["login"]))
		}},
		{method: http.MethodPut, pattern: one, do: func(c *call) (answer, error) {
			var in struct {
				Role string `json:"role"`
			}
			if err := c.decode(smallBody, &in); err != nil {
				return answer{}, err
			}
			switch in.Role {
			case "", "member", "admin":
			default:
				return answer{}, wire.Unprocessable("Invalid request.\n\nrole: want admin or member.")
			}
			return answered(a.State.SetMembership(c.who, c.param["org"], c.param["login"], in.Role == "admin"))
		}},
		{method: http.MethodDelete, pattern: one, do: func(c *call) (answer, error) {
			return done(a.State.RemoveMember(c.who, c.param["org"], c.param["login"], true))
		}},
		{method: http.MethodGet, pattern: mine, list: true, query: []string{"state"}, do: func(c *call) (answer, error) {
			state, err := c.oneOf("state", "", "active", "pending")
			if err != nil {
				return answer{}, err
			}
			all, err := a.State.Memberships(c.who, state)
			return list(c, a.Base, all, err)
		}},
		{method: http.MethodGet, pattern: mine + "/{org}", do: func(c *call) (answer, error) {
			return answered(a.State.Membership(c.who, c.param["org"], c.who.Login))
		}},
		{method: http.MethodPatch, pattern: mine + "/{org}", do: func(c *call) (answer, error) {
			var in struct {
				State string `json:"state"`
			}
			if err := c.decode(smallBody, &in); err != nil {
				return answer{}, err
			}
			if in.State != "active" {
				return answer{}, wire.Unprocessable("Invalid request.\n\nstate: want active.")
			}
			return answered(a.State.Accept(c.who, c.param["org"]))
		}},
	}
}
