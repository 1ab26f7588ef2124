package forge

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/clock"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
)

// ActionsLogin is the account that a job's own token (GITHUB_TOKEN) acts as. It exists in every
// forge.
const ActionsLogin = state.ActionsLogin

// Admin sets a forge up and hands it what happened outside of it. It asks nobody for permission.
// What is absent is driver.ErrNotFound.
// Repositories are named "owner/name". Its methods may be called from any goroutine; whoever
// changes things through it holds an obligation in the ledger meanwhile.
type Admin struct {
	server  *Server
	ledger  *ledger.Ledger
	journal *journal.Journal
	state   *state.State
	git     *gitstore.Store
	now     func() time.Time
	clock   *clock.Clock
	dir     string

	advancing sync.Mutex
	scheduler Scheduler

	workflows workflowFiles
}

// What Journal and Ledger return has names, so that other modules can pass it on.
type (
	// Journal holds what happened, in order; Entries(0) is all of it.
	Journal = journal.Journal
	// Entry is one thing that happened, with its cause.
	Entry = journal.Entry
	// Ledger counts the work that is going on.
	Ledger = ledger.Ledger
	// Clock is where shown times come from.
	Clock = clock.Clock
)

// The kinds of entries.
const (
	Change = journal.Change
	Read   = journal.Read
)

// APIURL returns the root of the REST API, without a slash at the end.
func (a *Admin) APIURL() string { return a.server.APIURL() }

// Ledger returns the ledger that counts the forge's open requests.
func (a *Admin) Ledger() *Ledger { return a.ledger }

// Journal returns the journal that holds the forge's events and requests.
func (a *Admin) Journal() *Journal { return a.journal }

// User describes an account of a person or, with Bot, of a program.
type User = driver.NewUser

// AddUser makes an account. A login that exists, in any case, is driver.ErrConflict.
func (a *Admin) AddUser(u User) error {
	return wrap("add user", a.conflict(u.Login, a.state.AddUser(u.Login, u.Name, u.Bot)))
}

// AddOrg makes an organisation. Its owners are accounts that exist; they may do everything in it. A
// login that exists is driver.ErrConflict.
func (a *Admin) AddOrg(login string, owners ...string) error {
	return wrap("add organisation", a.conflict(login, a.state.AddOrg(login, owners)))
}

// conflict says of an account that could not be made whether that is because it is there.
func (a *Admin) conflict(login string, err error) error {
	if err == nil {
		return nil
	}
	if _, absent := a.state.Account(login); absent == nil {
		return fmt.Errorf("%w: %w", err, driver.ErrConflict)
	}
	return err
}

// SetOrgRole gives an account a role in every repository of an organisation: admin, maintain,
// write, triage, read, or none to take it away. It makes the account a member. An owner may
// administer the organisation itself as well.
func (a *Admin) SetOrgRole(org, login, role string) error {
	if role == "owner" {
		return wrap("set role in "+org, a.state.SetOrgOwner(org, login))
	}
	r, err := state.ParseRole(role)
	if err == nil {
		err = a.state.SetOrgRole(org, login, r)
	}
	return wrap("set role in "+org, err)
}

// TokenSpec says whose token it is, what it may do and what is done on whose behalf with it.
type TokenSpec = driver.NewToken

// MintToken makes a token and returns its value, which begins with ghp_ or, when it is fine-grained,
// github_pat_ or, for an installation, ghs_. The forge keeps a digest only.
func (a *Admin) MintToken(t TokenSpec) (string, error) {
	value, err := a.state.MintToken(state.TokenSpec(t))
	return value, wrap("mint token", err)
}

// Mark sets the cause of what is done with Kit tokens from now on.
func (a *Admin) Mark(cause string) { a.state.Mark(cause) }

// Alias returns another value for a live token: the same account and permissions, a fixed cause.
// It ends with the token. ok is false when the value is no live token, as for any other secret.
func (a *Admin) Alias(token, cause string) (alias string, ok bool) {
	return a.state.Alias(token, cause)
}

// RevokeToken ends a token and its aliases. A value that is no token is no error.
func (a *Admin) RevokeToken(token string) { a.state.RevokeToken(token) }

// Secrets returns the Actions secrets that a repository sees in the clear: its own, before those that
// its organisation has for it.
func (a *Admin) Secrets(repo string) (map[string]string, error) {
	m, err := a.state.AllSecrets(repo)
	return m, wrap("read secrets of "+repo, err)
}

// Variables returns the Actions variables that a repository sees: its own, before those that its
// organisation has for it.
func (a *Admin) Variables(repo string) (map[string]string, error) {
	m, err := a.state.AllVariables(repo)
	return m, wrap("read variables of "+repo, err)
}

// Deploy returns what a job that names an environment gets from it, in the clear: the environment's own
// variables and secrets. An environment that is not there is made, as at GitHub.
func (a *Admin) Deploy(repo, environment string) (variables, secrets map[string]string, err error) {
	variables, secrets, err = a.state.Deploy(repo, environment)
	return variables, secrets, wrap("deploy "+repo+" to "+environment, err)
}

// DefaultBranch returns the name of a repository's default branch, such as "main".
func (a *Admin) DefaultBranch(repo string) (string, error) {
	r, err := a.state.Find(repo)
	return r.DefaultBranch, wrap("read default branch", err)
}

// ResolveRef returns the commit that ref names: a branch, a tag, a full ref or a hash; "" is the
// default branch.
func (a *Admin) ResolveRef(repo, ref string) (sha string, err error) {
	r, err := a.state.Find(repo)
	if err == nil {
		if ref == "" {
			ref = "refs/heads/" + r.DefaultBranch
		}
		sha, err = a.git.Open(r.ID).Resolve(r.Refs, ref)
	}
	if errors.Is(err, driver.ErrNotFound) {
		err = a.unread(repo, r, ref, err)
	}
	return sha, wrap(fmt.Sprintf("resolve %q in %s", ref, repo), err)
}

// unread tells a commit that cannot be read from one that is not there: what a branch of a repository that
// still exists has as its head must be. Nobody is to take the one for the other, as then nothing runs, and nobody
// hears of it.
func (a *Admin) unread(repo string, was state.Repo, sha string, err error) error {
	now, there := a.still(repo, was.ID)
	if !there {
		return err
	}
	for ref, head := range now.Refs {
		if head == sha && was.Refs[ref] == sha {
			return fmt.Errorf("%s is the head of %s and cannot be read: %v", sha, ref, err)
		}
	}
	return err
}

// still returns the repository of that name if it is the same as before: it may have been deleted meanwhile, and
// another one made.
func (a *Admin) still(repo string, id int64) (state.Repo, bool) {
	now, err := a.state.Find(repo)
	return now, err == nil && now.ID == id
}

// DisabledWorkflows lists the paths of a repository's workflows that start no runs: somebody disabled them, or
// nobody has enabled them since they came with a fork. files are paths of workflows that nobody may have asked
// for yet.
func (a *Admin) DisabledWorkflows(repo string, files ...string) []string {
	return a.state.Disabled(repo, files)
}

// JobsWrite reports whether the tokens of a repository's jobs write by default, as default_workflow_permissions says.
func (a *Admin) JobsWrite(repo string) bool { return a.state.JobsWrite(repo) }

// wrap names what was tried; nil stays nil. What is not there is driver.ErrNotFound to callers.
func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	var w *wire.Error
	if errors.Is(err, gitstore.ErrNotFound) || errors.As(err, &w) && w.Code() == http.StatusNotFound {
		return fmt.Errorf("%s: %v: %w", what, err, driver.ErrNotFound)
	}
	return fmt.Errorf("%s: %w", what, err)
}
