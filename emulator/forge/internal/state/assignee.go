package state

import (
	"cmp"
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// maxAssignees is how many an issue can have.
// https://docs.github.com/en/rest/issues/assignees
const maxAssignees = 10

// assignable: who may write, and members of the organisation who may read.
// https://docs.github.com/en/issues/tracking-your-work-with-issues/using-issues/assigning-issues-and-pull-requests-to-other-github-users
func (s *State) assignable(a *account, r *repo) bool {
	if a == nil || a.kind == kindOrg {
		return false
	}
	role := s.roleOf(a, r)
	_, inOrg := r.owner.members[key(a.login)]
	return role >= Write || inOrg && role >= Read
}

// Assignable lists who can be assigned to issues of a repository.
func (s *State) Assignable(who Identity, full string) ([]wire.User, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadIssues)
	if err != nil {
		return nil, err
	}
	out := []wire.User{}
	for _, a := range s.accounts {
		if s.assignable(a, r) {
			out = append(out, s.viewAccount(a))
		}
	}
	slices.SortFunc(out, func(a, b wire.User) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// IsAssignable answers nil when login can be assigned to issues of a repository, also to a given one, which
// who commented on it can be as well; number 0 is none in particular.
func (s *State) IsAssignable(who Identity, full, login string, number int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadIssues)
	if err != nil {
		return err
	}
	var i *issue
	if number != 0 {
		if r, i, err = s.issue(who, full, number, ReadIssues); err != nil {
			return err
		}
	}
	if !s.mayHold(r, i, login) {
		return wire.NotFound()
	}
	return nil
}

// mayHold reports whether login can be assigned to an issue, which may be nil.
func (s *State) mayHold(r *repo, i *issue, login string) bool {
	a := s.accounts[key(login)]
	if a == nil || s.assignable(a, r) {
		return a != nil
	}
	return i != nil && a.kind != kindOrg && slices.ContainsFunc(i.comments, func(c *comment) bool { return key(c.author) == key(login) })
}

// Assign adds assignees to an issue, or takes them away. Who cannot be assigned is left out, and so is
// everybody when who asks may not triage, as at GitHub.
func (s *State) Assign(who Identity, full string, number int, logins []string, add bool) (wire.Issue, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.issue(who, full, number, WriteIssues)
	if err != nil {
		return wire.Issue{}, err
	}
	if s.allow(who, r, TriageIssues.on(who, i)) != nil {
		return s.viewIssue(r, i), nil
	}
	next := slices.Clone(i.assignees())
	for _, login := range logins {
		next = slices.DeleteFunc(next, func(x string) bool { return !add && key(x) == key(login) })
		if add {
			next = append(next, login)
		}
	}
	if next, err = s.assignees(r, i, next, false); err != nil {
		return wire.Issue{}, err
	}
	s.setAssignees(who, r, i, next)
	return s.viewIssue(r, i), nil
}

// assignees are the accounts of logins, each once. Who cannot be assigned is left out or, with strict, an
// error.
func (s *State) assignees(r *repo, i *issue, logins []string, strict bool) ([]string, error) {
	var out []string
	for _, login := range logins {
		held := i != nil && slices.Contains(i.assignees(), login)
		if !held && !s.mayHold(r, i, login) {
			if strict {
				return nil, wire.Invalid(wire.FieldError{Resource: "Issue", Field: "assignees", Code: "invalid"})
			}
			continue
		}
		if a := s.accounts[key(login)]; a != nil {
			login = a.login
		}
		if !slices.Contains(out, login) {
			out = append(out, login)
		}
	}
	if len(out) > maxAssignees {
		return nil, wire.Invalid(wire.FieldError{Resource: "Issue", Field: "assignees", Code: "custom", Message: "too many: an issue has at most 10 assignees"})
	}
	return out, nil
}

// setAssignees makes the assignees exactly logins, with an event for each difference.
func (s *State) setAssignees(who Identity, r *repo, i *issue, logins []string) {
	before := i.assignees()
	if slices.Equal(before, logins) {
		return
	}
	i.furnished().assignees, i.updated = logins, s.now()
	differ := func(of, without []string, action string) {
		for _, login := range of {
			if !slices.Contains(without, login) {
				u := s.viewLogin(login)
				s.issueEvent(who, r, i, wire.Event{Action: action, Assignee: &u})
			}
		}
	}
	differ(before, logins, "unassigned")
	differ(logins, before, "assigned")
}
