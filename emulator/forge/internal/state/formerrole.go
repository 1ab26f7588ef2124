package state

// FormerRole is what an account was in a repository, for who does not see yet that it changed.
type FormerRole struct {
	at   RoleKey
	role Role
}

// RoleKey is an account in a repository. One that is created again after its deletion is another.
type RoleKey struct {
	repo  int64
	login string
}

// KeyOfRole is the key of an account in the repository with this id.
func KeyOfRole(repo int64, login string) RoleKey { return RoleKey{repo, key(login)} }

// Roles are those of accounts in repositories, as they were at one time.
type Roles map[RoleKey]Role

// RolesAt returns the roles of everybody in the repositories of an owner, by whatever they have them: as
// collaborators, as members of the organisation or of its teams.
func (s *State) RolesAt(owner string) Roles {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Roles{}
	for _, r := range s.repos {
		if key(r.owner.login) != key(owner) {
			continue
		}
		for login, a := range s.accounts {
			if a.kind != kindOrg {
				out[RoleKey{r.id, login}] = s.roleOf(a, r)
			}
		}
	}
	return out
}

// Changed are the roles that are others now.
func (before Roles) Changed(now Roles) map[RoleKey]FormerRole {
	out := map[RoleKey]FormerRole{}
	for at, was := range before {
		if is, there := now[at]; there && is != was {
			out[at] = FormerRole{at, was}
		}
	}
	return out
}

// Seeing is the identity as long as it does not see that a role changed.
func (i Identity) Seeing(was FormerRole) Identity {
	i.was = &was
	return i
}

// sees returns the role that an account has in a repository as the identity sees it.
func (i Identity) sees(a *account, r *repo, role Role) Role {
	if i.was == nil || a == nil || i.was.at != (RoleKey{r.id, key(a.login)}) {
		return role
	}
	return i.was.role
}

// ownRole is what the account of an identity is in a repository, as it sees it itself.
func (s *State) ownRole(who Identity, r *repo) Role {
	a := s.accounts[key(who.Login)]
	return who.sees(a, r, s.roleOf(a, r))
}
