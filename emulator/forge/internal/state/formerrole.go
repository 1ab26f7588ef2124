package state

// FormerRole is what an account was in a repository, for who does not see yet that it changed.
type FormerRole struct {
	repo  int64
	login string
	role  Role
}

// RoleOf returns what an account is in a repository now. Of what there is not it is no role in nothing.
func (s *State) RoleOf(full, login string) FormerRole {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, a := s.repos[key(full)], s.accounts[key(login)]
	if r == nil || a == nil {
		return FormerRole{}
	}
	return FormerRole{repo: r.id, login: key(a.login), role: s.roleOf(a, r)}
}

// Seeing is the identity as long as it does not see that a role changed.
func (i Identity) Seeing(was FormerRole) Identity {
	i.was = &was
	return i
}

// sees returns the role that an account has in a repository as the identity sees it.
func (i Identity) sees(a *account, r *repo, role Role) Role {
	if i.was == nil || a == nil || i.was.repo != r.id || i.was.login != key(a.login) {
		return role
	}
	return i.was.role
}

// ownRole is what the account of an identity is in a repository, as it sees it itself.
func (s *State) ownRole(who Identity, r *repo) Role {
	a := s.accounts[key(who.Login)]
	return who.sees(a, r, s.roleOf(a, r))
}
