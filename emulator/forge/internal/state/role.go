package state

import (
	"fmt"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// Role is what somebody is in a repository. A higher role may all that a lower one may.
type Role int

// The roles, lowest first.
const (
	None Role = iota
	Read
	Triage
	Write
	Maintain
	Admin
)

func roleNames() []string { return []string{"none", "read", "triage", "write", "maintain", "admin"} }

// String returns the role's name in the dialect.
func (r Role) String() string { return roleNames()[r] }

// ParseRole reads a role's name. The collaborator API's older names pull and push are read as well.
func ParseRole(name string) (Role, error) {
	switch name {
	case "pull":
		return Read, nil
	case "push":
		return Write, nil
	}
	for i, n := range roleNames() {
		if n == name {
			return Role(i), nil
		}
	}
	return None, fmt.Errorf("role %q: want one of %s", name, strings.Join(roleNames(), ", "))
}

// legacy returns the coarse permission that older clients read.
func (r Role) legacy() string {
	switch r {
	case Admin:
		return "admin"
	case Maintain, Write:
		return "write"
	case Triage, Read:
		return "read"
	}
	return "none"
}

func (r Role) permissions() wire.Permissions {
	return wire.Permissions{Admin: r >= Admin, Maintain: r >= Maintain, Push: r >= Write, Triage: r >= Triage, Pull: r >= Read}
}

// Need is what a request wants to do in a repository.
type Need int

// The needs.
const (
	ReadMetadata Need = iota
	ReadContents
	WriteContents
	ReadIssues
	WriteIssues  // open, comment
	TriageIssues // label, close another's
	EditLabels   // of the repository
	ReadPulls
	WritePulls  // open
	TriagePulls // label, close another's
	TendPulls   // change another's
	ReadActions
	WriteActions
	ReadVariables
	WriteVariables
	ReadSecrets
	WriteSecrets
	ReadEnvironment // its variables and secrets
	WriteEnvironment
	Administer
	DeleteRepo
	ReadSettings // that administrators change
	EditTopics
	ForkRepo
	Collaborate // see who may what
	ReadHooks
	WriteHooks
	ReadChecks
	WriteChecks
	ReadStatuses
	WriteStatuses
)

// rule returns the token permission and the role that a need asks for.
func (n Need) rule() (scope, level string, role Role) {
	switch n {
	case ReadContents:
		return "contents", "read", Read
	case WriteContents:
		return "contents", "write", Write
	case ReadIssues:
		return "issues", "read", Read
	case WriteIssues:
		return "issues", "write", Read
	case TriageIssues:
		return "issues", "write", Triage
	case EditLabels:
		return "issues", "write", Write
	case ReadPulls:
		return "pull_requests", "read", Read
	case WritePulls:
		return "pull_requests", "write", Read
	case TriagePulls:
		return "pull_requests", "write", Triage
	case TendPulls:
		return "pull_requests", "write", Write
	case ReadActions:
		return "actions", "read", Read
	case WriteActions:
		return "actions", "write", Write
	case ReadVariables:
		return "actions_variables", "read", Write
	case WriteVariables:
		return "actions_variables", "write", Write
	case ReadSecrets:
		return "secrets", "read", Write
	case WriteSecrets:
		return "secrets", "write", Write
	case ReadEnvironment:
		return "environments", "read", Write
	case WriteEnvironment:
		return "environments", "write", Write
	case Administer, DeleteRepo, ReadSettings, EditTopics, ForkRepo:
		return n.administration()
	case Collaborate:
		return "metadata", "read", Write
	case ReadHooks:
		return "repository_hooks", "read", Admin
	case WriteHooks:
		return "repository_hooks", "write", Admin
	case ReadChecks:
		return "checks", "read", Read
	case WriteChecks:
		return "checks", "write", Write
	case ReadStatuses:
		return "statuses", "read", Read
	case WriteStatuses:
		return "statuses", "write", Write
	}
	return "metadata", "read", Read
}

// administration is rule for what the permission of that name covers.
func (n Need) administration() (scope, level string, role Role) {
	level, role = "write", Admin
	switch n {
	case ReadSettings:
		level = "read"
	case EditTopics:
		role = Maintain
	case ForkRepo:
		role = Read
	}
	return "administration", level, role
}

// inEnvironment is the need for the same in an environment, where one permission covers variables and secrets.
func (n Need) inEnvironment() Need {
	if _, level, _ := n.rule(); level == "read" {
		return ReadEnvironment
	}
	return WriteEnvironment
}

// ofOrg is the permission of an installation for the same in an organisation.
func (n Need) ofOrg() (scope, level string) {
	scope, level, _ = n.rule()
	return "organization_" + scope, level
}

// roleOf returns what an account is in a repository; a is nil for nobody in particular.
func (s *State) roleOf(a *account, r *repo) Role {
	role := None
	if !r.private {
		role = Read
	}
	if a == nil {
		return role
	}
	if r.owner == a {
		return Admin
	}
	if m, ok := r.owner.members[key(a.login)]; ok {
		if m.owner {
			return Admin
		}
		role = max(role, m.role, r.owner.baseRole(), r.owner.baseOf(a.login), r.owner.teamRole(a.login, r))
	}
	return max(role, r.members[key(a.login)])
}

// roleFor is roleOf as far as the token reaches.
func (s *State) roleFor(who Identity, r *repo) Role {
	if who.tok == nil {
		return s.roleOf(nil, r)
	}
	if !who.tok.reaches(r) {
		return s.roleOf(nil, r)
	}
	if r.private && !who.tok.scoped("repo") {
		return s.roleOf(nil, r)
	}
	role := s.ownRole(who, r)
	if who.tok.app {
		role = max(role, Read) // the installation itself gives sight of the repository
	}
	return role
}

// open finds a repository for a need, or gives the answer that GitHub gives. The caller holds the lock.
func (s *State) open(who Identity, full string, need Need) (*repo, error) {
	r := s.repos[key(full)]
	if r == nil || !s.sees(who, r, need) {
		return nil, wire.NotFound()
	}
	if err := s.allow(who, r, need); err != nil {
		return nil, err
	}
	return r, nil
}

// visible finds a repository that who can see. The caller holds the lock.
func (s *State) visible(who Identity, full string) (*repo, error) {
	r := s.repos[key(full)]
	if r == nil || s.roleFor(who, r) < Read {
		return nil, wire.NotFound()
	}
	return r, nil
}

// on is the need when it is about this issue: to a pull request, permission for issues and for pull
// requests are as good as each other.
// https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps#repository-permissions-for-pull-requests
func (n Need) on(who Identity, i *issue) Need {
	if i == nil || i.pull == nil {
		return n
	}
	forPulls := n
	switch n {
	case ReadIssues:
		forPulls = ReadPulls
	case WriteIssues:
		forPulls = WritePulls
	case TriageIssues:
		forPulls = TriagePulls
	case EditLabels:
		forPulls = TendPulls
	}
	if who.tok != nil {
		issues, level, _ := n.rule()
		if pulls, _, _ := forPulls.rule(); !who.tok.grants(pulls, level) && who.tok.grants(issues, level) {
			return n
		}
	}
	return forPulls
}

// allow decides whether who may do need in a repository that he can see. Who may not is told that first.
func (s *State) allow(who Identity, r *repo, need Need) error {
	if err := s.permit(who, r, need); err != nil {
		return err
	}
	return r.writable(need)
}

// permit is allow, whether or not the repository is archived.
func (s *State) permit(who Identity, r *repo, need Need) error {
	scope, level, role := need.rule()
	who.ask(scope, level)
	public := !r.private && role == Read && level == "read"
	if who.tok == nil {
		if public {
			return nil
		}
		return wire.RequiresAuthentication()
	}
	if !who.tok.reaches(r) && !public {
		return who.refused()
	}
	if !who.tok.grants(scope, level) && !public {
		return who.refused()
	}
	if who.tok.app {
		return nil
	}
	if err := s.inScope(who, r, need, public); err != nil {
		return err
	}
	if s.ownRole(who, r) >= role {
		return nil
	}
	switch need {
	case WriteContents, WriteActions, TendPulls:
		return wire.Forbidden("Must have push access to repository")
	case Collaborate:
		return wire.Forbidden("Must have push access to view collaborator permission.")
	case ReadHooks, WriteHooks:
		return wire.NotFound()
	}
	return wire.NeedsAdmin()
}

func (t *token) grants(scope, level string) bool {
	if t.permissions == nil || scope == "metadata" && level == "read" {
		return true
	}
	have := t.permissions[scope]
	return have == "write" || have == level
}

// Repo is a repository as the git side needs it.
type Repo struct {
	ID            int64
	FullName      string
	DefaultBranch string
	Private       bool
	Refs          map[string]string // full name → hash
}

// Owner is the login of whose it is.
func (r Repo) Owner() string {
	owner, _, _ := strings.Cut(r.FullName, "/")
	return owner
}

// Authorize returns the repository when who may do need in it.
func (s *State) Authorize(who Identity, full string, need Need) (Repo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, need)
	if err != nil {
		return Repo{}, err
	}
	return r.plain(), nil
}

// Find returns the repository whatever anybody may do.
func (s *State) Find(full string) (Repo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[key(full)]
	if r == nil {
		return Repo{}, fmt.Errorf("repository %s: %w", full, driver.ErrNotFound)
	}
	return r.plain(), nil
}
