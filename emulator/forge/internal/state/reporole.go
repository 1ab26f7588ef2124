package state

import (
	"maps"
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// RepoRoles lists the roles that an organisation has made for collaborators in its repositories.
// https://docs.github.com/en/enterprise-cloud@latest/rest/orgs/custom-roles
func (s *State) RepoRoles(who Identity, org string) ([]wire.RepositoryRole, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.ownedOrg(who, org, "organization_custom_roles", "read")
	if err != nil {
		return nil, err
	}
	out := []wire.RepositoryRole{}
	for _, id := range slices.Sorted(maps.Keys(o.repoRoles)) {
		out = append(out, s.viewRepoRole(o, o.repoRoles[id]))
	}
	return out, nil
}

// RepoRole returns one of them.
func (s *State) RepoRole(who Identity, org string, id int64) (wire.RepositoryRole, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.ownedOrg(who, org, "organization_custom_roles", "read")
	if err != nil {
		return wire.RepositoryRole{}, err
	}
	if o.repoRoles[id] == nil {
		return wire.RepositoryRole{}, wire.NotFound()
	}
	return s.viewRepoRole(o, o.repoRoles[id]), nil
}

func (s *State) viewRepoRole(o *account, r *customRole) wire.RepositoryRole {
	return wire.RepositoryRole{ID: r.id, Name: r.name, Description: optional(r.description), BaseRole: r.base.String(),
		Permissions: append([]string{}, r.permissions...), Organization: s.viewAccount(o), CreatedAt: wire.Time{Time: r.created}, UpdatedAt: wire.Time{Time: r.updated}}
}

// PutRepoRole makes a role for collaborators, or with an id changes one. What it may beyond its base role
// is kept and shown, and allows nothing more.
func (s *State) PutRepoRole(who Identity, org string, id int64, e RoleEdit) (wire.RepositoryRole, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.ownedOrg(who, org, "organization_custom_roles", "write")
	if err != nil {
		return wire.RepositoryRole{}, err
	}
	if id == 0 && e.Base == nil {
		return wire.RepositoryRole{}, wire.Invalid(wire.FieldError{Resource: "RepositoryRole", Field: "base_role", Code: "missing_field"})
	}
	r, err := s.editRole(o.repoRoles, id, e, "RepositoryRole", []Role{Read, Triage, Write, Maintain},
		func(string) bool { return true }, func(string) bool { return false })
	if err != nil {
		return wire.RepositoryRole{}, err
	}
	if r.base == None {
		return wire.RepositoryRole{}, wire.Invalid(wire.FieldError{Resource: "RepositoryRole", Field: "base_role", Code: "invalid"})
	}
	if o.repoRoles == nil {
		o.repoRoles = map[int64]*customRole{}
	}
	o.repoRoles[r.id] = r
	for _, in := range s.repos {
		for login, has := range in.custom {
			if has == r.id {
				in.members[login] = r.base
			}
		}
	}
	s.led.Changed()
	return s.viewRepoRole(o, r), nil
}

// DeleteRepoRole forgets a role for collaborators. Who had it falls back to what the organisation gives him.
func (s *State) DeleteRepoRole(who Identity, org string, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.ownedOrg(who, org, "organization_custom_roles", "write")
	if err != nil {
		return err
	}
	if o.repoRoles[id] == nil {
		return wire.NotFound()
	}
	delete(o.repoRoles, id)
	for _, r := range s.repos {
		for login, has := range maps.Clone(r.custom) {
			if has == id {
				delete(r.members, login)
				r.setCustom(login, 0)
			}
		}
	}
	s.led.Changed()
	return nil
}

// roleCalled returns the role of that name in a repository: one of GitHub's, or its organisation's.
func (r *repo) roleCalled(name string) (role Role, custom int64, err error) {
	for _, x := range r.owner.repoRoles {
		if key(x.name) == key(name) {
			return x.base, x.id, nil
		}
	}
	role, err = ParseRole(name)
	return role, 0, err
}

// setCustom gives a collaborator a role that the organisation has made; 0 is none.
func (r *repo) setCustom(login string, id int64) {
	if id == 0 {
		if delete(r.custom, key(login)); len(r.custom) == 0 {
			r.custom = nil
		}
		return
	}
	if r.custom == nil {
		r.custom = map[string]int64{}
	}
	r.custom[key(login)] = id
}

// roleName is what somebody's role in a repository is called, when the role is the one given.
func (r *repo) roleName(login string, role Role) string {
	if x := r.owner.repoRoles[r.custom[key(login)]]; x != nil && x.base == role {
		return x.name
	}
	return role.String()
}

// OutsideCollaborators lists who has a role in a repository of an organisation and is no member, to its owners.
func (s *State) OutsideCollaborators(who Identity, org string) ([]wire.User, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.ownedOrg(who, org, "members", "read")
	if err != nil {
		return nil, err
	}
	logins := map[string]bool{}
	for _, r := range s.repos {
		for login := range r.members {
			if _, member := o.members[login]; r.owner == o && !member {
				logins[login] = true
			}
		}
	}
	out := []wire.User{}
	for login := range logins {
		out = append(out, s.viewLogin(login))
	}
	slices.SortFunc(out, func(a, b wire.User) int { return int(a.ID - b.ID) })
	return out, nil
}

// PutOutside makes an outside collaborator of a member: he stays what he is in single repositories.
func (s *State) PutOutside(who Identity, org, login string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.ownedOrg(who, org, "members", "write")
	if err != nil {
		return err
	}
	m, member := o.members[key(login)]
	switch {
	case s.accounts[key(login)] == nil:
		return wire.NotFound()
	case !member:
		return wire.Forbidden(login + " is not a member of the " + o.login + " organization.")
	case m.owner && o.lastOwner(login):
		return wire.Forbidden("Cannot convert the last owner to an outside collaborator")
	}
	o.dismiss(login)
	s.led.Changed()
	return nil
}

// RemoveOutside takes an outside collaborator out of all repositories of an organisation.
func (s *State) RemoveOutside(who Identity, org, login string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.ownedOrg(who, org, "members", "write")
	if err != nil {
		return err
	}
	if _, member := o.members[key(login)]; member {
		return wire.Unprocessable("You cannot specify an organization member to remove as an outside collaborator.")
	}
	if s.accounts[key(login)] == nil {
		return wire.NotFound()
	}
	for _, r := range s.repos {
		if r.owner == o {
			delete(r.members, key(login))
			r.setCustom(login, 0)
		}
	}
	s.led.Changed()
	return nil
}

// dismiss ends a membership with all that came with it.
func (o *account) dismiss(login string) {
	delete(o.members, key(login))
	o.grant(login, nil)
	o.leaveTeams(login)
}

// OrgEdit changes what is not nil.
type OrgEdit struct {
	Name *string
	Base *string // of members, in all repositories
}

// EditOrg changes settings of an organisation.
func (s *State) EditOrg(who Identity, org string, e OrgEdit) (wire.OrganizationProfile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.ownedOrg(who, org, "organization_administration", "write")
	if err != nil {
		return wire.OrganizationProfile{}, err
	}
	if e.Base != nil {
		base, err := ParseRole(*e.Base)
		if err != nil || base == Triage || base == Maintain {
			return wire.OrganizationProfile{}, wire.Invalid(wire.FieldError{Resource: "Organization", Field: "default_repository_permission", Code: "invalid"})
		}
		o.base = &base
	}
	if e.Name != nil {
		o.name = *e.Name
	}
	s.led.Changed()
	return s.viewOrgProfile(who, o), nil
}

// baseRole is what members of an organisation are in its repositories at least: readers, unless it says otherwise.
func (o *account) baseRole() Role {
	if o.base == nil {
		return Read
	}
	return *o.base
}
