package state

import (
	"cmp"
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// SetCollaborator gives a user a role in a repository; isNew tells whether he had none of his own.
func (s *State) SetCollaborator(who Identity, full, login, permission string) (isNew bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, Administer)
	if err != nil {
		return false, err
	}
	a := s.accounts[key(login)]
	if a == nil || a.kind == kindOrg {
		return false, wire.NotFound()
	}
	role, custom, err := r.roleCalled(permission)
	if err != nil || role == None {
		return false, wire.Invalid(wire.FieldError{Resource: "Repository", Field: "permission", Code: "invalid"})
	}
	before, called := r.members[key(login)], r.roleName(login, r.members[key(login)])
	r.members[key(login)] = role
	r.setCustom(login, custom)
	now := r.roleName(login, role)
	u := s.viewAccount(a)
	switch {
	case before == None:
		changes := map[string]any{"permission": map[string]any{"to": role.legacy()}, "role_name": map[string]any{"to": now}}
		s.event(who, r, "member", wire.Event{Action: "added", Member: &u, Changes: changes}, r.fullName())
	case before != role || called != now:
		changes := map[string]any{
			"old_permission": map[string]any{"from": before.legacy()},
			"permission":     map[string]any{"from": before.legacy(), "to": role.legacy()},
		}
		s.event(who, r, "member", wire.Event{Action: "edited", Member: &u, Changes: changes}, r.fullName())
	}
	return before == None, nil
}

// RemoveCollaborator takes a user's own role in a repository away.
func (s *State) RemoveCollaborator(who Identity, full, login string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, Administer)
	if err != nil {
		return err
	}
	a := s.accounts[key(login)]
	if a == nil {
		return wire.NotFound()
	}
	if _, ok := r.members[key(login)]; !ok {
		return nil // GitHub answers 204 for this as well
	}
	delete(r.members, key(login))
	r.setCustom(login, 0)
	u := s.viewAccount(a)
	s.event(who, r, "member", wire.Event{Action: "removed", Member: &u}, r.fullName())
	return nil
}

// Collaborators lists who has a role in a repository beyond what its visibility gives.
func (s *State) Collaborators(who Identity, full string) ([]wire.Collaborator, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, Collaborate)
	if err != nil {
		return nil, err
	}
	out := []wire.Collaborator{}
	for _, a := range s.accounts {
		if s.collaborates(a, r) {
			out = append(out, s.viewCollaborator(a, r))
		}
	}
	slices.SortFunc(out, func(a, b wire.Collaborator) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// IsCollaborator answers nil when the user has a role in the repository, else NotFound.
func (s *State) IsCollaborator(who Identity, full, login string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, Collaborate)
	if err != nil {
		return err
	}
	if a := s.accounts[key(login)]; a == nil || !s.collaborates(a, r) {
		return wire.NotFound()
	}
	return nil
}

func (s *State) collaborates(a *account, r *repo) bool {
	_, inOrg := r.owner.members[key(a.login)]
	return a.kind != kindOrg && (inOrg || r.owner == a || r.members[key(a.login)] > None)
}

// Permission says what a user may do in a repository.
func (s *State) Permission(who Identity, full, login string) (wire.Permission, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, Collaborate)
	if err != nil {
		return wire.Permission{}, err
	}
	a := s.accounts[key(login)]
	if a == nil || a.kind == kindOrg {
		return wire.Permission{}, wire.NotFound()
	}
	v := s.viewCollaborator(a, r)
	role := who.sees(a, r, s.roleOf(a, r))
	v.Permissions, v.RoleName = role.permissions(), r.roleName(a.login, role)
	return wire.Permission{Permission: role.legacy(), RoleName: v.RoleName, User: v}, nil
}

func (s *State) viewCollaborator(a *account, r *repo) wire.Collaborator {
	role := s.roleOf(a, r)
	return wire.Collaborator{User: s.viewAccount(a), Permissions: role.permissions(), RoleName: r.roleName(a.login, role)}
}
