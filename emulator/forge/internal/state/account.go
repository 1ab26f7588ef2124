package state

import (
	"fmt"
	"regexp"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// The types of accounts.
const (
	kindUser = "User"
	kindBot  = "Bot"
	kindOrg  = "Organization"
)

type account struct {
	id      int64
	login   string
	name    string
	kind    string
	created time.Time
	view    wire.User

	// Of an organisation.
	members map[string]member // by lower-case login
	invited map[string]bool   // who may become a member, and whether as an owner; by lower-case login
	config  config
	hooks   []*hook

	actionsTokens string // of the jobs of its repositories: tokensRead, tokensWrite; "" is read
	actionsPulls  bool   // of its new repositories
	approval      string // one of ApprovalPolicies; "" is GitHub's

	base      *Role                 // of members, in all repositories; nil is Read
	roles     map[int64]*customRole // for members, in all of it
	repoRoles map[int64]*customRole // for collaborators
	granted   map[string][]int64    // roles of members, by lower-case login
	teams     map[int64]*team
}

// member belongs to an organisation, and has a role in all its repositories.
type member struct {
	login  string
	owner  bool
	role   Role
	public bool // everybody may know that he is one
}

// loginForm is what an account may be called; a bot's login ends in "[bot]".
var loginForm = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9])?(?:\[bot\])?$`)

// reserved are first path segments that are not accounts.
func reserved(login string) bool {
	switch key(login) {
	case "api", "repos", "user", "users", "orgs", "raw", "rate_limit", "app", "apps", "graphql",
		"installation", "meta", "search", "signed", "avatars":
		return true
	}
	return false
}

// AddUser makes an account of a person or, with bot, a program.
func (s *State) AddUser(login, name string, bot bool) error {
	kind := kindUser
	if bot {
		kind = kindBot
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newAccount(login, name, kind)
}

// AddOrg makes an organisation owned by the given accounts.
func (s *State) AddOrg(login string, owners []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range owners {
		if s.accounts[key(o)] == nil {
			return fmt.Errorf("owner %q is no account", o)
		}
	}
	if err := s.newAccount(login, login, kindOrg); err != nil {
		return err
	}
	org := s.accounts[key(login)]
	for _, o := range owners {
		org.members[key(o)] = member{login: s.accounts[key(o)].login, owner: true, role: Admin}
	}
	return nil
}

func (s *State) newAccount(login, name, kind string) error {
	if !loginForm.MatchString(login) {
		return fmt.Errorf("login %q: want letters, digits and hyphens", login)
	}
	if reserved(login) {
		return fmt.Errorf("login %q is a reserved path of the API", login)
	}
	if s.accounts[key(login)] != nil {
		return fmt.Errorf("login %q exists already", login)
	}
	s.addAccount(login, name, kind)
	return nil
}

func (s *State) addAccount(login, name, kind string) {
	id := s.nextID(nounAccount)
	s.accounts[key(login)] = &account{
		id: id, login: login, name: name, kind: kind, created: s.now(),
		view: wire.NewUser(s.base, id, login, kind), members: map[string]member{}, invited: map[string]bool{}, config: newConfig(),
	}
}

// SetOrgRole gives an account a role in every repository of an organisation; None takes it away.
func (s *State) SetOrgRole(org, login string, role Role) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, a := s.accounts[key(org)], s.accounts[key(login)]
	if o == nil || o.kind != kindOrg {
		return fmt.Errorf("%q is no organisation", org)
	}
	if a == nil {
		return fmt.Errorf("%q is no account", login)
	}
	if role == None {
		o.dismiss(login)
		return nil
	}
	m := o.members[key(login)]
	m.login, m.role = a.login, role
	o.members[key(login)] = m
	return nil
}

// SetOrgOwner makes an account an owner of an organisation.
func (s *State) SetOrgOwner(org, login string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, a := s.accounts[key(org)], s.accounts[key(login)]
	if o == nil || o.kind != kindOrg {
		return fmt.Errorf("%q is no organisation", org)
	}
	if a == nil {
		return fmt.Errorf("%q is no account", login)
	}
	m := o.members[key(login)]
	m.login, m.owner, m.role = a.login, true, Admin
	o.members[key(login)] = m
	return nil
}

// Account returns the profile of an account.
func (s *State) Account(login string) (wire.Profile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[key(login)]
	if a == nil {
		return wire.Profile{}, wire.NotFound()
	}
	p := wire.Profile{User: s.viewAccount(a), Name: optional(a.name), CreatedAt: wire.Time{Time: a.created}, UpdatedAt: wire.Time{Time: a.created}}
	for _, r := range s.repos {
		if r.owner == a && !r.private {
			p.PublicRepos++
		}
	}
	return p, nil
}

func (s *State) viewAccount(a *account) wire.User {
	return a.view
}

// viewLogin is viewAccount for a login that may have no account any more.
func (s *State) viewLogin(login string) wire.User {
	if a := s.accounts[key(login)]; a != nil {
		return s.viewAccount(a)
	}
	return wire.NewUser(s.base, 0, login, kindUser)
}

// Email returns the address that commits made for an account carry.
func (s *State) Email(login string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.email(login)
}

func (s *State) email(login string) string {
	if a := s.accounts[key(login)]; a != nil {
		return fmt.Sprintf("%d+%s@users.noreply.github.com", a.id, a.login)
	}
	return login + "@users.noreply.github.com"
}

// ByEmail returns the account that an address of Email belongs to, or nil.
func (s *State) ByEmail(email string) *wire.User {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.accountByEmail(email); a != nil {
		u := s.viewAccount(a)
		return &u
	}
	return nil
}

func (s *State) accountByEmail(email string) *account {
	for _, a := range s.accounts {
		if s.email(a.login) == email {
			return a
		}
	}
	return nil
}
