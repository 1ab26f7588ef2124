package state

import (
	"fmt"
	"maps"
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// config is what Actions reads at one level: of a repository or of an organisation.
type config struct {
	variables settings
	secrets   settings
	sealing   *sealing
}

func newConfig() config {
	return config{variables: settings{}, secrets: settings{}}
}

// forget takes a repository that is gone out of all selections.
func (c *config) forget(repo int64) {
	gone := func(id int64) bool { return id == repo }
	for _, v := range c.variables {
		v.selected = slices.DeleteFunc(v.selected, gone)
	}
	for _, v := range c.secrets {
		v.selected = slices.DeleteFunc(v.selected, gone)
	}
}

// Level is where variables and secrets stand: in a repository, in an environment of it, or in an
// organisation.
type Level struct {
	Repo        string // "owner/name"
	Environment string // of Repo
	Org         string
}

// Audience says which repositories of an organisation see a variable or a secret of it.
type Audience struct {
	Visibility string  // all, private, selected
	Selected   []int64 // repositories, where Visibility is selected; nil leaves them as they are
}

// The visibilities of what an organisation has.
const (
	visibleAll      = "all"
	visiblePrivate  = "private"
	visibleSelected = "selected"
)

// config opens a level for a need. The organisation is nil for what a repository or an environment has.
func (s *State) config(who Identity, at Level, need Need) (*config, *account, error) {
	if at.Org == "" {
		if at.Environment != "" {
			need = need.inEnvironment()
		}
		r, err := s.open(who, at.Repo, need)
		if err != nil {
			return nil, nil, err
		}
		if at.Environment == "" {
			return &r.config, nil, nil
		}
		e := r.environments[key(at.Environment)]
		if e == nil {
			return nil, nil, wire.NotFound()
		}
		return &e.config, nil, nil
	}
	scope, level := need.ofOrg()
	o, err := s.ownedOrg(who, at.Org, scope, level)
	if err != nil {
		return nil, nil, err
	}
	return &o.config, o, nil
}

// checkAudience returns an audience as it is to be kept; of a repository's own there is none. have is
// what is kept already.
func (s *State) checkAudience(o *account, want, have Audience) (Audience, error) {
	if o == nil {
		return Audience{}, nil
	}
	switch want.Visibility {
	case visibleAll, visiblePrivate:
		return Audience{Visibility: want.Visibility}, nil
	case visibleSelected:
	case "":
		return have, wire.Unprocessable("Invalid request.\n\n\"visibility\" wasn't supplied.")
	default:
		return have, wire.Unprocessable(fmt.Sprintf("Invalid request.\n\nvisibility %q: want all, private or selected.", want.Visibility))
	}
	out := Audience{Visibility: visibleSelected, Selected: have.Selected}
	if want.Selected != nil {
		out.Selected = nil
	}
	for _, id := range want.Selected {
		if s.repoOf(o, id) == nil {
			return have, wire.Unprocessable(fmt.Sprintf("Invalid request.\n\nRepository %d is not of the organization %s.", id, o.login))
		}
		if !slices.Contains(out.Selected, id) {
			out.Selected = append(out.Selected, id)
		}
	}
	slices.Sort(out.Selected)
	return out, nil
}

// repoOf finds a repository of an account by id.
func (s *State) repoOf(o *account, id int64) *repo {
	for _, r := range s.repos {
		if r.id == id && r.owner == o {
			return r
		}
	}
	return nil
}

// sees reports whether a repository sees what its owner has for an audience.
func (r *repo) sees(visibility string, selected []int64) bool {
	switch visibility {
	case visibleAll:
		return true
	case visiblePrivate:
		return r.private
	case visibleSelected:
		return slices.Contains(selected, r.id)
	}
	return false
}

// viewAudience returns what an organisation's variable or secret says of its audience.
func (s *State) viewAudience(o *account, kind, name, visibility string) (shown, url string) {
	if o == nil {
		return "", ""
	}
	if visibility == visibleSelected {
		url = s.base.API("/orgs/%s/actions/%s/%s/repositories", wire.EscapePath(o.login), kind, name)
	}
	return visibility, url
}

// Selection is the repositories that see a variable or a secret with the visibility selected.
type Selection struct {
	Org    string
	Secret bool // else a variable
	Name   string
}

// selection finds the list of repositories; the caller holds the lock.
func (s *State) selection(who Identity, in Selection) (*account, *[]int64, error) {
	of, need := variablesOf, WriteVariables
	if in.Secret {
		of, need = secretsOf, WriteSecrets
	}
	scope, level := need.ofOrg()
	o, err := s.ownedOrg(who, in.Org, scope, level)
	if err != nil {
		return nil, nil, err
	}
	v := of(&o.config)[upper(in.Name)]
	switch {
	case v == nil:
		return nil, nil, wire.NotFound()
	case v.visibility != visibleSelected:
		return nil, nil, wire.NewError(409, "Visibility is not set to selected.")
	}
	return o, &v.selected, nil
}

// Selected lists the repositories of a selection.
func (s *State) Selected(who Identity, in Selection) ([]wire.Repository, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, list, err := s.selection(who, in)
	if err != nil {
		return nil, err
	}
	out := []wire.Repository{}
	for _, id := range *list {
		if r := s.repoOf(o, id); r != nil {
			out = append(out, s.viewRepoFor(who, r))
		}
	}
	return out, nil
}

// Select sets the repositories of a selection.
func (s *State) Select(who Identity, in Selection, repos []int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, list, err := s.selection(who, in)
	if err != nil {
		return err
	}
	want := Audience{Visibility: visibleSelected, Selected: append([]int64{}, repos...)}
	got, err := s.checkAudience(o, want, Audience{})
	if err != nil {
		return err
	}
	*list = got.Selected
	s.led.Changed()
	return nil
}

// SelectOne adds a repository to a selection, or takes it out.
func (s *State) SelectOne(who Identity, in Selection, repo int64, there bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, list, err := s.selection(who, in)
	if err != nil {
		return err
	}
	if s.repoOf(o, repo) == nil {
		return wire.NotFound()
	}
	set := map[int64]bool{}
	for _, id := range *list {
		set[id] = true
	}
	set[repo] = there
	maps.DeleteFunc(set, func(_ int64, in bool) bool { return !in })
	*list = slices.Sorted(maps.Keys(set))
	s.led.Changed()
	return nil
}
