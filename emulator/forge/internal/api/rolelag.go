package api

import (
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/internal/fault"
)

// rolesBefore are the roles that a change may change: all in the repositories of one owner. Without the fault
// there are none.
func (a *API) rolesBefore(c *call) state.Roles {
	pattern := c.route.pattern
	owner := c.param["org"]
	if pattern == rolePattern {
		owner = c.param["owner"]
	} else if owner == "" || !strings.HasPrefix(pattern, "/orgs/{org}/") && !strings.HasPrefix(pattern, "/user/memberships/orgs/") {
		return nil
	}
	if !a.Faults.Has(fault.PermissionLag) {
		return nil
	}
	return a.State.RolesAt(owner)
}

// keepRoles remembers the roles that a change has made others.
func (a *API) keepRoles(c *call, before state.Roles) {
	if before == nil {
		return
	}
	owner := c.param["org"]
	if owner == "" {
		owner = c.param["owner"]
	}
	for at, was := range before.Changed(a.State.RolesAt(owner)) {
		put(a, a.past.roles, at, was)
	}
}

// backdate lets a request see a role as it was.
func (a *API) backdate(c *call, subject string) {
	if c.param["repo"] == "" || !holds(a, a.past.roles) {
		return
	}
	login := c.who.Login
	if c.route.pattern == rolePattern+"/permission" {
		login = c.param["login"]
	}
	repo, err := a.State.Find(c.repo())
	if err != nil {
		return
	}
	role, ok := take(a, a.past.roles, state.KeyOfRole(repo.ID, login))
	if ok && a.strikes(c, fault.PermissionLag, subject, c.repo(), role.seq) {
		c.who = c.who.Seeing(role.was)
	}
}
