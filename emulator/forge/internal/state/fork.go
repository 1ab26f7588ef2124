package state

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// NewFork says where a fork goes.
// https://docs.github.com/en/rest/repos/forks#create-a-fork
type NewFork struct {
	Owner             string // an organisation; "" is who himself
	Name              string // "" is the parent's
	DefaultBranchOnly bool
}

// Fork makes a fork of a repository, or returns the one that the owner has. clone makes git's side of it
// from the parent, and returns the refs that it has; it is called without the lock, between the checks and
// the registration. A fork whose refs lag behind, as some do at GitHub, is one that clone gave none yet.
func (s *State) Fork(who Identity, full string, in NewFork, clone func(from Repo, id int64) (map[string]string, error)) (wire.FullRepository, error) {
	from, id, found, err := s.claimFork(who, full, in)
	if err != nil || found != nil {
		return deref(found), err
	}
	refs, err := clone(from, id)
	if err != nil {
		return wire.FullRepository{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// Checked again: another request may have made it while the directory was made.
	parent, owner, there, err := s.forkTarget(who, full, in)
	if err != nil {
		return wire.FullRepository{}, err
	}
	if there != nil {
		return s.viewWhole(who, there), nil
	}
	now := s.now()
	r := &repo{
		id: id, owner: owner, name: s.freeName(owner, cmp.Or(in.Name, parent.name)), description: parent.description, private: parent.private,
		defaultBranch: parent.defaultBranch, created: now, updated: now, pushed: parent.pushed,
		refs: refs, members: map[string]Role{}, config: newConfig(), parent: parent, noIssues: true, actions: actionsOfFork,
	}
	parent.forks = append(parent.forks, r)
	s.register(who, r)
	s.event(who, parent, "fork", wire.Event{Forkee: s.eventRepo(r)}, parent.fullName())
	return s.viewWhole(who, r), nil
}

func deref(r *wire.FullRepository) wire.FullRepository {
	if r == nil {
		return wire.FullRepository{}
	}
	return *r
}

// claimFork returns the parent and an id for the fork, or the fork that is there.
func (s *State) claimFork(who Identity, full string, in NewFork) (from Repo, id int64, found *wire.FullRepository, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	parent, _, there, err := s.forkTarget(who, full, in)
	if err != nil {
		return Repo{}, 0, nil, err
	}
	if there != nil {
		v := s.viewWhole(who, there)
		return Repo{}, 0, &v, nil
	}
	return parent.plain(), s.nextID(nounRepo), nil, nil
}

// forkTarget checks that who may make the fork, and returns its parent and its owner, or what the owner has
// of it already.
func (s *State) forkTarget(who Identity, full string, in NewFork) (parent *repo, owner *account, there *repo, err error) {
	if parent, err = s.open(who, full, ForkRepo); err != nil {
		return nil, nil, nil, err
	}
	if owner, err = s.forkOwner(who, parent, in); err != nil {
		return nil, nil, nil, err
	}
	if in.Name != "" {
		if err := checkRepoName(in.Name); err != nil {
			return nil, nil, nil, err
		}
	}
	if there = parent.forkOf(owner, in.Name); there != nil {
		return parent, owner, there, nil
	}
	if len(parent.refs) == 0 {
		return nil, nil, nil, wire.Forbidden("The repository exists, but it contains no Git content. Empty repositories cannot be forked.")
	}
	if !parent.mayBeForked() {
		return nil, nil, nil, wire.Forbidden("The repository exists, but forking is disabled.")
	}
	return parent, owner, nil, nil
}

// forkOwner checks that who may make forks of an owner. A program makes them for the organisation whose
// repository it has, and for nobody else.
func (s *State) forkOwner(who Identity, parent *repo, in NewFork) (*account, error) {
	if !who.App() {
		return s.repoOwner(who, in.Owner)
	}
	if in.Owner == "" {
		return nil, wire.Invalid(wire.FieldError{Resource: "Fork", Field: "organization", Code: "missing_field"})
	}
	o, err := s.org(in.Owner)
	if err == nil && o != parent.owner {
		err = wire.NotByIntegration()
	}
	return o, err
}

// forkOf returns what an owner has of a repository's network. A person has one repository of it, which may
// be the source; an organisation may have several forks, also of its own repository, under several names.
func (r *repo) forkOf(owner *account, name string) *repo {
	root := r.source()
	for _, x := range root.network() {
		own := x.owner == owner
		if owner.kind == kindOrg {
			own = own && x.parent != nil && x != r
			if name != "" && key(name) != key(r.name) {
				own = own && key(x.name) == key(name)
			}
		}
		if own {
			return x
		}
	}
	return nil
}

// source is the repository that a network of forks began with.
func (r *repo) source() *repo {
	for r.parent != nil {
		r = r.parent
	}
	return r
}

// network is a repository with its forks and theirs, oldest first.
func (r *repo) network() []*repo {
	all := []*repo{r}
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].forks...)
	}
	slices.SortFunc(all, byID)
	return all
}

func byID(a, b *repo) int { return cmp.Compare(a.id, b.id) }

// freeName is a name that the owner has no repository of: the one given, or the first of name-1, name-2, …
func (s *State) freeName(owner *account, name string) string {
	free := name
	for n := 1; s.repos[key(owner.login+"/"+free)] != nil; n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// mayBeForked: public repositories can be forked always, an organisation's private ones where it is allowed.
// https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/managing-repository-settings/managing-the-forking-policy-for-your-repository
func (r *repo) mayBeForked() bool { return !r.private || r.org() == nil || r.allowForking }

// ForkRefs are the refs of a parent that its fork begins with: branches and tags, or the default branch.
func (in NewFork) ForkRefs(parent Repo) map[string]string {
	refs := maps.Clone(parent.Refs)
	maps.DeleteFunc(refs, func(name, _ string) bool {
		if in.DefaultBranchOnly {
			return name != "refs/heads/"+parent.DefaultBranch
		}
		return !strings.HasPrefix(name, "refs/heads/") && !strings.HasPrefix(name, "refs/tags/")
	})
	return refs
}

// Forks lists the forks of a repository that who can see, newest first or by another order.
func (s *State) Forks(who Identity, full, sort string) ([]wire.Repository, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadMetadata)
	if err != nil {
		return nil, err
	}
	forks := slices.Clone(r.forks)
	slices.SortFunc(forks, byID)
	if sort == "newest" { // stargazers and watchers are none
		slices.Reverse(forks)
	}
	out := []wire.Repository{}
	for _, f := range forks {
		if s.roleFor(who, f) >= Read {
			out = append(out, s.viewRepoFor(who, f))
		}
	}
	return out, nil
}

// Upstream returns a fork, whose contents who may write, and its parent, which he can see.
func (s *State) Upstream(who Identity, full string) (fork, parent Repo, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, WriteContents)
	if err != nil {
		return Repo{}, Repo{}, err
	}
	if r.parent == nil {
		return Repo{}, Repo{}, wire.Unprocessable("The repository is not a fork.")
	}
	if s.roleFor(who, r.parent) < Read {
		return Repo{}, Repo{}, wire.NotFound()
	}
	return r.plain(), r.parent.plain(), nil
}

// leaveNetwork takes a repository that is deleted, or becomes private, out of its network. Its forks become
// those of its parent, or of the oldest public one of them.
// https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/working-with-forks/what-happens-to-forks-when-a-repository-is-deleted-or-changes-visibility
func (r *repo) leaveNetwork() {
	heir, forks := r.parent, r.forks
	r.parent, r.forks = nil, nil
	if heir != nil {
		heir.forks = slices.DeleteFunc(heir.forks, func(x *repo) bool { return x == r })
	} else {
		slices.SortFunc(forks, byID)
		if i := slices.IndexFunc(forks, func(x *repo) bool { return !x.private }); i >= 0 {
			heir = forks[i]
			heir.parent = nil
			forks = slices.Delete(forks, i, i+1)
		}
	}
	for _, f := range forks {
		f.parent = heir
		if heir != nil {
			heir.forks = append(heir.forks, f)
		}
	}
}

// standAlone makes the forks of a private repository, which becomes public, repositories of their own: they
// stay private.
func (r *repo) standAlone() {
	for _, f := range r.forks {
		f.parent = nil
	}
	r.forks = nil
}

// Related returns the repository of an owner that shares its history with another, when who may read both.
func (s *State) Related(who Identity, full, owner, name string) (Repo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadContents)
	if err != nil {
		return Repo{}, err
	}
	other := r.related(owner, name)
	if other == nil || s.roleFor(who, other) < Read {
		return Repo{}, wire.NotFound()
	}
	return other.plain(), nil
}
