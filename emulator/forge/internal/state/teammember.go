package state

import (
	"cmp"
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// TeamMembers lists who is in a team or in one below it. role is all, maintainer or member.
func (s *State) TeamMembers(who Identity, org, slug, role string) ([]wire.User, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, t, err := s.team(who, org, slug)
	if err != nil {
		return nil, err
	}
	return s.teamMembers(o, t, func(maintains bool) bool { return role == "all" || maintains == (role == "maintainer") }), nil
}

func (s *State) teamMembers(o *account, t *team, keep func(maintains bool) bool) []wire.User {
	in := map[string]bool{}
	for _, x := range o.teamsWhere(func(x *team) bool { return x.under(t) }) {
		for login := range x.members {
			in[login] = t.maintainedBy(o, login)
		}
	}
	return s.membersOf(o, func(m member) bool {
		maintains, there := in[key(m.login)]
		return there && keep(maintains)
	})
}

// maintainedBy reports whether a member of a team maintains it, as owners of the organisation do.
func (t *team) maintainedBy(o *account, login string) bool {
	return t.members[key(login)] || o.members[key(login)].owner
}

// TeamMembership returns what login is in a team or in one below it.
func (s *State) TeamMembership(who Identity, org, slug, login string) (wire.TeamMembership, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, t, err := s.team(who, org, slug)
	if err != nil {
		return wire.TeamMembership{}, err
	}
	if len(o.teamsWhere(func(x *team) bool { _, in := x.members[key(login)]; return in && x.under(t) })) == 0 {
		return wire.TeamMembership{}, wire.NotFound()
	}
	return s.viewTeamMembership(o, t, login), nil
}

func (s *State) viewTeamMembership(o *account, t *team, login string) wire.TeamMembership {
	v := wire.TeamMembership{Role: "member", State: "active",
		URL: s.base.API("/orgs/%s/teams/%s/memberships/%s", wire.EscapePath(o.login), wire.EscapePath(t.slug), wire.EscapePath(s.viewLogin(login).Login))}
	if t.maintainedBy(o, login) {
		v.Role = "maintainer"
	}
	if _, inside := o.members[key(login)]; !inside {
		v.State = "pending"
	}
	return v
}

// SetTeamMembership puts an account into a team. Who is no member of the organisation is invited to it, which
// only its owners do, and is in the team when he has accepted.
func (s *State) SetTeamMembership(who Identity, org, slug, login string, maintainer bool) (wire.TeamMembership, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, t, err := s.keptTeam(who, org, slug)
	if err != nil {
		return wire.TeamMembership{}, err
	}
	a := s.accounts[key(login)]
	if a == nil || a.kind != kindUser {
		return wire.TeamMembership{}, wire.NotFound()
	}
	_, inside := o.members[key(login)]
	if _, invited := o.invited[key(login)]; !inside && !invited {
		if !who.tok.installedOn(o) && !o.members[key(who.Login)].owner {
			return wire.TeamMembership{}, wire.Forbidden("You must be an owner of the organization to invite " + a.login + " to it.")
		}
		o.invited[key(login)] = false
	}
	_, had := t.members[key(login)]
	if t.members[key(login)] = maintainer; inside && !had {
		s.membershipEvent(who, o, t, login, "added")
	}
	s.led.Changed()
	return s.viewTeamMembership(o, t, login), nil
}

// RemoveTeamMembership takes an account out of a team, which anybody may do with himself.
func (s *State) RemoveTeamMembership(who Identity, org, slug, login string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, t, err := s.team(who, org, slug)
	if err != nil {
		return err
	}
	if person(who) != nil || key(who.Login) != key(login) {
		if _, _, err := s.keptTeam(who, org, slug); err != nil {
			return err
		}
	}
	if _, in := t.members[key(login)]; !in {
		return wire.NotFound()
	}
	delete(t.members, key(login))
	if _, inside := o.members[key(login)]; inside {
		s.membershipEvent(who, o, t, login, "removed")
	}
	s.led.Changed()
	return nil
}

// joined tells of the teams that who came into with the organisation.
func (s *State) joined(who Identity, o *account) {
	for _, t := range o.teamsWhere(func(t *team) bool { _, in := t.members[key(who.Login)]; return in }) {
		s.membershipEvent(who, o, t, who.Login, "added")
	}
}

// leaveTeams takes an account out of all teams of an organisation.
func (o *account) leaveTeams(login string) {
	for _, t := range o.teams {
		delete(t.members, key(login))
	}
}

// teamRepos returns the repositories of a team, with those that it inherits, by id.
func (s *State) teamRepos(t *team) []*repo {
	var out []*repo
	for _, r := range s.repos {
		if t.roleIn(r) > None {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b *repo) int { return cmp.Compare(a.id, b.id) })
	return out
}
