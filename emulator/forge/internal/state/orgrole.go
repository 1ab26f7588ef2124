package state

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// customRole is a role that an organisation has made: one for people in the whole of it, or one for
// collaborators in single repositories.
type customRole struct {
	id          int64
	name        string
	description string
	base        Role // in repositories; None is none
	permissions []string
	created     time.Time
	updated     time.Time
}

// predefined are the roles that every organisation has, with GitHub's numbers.
// https://docs.github.com/en/organizations/managing-peoples-access-to-your-organization-with-roles/using-organization-roles
func predefined() []customRole {
	all := time.Date(2023, 6, 29, 16, 47, 29, 0, time.UTC)
	later := time.Date(2024, 9, 24, 17, 57, 43, 0, time.UTC)
	out := []customRole{
		{id: 138, name: "security_manager", description: "Reads all repositories and manages security alerts and settings.", base: Read,
			permissions: []string{"manage_security_products"}, created: all, updated: all},
	}
	for i, base := range []Role{Read, Triage, Write, Maintain, Admin} {
		out = append(out, customRole{id: 8132 + int64(i), name: "all_repo_" + base.String(), description: "Has the role " + base.String() + " in all repositories.",
			base: base, created: all, updated: all})
	}
	return append(out, customRole{id: 26237, name: "ci_cd_admin", description: "Manages settings, secrets and variables of Actions.",
		permissions: []string{"write_organization_actions_secrets", "write_organization_actions_settings", "write_organization_actions_variables"}, created: later, updated: later})
}

// orgPermission is the permission in an organisation's role that stands for one of tokens; "" is none.
func orgPermission(scope, level string) []string {
	switch scope {
	case "organization_secrets":
		return []string{"write_organization_actions_secrets"}
	case "organization_actions_variables":
		return []string{"write_organization_actions_variables"}
	case "organization_hooks":
		return []string{"manage_organization_webhooks"}
	case "organization_custom_org_roles", "organization_custom_roles":
		kind := "org"
		if scope == "organization_custom_roles" {
			kind = "repo"
		}
		if level == "read" {
			return []string{"read_organization_custom_" + kind + "_role", "write_organization_custom_" + kind + "_role"}
		}
		return []string{"write_organization_custom_" + kind + "_role"}
	}
	return nil
}

// OrgPermissions are those that an organisation's own roles can have and that mean something here.
func OrgPermissions() []string {
	return []string{"manage_organization_webhooks", "read_organization_custom_org_role", "read_organization_custom_repo_role",
		"write_organization_actions_secrets", "write_organization_actions_variables", "write_organization_custom_org_role", "write_organization_custom_repo_role"}
}

// orgRole finds a role of an organisation, predefined or its own.
func (o *account) orgRole(id int64) *customRole {
	if r := o.roles[id]; r != nil {
		return r
	}
	for _, r := range predefined() {
		if r.id == id {
			return &r
		}
	}
	return nil
}

// baseOf is what a member's roles in an organisation make him in each of its repositories.
func (o *account) baseOf(login string) Role {
	base := None
	for _, id := range o.granted[key(login)] {
		if r := o.orgRole(id); r != nil {
			base = max(base, r.base)
		}
	}
	return base
}

// grants reports whether a role of a member has one of the permissions.
func (o *account) grants(login string, anyOf []string) bool {
	for _, id := range o.granted[key(login)] {
		if r := o.orgRole(id); r != nil && slices.ContainsFunc(anyOf, func(p string) bool { return slices.Contains(r.permissions, p) }) {
			return true
		}
	}
	return false
}

// OrgRoles lists the roles of an organisation.
func (s *State) OrgRoles(who Identity, org string) ([]wire.OrganizationRole, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.ownedOrg(who, org, "organization_custom_org_roles", "read")
	if err != nil {
		return nil, err
	}
	out := []wire.OrganizationRole{}
	for _, r := range predefined() {
		out = append(out, s.viewOrgRole(o, &r))
	}
	for _, id := range slices.Sorted(maps.Keys(o.roles)) {
		out = append(out, s.viewOrgRole(o, o.roles[id]))
	}
	slices.SortStableFunc(out, func(a, b wire.OrganizationRole) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// OrgRole returns one role of an organisation.
func (s *State) OrgRole(who Identity, org string, id int64) (wire.OrganizationRole, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, r, err := s.findOrgRole(who, org, id, "read")
	if err != nil {
		return wire.OrganizationRole{}, err
	}
	return s.viewOrgRole(o, r), nil
}

func (s *State) findOrgRole(who Identity, org string, id int64, level string) (*account, *customRole, error) {
	o, err := s.ownedOrg(who, org, "organization_custom_org_roles", level)
	if err != nil {
		return nil, nil, err
	}
	r := o.orgRole(id)
	if r == nil {
		return nil, nil, wire.NotFound()
	}
	return o, r, nil
}

func (s *State) viewOrgRole(o *account, r *customRole) wire.OrganizationRole {
	v := wire.OrganizationRole{ID: r.id, Name: r.name, Description: optional(r.description), Permissions: append([]string{}, r.permissions...),
		CreatedAt: wire.Time{Time: r.created}, UpdatedAt: wire.Time{Time: r.updated}, Source: "Predefined"}
	if r.base > None {
		v.BaseRole = optional(r.base.String())
	}
	if o.roles[r.id] != nil {
		owner := s.viewAccount(o)
		v.Organization, v.Source = &owner, "Organization"
	}
	return v
}

// GrantOrgRole gives a member a role in the organisation, or takes it away.
func (s *State) GrantOrgRole(who Identity, org, login string, id int64, on bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.ownedOrg(who, org, "members", "write")
	if err != nil {
		return err
	}
	a := s.accounts[key(login)]
	if a == nil || a.kind != kindUser || o.orgRole(id) == nil {
		return wire.NotFound()
	}
	if _, member := o.members[key(login)]; !member {
		return wire.Unprocessable("The user is not a member of the organization.")
	}
	have := slices.DeleteFunc(slices.Clone(o.granted[key(login)]), func(x int64) bool { return x == id })
	if on {
		have = append(have, id)
		slices.Sort(have)
	}
	o.grant(login, have)
	s.led.Changed()
	return nil
}

// grant sets the roles of a member.
func (o *account) grant(login string, ids []int64) {
	if o.granted == nil {
		o.granted = map[string][]int64{}
	}
	if o.granted[key(login)] = ids; len(ids) == 0 {
		delete(o.granted, key(login))
	}
	if len(o.granted) == 0 {
		o.granted = nil
	}
}

// RevokeOrgRoles takes all roles in the organisation from a member.
func (s *State) RevokeOrgRoles(who Identity, org, login string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.ownedOrg(who, org, "members", "write")
	if err != nil {
		return err
	}
	if s.accounts[key(login)] == nil {
		return wire.NotFound()
	}
	o.grant(login, nil)
	s.led.Changed()
	return nil
}

// OrgRoleUsers lists who has a role in an organisation.
func (s *State) OrgRoleUsers(who Identity, org string, id int64) ([]wire.RoleUser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, _, err := s.findOrgRole(who, org, id, "read")
	if err != nil {
		return nil, err
	}
	out := []wire.RoleUser{}
	for login, ids := range o.granted {
		if slices.Contains(ids, id) {
			out = append(out, wire.RoleUser{User: s.viewLogin(login), Assignment: "direct", InheritedFrom: []struct{}{}})
		}
	}
	slices.SortFunc(out, func(a, b wire.RoleUser) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// RoleEdit describes a role of an organisation's own, or changes what is not nil.
type RoleEdit struct {
	Name        *string
	Description *string
	Base        *string
	Permissions []string
}

var roleForm = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9 _-]{0,60}[A-Za-z0-9])?$`)

// apply checks a role for the organisation and changes it. known are the permissions that there are.
func (e RoleEdit) apply(r *customRole, resource string, bases []Role, known func(string) bool, taken func(string) bool) error {
	invalid := func(field, why string) error {
		return wire.Invalid(wire.FieldError{Resource: resource, Field: field, Code: "custom", Message: why})
	}
	if e.Name != nil && *e.Name != r.name {
		if _, err := ParseRole(key(*e.Name)); err == nil || !roleForm.MatchString(*e.Name) || taken(*e.Name) {
			return invalid("name", "Name is taken, reserved or has characters other than letters, digits, spaces, - and _")
		}
		r.name = *e.Name
	}
	if e.Base != nil {
		r.base = None
		if *e.Base != "" && *e.Base != "none" {
			base, err := ParseRole(*e.Base)
			if err != nil || !slices.Contains(bases, base) {
				return invalid("base_role", "Base role is not one of those that there are")
			}
			r.base = base
		}
	}
	for _, p := range e.Permissions {
		if !known(p) {
			return invalid("permissions", "Permission "+p+" is unknown")
		}
	}
	if e.Permissions != nil {
		r.permissions = slices.Compact(slices.Sorted(slices.Values(e.Permissions)))
	}
	if e.Description != nil {
		r.description = *e.Description
	}
	if r.name == "" {
		return wire.Invalid(wire.FieldError{Resource: resource, Field: "name", Code: "missing_field"})
	}
	return nil
}

func taken(in map[int64]*customRole, self int64) func(string) bool {
	return func(name string) bool {
		for id, r := range in {
			if id != self && key(r.name) == key(name) {
				return true
			}
		}
		return false
	}
}

// firstCustomRole keeps the numbers of roles of one's own apart from those of the predefined ones.
const firstCustomRole = 100_000

// PutOrgRole makes a role in an organisation, or with an id changes one that it has made.
func (s *State) PutOrgRole(who Identity, org string, id int64, e RoleEdit) (wire.OrganizationRole, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.ownedOrg(who, org, "organization_custom_org_roles", "write")
	if err != nil {
		return wire.OrganizationRole{}, err
	}
	r, err := s.editRole(o.roles, id, e, "OrganizationRole", []Role{Read, Triage, Write, Maintain, Admin},
		func(p string) bool { return slices.Contains(OrgPermissions(), p) },
		func(name string) bool {
			return slices.ContainsFunc(predefined(), func(x customRole) bool { return x.name == key(name) })
		})
	if err != nil {
		return wire.OrganizationRole{}, err
	}
	if o.roles == nil {
		o.roles = map[int64]*customRole{}
	}
	o.roles[r.id] = r
	s.led.Changed()
	return s.viewOrgRole(o, r), nil
}

// editRole returns the role as it is to be; id 0 makes one.
func (s *State) editRole(in map[int64]*customRole, id int64, e RoleEdit, resource string, bases []Role, known, reserved func(string) bool) (*customRole, error) {
	r := customRole{created: s.now()}
	if id != 0 {
		have := in[id]
		if have == nil {
			return nil, wire.NotFound()
		}
		r = *have
	}
	other := taken(in, id)
	if err := e.apply(&r, resource, bases, known, func(name string) bool { return reserved(name) || other(name) }); err != nil {
		return nil, err
	}
	if r.updated = s.now(); id == 0 {
		r.id = firstCustomRole + s.nextID(nounRole)
	}
	return &r, nil
}

// DeleteOrgRole forgets a role that an organisation has made; who had it has it no more.
func (s *State) DeleteOrgRole(who Identity, org string, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.ownedOrg(who, org, "organization_custom_org_roles", "write")
	if err != nil {
		return err
	}
	if o.roles[id] == nil {
		return wire.NotFound()
	}
	delete(o.roles, id)
	for login, ids := range maps.Clone(o.granted) {
		o.grant(login, slices.DeleteFunc(slices.Clone(ids), func(x int64) bool { return x == id }))
	}
	s.led.Changed()
	return nil
}
