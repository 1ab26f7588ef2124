package state

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

type repo struct {
	id            int64
	owner         *account
	name          string
	description   string
	private       bool
	defaultBranch string
	created       time.Time
	updated       time.Time
	pushed        time.Time
	refs          map[string]string // full name → hash
	members       map[string]Role   // collaborators, by lower-case login
	labels        []*label
	issues        []*issue // number n is at n-1
	config        config
	environments  map[string]*environment // by lower-case name
	workflows     []*workflow
	runs          []*run // oldest first
	hooks         []*hook
}

func (r *repo) fullName() string { return r.owner.login + "/" + r.name }

func (r *repo) plain() Repo {
	return Repo{ID: r.id, FullName: r.fullName(), DefaultBranch: r.defaultBranch, Private: r.private, Refs: maps.Clone(r.refs)}
}

// NewRepo describes a repository to create.
type NewRepo struct {
	Name        string
	Description string
	Private     bool
}

// DefaultBranch is the first branch of a new repository.
const DefaultBranch = "main"

var repoForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)

// CreateRepo registers a repository; prepare makes its git directory and is called without the
// lock, between the checks and the registration. Owner "" is who himself.
func (s *State) CreateRepo(who Identity, owner string, in NewRepo, prepare func(id int64) error) (wire.Repository, error) {
	id, err := s.claimRepo(who, owner, in)
	if err != nil {
		return wire.Repository{}, err
	}
	if err := prepare(id); err != nil {
		return wire.Repository{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// Checked again: the name may have been taken while the directory was made.
	o, err := s.repoOwner(who, owner, in)
	if err != nil {
		return wire.Repository{}, err
	}
	now := s.now()
	r := &repo{
		id: id, owner: o, name: in.Name, description: in.Description, private: in.Private,
		defaultBranch: DefaultBranch, created: now, updated: now, pushed: now,
		refs: map[string]string{}, members: map[string]Role{}, config: newConfig(),
	}
	if o.kind == kindOrg && !o.members[key(who.Login)].owner {
		r.members[key(who.Login)] = Admin
	}
	s.repos[key(r.fullName())] = r
	for _, l := range defaultLabels() {
		s.addLabel(r, l)
	}
	s.event(who, r, "repository", wire.Event{Action: "created"}, r.fullName())
	return s.viewRepoFor(who, r), nil
}

func (s *State) claimRepo(who Identity, owner string, in NewRepo) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.repoOwner(who, owner, in); err != nil {
		return 0, err
	}
	return s.nextID(nounRepo), nil
}

// repoOwner checks that who may create the repository, and returns its owner.
func (s *State) repoOwner(who Identity, owner string, in NewRepo) (*account, error) {
	if who.Anonymous() {
		return nil, wire.RequiresAuthentication()
	}
	if !who.tok.grants("administration", "write") || who.tok.repo != "" {
		return nil, wire.NotByIntegration()
	}
	o := s.accounts[key(who.Login)]
	if owner != "" {
		o = s.accounts[key(owner)]
		if o == nil || o.kind != kindOrg {
			return nil, wire.NotFound()
		}
		if _, ok := o.members[key(who.Login)]; !ok {
			return nil, wire.Forbidden("You need admin access to the organization before adding a repository to it.")
		}
	}
	if in.Name == "" {
		return nil, wire.Invalid(wire.FieldError{Resource: "Repository", Field: "name", Code: "missing_field"})
	}
	if !repoForm.MatchString(in.Name) || in.Name == "." || in.Name == ".." || strings.HasSuffix(in.Name, ".git") {
		e := wire.Invalid(wire.FieldError{Resource: "Repository", Field: "name", Code: "custom",
			Message: "The repository name can only contain ASCII letters, digits, and the characters ., -, and _."})
		e.Message = "Repository creation failed."
		return nil, e
	}
	if s.repos[key(o.login+"/"+in.Name)] != nil {
		e := wire.Invalid(wire.FieldError{Resource: "Repository", Field: "name", Code: "custom", Message: "name already exists on this account"})
		e.Message = "Repository creation failed."
		return nil, e
	}
	return o, nil
}

// Repo returns a repository as who sees it.
func (s *State) Repo(who Identity, full string) (wire.Repository, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadMetadata)
	if err != nil {
		return wire.Repository{}, err
	}
	return s.viewRepoFor(who, r), nil
}

// RepoEdit changes what is not nil.
type RepoEdit struct {
	Private       *bool
	Description   *string
	DefaultBranch *string
}

// EditRepo changes settings of a repository. retarget moves git's HEAD and is called while the
// lock is held by nobody, before the change.
func (s *State) EditRepo(who Identity, full string, e RepoEdit, retarget func(id int64, branch string) error) (wire.Repository, error) {
	plain, err := s.Authorize(who, full, Administer)
	if err != nil {
		return wire.Repository{}, err
	}
	if e.DefaultBranch != nil {
		if plain.Refs["refs/heads/"+*e.DefaultBranch] == "" {
			return wire.Repository{}, wire.Invalid(wire.FieldError{Resource: "Repository", Field: "default_branch", Code: "invalid",
				Message: fmt.Sprintf("The branch %s was not found. Please push that ref first or create it via the Git Data API.", *e.DefaultBranch)})
		}
		if err := retarget(plain.ID, *e.DefaultBranch); err != nil {
			return wire.Repository{}, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, Administer)
	if err != nil {
		return wire.Repository{}, err
	}
	s.applyEdit(who, r, e)
	return s.viewRepoFor(who, r), nil
}

func (s *State) applyEdit(who Identity, r *repo, e RepoEdit) {
	changes := map[string]any{}
	if e.Description != nil && *e.Description != r.description {
		changes["description"] = map[string]any{"from": r.description}
		r.description = *e.Description
	}
	if e.DefaultBranch != nil && *e.DefaultBranch != r.defaultBranch {
		changes["default_branch"] = map[string]any{"from": r.defaultBranch}
		r.defaultBranch = *e.DefaultBranch
	}
	r.updated = s.now()
	if len(changes) > 0 {
		s.event(who, r, "repository", wire.Event{Action: "edited", Changes: changes}, r.fullName())
	}
	if e.Private != nil && *e.Private != r.private {
		r.private = *e.Private
		action := "publicized"
		if r.private {
			action = "privatized"
		}
		s.event(who, r, "repository", wire.Event{Action: action}, r.fullName())
	}
}

// DeleteRepo forgets a repository and returns its id, so that its directory can be removed.
func (s *State) DeleteRepo(who Identity, full string) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, Administer)
	if err != nil {
		return 0, err
	}
	s.event(who, r, "repository", wire.Event{Action: "deleted"}, r.fullName())
	delete(s.repos, key(r.fullName()))
	for _, h := range r.hooks {
		h.gone = true
	}
	s.forgetRuns(r)
	r.owner.config.forget(r.id)
	return r.id, nil
}

func (s *State) viewRepo(r *repo) wire.Repository {
	open := 0
	for _, i := range r.issues {
		if i.state == stateOpen {
			open++
		}
	}
	v := wire.Repository{
		ID: r.id, Name: r.name, Private: r.private, Owner: s.viewAccount(r.owner), Description: optional(r.description),
		CreatedAt: wire.Time{Time: r.created}, UpdatedAt: wire.Time{Time: r.updated}, PushedAt: wire.Time{Time: r.pushed},
		HasIssues: true, HasProjects: true, HasDownloads: true, HasWiki: true, AllowForking: true,
		OpenIssuesCount: open, OpenIssues: open, Topics: []string{}, Visibility: "public", DefaultBranch: r.defaultBranch,
	}
	if r.private {
		v.Visibility = "private"
	}
	if r.owner.kind == kindOrg {
		owner := v.Owner
		v.Organization = &owner
	}
	v.Link(s.base)
	return v
}

func (s *State) viewRepoFor(who Identity, r *repo) wire.Repository {
	v := s.viewRepo(r)
	if who.tok != nil {
		p := s.roleFor(who, r).permissions()
		v.Permissions = &p
	}
	return v
}
