package state

import (
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/scope"
)

// EveryScope are the scopes that include all others: those of a token that may all that its account may.
func EveryScope() []string {
	return slices.DeleteFunc(scope.Classic(), func(name string) bool { return scope.Wider(name) != "" })
}

// parseScopes returns the scopes of a classic token in order, without those that another includes, as GitHub shows
// them.
func parseScopes(in []string) ([]string, error) {
	out := []string{}
	for _, name := range in {
		if !slices.Contains(scope.Classic(), name) {
			return nil, fmt.Errorf("scope %q is unknown: want some of %s", name, strings.Join(scope.Classic(), ", "))
		}
		covered := false
		for up := scope.Wider(name); up != ""; up = scope.Wider(up) {
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
	for _, name := range anyOf {
		for ; name != ""; name = scope.Wider(name) {
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

// ShownScopes are what a classic token has, nil for all, and those that the request would have been content with;
// classic is false for all other tokens.
func (i Identity) ShownScopes() (has, wanted []string, classic bool) {
	if i.tok == nil || !i.tok.classic() {
		return nil, nil, false
	}
	if i.asked != nil {
		slices.Sort(i.asked.scopes)
		wanted = slices.Compact(i.asked.scopes)
	}
	return i.tok.scopes, wanted, true
}
