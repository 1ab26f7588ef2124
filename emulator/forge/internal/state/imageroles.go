package state

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// CustomRoleImage is a role that an organisation has made.
type CustomRoleImage struct {
	ID          int64
	Name        string
	Description string
	Base        Role
	Permissions []string
	Created     time.Time
	Updated     time.Time
}

func imagesOfRoles(in map[int64]*customRole) []CustomRoleImage {
	var out []CustomRoleImage
	for _, id := range slices.Sorted(maps.Keys(in)) {
		r := in[id]
		out = append(out, CustomRoleImage{ID: r.id, Name: r.name, Description: r.description, Base: r.base, Permissions: slices.Clone(r.permissions), Created: r.created, Updated: r.updated})
	}
	return out
}

// readRoles gives an organisation its roles, and its members theirs.
func (r reader) readRoles(o *account, in AccountImage) error {
	if o.kind != kindOrg && (in.Base != nil || len(in.Roles)+len(in.RepoRoles)+len(in.Granted) > 0) {
		return fmt.Errorf("account %s has roles and is no organisation", o.login)
	}
	o.base = in.Base
	if in.Base != nil {
		if err := knownRole(*in.Base); err != nil {
			return fmt.Errorf("base of %s: %w", o.login, err)
		}
	}
	var err error
	if o.roles, err = r.rolesOf(in.Roles); err != nil {
		return fmt.Errorf("account %s: %w", o.login, err)
	}
	if o.repoRoles, err = r.rolesOf(in.RepoRoles); err != nil {
		return fmt.Errorf("account %s: %w", o.login, err)
	}
	for login, ids := range in.Granted {
		if _, member := o.members[login]; !member {
			return fmt.Errorf("account %s cannot have given a role to %q", o.login, login)
		}
		for _, id := range ids {
			if o.orgRole(id) == nil {
				return fmt.Errorf("account %s has no role %d", o.login, id)
			}
		}
		o.grant(login, slices.Clone(ids))
	}
	return nil
}

func (r reader) rolesOf(in []CustomRoleImage) (map[int64]*customRole, error) {
	if len(in) == 0 {
		return nil, nil
	}
	out := map[int64]*customRole{}
	for _, x := range in {
		if last := firstCustomRole + r.s.last[nounRole]; x.ID <= firstCustomRole || x.ID > last || out[x.ID] != nil || !roleForm.MatchString(x.Name) {
			return nil, fmt.Errorf("role %d is called %q: the last id given is %d", x.ID, x.Name, last)
		}
		if err := knownRole(x.Base); err != nil {
			return nil, fmt.Errorf("base of role %s: %w", x.Name, err)
		}
		out[x.ID] = &customRole{id: x.ID, name: x.Name, description: x.Description, base: x.Base, permissions: slices.Clone(x.Permissions), created: x.Created, updated: x.Updated}
	}
	return out, nil
}

// readCustom gives collaborators the roles that the organisation has made.
func (r *repo) readCustom(in map[string]int64) error {
	for login, id := range in {
		if role := r.owner.repoRoles[id]; role == nil || r.members[login] != role.base {
			return fmt.Errorf("collaborator %s of %s has role %d, which is none", login, r.fullName(), id)
		}
	}
	r.custom = maps.Clone(in)
	return nil
}
