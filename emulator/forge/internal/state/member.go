package state

import (
	"cmp"
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// Members lists the members of an organisation by id: all to a member, those who say so to others.
// role is all, admin or member.
func (s *State) Members(who Identity, org, role string) ([]wire.User, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.org(org)
	if err != nil {
		return nil, err
	}
	_, inside := s.within(who, o)
	return s.membersOf(o, func(m member) bool {
		return (inside || m.public) && (role == "all" || m.owner == (role == "admin"))
	}), nil
}

// PublicMembers lists the members who say so.
func (s *State) PublicMembers(org string) ([]wire.User, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.org(org)
	if err != nil {
		return nil, err
	}
	return s.membersOf(o, func(m member) bool { return m.public }), nil
}

func (s *State) membersOf(o *account, keep func(member) bool) []wire.User {
	out := []wire.User{}
	for _, m := range o.members {
		if keep(m) {
			out = append(out, s.viewLogin(m.login))
		}
	}
	slices.SortFunc(out, func(a, b wire.User) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// IsMember answers nil when login is a member. outside says that who is none himself and has to be
// shown the public members.
func (s *State) IsMember(who Identity, org, login string) (outside bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.org(org)
	if err != nil {
		return false, err
	}
	if _, inside := s.within(who, o); !inside {
		return true, nil
	}
	if _, there := o.members[key(login)]; !there {
		return false, wire.NotFound()
	}
	return false, nil
}

// IsPublicMember answers nil when login says to be a member, else NotFound.
func (s *State) IsPublicMember(org, login string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.org(org)
	if err == nil && !o.members[key(login)].public {
		err = wire.NotFound()
	}
	return err
}

// SetPublic says or conceals that who is a member; nobody does it for another.
func (s *State) SetPublic(who Identity, org, login string, public bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.org(org)
	if err != nil {
		return err
	}
	if err := person(who); err != nil {
		return err
	}
	m, there := o.members[key(login)]
	if !there || !who.tok.ownedBy(o) {
		return wire.NotFound()
	}
	if !who.scoped("write:org", "user") {
		return wire.NeedsAdmin()
	}
	if key(login) != key(who.Login) {
		return wire.Forbidden("You must be " + m.login + " to change whether this membership is public.")
	}
	m.public = public
	o.members[key(login)] = m
	s.led.Changed()
	return nil
}

// Membership returns what login is in an organisation, to a member of it or to login himself.
func (s *State) Membership(who Identity, org, login string) (wire.Membership, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.org(org)
	if err != nil {
		return wire.Membership{}, err
	}
	if who.Anonymous() {
		return wire.Membership{}, wire.RequiresAuthentication()
	}
	_, inside := s.within(who, o)
	self := person(who) == nil && key(who.Login) == key(login)
	switch {
	case !inside && !self:
		return wire.Membership{}, wire.Forbidden("You must be a member of " + o.login + " to see membership information for " + login + ".")
	case !inside && !who.tok.grants("members", "read"):
		return wire.Membership{}, who.refused()
	}
	return s.viewMembership(o, login)
}

// viewMembership gives NotFound for who is neither a member nor invited.
func (s *State) viewMembership(o *account, login string) (wire.Membership, error) {
	a := s.accounts[key(login)]
	m, active := o.members[key(login)]
	owner, invited := o.invited[key(login)]
	if a == nil || !active && !invited {
		return wire.Membership{}, wire.NotFound()
	}
	v := wire.Membership{State: "active", Role: "member", Organization: s.viewOrg(o), User: s.viewAccount(a)}
	v.OrganizationURL = v.Organization.URL
	v.URL = s.base.API("/orgs/%s/memberships/%s", wire.EscapePath(o.login), wire.EscapePath(a.login))
	if !active {
		v.State = "pending"
	}
	if m.owner || owner {
		v.Role = "admin"
	}
	return v, nil
}

// SetMembership makes an account a member or an owner; who is no member yet is invited.
func (s *State) SetMembership(who Identity, org, login string, owner bool) (wire.Membership, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.ownedOrg(who, org, "members", "write")
	if err != nil {
		return wire.Membership{}, err
	}
	a := s.accounts[key(login)]
	if a == nil || a.kind != kindUser {
		return wire.Membership{}, wire.NotFound()
	}
	m, active := o.members[key(login)]
	switch {
	case !active:
		o.invited[key(login)] = owner
	case m.owner && !owner && o.lastOwner(login):
		return wire.Membership{}, wire.Forbidden("Cannot demote the last owner of an organization.")
	case m.owner != owner:
		m.owner, m.role = owner, None
		if owner {
			m.role = Admin
		}
		o.members[key(login)] = m
	}
	s.led.Changed()
	return s.viewMembership(o, login)
}

// lastOwner reports whether nobody else owns the organisation.
func (o *account) lastOwner(login string) bool {
	for k, m := range o.members {
		if m.owner && k != key(login) {
			return false
		}
	}
	return true
}

// RemoveMember ends a membership, or takes an invitation back when invitation is set. Anybody may leave.
func (s *State) RemoveMember(who Identity, org, login string, invitation bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.org(org)
	if err != nil {
		return err
	}
	m, active := o.members[key(login)]
	if leaves := active && person(who) == nil && key(who.Login) == key(login); !leaves {
		if _, err := s.ownedOrg(who, org, "members", "write"); err != nil {
			return err
		}
	}
	_, invited := o.invited[key(login)]
	if !active && (!invitation || !invited) {
		return wire.NotFound()
	}
	if m.owner && o.lastOwner(login) {
		return wire.Forbidden("Cannot remove the last owner of an organization.")
	}
	o.dismiss(login)
	delete(o.invited, key(login))
	s.led.Changed()
	return nil
}

// Memberships lists what who is in organisations, by their ids; state is active, pending or "" for both.
func (s *State) Memberships(who Identity, state string) ([]wire.Membership, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := person(who); err != nil {
		return nil, err
	}
	if !who.scoped("read:org") {
		return nil, wire.Forbidden("You need at least read:org scope to list your organization memberships.")
	}
	out := []wire.Membership{}
	for _, o := range s.accounts {
		v, err := s.viewMembership(o, who.Login)
		if err == nil && (state == "" || state == v.State) {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(a, b wire.Membership) int { return cmp.Compare(a.Organization.ID, b.Organization.ID) })
	return out, nil
}

// Accept makes who, who was invited, a member, with what the organisation gives its members.
func (s *State) Accept(who Identity, org string) (wire.Membership, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := person(who); err != nil {
		return wire.Membership{}, err
	}
	o, err := s.org(org)
	if err != nil {
		return wire.Membership{}, err
	}
	if !who.scoped("write:org") {
		return wire.Membership{}, wire.NeedsAdmin()
	}
	if !who.tok.grants("members", "write") {
		return wire.Membership{}, who.refused()
	}
	if owner, invited := o.invited[key(who.Login)]; invited {
		delete(o.invited, key(who.Login))
		m := member{login: who.Login, owner: owner}
		if owner {
			m.role = Admin
		}
		o.members[key(who.Login)] = m
		s.joined(who, o)
		s.led.Changed()
	}
	return s.viewMembership(o, who.Login)
}
