package state

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// installation is an app on an account, with all or some of its repositories.
type installation struct {
	id          int64
	app         *app
	on          *account
	selected    map[int64]bool // repositories; nil is all that there are and will be
	created     time.Time
	updated     time.Time
	suspended   time.Time // zero: it is not
	suspendedBy string
	gone        bool
}

func (i *installation) covers(r *repo) bool {
	return r.owner == i.on && (i.selected == nil || i.selected[r.id])
}

func (i *installation) works() bool { return !i.gone && i.suspended.IsZero() }

func (i *installation) selection() string {
	if i.selected == nil {
		return "all"
	}
	return "selected"
}

// Install puts an app on an account; repos are "owner/name", none are all, also those to come. An app that
// is there already gets the new selection.
func (s *State) Install(who Identity, slug, login string, repos []string) (wire.Installation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, on := s.app(slug), s.accounts[key(login)]
	if a == nil || on == nil || on.kind == kindBot {
		return wire.Installation{}, fmt.Errorf("there is no app %q, or no person or organisation %q", slug, login)
	}
	var selected map[int64]bool
	for _, full := range repos {
		r := s.repos[key(full)]
		if r == nil || r.owner != on {
			return wire.Installation{}, fmt.Errorf("%s has no repository %q", login, full)
		}
		if selected == nil {
			selected = map[int64]bool{}
		}
		selected[r.id] = true
	}
	if i := s.installed(a, on); i != nil {
		s.reselect(who, i, selected)
		return s.viewInstallation(i), nil
	}
	now := s.now()
	i := &installation{id: s.nextID(nounInstallation), app: a, on: on, selected: selected, created: now, updated: now}
	s.installs[i.id] = i
	s.installationEvent(who, i, "installation", wire.InstallationEvent{Action: "created", Repositories: s.briefs(i.covers)})
	return s.viewInstallation(i), nil
}

// reselect changes which repositories an installation has.
func (s *State) reselect(who Identity, i *installation, selected map[int64]bool) {
	before := *i
	if maps.Equal(before.selected, selected) && (before.selected == nil) == (selected == nil) {
		return
	}
	i.selected, i.updated = selected, s.now()
	none := []wire.RepositoryBrief{}
	if added := s.briefs(func(r *repo) bool { return i.covers(r) && !before.covers(r) }); len(added) > 0 {
		s.installationEvent(who, i, "installation_repositories",
			wire.InstallationEvent{Action: "added", Selection: i.selection(), Added: added, Removed: none})
	}
	if removed := s.briefs(func(r *repo) bool { return before.covers(r) && !i.covers(r) }); len(removed) > 0 {
		s.installationEvent(who, i, "installation_repositories",
			wire.InstallationEvent{Action: "removed", Selection: i.selection(), Added: none, Removed: removed})
	}
	s.led.Changed()
}

func (s *State) briefs(keep func(*repo) bool) []wire.RepositoryBrief {
	out := []wire.RepositoryBrief{}
	for _, r := range s.repos {
		if keep(r) {
			v := s.viewRepo(r)
			out = append(out, wire.RepositoryBrief{ID: v.ID, NodeID: v.NodeID, Name: v.Name, FullName: v.FullName, Private: v.Private})
		}
	}
	slices.SortFunc(out, func(a, b wire.RepositoryBrief) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// installed returns the installation of an app on an account, or nil.
func (s *State) installed(a *app, on *account) *installation {
	for _, i := range s.installs {
		if i.app == a && i.on == on {
			return i
		}
	}
	return nil
}

// installationsOf lists the installations of an app, oldest first.
func (s *State) installationsOf(a *app) []*installation {
	return s.installationsWhere(func(i *installation) bool { return i.app == a })
}

func (s *State) installationsWhere(keep func(*installation) bool) []*installation {
	var out []*installation
	for _, i := range s.installs {
		if keep(i) {
			out = append(out, i)
		}
	}
	slices.SortFunc(out, func(a, b *installation) int { return cmp.Compare(a.id, b.id) })
	return out
}

// Installations lists the installations of the app that asks.
func (s *State) Installations(who Identity) ([]wire.Installation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, err := s.asApp(who)
	if err != nil {
		return nil, err
	}
	return s.viewInstallations(s.installationsOf(a)), nil
}

// OrgInstallations lists the apps on an organisation, to its owners.
func (s *State) OrgInstallations(who Identity, org string) ([]wire.Installation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.ownedOrg(who, org, "organization_administration", "read")
	if err != nil {
		return nil, err
	}
	return s.viewInstallations(s.installationsWhere(func(i *installation) bool { return i.on == o })), nil
}

// own finds an installation of the app that asks.
func (s *State) own(who Identity, id int64) (*installation, error) {
	a, err := s.asApp(who)
	if err != nil {
		return nil, err
	}
	if i := s.installs[id]; i != nil && i.app == a {
		return i, nil
	}
	return nil, wire.NotFound()
}

// Installation returns an installation of the app that asks.
func (s *State) Installation(who Identity, id int64) (wire.Installation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.own(who, id)
	if err != nil {
		return wire.Installation{}, err
	}
	return s.viewInstallation(i), nil
}

// InstallationOn returns the installation, of the app that asks, on an account or a repository "owner/name".
func (s *State) InstallationOn(who Identity, login, repo string) (wire.Installation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, err := s.asApp(who)
	if err != nil {
		return wire.Installation{}, err
	}
	r := s.repos[key(repo)]
	for _, i := range s.installationsOf(a) {
		if r != nil && i.covers(r) || r == nil && repo == "" && key(i.on.login) == key(login) {
			return s.viewInstallation(i), nil
		}
	}
	return wire.Installation{}, wire.NotFound()
}

// Uninstall removes an installation of the app that asks; its tokens end.
func (s *State) Uninstall(who Identity, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.own(who, id)
	if err != nil {
		return err
	}
	event := wire.InstallationEvent{Action: "deleted", Repositories: s.briefs(i.covers)}
	s.installationEvent(who, i, "installation", event)
	i.gone = true
	delete(s.installs, id)
	return nil
}

// Suspend stops or resumes an installation of the app that asks. Its tokens are refused meanwhile.
func (s *State) Suspend(who Identity, id int64, on bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.own(who, id)
	if err != nil || on == !i.suspended.IsZero() {
		return err
	}
	action := "unsuspend"
	i.suspended, i.suspendedBy, i.updated = time.Time{}, "", s.now()
	if on {
		action, i.suspended, i.suspendedBy = "suspend", s.now(), who.Login
	}
	s.installationEvent(who, i, "installation", wire.InstallationEvent{Action: action, Repositories: s.briefs(i.covers)})
	return nil
}

func (s *State) viewInstallations(all []*installation) []wire.Installation {
	out := []wire.Installation{}
	for _, i := range all {
		out = append(out, s.viewInstallation(i))
	}
	return out
}

func (s *State) viewInstallation(i *installation) wire.Installation {
	v := wire.Installation{
		ID: i.id, Account: s.viewAccount(i.on), RepositorySelection: i.selection(), AppID: i.app.id, AppSlug: i.app.slug, ClientID: i.app.clientID(),
		TargetID: i.on.id, TargetType: i.on.kind, Permissions: shownPermissions(i.app.permissions), Events: append([]string{}, i.app.events...),
		CreatedAt: wire.Time{Time: i.created}, UpdatedAt: wire.Time{Time: i.updated}, SingleFilePaths: []string{},
	}
	if !i.suspended.IsZero() {
		by := s.viewLogin(i.suspendedBy)
		v.SuspendedBy, v.SuspendedAt = &by, &wire.Time{Time: i.suspended}
	}
	wire.LinkInstallation(s.base, &v)
	return v
}
