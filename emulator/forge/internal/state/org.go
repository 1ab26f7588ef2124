package state

import (
	"cmp"
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// org finds an organisation; the caller holds the lock.
func (s *State) org(login string) (*account, error) {
	if o := s.accounts[key(login)]; o != nil && o.kind == kindOrg {
		return o, nil
	}
	return nil, wire.NotFound()
}

// within returns what who is in an organisation, as far as his token reaches: the token of a program
// or of one repository is nobody in particular.
func (s *State) within(who Identity, o *account) (member, bool) {
	if who.tok == nil || who.tok.narrow() && !who.tok.installedOn(o) || !who.tok.grants("members", "read") || !who.tok.ownedBy(o) || !who.scoped("read:org") {
		return member{}, false
	}
	if who.tok.installedOn(o) {
		return member{login: who.Login, role: Read}, true
	}
	m, there := o.members[key(who.Login)]
	return m, there
}

// installedOn reports whether the token is of an installation on an organisation.
func (t *token) installedOn(o *account) bool { return t.install != nil && t.install.on == o }

// ownedOrg finds an organisation that who owns, or on which he is installed with a permission, or gives
// the answer that GitHub gives.
func (s *State) ownedOrg(who Identity, login, scope, level string) (*account, error) {
	o, err := s.org(login)
	if err != nil {
		return nil, err
	}
	if who.tok != nil && who.tok.installedOn(o) {
		who.ask(scope, level)
		if !who.tok.grants(scope, level) {
			return nil, wire.NotByIntegration()
		}
		return o, nil
	}
	m, there := o.members[key(who.Login)]
	switch {
	case who.Anonymous():
		return nil, wire.RequiresAuthentication()
	case !who.tok.mayOrg(who, o, scope, level):
		return nil, who.refused()
	case !who.scoped(orgScope(scope)):
		return nil, wire.NeedsAdmin()
	case !there:
		return nil, wire.NotFound()
	case !m.owner && !o.grants(who.Login, orgPermission(scope, level)):
		return nil, wire.Forbidden("You must be an admin of the organization " + o.login + ".")
	}
	return o, nil
}

// mayOrg reports whether the token is for an organisation and has a permission there, and asks for it.
func (t *token) mayOrg(who Identity, o *account, scope, level string) bool {
	who.ask(scope, level)
	return !t.app && !t.narrow() && t.ownedBy(o) && t.grants(scope, level)
}

// ownedBy reports whether the token, if it is fine-grained, has an account as its resource owner.
func (t *token) ownedBy(o *account) bool { return t.owner == "" || t.owner == key(o.login) }

// orgScope is the scope that a classic token needs for what needs a permission.
func orgScope(permission string) string {
	if permission == "members" {
		return "write:org"
	}
	return "admin:org"
}

// Org returns the profile of an organisation, with more for its members.
func (s *State) Org(who Identity, login string) (wire.OrganizationProfile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.org(login)
	if err != nil {
		return wire.OrganizationProfile{}, err
	}
	return s.viewOrgProfile(who, o), nil
}

func (s *State) viewOrgProfile(who Identity, o *account) wire.OrganizationProfile {
	public, private := 0, 0
	for _, r := range s.repos {
		switch {
		case r.owner != o:
		case r.private:
			private++
		default:
			public++
		}
	}
	at := wire.Time{Time: o.created}
	v := wire.OrganizationProfile{
		Organization: s.viewOrg(o), Name: o.name, HasOrganizationProjects: true, HasRepositoryProjects: true, PublicRepos: public,
		HTMLURL: o.view.HTMLURL, CreatedAt: at, UpdatedAt: at, Type: kindOrg,
	}
	if _, there := s.within(who, o); there {
		yes, no := true, false
		v.TotalPrivateRepos, v.OwnedPrivateRepos = &private, &private
		v.DefaultPermission, v.MembersAllowedRepoCreated = o.baseRole().String(), "all"
		v.MembersCanCreateRepos, v.MembersCanCreatePublic, v.MembersCanCreatePrivate, v.TwoFactorRequirementOn = &yes, &yes, &yes, &no
	}
	return v
}

func (s *State) viewOrg(o *account) wire.Organization {
	return *wire.NewOrganization(s.base, o.id, o.login)
}

// Orgs lists the organisations that who is a member of.
func (s *State) Orgs(who Identity) ([]wire.Organization, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := person(who); err != nil {
		return nil, err
	}
	if !who.scoped("read:org", "user", "read:user") {
		return nil, wire.Forbidden("You need at least read:org scope or user scope to list your organizations.")
	}
	return s.orgsOf(who.Login, func(member) bool { return true }), nil
}

// PublicOrgs lists the organisations that an account says to be a member of.
func (s *State) PublicOrgs(login string) ([]wire.Organization, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.accounts[key(login)] == nil {
		return nil, wire.NotFound()
	}
	return s.orgsOf(login, func(m member) bool { return m.public }), nil
}

func (s *State) orgsOf(login string, keep func(member) bool) []wire.Organization {
	out := []wire.Organization{}
	for _, o := range s.accounts {
		if m, there := o.members[key(login)]; there && keep(m) {
			out = append(out, s.viewOrg(o))
		}
	}
	slices.SortFunc(out, func(a, b wire.Organization) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// person refuses who is nobody, or a program with permissions of its own.
func person(who Identity) error {
	if who.Anonymous() {
		return wire.RequiresAuthentication()
	}
	if who.App() || who.tok.narrow() {
		return who.refused()
	}
	return nil
}
