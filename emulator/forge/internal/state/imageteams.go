package state

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// TeamImage is a team of an organisation.
type TeamImage struct {
	ID          int64
	Name        string
	Slug        string
	Description string
	Hidden      bool
	Quiet       bool `json:",omitempty"`
	Permission  Role
	Parent      int64           `json:",omitempty"` // team; 0 is none
	Members     map[string]bool // whether he maintains it, by lower-case login
	Repos       map[int64]Role  // by id
	Created     time.Time
	Updated     time.Time
}

func imagesOfTeams(o *account) []TeamImage {
	var out []TeamImage
	for _, t := range o.teamsWhere(func(*team) bool { return true }) {
		x := TeamImage{ID: t.id, Name: t.name, Slug: t.slug, Description: t.description, Hidden: t.hidden, Quiet: t.quiet, Permission: t.permission,
			Members: maps.Clone(t.members), Repos: maps.Clone(t.repos), Created: t.created, Updated: t.updated}
		if t.parent != nil {
			x.Parent = t.parent.id
		}
		out = append(out, x)
	}
	return out
}

// readTeams gives organisations their teams, when accounts and repositories are known.
func (r reader) readTeams(im Image) error {
	seen := map[int64]*team{}
	for _, in := range im.Accounts {
		o := r.accounts[in.ID]
		if len(in.Teams) > 0 && o.kind != kindOrg {
			return fmt.Errorf("account %s has teams and is no organisation", o.login)
		}
		for _, x := range in.Teams {
			if err := r.readTeam(o, x, seen); err != nil {
				return fmt.Errorf("team %d of %s: %w", x.ID, o.login, err)
			}
		}
		for _, x := range in.Teams {
			if x.Parent == 0 {
				continue
			}
			t, parent := o.teams[x.ID], o.teams[x.Parent]
			if parent == nil || parent.under(t) {
				return fmt.Errorf("team %d of %s cannot be below %d", x.ID, o.login, x.Parent)
			}
			t.parent = parent
		}
	}
	return nil
}

func (r reader) readTeam(o *account, in TeamImage, seen map[int64]*team) error {
	if in.Slug == "" || in.Slug != slugOf(in.Name) || o.teamCalled(in.Slug) != nil {
		return fmt.Errorf("it cannot be called %q (%s)", in.Name, in.Slug)
	}
	t := &team{id: in.ID, name: in.Name, slug: in.Slug, description: in.Description, hidden: in.Hidden, quiet: in.Quiet, permission: in.Permission,
		members: maps.Clone(in.Members), repos: maps.Clone(in.Repos), created: in.Created, updated: in.Updated}
	if t.members == nil {
		t.members = map[string]bool{}
	}
	if t.repos == nil {
		t.repos = map[int64]Role{}
	}
	for login := range t.members {
		_, inside := o.members[login]
		if _, invited := o.invited[login]; !inside && !invited {
			return fmt.Errorf("%q cannot be in it", login)
		}
	}
	for id, role := range t.repos {
		if x := r.repos[id]; x == nil || x.owner != o || knownRole(role) != nil || role == None {
			return fmt.Errorf("it cannot have role %d in repository %d", role, id)
		}
	}
	if err := knownRole(in.Permission); err != nil {
		return err
	}
	if err := put(r, nounTeam, seen, in.ID, t); err != nil {
		return err
	}
	if o.teams == nil {
		o.teams = map[int64]*team{}
	}
	o.teams[in.ID] = t
	return nil
}

// withoutRepo are teams that do not have a repository.
func withoutRepo(teams []TeamImage, id int64) []TeamImage {
	teams = slices.Clone(teams)
	for i := range teams {
		teams[i].Repos = maps.Clone(teams[i].Repos)
		delete(teams[i].Repos, id)
	}
	return teams
}
