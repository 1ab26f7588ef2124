package state

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
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
	custom        map[string]int64  // roles of the organisation's own that they have, likewise
	labels        []*label
	issues        []*issue // number n is at n-1
	config        config
	environments  map[string]*environment // by lower-case name
	caches        []*Cache                // as they came
	workflows     []*workflow
	runs          []*run // oldest first
	hooks         []*hook

	parent       *repo   // that it is a fork of
	forks        []*repo // of it
	allowForking bool    // of an organisation's private repository
	noIssues     bool
	archived     bool
	topics       []string
	milestones   []*milestone // as they were made

	lastMilestone int    // number given last
	actions       string // actionsOn, actionsOfFork, actionsOff
	merging       merging
	actionsPulls  bool          // jobs may open and approve pull requests
	actionsTokens string        // what their tokens may by default: tokensRead, tokensWrite; "" is what the organisation says
	approval      string        // one of ApprovalPolicies; "" is the organisation's
	pulls         []*issue      // those of issues that are pull requests, by number
	outgoing      []*issue      // pull requests of other repositories whose head is here
	protections   []*Protection // by branch
	checks        []*check      // as they were made
	suites        []*suite      // likewise
	statuses      []*status     // likewise
	releases      []*Release    // likewise
	latestRelease int64         // that somebody called the latest; 0 is none
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
func (s *State) CreateRepo(who Identity, owner string, in NewRepo, prepare func(id int64) error) (wire.FullRepository, error) {
	id, err := s.claimRepo(who, owner, in)
	if err != nil {
		return wire.FullRepository{}, err
	}
	if err := prepare(id); err != nil {
		return wire.FullRepository{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// Checked again: the name may have been taken while the directory was made.
	o, err := s.newRepoOwner(who, owner, in)
	if err != nil {
		return wire.FullRepository{}, err
	}
	now := s.now()
	r := &repo{
		id: id, owner: o, name: in.Name, description: in.Description, private: in.Private,
		defaultBranch: DefaultBranch, created: now, updated: now, pushed: now,
		refs: map[string]string{}, members: map[string]Role{}, config: newConfig(),
	}
	s.register(who, r)
	return s.viewWhole(who, r), nil
}

// register makes a new repository known, with what each has from the start.
func (s *State) register(who Identity, r *repo) {
	if i := who.tok.install; i != nil && i.selected != nil { // what an app made is its own
		i.selected[r.id] = true
	}
	if r.org() != nil && !r.owner.members[key(who.Login)].owner && !who.App() {
		r.members[key(who.Login)] = Admin
	}
	r.actionsPulls = r.owner.actionsPulls
	s.repos[key(r.fullName())] = r
	for _, l := range defaultLabels() {
		s.addLabel(r, l)
	}
	s.event(who, r, "repository", wire.Event{Action: "created"}, r.fullName())
}

func (s *State) claimRepo(who Identity, owner string, in NewRepo) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.newRepoOwner(who, owner, in); err != nil {
		return 0, err
	}
	return s.nextID(nounRepo), nil
}

// newRepoOwner checks that who may create the repository, and returns its owner.
func (s *State) newRepoOwner(who Identity, owner string, in NewRepo) (*account, error) {
	o, err := s.repoOwner(who, owner)
	if err != nil {
		return nil, err
	}
	if in.Name == "" {
		return nil, wire.Invalid(wire.FieldError{Resource: "Repository", Field: "name", Code: "missing_field"})
	}
	if err := checkRepoName(in.Name); err != nil {
		return nil, err
	}
	if s.repos[key(o.login+"/"+in.Name)] != nil {
		return nil, badRepoName("name already exists on this account")
	}
	return o, nil
}

func checkRepoName(name string) error {
	if !repoForm.MatchString(name) || name == "." || name == ".." || strings.HasSuffix(name, ".git") {
		return badRepoName("The repository name can only contain ASCII letters, digits, and the characters ., -, and _.")
	}
	return nil
}

func badRepoName(why string) error {
	e := wire.Invalid(wire.FieldError{Resource: "Repository", Field: "name", Code: "custom", Message: why})
	e.Message = "Repository creation failed."
	return e
}

// repoOwner checks that who may make repositories of an owner, and returns the owner; "" is who himself.
func (s *State) repoOwner(who Identity, owner string) (*account, error) {
	if who.Anonymous() {
		return nil, wire.RequiresAuthentication()
	}
	o := s.accounts[key(who.Login)]
	if owner != "" {
		if o = s.accounts[key(owner)]; o == nil || o.kind != kindOrg {
			return nil, wire.NotFound()
		}
	}
	installed := who.tok.installedOn(o) && owner != ""
	if !who.tok.grants("administration", "write") || who.tok.narrow() && !installed || !who.tok.ownedBy(o) {
		return nil, who.refused()
	}
	if !who.scoped("public_repo", "repo") {
		return nil, wire.NotFound()
	}
	if owner != "" && !installed {
		if _, ok := o.members[key(who.Login)]; !ok {
			return nil, wire.Forbidden("You need admin access to the organization before adding a repository to it.")
		}
	}
	return o, nil
}

// Repo returns a repository as who sees it.
func (s *State) Repo(who Identity, full string) (wire.FullRepository, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadMetadata)
	if err != nil {
		return wire.FullRepository{}, err
	}
	return s.viewWhole(who, r), nil
}

// RepoEdit changes what is not nil.
type RepoEdit struct {
	Private       *bool
	Description   *string
	DefaultBranch *string
	AllowForking  *bool
	HasIssues     *bool
	Archived      *bool
	Merging       MergingEdit
}

// EditRepo changes settings of a repository. retarget moves git's HEAD and is called while the
// lock is held by nobody, before the change.
func (s *State) EditRepo(who Identity, full string, e RepoEdit, retarget func(id int64, branch string) error) (wire.FullRepository, error) {
	s.mu.Lock()
	r, err := s.openEdit(who, full, e)
	if err != nil {
		s.mu.Unlock()
		return wire.FullRepository{}, err
	}
	plain := r.plain()
	s.mu.Unlock()
	if e.DefaultBranch != nil {
		if plain.Refs["refs/heads/"+*e.DefaultBranch] == "" {
			return wire.FullRepository{}, wire.Invalid(wire.FieldError{Resource: "Repository", Field: "default_branch", Code: "invalid",
				Message: fmt.Sprintf("The branch %s was not found. Please push that ref first or create it via the Git Data API.", *e.DefaultBranch)})
		}
		if err := retarget(plain.ID, *e.DefaultBranch); err != nil {
			return wire.FullRepository{}, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, err = s.openEdit(who, full, e); err != nil {
		return wire.FullRepository{}, err
	}
	if err := r.checkEdit(e); err != nil {
		return wire.FullRepository{}, err
	}
	merging, err := e.Merging.apply(r.merging)
	if err != nil {
		return wire.FullRepository{}, err
	}
	r.merging = merging
	s.applyEdit(who, r, e)
	return s.viewWhole(who, r), nil
}

func (r *repo) checkEdit(e RepoEdit) error {
	if e.Private != nil && *e.Private != r.private && r.parent != nil {
		return wire.Unprocessable("For security reasons, you cannot change the visibility of a fork.")
	}
	if e.AllowForking != nil && r.org() == nil {
		return wire.Unprocessable("Allow forks setting can only be changed on org-owned repositories")
	}
	return nil
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
	if e.AllowForking != nil {
		r.allowForking = *e.AllowForking
	}
	if e.HasIssues != nil {
		r.noIssues = !*e.HasIssues
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
			r.leaveNetwork()
		} else {
			r.standAlone()
		}
		s.event(who, r, "repository", wire.Event{Action: action}, r.fullName())
	}
	s.applyArchived(who, r, e.Archived)
}

// DeleteRepo forgets a repository, with its forks if it is private, and returns their ids, so that their
// directories can be removed.
func (s *State) DeleteRepo(who Identity, full string) ([]int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, DeleteRepo)
	if err != nil {
		return nil, err
	}
	return s.dropRepo(who, r), nil
}

func (s *State) dropRepo(who Identity, r *repo) []int64 {
	var gone []int64
	if r.private {
		for _, f := range slices.Clone(r.forks) {
			gone = append(gone, s.dropRepo(who, f)...)
		}
	}
	s.event(who, r, "repository", wire.Event{Action: "deleted"}, r.fullName())
	delete(s.repos, key(r.fullName()))
	s.forgetPulls(who, r)
	for _, h := range r.hooks {
		h.gone = true
	}
	s.forgetRuns(r)
	r.owner.config.forget(r.id)
	for _, t := range r.owner.teams {
		delete(t.repos, r.id)
	}
	for _, i := range s.installs {
		delete(i.selected, r.id)
	}
	r.leaveNetwork()
	return append(gone, r.id)
}

func (s *State) viewRepo(r *repo) wire.Repository {
	open := 0
	for _, i := range r.issues {
		if i.state == stateOpen {
			open++
		}
	}
	v := wire.Repository{
		ShortRepository: wire.ShortRepository{ID: r.id, Name: r.name, Private: r.private, Owner: s.viewAccount(r.owner), Description: optional(r.description), Fork: r.parent != nil}, Archived: r.archived,

		CreatedAt: wire.Time{Time: r.created}, UpdatedAt: wire.Time{Time: r.updated}, PushedAt: wire.Time{Time: r.pushed},
		HasIssues: !r.noIssues, HasProjects: true, HasDownloads: true, HasWiki: true, AllowForking: r.mayBeForked(),
		Forks: len(r.forks), ForksCount: len(r.forks),
		OpenIssuesCount: open, OpenIssues: open, Topics: r.viewTopics(), Visibility: "public", DefaultBranch: r.defaultBranch,
	}
	if r.private {
		v.Visibility = "private"
	}
	v.Link(s.base)
	return v
}

// viewWhole is a repository as it is shown alone: with where it comes from, as far as who can see that.
func (s *State) viewWhole(who Identity, r *repo) wire.FullRepository {
	v := wire.FullRepository{Repository: s.viewRepoFor(who, r)}
	if r.owner.kind == kindOrg {
		v.Organization = &v.Owner
	}
	if v.Permissions != nil && v.Permissions.Push {
		v.MergeSettings = r.merging.view()
	}
	if r.parent != nil && s.roleFor(who, r.parent) >= Read {
		parent := s.viewRepo(r.parent)
		v.Parent = &parent
	}
	if source := r.source(); source != r && s.roleFor(who, source) >= Read {
		from := s.viewRepo(source)
		v.Source = &from
	}
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
