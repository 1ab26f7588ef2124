package tracker

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
)

// Admin is the tracker from behind: what no request can do, or what a test would have to make many for.
type Admin struct{ s *Server }

// Account is one of a person or of a program.
type Account struct {
	ID    string // accountId; at Atlassian nobody can choose it
	Email string // "" is ID@example.test
	Name  string // shown; "" is ID
	App   bool   // its accountType is app
	Admin bool   // may administer Jira
}

// TokenSpec says whose token it is and where what is done with it comes from.
type TokenSpec struct {
	Account string
	Kit     bool   // things done with it have the cause last given to Mark
	Quiet   bool   // an observer's: reads made with it are no obligation
	Cause   string // of things done with it, where Kit is not set
}

var accountID = regexp.MustCompile(`^[A-Za-z0-9:._@-]{1,128}$`)

// AddAccount makes an account.
func (a *Admin) AddAccount(in Account) error {
	if !accountID.MatchString(in.ID) {
		return fmt.Errorf("add account: %q is no account's id", in.ID)
	}
	if in.Email == "" {
		in.Email = strings.ReplaceAll(in.ID, "@", ".") + "@example.test"
	}
	if in.Name == "" {
		in.Name = in.ID
	}
	a.s.store.mu.Lock()
	defer a.s.store.mu.Unlock()
	for _, other := range a.s.store.accounts {
		if other.ID == in.ID || strings.EqualFold(other.Email, in.Email) {
			return fmt.Errorf("add account: %s is there already", in.ID)
		}
	}
	a.s.store.accounts[in.ID] = &in
	return nil
}

// MintToken makes an API token of an account. The tracker keeps a digest of it only.
func (a *Admin) MintToken(in TokenSpec) (string, error) {
	a.s.store.mu.Lock()
	defer a.s.store.mu.Unlock()
	if a.s.store.accounts[in.Account] == nil {
		return "", fmt.Errorf("mint token: there is no account %q", in.Account)
	}
	token := "ATATT3x" + rand.Text() + rand.Text()
	a.s.store.tokens[sha256.Sum256([]byte(token))] = in
	return token, nil
}

// AddProject makes a project.
func (a *Admin) AddProject(key, name string) error {
	a.s.store.mu.Lock()
	defer a.s.store.mu.Unlock()
	_, err := a.s.store.addProject(key, name)
	return err
}

// SetPrivate hides a project's issues from all who have no role in it.
func (a *Admin) SetPrivate(key string) error {
	a.s.store.mu.Lock()
	defer a.s.store.mu.Unlock()
	p := a.s.store.project(key)
	if p == nil {
		return fmt.Errorf("set project private: there is no project %q", key)
	}
	p.private = true
	return nil
}

// NextIssue sets the number that the next issue of a project gets, as after others were deleted. Numbers only grow.
func (a *Admin) NextIssue(key string, number int) error {
	a.s.store.mu.Lock()
	defer a.s.store.mu.Unlock()
	p := a.s.store.project(key)
	switch {
	case p == nil:
		return fmt.Errorf("set next issue: there is no project %q", key)
	case number <= p.last:
		return fmt.Errorf("set next issue: %s-%d has been given away; the next is at least %s-%d", key, number, key, p.last+1)
	}
	p.last = number - 1
	return nil
}

// Mark says what things done with tokens of the kit come from, from now on.
func (a *Admin) Mark(cause string) {
	a.s.store.mu.Lock()
	defer a.s.store.mu.Unlock()
	a.s.store.mark = cause
}

// Journal is the tracker's journal.
func (a *Admin) Journal() *Journal { return a.s.journal }
