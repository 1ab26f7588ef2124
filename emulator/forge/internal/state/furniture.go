package state

import (
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// furniture is what few issues have. An issue without any has none of it, and costs nothing.
type furniture struct {
	assignees []string // logins, as they were assigned
	milestone *milestone
	locked    bool
	reason    string // of the lock
	reactions []*reaction
	events    []*issueEvent // oldest first
}

// furnished returns the furniture of an issue, to be changed.
func (i *issue) furnished() *furniture {
	if i.more == nil {
		i.more = &furniture{}
	}
	return i.more
}

func (i *issue) assignees() []string {
	if i.more == nil {
		return nil
	}
	return i.more.assignees
}

func (i *issue) milestone() *milestone {
	if i.more == nil {
		return nil
	}
	return i.more.milestone
}

func (i *issue) locked() bool { return i.more != nil && i.more.locked }

// furnish shows what an issue has of it.
func (s *State) furnish(r *repo, i *issue, v *wire.Issue) {
	m := i.more
	if m == nil {
		return
	}
	for _, login := range m.assignees {
		v.Assignees = append(v.Assignees, s.viewLogin(login))
	}
	if len(v.Assignees) > 0 {
		v.Assignee = &v.Assignees[0]
	}
	if m.milestone != nil {
		mv := s.viewMilestone(r, m.milestone)
		v.Milestone = &mv
	}
	v.Locked, v.ActiveLockReason = m.locked, optional(m.reason)
	count(&v.Reactions, m.reactions)
}

// holds reports whether an issue has the assignee and the milestone that a filter asks for.
func (f IssueFilter) holds(i *issue) bool {
	switch f.Assignee {
	case "", "*":
		if f.Assignee == "*" && len(i.assignees()) == 0 {
			return false
		}
	case "none":
		if len(i.assignees()) > 0 {
			return false
		}
	default:
		if !slices.ContainsFunc(i.assignees(), func(a string) bool { return key(a) == key(f.Assignee) }) {
			return false
		}
	}
	m := i.milestone()
	switch f.Milestone {
	case AnyMilestone:
		return true
	case SomeMilestone:
		return m != nil
	case NoMilestone:
		return m == nil
	}
	return m != nil && m.number == f.Milestone
}

// What a filter can ask for beside the number of a milestone.
const (
	AnyMilestone  = 0
	NoMilestone   = -1
	SomeMilestone = -2
)

// mentions reports whether the issue or one of its comments speaks of @login.
func (i *issue) mentions(login string) bool {
	if mentions(i.body, login) {
		return true
	}
	return slices.ContainsFunc(i.comments, func(c *comment) bool { return mentions(c.body, login) })
}

func mentions(text, login string) bool {
	text, login = key(text), "@"+key(login)
	for at := 0; ; {
		next := indexFrom(text, login, at)
		if next < 0 {
			return false
		}
		at = next + len(login)
		if (next == 0 || !loginByte(text[next-1])) && (at == len(text) || !loginByte(text[at])) {
			return true
		}
	}
}

func indexFrom(text, part string, from int) int {
	for i := from; i+len(part) <= len(text); i++ {
		if text[i:i+len(part)] == part {
			return i
		}
	}
	return -1
}

func loginByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

// LockReasons are why a conversation is locked; "" gives none.
func LockReasons() []string { return []string{"", "off-topic", "too heated", "resolved", "spam"} }

// LockIssue keeps everybody without write access from commenting.
func (s *State) LockIssue(who Identity, full string, number int, reason string, lock bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.issue(who, full, number, EditLabels)
	if err != nil {
		return err
	}
	if !slices.Contains(LockReasons(), reason) {
		return wire.Invalid(wire.FieldError{Resource: "Lock", Field: "lock_reason", Code: "invalid"})
	}
	if i.locked() == lock {
		return nil
	}
	m := i.furnished()
	m.locked, m.reason, i.updated = lock, reason, s.now()
	action := "unlocked"
	if lock {
		action = "locked"
	}
	s.issueEvent(who, r, i, wire.Event{Action: action})
	return nil
}

// speak refuses to let somebody add to a conversation that is locked for him.
func (s *State) speak(who Identity, r *repo, i *issue) error {
	if i.locked() && s.allow(who, r, EditLabels.on(who, i)) != nil {
		return wire.Forbidden("Unable to create comment because issue is locked.")
	}
	return nil
}

// furnishing checks what an edit does to the furniture of an issue, and returns what does it.
func (s *State) furnishing(who Identity, r *repo, i *issue, e IssueEdit) (do func(), err error) {
	assignees, milestone := i.assignees(), i.milestone()
	if e.Assignees != nil {
		if assignees, err = s.assignees(r, i, *e.Assignees, true); err != nil {
			return nil, err
		}
	}
	if e.Milestone != nil {
		if milestone, err = r.milestoneOf(*e.Milestone); err != nil {
			return nil, err
		}
	}
	return func() {
		s.setAssignees(who, r, i, assignees)
		s.setMilestone(who, r, i, milestone)
	}, nil
}
