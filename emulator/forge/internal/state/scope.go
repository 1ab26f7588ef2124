package state

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// wider names, for each scope of a classic token, the one that includes it; "" is none.
// https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
func wider() map[string]string {
	return map[string]string{
		"repo": "", "repo:status": "repo", "repo_deployment": "repo", "public_repo": "repo", "repo:invite": "repo", "security_events": "repo",
		"admin:repo_hook": "", "write:repo_hook": "admin:repo_hook", "read:repo_hook": "write:repo_hook",
		"admin:org": "", "write:org": "admin:org", "read:org": "write:org", "manage_runners:org": "admin:org", "admin:org_hook": "",
		"admin:public_key": "", "write:public_key": "admin:public_key", "read:public_key": "write:public_key",
		"admin:gpg_key": "", "write:gpg_key": "admin:gpg_key", "read:gpg_key": "write:gpg_key",
		"user": "", "read:user": "user", "user:email": "user", "user:follow": "user",
		"project": "", "read:project": "project", "write:discussion": "", "read:discussion": "write:discussion",
		"write:packages": "", "read:packages": "write:packages", "delete:packages": "",
		"delete_repo": "", "workflow": "", "gist": "", "notifications": "", "codespace": "", "audit_log": "", "read:audit_log": "audit_log",
	}
}

// Scopes are all scopes that a classic token can have, in order.
func Scopes() []string { return slices.Sorted(maps.Keys(wider())) }

// EveryScope are the scopes that include all others: those of a token that may all that its account may.
func EveryScope() []string {
	var out []string
	for name, in := range wider() {
		if in == "" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// parseScopes returns the scopes of a classic token in order, without those that another includes, as GitHub shows
// them.
func parseScopes(in []string) ([]string, error) {
	known := wider()
	out := []string{}
	for _, name := range in {
		if _, ok := known[name]; !ok {
			return nil, fmt.Errorf("scope %q is unknown: want some of %s", name, strings.Join(Scopes(), ", "))
		}
		covered := false
		for up := known[name]; up != ""; up = known[up] {
			covered = covered || slices.Contains(in, up)
		}
		if !covered {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// classic reports whether what the token may beside its account's role is said by scopes.
func (t *token) classic() bool { return t.permissions == nil && !t.app && t.install == nil }

// scoped reports whether the token has one of the scopes, or one that includes one; a token that is not
// classic needs none.
func (t *token) scoped(anyOf ...string) bool {
	if t.scopes == nil {
		return true
	}
	known := wider()
	for _, name := range anyOf {
		for ; name != ""; name = known[name] {
			if slices.Contains(t.scopes, name) {
				return true
			}
		}
	}
	return false
}

// scoped is token.scoped, and notes what the request would have been content with.
func (i Identity) scoped(anyOf ...string) bool {
	if i.tok == nil {
		return true
	}
	if i.asked != nil && i.tok.classic() {
		i.asked.scopes = append(i.asked.scopes, anyOf...)
	}
	return i.tok.scoped(anyOf...)
}

// scopes are those of which a classic token needs one for this in a repository.
func (n Need) scopes(private bool) []string {
	whole := []string{"repo"}
	if !private {
		whole = []string{"public_repo", "repo"}
	}
	switch n {
	case DeleteRepo:
		return []string{"delete_repo"}
	case ReadStatuses, WriteStatuses:
		return append(whole, "repo:status")
	case ReadHooks:
		return append(whole, "read:repo_hook")
	case WriteHooks:
		return append(whole, "write:repo_hook")
	}
	return whole
}

// inScope decides whether the token's scopes suffice. Without them what would be changed is not there, except
// that a repository is not deleted.
func (s *State) inScope(who Identity, r *repo, need Need, public bool) error {
	if who.scoped(need.scopes(r.private)...) || public {
		return nil
	}
	if need == DeleteRepo {
		return wire.NeedsAdmin()
	}
	return wire.NotFound()
}

// sees reports whether the token shows a private repository for a need, when its account sees it: also with a scope
// for nothing else than that.
func (s *State) sees(who Identity, r *repo, need Need) bool {
	role := s.roleFor(who, r)
	if role < Read && who.tok != nil && who.tok.classic() && who.tok.scoped(need.scopes(true)...) {
		role = s.ownRole(who, r)
	}
	return role >= Read
}

// ShownScopes are what a classic token has, and those that the request would have been content with; classic is
// false for all others.
func (i Identity) ShownScopes() (has, wanted []string, classic bool) {
	if i.tok == nil || !i.tok.classic() {
		return nil, nil, false
	}
	has = i.tok.scopes
	if has == nil {
		has = EveryScope()
	}
	if i.asked != nil {
		wanted = slices.Compact(slices.Sorted(slices.Values(i.asked.scopes)))
	}
	return has, wanted, true
}
