package state

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// digest is the SHA-256 of a token. Only digests are kept and compared.
type digest [sha256.Size]byte

// TokenSpec says what a token may do, and on whose account.
type TokenSpec struct {
	Login        string
	Kit          bool   // made by the kit for an actor; its cause follows Mark
	Quiet        bool   // reads made with it hold back nobody
	Cause        string // fixed cause, without Kit
	Repo         string // "owner/name"; "" is all
	Permissions  map[string]string
	StartsNoRuns bool
	Name         string // said in errors and lists instead of the value
	Scopes       []string
	Owner        string
	Repositories []string
	Installation int64
	Expires      time.Time
}

type token struct {
	digest      digest
	login       string
	kit         bool
	quiet       bool
	cause       string
	repo        string            // lower-case full name, "" is all
	permissions map[string]string // nil is all that the account may
	scopes      []string          // of a classic token; nil is all
	owner       string            // lower-case login of a fine-grained token's resource owner; "" is none
	app         bool              // the permissions stand for a role: the token of a program's installation
	noRuns      bool
	name        string
	parent      *token
	install     *installation  // that it acts for; nil is none
	only        map[int64]bool // of the installation's repositories; nil is all
	expires     time.Time      // zero: it does not
	revoked     bool
}

// reaches reports whether the token is for a repository at all, whatever it may do there.
func (t *token) reaches(r *repo) bool {
	if t.repo != "" && t.repo != key(r.fullName()) || t.only != nil && !t.only[r.id] || t.owner != "" && t.owner != key(r.owner.login) {
		return false
	}
	return t.install == nil || t.install.covers(r)
}

// narrow reports whether the token is for fewer repositories than its account, and no person's own.
func (t *token) narrow() bool { return t.owner == "" && (t.repo != "" || t.install != nil) }

func (t *token) alive(now func() time.Time) bool {
	for ; t != nil; t = t.parent {
		if t.revoked || t.install != nil && !t.install.works() || !t.expires.IsZero() && !t.expires.After(now()) {
			return false
		}
	}
	return true
}

// MintToken makes a token and returns its value, which is kept nowhere.
func (s *State) MintToken(t TokenSpec) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[key(t.Login)]
	if a == nil || a.kind == kindOrg {
		return "", fmt.Errorf("%q is no user", t.Login)
	}
	rec := &token{login: a.login, kit: t.Kit, quiet: t.Quiet, cause: t.Cause, repo: key(t.Repo), noRuns: t.StartsNoRuns, name: t.Name, expires: t.Expires}
	prefix, err := s.limit(rec, a, t)
	if err != nil {
		return "", err
	}
	return s.keep(rec, prefix), nil
}

// limit gives a token what it may, and returns how values of its kind begin.
// https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/about-authentication-to-github#githubs-token-formats
func (s *State) limit(rec *token, a *account, t TokenSpec) (prefix string, err error) {
	if t.Installation != 0 {
		return "ghs_", s.forInstallation(rec, a, t)
	}
	narrowed := t.Permissions != nil || t.Owner != "" || t.Repositories != nil
	switch {
	case t.Scopes != nil && (narrowed || a.kind == kindBot):
		return "", errors.New("scopes are for the classic token of a person, permissions for all others")
	case a.kind == kindBot && (t.Owner != "" || t.Repositories != nil):
		return "", errors.New("only a person's token has a resource owner: install the app instead")
	case t.Scopes != nil:
		rec.scopes, err = parseScopes(t.Scopes)
		return "ghp_", err
	case t.Permissions != nil:
		if rec.permissions, err = parsePermissions(t.Permissions); err != nil {
			return "", err
		}
	case a.login == ActionsLogin:
		rec.permissions = map[string]string{"contents": "read", "packages": "read"}
	}
	rec.app = a.kind == kindBot && rec.permissions != nil
	switch {
	case rec.app:
		return "ghs_", nil
	case narrowed:
		return "github_pat_", s.fine(rec, a, t)
	}
	return "ghp_", nil
}

func (s *State) keep(rec *token, prefix string) string {
	raw := make([]byte, 27)
	rand.Read(raw) // never fails: it ends the program instead
	value := prefix + strings.NewReplacer("-", "A", "_", "B").Replace(base64.RawURLEncoding.EncodeToString(raw))
	rec.digest = sha256.Sum256([]byte(value))
	s.tokens[rec.digest] = rec
	return value
}

// Alias returns another value for a live token, with a fixed cause. It dies with the token.
func (s *State) Alias(value, cause string) (alias string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.lookup(value)
	if t == nil {
		return "", false
	}
	prefix := value[:strings.LastIndex(value, "_")]
	c := *t
	c.permissions, c.scopes = maps.Clone(t.permissions), slices.Clone(t.scopes)
	c.kit, c.quiet, c.cause, c.parent = false, false, cause, t
	return s.keep(&c, prefix+"_"), true
}

// RevokeToken ends a token and its aliases; an unknown value is no error.
func (s *State) RevokeToken(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.lookup(value); t != nil {
		t.revoked = true
		delete(s.tokens, t.digest)
	}
}

// Marked is what Mark set last.
func (s *State) Marked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mark
}

// Mark sets the cause of everything done with the kit's own tokens from now on.
func (s *State) Mark(cause string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mark = cause
}

func (s *State) lookup(value string) *token {
	d := digest(sha256.Sum256([]byte(value)))
	t := s.tokens[d]
	if t == nil || subtle.ConstantTimeCompare(t.digest[:], d[:]) != 1 || !t.alive(s.now) {
		return nil
	}
	return t
}

// Identity is who makes a request, and on whose behalf. The zero value is anonymous.
type Identity struct {
	Login string
	Cause string
	tok   *token
	app   *app        // with a JSON Web Token; then there is no tok
	was   *FormerRole // that is seen instead of the one that is; nil is none
	asked *asked      // what the request needed; nil for nobody
}

// asked are the permissions that one request needed, given or not. It belongs to the request.
type asked struct{ permissions, scopes []string }

func (i Identity) ask(scope, level string) {
	if i.asked == nil || i.tok.permissions == nil || scope == "metadata" {
		return
	}
	if p := strings.ReplaceAll(scope, "_", "-") + ":" + level; !slices.Contains(i.asked.permissions, p) {
		i.asked.permissions = append(i.asked.permissions, p)
	}
}

// MayWorkflows reports whether the token may bring in new and changed workflow files, beside what it may do
// with other contents. No GITHUB_TOKEN may; a classic token needs a scope of that name, others a permission.
// https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps#repository-permissions-for-workflows
func (i Identity) MayWorkflows() bool {
	return i.tok.grants("workflows", "write") && i.tok.scoped("workflow")
}

// Program reports whether the token is no person's, but of an app or a job.
func (i Identity) Program() bool { return i.tok != nil && i.tok.app }

// LacksWorkflows says, for a refusal, what kind of token brings in workflow files and what it would need.
func (i Identity) LacksWorkflows() (kind, needs string) {
	if i.Program() {
		return "a GitHub App", "`workflows` permission"
	}
	return "a Personal Access Token", "`workflow` scope"
}

// NoWorkflows is the answer to who brings in workflow files and may not.
func (i Identity) NoWorkflows() error {
	if i.tok.scopes != nil {
		return wire.NotFound()
	}
	return i.refused()
}

// AskWorkflows notes that the request brings in such files.
func (i Identity) AskWorkflows() {
	i.ask("workflows", "write")
	i.scoped("workflow")
}

// Asked are the permissions that the requests made with this identity needed, as "issues:write". They
// are known of tokens that are narrowed to permissions, and of one request until it is answered.
func (i Identity) Asked() []string {
	if i.asked == nil || i.tok.permissions == nil {
		return nil
	}
	return slices.Sorted(slices.Values(i.asked.permissions))
}

// Anonymous reports whether nobody said who he is.
func (i Identity) Anonymous() bool { return i.tok == nil && i.app == nil }

// Credential names the token for people, without its value: the account and what it was made for. Two tokens
// of an account that were made for the same share it.
func (i Identity) Credential() string {
	switch {
	case i.app != nil:
		return "app " + i.app.slug
	case i.tok == nil:
		return "anonymous"
	case i.tok.kit || i.tok.cause == "":
		return i.Login
	}
	return i.Login + " for " + i.tok.cause
}

// Kit reports whether the scenario makes the request, or lets it be made: as one of the actors.
func (i Identity) Kit() bool { return i.tok != nil && i.tok.kit }

// Quiet reports whether reads of this identity hold back nobody.
func (i Identity) Quiet() bool { return i.tok != nil && i.tok.quiet }

// App reports whether it is a program with permissions of its own, which stand for a role.
func (i Identity) App() bool { return i.app != nil || i.tok != nil && i.tok.app }

// Identify returns who a token value belongs to; "" is anonymous.
func (s *State) Identify(value string) (Identity, error) {
	if value == "" {
		return Identity{}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.lookup(value)
	if t == nil {
		return Identity{}, wire.BadCredentials()
	}
	id := Identity{Login: t.login, Cause: t.cause, tok: t, asked: &asked{}}
	if t.kit {
		id.Cause = s.mark
	}
	return id, nil
}
