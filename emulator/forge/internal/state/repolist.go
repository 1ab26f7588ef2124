package state

import (
	"cmp"
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// RepoFilter narrows and orders a list of repositories; the zero value keeps all, in the order in which
// they were made.
type RepoFilter struct {
	Visibility  string   // all, public, private
	Origin      string   // forks, sources; "" is both
	Affiliation []string // to who asks: owner, collaborator, organization_member; nil is any
	Sort        string   // created, updated, pushed, full_name
	Descending  bool
}

// MyRepos lists the repositories that who has something to do with.
func (s *State) MyRepos(who Identity, f RepoFilter) ([]wire.Repository, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := person(who); err != nil {
		return nil, err
	}
	me := s.accounts[key(who.Login)]
	return s.listRepos(who, f, func(r *repo) bool {
		_, inOrg := r.owner.members[key(who.Login)]
		for as, is := range map[string]bool{"owner": r.owner == me, "collaborator": r.members[key(who.Login)] > None, "organization_member": inOrg} {
			if is && (f.Affiliation == nil || slices.Contains(f.Affiliation, as)) {
				return true
			}
		}
		return false
	}), nil
}

// OrgRepos lists the repositories of an organisation that who can see.
func (s *State) OrgRepos(who Identity, org string, f RepoFilter) ([]wire.Repository, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.org(org)
	if err != nil {
		return nil, err
	}
	return s.listRepos(who, f, func(r *repo) bool { return r.owner == o }), nil
}

// UserRepos lists the public repositories of an account: those it owns and, as member, those of its
// organisations and those it collaborates in.
func (s *State) UserRepos(who Identity, login string, owner, member bool, f RepoFilter) ([]wire.Repository, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[key(login)]
	if a == nil {
		return nil, wire.NotFound()
	}
	f.Visibility = "public"
	return s.listRepos(who, f, func(r *repo) bool {
		return owner && r.owner == a || member && r.owner != a && (r.owner.members[key(login)].public || r.members[key(login)] > None)
	}), nil
}

func (s *State) listRepos(who Identity, f RepoFilter, keep func(*repo) bool) []wire.Repository {
	var found []*repo
	for _, r := range s.repos {
		hidden := f.Origin == "forks" && r.parent == nil || f.Origin == "sources" && r.parent != nil ||
			f.Visibility == "public" && r.private || f.Visibility == "private" && !r.private
		if !hidden && keep(r) && s.roleFor(who, r) >= Read {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b *repo) int {
		by := 0
		switch f.Sort {
		case "full_name":
			by = cmp.Compare(key(a.fullName()), key(b.fullName()))
		case "updated":
			by = a.updated.Compare(b.updated)
		case "pushed":
			by = a.pushed.Compare(b.pushed)
		}
		if by = cmp.Or(by, cmp.Compare(a.id, b.id)); f.Descending {
			return -by
		}
		return by
	})
	out := []wire.Repository{}
	for _, r := range found {
		out = append(out, s.viewRepoFor(who, r))
	}
	return out
}
