package state

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

const (
	stateOpen   = "open"
	stateClosed = "closed"
)

type issue struct {
	id       int64
	number   int
	title    string
	body     string
	state    string
	reason   string
	author   string
	labels   []*label
	comments []*comment
	created  time.Time
	updated  time.Time
	closed   time.Time
	closedBy string
	pull     *pull // nil when it is none
	more     *furniture
}

// NewIssue describes an issue to open.
type NewIssue struct {
	Title     string
	Body      string
	Labels    []string
	Assignees []string
	Milestone int // 0 is none
}

// OpenIssue opens an issue. Labels given by somebody who may not label are dropped, as GitHub does.
func (s *State) OpenIssue(who Identity, full string, in NewIssue) (wire.Issue, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, WriteIssues)
	if err != nil {
		return wire.Issue{}, err
	}
	if r.noIssues {
		return wire.Issue{}, wire.NewError(http.StatusGone, "Issues are disabled for this repo")
	}
	if strings.TrimSpace(in.Title) == "" {
		return wire.Issue{}, wire.Invalid(wire.FieldError{Resource: "Issue", Field: "title", Code: "missing_field"})
	}
	if s.allow(who, r, TriageIssues) != nil {
		in.Labels, in.Assignees, in.Milestone = nil, nil, 0
	}
	if err := checkLabels(in.Labels); err != nil {
		return wire.Issue{}, err
	}
	assignees, err := s.assignees(r, nil, in.Assignees, true)
	if err != nil {
		return wire.Issue{}, err
	}
	milestone, err := r.milestoneOf(in.Milestone)
	if err != nil {
		return wire.Issue{}, err
	}
	now := s.now()
	i := &issue{id: s.nextID(nounIssue), number: len(r.issues) + 1, title: in.Title, body: in.Body,
		state: stateOpen, author: who.Login, created: now, updated: now}
	r.issues = append(r.issues, i)
	for _, name := range in.Labels {
		if l := s.labelFor(who, r, name); !slices.Contains(i.labels, l) {
			i.labels = append(i.labels, l)
		}
	}
	s.issueEvent(who, r, i, wire.Event{Action: "opened"})
	for _, l := range i.labels {
		s.labelEvent(who, r, i, l, "labeled")
	}
	s.setAssignees(who, r, i, assignees)
	s.setMilestone(who, r, i, milestone)
	return s.viewIssue(r, i), nil
}

func checkLabels(names []string) error {
	for _, n := range names {
		if strings.TrimSpace(n) == "" || len(n) > 50 {
			return wire.Invalid(wire.FieldError{Resource: "Label", Field: "name", Code: "invalid"})
		}
	}
	return nil
}

func (s *State) issueEvent(who Identity, r *repo, i *issue, body wire.Event) {
	s.record(who, i, body)
	if i.pull != nil {
		s.pullEvent(who, r, i, body)
		return
	}
	v := s.viewIssue(r, i)
	body.Issue = &wire.EventIssue{Issue: v}
	s.event(who, r, "issues", body, r.subject(i))
}

func (s *State) labelEvent(who Identity, r *repo, i *issue, l *label, action string) {
	v := s.viewLabel(r, l)
	s.issueEvent(who, r, i, wire.Event{Action: action, Label: &v})
}

func (r *repo) subject(i *issue) string { return fmt.Sprintf("%s#%d", r.fullName(), i.number) }

// issue finds an issue for a need. The caller holds the lock.
func (s *State) issue(who Identity, full string, number int, need Need) (*repo, *issue, error) {
	r, err := s.visible(who, full)
	if err != nil {
		return nil, nil, err
	}
	var i *issue
	if number >= 1 && number <= len(r.issues) {
		i = r.issues[number-1]
	}
	if err := s.allow(who, r, need.on(who, i)); err != nil {
		return nil, nil, err
	}
	if i == nil {
		return nil, nil, wire.NotFound()
	}
	return r, i, nil
}

// Issue returns one issue.
func (s *State) Issue(who Identity, full string, number int) (wire.Issue, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.issue(who, full, number, ReadIssues)
	if err != nil {
		return wire.Issue{}, err
	}
	return s.viewIssue(r, i), nil
}

// IssueFilter selects and orders issues; empty fields select all.
type IssueFilter struct {
	State     string // open (also ""), closed, all
	Labels    []string
	Creator   string
	Assignee  string // a login, none, *; "" is anybody or nobody
	Milestone int    // a number, AnyMilestone, NoMilestone, SomeMilestone
	Mentioned string
	Since     time.Time
	Sort      string // created (also ""), updated, comments
	Ascending bool
}

// Issues lists issues.
func (s *State) Issues(who Identity, full string, f IssueFilter) ([]wire.Issue, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadIssues)
	if err != nil {
		return nil, err
	}
	if r.noIssues {
		return nil, wire.NewError(http.StatusGone, "Issues are disabled for this repo")
	}
	var found []*issue
	for _, i := range r.issues {
		if i.matches(f) {
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, func(a, b *issue) int {
		c := 0
		switch f.Sort {
		case "updated":
			c = a.updated.Compare(b.updated)
		case "comments":
			c = cmp.Compare(len(a.comments), len(b.comments))
		}
		c = cmp.Or(c, cmp.Compare(a.number, b.number))
		if !f.Ascending {
			return -c
		}
		return c
	})
	out := make([]wire.Issue, len(found))
	for n, i := range found {
		out[n] = s.viewIssue(r, i)
	}
	return out, nil
}

func (i *issue) matches(f IssueFilter) bool {
	if want := cmp.Or(f.State, stateOpen); want != "all" && want != i.state {
		return false
	}
	if f.Creator != "" && key(f.Creator) != key(i.author) || i.updated.Before(f.Since) {
		return false
	}
	for _, name := range f.Labels {
		if i.label(name) == nil {
			return false
		}
	}
	return f.holds(i) && (f.Mentioned == "" || i.mentions(f.Mentioned))
}

func (i *issue) label(name string) *label {
	for _, l := range i.labels {
		if key(l.name) == key(name) {
			return l
		}
	}
	return nil
}

func (s *State) viewIssue(r *repo, i *issue) wire.Issue {
	v := wire.Issue{
		ID: i.id, Number: i.number, Title: i.title, User: s.viewLogin(i.author), Labels: s.viewLabels(r, i.labels),
		State: i.state, Assignees: []wire.User{}, Comments: len(i.comments), CreatedAt: wire.Time{Time: i.created},
		UpdatedAt: wire.Time{Time: i.updated}, ClosedAt: wire.Time{Time: i.closed}, AuthorAssociation: s.association(r, i.author),
		Body: optional(i.body), StateReason: optional(i.reason),
	}
	if i.closedBy != "" {
		u := s.viewLogin(i.closedBy)
		v.ClosedBy = &u
	}
	v.Link(s.base, r.fullName())
	s.furnish(r, i, &v)
	if p := i.pull; p != nil {
		v.AsPull(s.base, r.fullName(), p.id, wire.Time{Time: p.merged})
		v.Draft, v.StateReason = &p.draft, nil
	}
	return v
}

// association says what an author is to a repository.
func (s *State) association(r *repo, login string) string {
	if key(r.owner.login) == key(login) {
		return "OWNER"
	}
	if _, ok := r.owner.members[key(login)]; ok {
		return "MEMBER"
	}
	if r.members[key(login)] > None {
		return "COLLABORATOR"
	}
	return "NONE"
}
