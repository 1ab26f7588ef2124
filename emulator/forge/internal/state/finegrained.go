package state

import (
	"fmt"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// fine makes a token fine-grained: it acts in the repositories of one owner, which is its account or an
// organisation that the account is a member of, and has permissions instead of scopes. It reads what is
// public, as everybody does.
// https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/managing-your-personal-access-tokens
func (s *State) fine(t *token, a *account, spec TokenSpec) error {
	name := spec.Owner
	if name == "" {
		name = a.login
		if spec.Repo != "" {
			name = Repo{FullName: spec.Repo}.Owner()
		}
	}
	owner := s.accounts[key(name)]
	if owner == nil || owner != a && owner.kind != kindOrg {
		return fmt.Errorf("resource owner %q is neither %s nor an organisation", name, a.login)
	}
	if _, member := owner.members[key(a.login)]; owner != a && !member {
		return fmt.Errorf("resource owner: %s is no member of %s", a.login, owner.login)
	}
	t.owner = key(owner.login)
	if t.permissions == nil {
		t.permissions = map[string]string{}
	}
	if spec.Repositories == nil {
		return nil
	}
	t.only = map[int64]bool{}
	for _, full := range spec.Repositories {
		r := s.repos[key(full)]
		if r == nil || r.owner != owner {
			return fmt.Errorf("%s has no repository %q", owner.login, full)
		}
		t.only[r.id] = true
	}
	return nil
}

// refused is the answer to a token whose permissions do not suffice, or that is for something else.
func (i Identity) refused() *wire.Error {
	if i.tok != nil && i.tok.owner != "" {
		return wire.NotByToken()
	}
	return wire.NotByIntegration()
}
