package state

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// Protection is what a branch is protected with. One that is in a repository never changes; another takes its place.
type Protection struct {
	ID          int64
	Created     time.Time
	Updated     time.Time
	Branch      string
	Checks      *RequiredChecks  // nil requires none
	Reviews     *RequiredReviews // nil requires no pull request
	Admins      bool             // are bound as well
	Restricted  bool             // only Users may push, and administrators
	Users       []string         // logins
	Linear      bool             // no merges
	ForcePushes bool             // are allowed
	Deletions   bool             // likewise
}

// RequiredChecks are the checks that a commit must have passed.
type RequiredChecks struct {
	Strict bool // the head must have all of the base
	Checks []RequiredCheck
}

// RequiredCheck is a check run or a status by its name.
type RequiredCheck struct {
	Context string
	App     int64 // that must say it; 0 is whoever
}

// RequiredReviews says how many have to approve.
type RequiredReviews struct {
	Count        int
	DismissStale bool // approvals, when the head moves
}

func (r *repo) protection(branch string) *Protection {
	for _, p := range r.protections {
		if p.Branch == branch {
			return p
		}
	}
	return nil
}

// binding is the protection of a branch as far as it binds who: administrators only where it says so.
func (s *State) binding(who Identity, r *repo, branch string) *Protection {
	p := r.protection(branch)
	if p != nil && !p.Admins && s.roleFor(who, r) >= Admin {
		return nil
	}
	return p
}

// protected finds a branch for its protection.
func (s *State) protected(who Identity, full, branch string, need Need) (*repo, *Protection, error) {
	r, err := s.open(who, full, need)
	if err != nil {
		return nil, nil, err
	}
	if r.branch(branch) == "" {
		return nil, nil, wire.NewError(http.StatusNotFound, "Branch not found")
	}
	return r, r.protection(branch), nil
}

// Protection returns what a branch is protected with.
func (s *State) Protection(who Identity, full, branch string) (wire.Protection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, p, err := s.protected(who, full, branch, ReadSettings)
	if err != nil {
		return wire.Protection{}, err
	}
	if p == nil {
		return wire.Protection{}, wire.NewError(http.StatusNotFound, "Branch not protected")
	}
	return s.viewProtection(r, p), nil
}

// Protect gives a branch the protection that change makes of the one it has; nil is none, and none to have.
func (s *State) Protect(who Identity, full, branch string, change func(old *Protection) (*Protection, error)) (wire.Protection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, old, err := s.protected(who, full, branch, Administer)
	if err != nil {
		return wire.Protection{}, err
	}
	now, err := change(old)
	if err != nil {
		return wire.Protection{}, err
	}
	if now != nil {
		now.Branch, now.Users = branch, slices.Clone(now.Users) // what is stored may share them
		for n, login := range now.Users {
			a := s.accounts[key(login)]
			known := old != nil && slices.Contains(old.Users, login) // who has left since stays until somebody takes him out
			if a == nil || !known && !s.collaborates(a, r) {
				return wire.Protection{}, wire.Unprocessable("Only users, apps and teams with push access can be restricted to: " + login)
			}
			now.Users[n] = a.login
		}
	}
	s.led.Changed()
	r.protections = slices.DeleteFunc(slices.Clone(r.protections), func(p *Protection) bool { return p.Branch == branch })
	if now == nil {
		if old != nil {
			s.ruleEvent(who, r, "deleted", old, nil)
		}
		return wire.Protection{}, nil
	}
	now.Updated = s.now()
	if old == nil {
		now.ID, now.Created = s.nextID(nounProtection), now.Updated
		s.ruleEvent(who, r, "created", now, nil)
	} else {
		now.ID, now.Created = old.ID, old.Created
		s.ruleEvent(who, r, "edited", now, old)
	}
	r.protections = append(r.protections, now)
	slices.SortFunc(r.protections, func(a, b *Protection) int { return strings.Compare(a.Branch, b.Branch) })
	return s.viewProtection(r, now), nil
}

// renameProtection follows a branch to its new name.
func (r *repo) renameProtection(from, to string) {
	for n, p := range r.protections {
		if p.Branch == from {
			now := *p
			now.Branch = to
			r.protections[n] = &now
		}
	}
}

// ProtectedBranches says with what the branches of a repository are protected, by name.
func (s *State) ProtectedBranches(full string) map[string]Protection {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]Protection{}
	if r := s.repos[key(full)]; r != nil {
		for _, p := range r.protections {
			out[p.Branch] = *p
		}
	}
	return out
}

func (s *State) viewProtection(r *repo, p *Protection) wire.Protection {
	v := wire.Protection{URL: s.base.API("/repos/%s/branches/%s/protection", wire.EscapePath(r.fullName()), strings.ReplaceAll(wire.EscapePath(p.Branch), "/", "%2F"))}
	v.Admins = wire.Switch{URL: v.URL + "/enforce_admins", Enabled: p.Admins}
	v.Signatures.URL = v.URL + "/required_signatures"
	v.LinearHistory.Enabled, v.ForcePushes.Enabled, v.Deletions.Enabled = p.Linear, p.ForcePushes, p.Deletions
	if c := p.Checks; c != nil {
		v.Checks = &wire.RequiredChecks{URL: v.URL + "/required_status_checks", Strict: c.Strict, Contexts: []string{}, Checks: []wire.RequiredCheck{}}
		v.Checks.ContextsURL = v.Checks.URL + "/contexts"
		for _, x := range c.Checks {
			one := wire.RequiredCheck{Context: x.Context}
			if x.App != 0 {
				one.AppID = &x.App
			}
			v.Checks.Contexts, v.Checks.Checks = append(v.Checks.Contexts, x.Context), append(v.Checks.Checks, one)
		}
	}
	if x := p.Reviews; x != nil {
		v.Reviews = &wire.RequiredReviews{URL: v.URL + "/required_pull_request_reviews", DismissStale: x.DismissStale, Count: x.Count}
	}
	if p.Restricted {
		u := v.URL + "/restrictions"
		v.Restrictions = &wire.Restrictions{URL: u, UsersURL: u + "/users", TeamsURL: u + "/teams", AppsURL: u + "/apps", Users: s.viewLogins(p.Users),
			Teams: []struct{}{}, Apps: []struct{}{}}
	}
	return v
}

// Guard is what stands in the way of moving a branch. Force and Merges are for git to find out about.
type Guard struct {
	Ref    string
	Always []string // reasons
	Force  string   // the reason if history is rewritten; "" is none
	Merges string   // likewise if merges come
}

// Guard says what stands in the way of who moving a ref; before and after are Zero for none.
// https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches
func (s *State) Guard(who Identity, full, ref, before, after string) Guard {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := Guard{Ref: ref}
	r := s.repos[key(full)]
	branch, isBranch := strings.CutPrefix(ref, "refs/heads/")
	if r == nil || !isBranch || r.protection(branch) == nil {
		return g
	}
	all := r.protection(branch)
	if after == Zero {
		if !all.Deletions {
			g.Always = append(g.Always, "Cannot delete this branch")
		}
		return g
	}
	if !all.ForcePushes {
		g.Force = "Cannot force-push to this branch"
	}
	p := s.binding(who, r, branch)
	if p == nil {
		return g
	}
	if p.Linear {
		g.Merges = "This branch must not contain merge commits."
	}
	if why := p.restrict(who); why != "" {
		g.Always = append(g.Always, why)
	}
	if p.Reviews != nil && before != Zero {
		g.Always = append(g.Always, "Changes must be made through a pull request.")
	}
	if why := s.unchecked(r, p, after); why != "" {
		g.Always = append(g.Always, why)
	}
	return g
}

func (p *Protection) restrict(who Identity) string {
	if !p.Restricted || slices.ContainsFunc(p.Users, func(u string) bool { return key(u) == key(who.Login) }) {
		return ""
	}
	return "You're not authorized to push to this branch. Visit https://docs.github.com/articles/about-protected-branches/ for more information."
}

// unchecked says which required checks of a commit have not succeeded, or "".
func (s *State) unchecked(r *repo, p *Protection, sha string) string {
	if p.Checks == nil {
		return ""
	}
	missing, last := map[string]int{}, RequiredCheck{}
	for _, c := range p.Checks.Checks {
		if state := s.checkState(r, sha, c); state != checkPassed {
			missing[state]++
			last = c
		}
	}
	open := 0
	for _, n := range missing {
		open += n
	}
	switch {
	case open == 0:
		return ""
	case open == 1:
		return fmt.Sprintf("Required status check %q is %s.", last.Context, s.checkState(r, sha, last))
	case missing[checkExpected] == open:
		return fmt.Sprintf("%d of %d required status checks are expected.", open, len(p.Checks.Checks))
	}
	var parts []string
	for _, state := range []string{checkExpected, checkPending, checkProgress, checkQueued, checkFailing} {
		if missing[state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", missing[state], state))
		}
	}
	return fmt.Sprintf("%d of %d required status checks have not succeeded: %s.", open, len(p.Checks.Checks), strings.Join(parts, " and "))
}

func (r *repo) readProtections(in []Protection) error {
	for _, p := range in {
		if p.Branch == "" || r.protection(p.Branch) != nil {
			return fmt.Errorf("branch %q is protected twice", p.Branch)
		}
		r.protections = append(r.protections, &p)
	}
	return nil
}
