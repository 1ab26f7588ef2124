package state

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// team is a team of an organisation. Who is in it and no member of the organisation is invited.
type team struct {
	id          int64
	name        string
	slug        string
	description string
	hidden      bool
	quiet       bool            // its members are not notified
	permission  Role            // in repositories that are added without another
	parent      *team           // whose repositories it has as well
	members     map[string]bool // whether he maintains it, by lower-case login
	repos       map[int64]Role
	created     time.Time
	updated     time.Time
}

// line is a team and those that it inherits from.
func (t *team) line() []*team {
	var out []*team
	for ; t != nil; t = t.parent {
		out = append(out, t)
	}
	return out
}

// under reports whether a team is another, or inherits from it.
func (t *team) under(other *team) bool { return slices.Contains(t.line(), other) }

// roleIn is what a team makes its members in a repository.
func (t *team) roleIn(r *repo) Role {
	role := None
	for ; t != nil; t = t.parent {
		role = max(role, t.repos[r.id])
	}
	return role
}

// teamRole is what a member's teams make him in a repository of an organisation.
func (o *account) teamRole(login string, r *repo) Role {
	role := None
	for _, t := range o.teams {
		if _, in := t.members[key(login)]; in {
			role = max(role, t.roleIn(r))
		}
	}
	return role
}

// teamCalled finds a team of an organisation by its slug, or returns nil.
func (o *account) teamCalled(slug string) *team {
	for _, t := range o.teams {
		if t.slug == key(slug) {
			return t
		}
	}
	return nil
}

// teamsWhere returns teams of an organisation by id.
func (o *account) teamsWhere(keep func(*team) bool) []*team {
	var out []*team
	for _, id := range slices.Sorted(maps.Keys(o.teams)) {
		if keep(o.teams[id]) {
			out = append(out, o.teams[id])
		}
	}
	return out
}

var unslug = regexp.MustCompile(`[^a-z0-9_.]+`)

// slugOf is the name of a team in addresses.
func slugOf(name string) string { return strings.Trim(unslug.ReplaceAllString(key(name), "-"), "-") }

// legacyName is what a role is called in the API of teams and in events.
func (r Role) legacyName() string {
	switch r {
	case Read:
		return "pull"
	case Write:
		return "push"
	}
	return r.String()
}

// orgInside finds an organisation whose teams who can see at all.
func (s *State) orgInside(who Identity, login string) (*account, error) {
	o, err := s.org(login)
	if err != nil {
		return nil, err
	}
	if who.Anonymous() {
		return nil, wire.RequiresAuthentication()
	}
	who.ask("members", "read")
	if !who.tok.grants("members", "read") || who.tok.app && !who.tok.installedOn(o) {
		return nil, who.refused()
	}
	if _, inside := s.within(who, o); !inside {
		return nil, wire.NotFound()
	}
	return o, nil
}

// seesTeam reports whether who can see a team: a secret one is seen by its members and owners only.
func (o *account) seesTeam(who Identity, t *team) bool {
	_, in := t.members[key(who.Login)]
	return !t.hidden || in || o.members[key(who.Login)].owner || who.tok.installedOn(o)
}

// team finds a team that who can see.
func (s *State) team(who Identity, org, slug string) (*account, *team, error) {
	o, err := s.orgInside(who, org)
	if err != nil {
		return nil, nil, err
	}
	t := o.teamCalled(slug)
	if t == nil || !o.seesTeam(who, t) {
		return nil, nil, wire.NotFound()
	}
	return o, t, nil
}

// keptTeam finds a team that who may change: as an owner, as its maintainer or, being installed, with permission.
func (s *State) keptTeam(who Identity, org, slug string) (*account, *team, error) {
	o, t, err := s.team(who, org, slug)
	if err != nil {
		return nil, nil, err
	}
	if err := s.mayTeams(who, o); err != nil {
		return nil, nil, err
	}
	if !who.tok.installedOn(o) && !o.members[key(who.Login)].owner && !t.members[key(who.Login)] {
		return nil, nil, wire.Forbidden("You must be an owner of the organization or a maintainer of the team.")
	}
	return o, t, nil
}

// mayTeams decides whether the token of who may change teams of an organisation that he is in.
func (s *State) mayTeams(who Identity, o *account) error {
	who.ask("members", "write")
	switch {
	case !who.tok.grants("members", "write"):
		return who.refused()
	case !who.scoped("write:org"):
		return wire.NeedsAdmin()
	}
	return nil
}

// Teams lists the teams of an organisation that who can see. parent narrows them to those directly below it.
func (s *State) Teams(who Identity, org, parent string) ([]wire.Team, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.orgInside(who, org)
	var above *team
	if err == nil && parent != "" {
		_, above, err = s.team(who, org, parent)
	}
	if err != nil {
		return nil, err
	}
	out := []wire.Team{}
	for _, t := range o.teamsWhere(func(t *team) bool { return o.seesTeam(who, t) && (above == nil || t.parent == above) }) {
		out = append(out, s.viewTeam(o, t))
	}
	return out, nil
}

// MyTeams lists the teams that who is in.
func (s *State) MyTeams(who Identity) ([]wire.FullTeam, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := person(who); err != nil {
		return nil, err
	}
	if !who.scoped("read:org", "user", "repo") {
		return nil, wire.Forbidden("You need at least read:org, user or repo scope to list your teams.")
	}
	out := []wire.FullTeam{}
	for _, o := range s.accounts {
		if _, inside := o.members[key(who.Login)]; !inside || !who.tok.ownedBy(o) {
			continue
		}
		for _, t := range o.teamsWhere(func(t *team) bool { _, in := t.members[key(who.Login)]; return in }) {
			out = append(out, s.viewFullTeam(o, t))
		}
	}
	slices.SortFunc(out, func(a, b wire.FullTeam) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// Team returns one team.
func (s *State) Team(who Identity, org, slug string) (wire.FullTeam, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, t, err := s.team(who, org, slug)
	if err != nil {
		return wire.FullTeam{}, err
	}
	return s.viewFullTeam(o, t), nil
}

func (s *State) viewTeamBrief(o *account, t *team) wire.TeamBrief {
	v := wire.TeamBrief{ID: t.id, NodeID: wire.NodeID("Team", t.id), Name: t.name, Slug: t.slug, Description: optional(t.description),
		Privacy: t.privacy(), NotificationSetting: t.notification(), Permission: t.permission.legacyName(), Type: "organization", OrganizationID: o.id,
		URL:     s.base.API("/orgs/%s/teams/%s", wire.EscapePath(o.login), wire.EscapePath(t.slug)),
		HTMLURL: s.base.HTML("/orgs/%s/teams/%s", wire.EscapePath(o.login), wire.EscapePath(t.slug))}
	v.MembersURL, v.RepositoriesURL = v.URL+"/members{/member}", v.URL+"/repos"
	return v
}

func (s *State) viewTeam(o *account, t *team) wire.Team {
	v := wire.Team{TeamBrief: s.viewTeamBrief(o, t)}
	if t.parent != nil {
		above := s.viewTeamBrief(o, t.parent)
		v.Parent = &above
	}
	return v
}

func (s *State) viewFullTeam(o *account, t *team) wire.FullTeam {
	p := s.viewOrgProfile(Identity{}, o)
	return wire.FullTeam{Team: s.viewTeam(o, t), CreatedAt: wire.Time{Time: t.created}, UpdatedAt: wire.Time{Time: t.updated},
		MembersCount: len(s.teamMembers(o, t, func(bool) bool { return true })), ReposCount: len(s.teamRepos(t)),
		Organization: wire.TeamOrganization{Organization: p.Organization, Name: p.Name, HasOrganizationProjects: true, HasRepositoryProjects: true,
			PublicRepos: p.PublicRepos, HTMLURL: p.HTMLURL, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, Type: kindOrg}}
}

func (t *team) privacy() string {
	if t.hidden {
		return "secret"
	}
	return "closed"
}

func (t *team) notification() string {
	if t.quiet {
		return "notifications_disabled"
	}
	return "notifications_enabled"
}
