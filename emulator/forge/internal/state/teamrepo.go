package state

import "github.com/understudy-dev/understudy/emulator/forge/internal/wire"

// TeamRepos lists the repositories of a team that who can see, with those that it inherits.
func (s *State) TeamRepos(who Identity, org, slug string) ([]wire.TeamRepository, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, t, err := s.team(who, org, slug)
	if err != nil {
		return nil, err
	}
	out := []wire.TeamRepository{}
	for _, r := range s.teamRepos(t) {
		if s.roleFor(who, r) >= Read {
			out = append(out, s.viewTeamRepo(t, r))
		}
	}
	return out, nil
}

// viewTeamRepo is a repository with what the team may do in it.
func (s *State) viewTeamRepo(t *team, r *repo) wire.TeamRepository {
	v := wire.TeamRepository{Repository: s.viewRepo(r), RoleName: t.roleIn(r).String()}
	p := t.roleIn(r).permissions()
	v.Permissions = &p
	return v
}

// TeamRepo returns a repository of a team.
func (s *State) TeamRepo(who Identity, org, slug, full string) (wire.TeamRepository, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, t, err := s.team(who, org, slug)
	if err != nil {
		return wire.TeamRepository{}, err
	}
	r, err := s.visible(who, full)
	if err != nil || t.roleIn(r) == None {
		return wire.TeamRepository{}, wire.NotFound()
	}
	return s.viewTeamRepo(t, r), nil
}

// SetTeamRepo gives a team a role in a repository of its organisation; permission "" is the team's usual one.
func (s *State) SetTeamRepo(who Identity, org, slug, full, permission string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, t, err := s.team(who, org, slug)
	if err != nil {
		return err
	}
	r, err := s.open(who, full, Administer)
	if err != nil {
		return err
	}
	if r.owner != o {
		return wire.Invalid(wire.FieldError{Resource: "TeamMember", Field: "repository", Code: "invalid", Message: "The repository is not of this organization"})
	}
	role := t.permission
	if permission != "" {
		if role, err = ParseRole(permission); err != nil || role == None {
			return wire.Invalid(wire.FieldError{Resource: "TeamMember", Field: "permission", Code: "invalid"})
		}
	}
	s.addToTeam(who, o, t, r, role)
	s.led.Changed()
	return nil
}

// addToTeam gives a team a role in a repository, and tells of it.
func (s *State) addToTeam(who Identity, o *account, t *team, r *repo, role Role) {
	before, had := t.repos[r.id]
	t.repos[r.id] = role
	switch {
	case !had:
		s.teamEvent(who, o, t, "team", wire.Event{Action: "added_to_repository", Repository: s.eventTeamRepo(t, r)})
		v := s.viewTeam(o, t)
		s.event(who, r, "team_add", wire.Event{Team: &v}, r.fullName())
	case before != role:
		p := before.permissions()
		from := map[string]any{"admin": p.Admin, "pull": p.Pull, "push": p.Push}
		s.teamEvent(who, o, t, "team", wire.Event{Action: "edited", Repository: s.eventTeamRepo(t, r),
			Changes: map[string]any{"repository": map[string]any{"permissions": map[string]any{"from": from}}}})
	}
}

// eventTeamRepo is a repository with what the team may do in it, as events show it.
func (s *State) eventTeamRepo(t *team, r *repo) *wire.Repository {
	v := s.viewTeamRepo(t, r).Repository
	return &v
}

// RemoveTeamRepo takes a repository from a team: as its administrator, or whoever may change the team.
func (s *State) RemoveTeamRepo(who Identity, org, slug, full string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, t, err := s.team(who, org, slug)
	if err != nil {
		return err
	}
	r, err := s.visible(who, full)
	if err != nil {
		return err
	}
	if s.permit(who, r, Administer) != nil {
		if _, _, err := s.keptTeam(who, org, slug); err != nil {
			return err
		}
	}
	if err := r.writable(Administer); err != nil {
		return err
	}
	if _, had := t.repos[r.id]; !had {
		return wire.NotFound()
	}
	s.teamEvent(who, o, t, "team", wire.Event{Action: "removed_from_repository", Repository: s.eventTeamRepo(t, r)})
	delete(t.repos, r.id)
	s.led.Changed()
	return nil
}

// RepoTeams lists the teams that have a repository of their own accord and that who can see.
func (s *State) RepoTeams(who Identity, full string) ([]wire.Team, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadSettings)
	if err != nil {
		return nil, err
	}
	out := []wire.Team{}
	for _, t := range r.owner.teamsWhere(func(t *team) bool { return t.repos[r.id] > None && (who.App() || r.owner.seesTeam(who, t)) }) {
		v, p := s.viewTeam(r.owner, t), t.repos[r.id].permissions()
		v.Permission, v.Permissions = t.repos[r.id].legacyName(), &p
		out = append(out, v)
	}
	return out, nil
}
