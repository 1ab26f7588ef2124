package state

import (
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// IssueEdit changes what is not nil.
type IssueEdit struct {
	Title       *string
	Body        *string
	State       *string
	StateReason *string
	Labels      *[]string
	Assignees   *[]string
	Milestone   *int // 0 takes it away
}

// EditIssue changes an issue. Its author may edit and close it; labels need triage.
func (s *State) EditIssue(who Identity, full string, number int, e IssueEdit) (wire.Issue, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.issue(who, full, number, WriteIssues)
	if err != nil {
		return wire.Issue{}, err
	}
	if key(i.author) != key(who.Login) || e.Labels != nil || e.Assignees != nil || e.Milestone != nil {
		if err := s.allow(who, r, TriageIssues.on(who, i)); err != nil {
			return wire.Issue{}, err
		}
	}
	if err := s.checkIssueEdit(i, e); err != nil {
		return wire.Issue{}, err
	}
	furnish, err := s.furnishing(who, r, i, e)
	if err != nil {
		return wire.Issue{}, err
	}
	s.applyIssueEdit(who, r, i, e)
	furnish()
	return s.viewIssue(r, i), nil
}

// checkIssueEdit says whether an edit, which who may make, can be made.
func (s *State) checkIssueEdit(i *issue, e IssueEdit) error {
	if err := e.check(); err != nil {
		return err
	}
	if i.pull != nil && e.State != nil && *e.State == stateOpen && i.state != stateOpen {
		return s.checkReopen(i)
	}
	return nil
}

func (s *State) applyIssueEdit(who Identity, r *repo, i *issue, e IssueEdit) {
	changes := map[string]any{}
	for name, set := range map[string]struct{ to, at *string }{"title": {e.Title, &i.title}, "body": {e.Body, &i.body}} {
		if set.to != nil && *set.to != *set.at {
			changes[name] = map[string]any{"from": *set.at}
			*set.at = *set.to
		}
	}
	i.updated = s.now()
	if len(changes) > 0 {
		s.issueEvent(who, r, i, wire.Event{Action: "edited", Changes: changes})
	}
	if e.Labels != nil {
		s.setLabels(who, r, i, *e.Labels)
	}
	s.setIssueState(who, r, i, e)
}

func (e IssueEdit) check() error {
	if e.Title != nil && strings.TrimSpace(*e.Title) == "" {
		return wire.Invalid(wire.FieldError{Resource: "Issue", Field: "title", Code: "missing_field"})
	}
	if e.State != nil && *e.State != stateOpen && *e.State != stateClosed {
		return wire.Invalid(wire.FieldError{Resource: "Issue", Field: "state", Code: "invalid"})
	}
	if e.StateReason != nil && !slices.Contains([]string{"completed", "not_planned", "duplicate", "reopened"}, *e.StateReason) {
		return wire.Invalid(wire.FieldError{Resource: "Issue", Field: "state_reason", Code: "invalid"})
	}
	if e.Labels != nil {
		return checkLabels(*e.Labels)
	}
	return nil
}

func (s *State) setIssueState(who Identity, r *repo, i *issue, e IssueEdit) {
	if e.State == nil || *e.State == i.state {
		return
	}
	i.state = *e.State
	if i.state == stateClosed {
		i.closed, i.closedBy, i.reason = s.now(), who.Login, "completed"
		if i.pull != nil {
			i.reason = ""
		} else if e.StateReason != nil {
			i.reason = *e.StateReason
		}
		s.issueEvent(who, r, i, wire.Event{Action: "closed"})
		return
	}
	i.closed, i.closedBy, i.reason = time.Time{}, "", "reopened"
	if i.pull != nil {
		i.reason = ""
	}
	s.issueEvent(who, r, i, wire.Event{Action: "reopened"})
}

// setLabels makes the issue's labels exactly names, with an event for each difference.
func (s *State) setLabels(who Identity, r *repo, i *issue, names []string) {
	var next []*label
	for _, n := range names {
		if l := s.labelFor(who, r, n); !slices.Contains(next, l) {
			next = append(next, l)
		}
	}
	before := i.labels
	i.labels = next
	for _, l := range before {
		if !slices.Contains(next, l) {
			s.labelEvent(who, r, i, l, "unlabeled")
		}
	}
	for _, l := range next {
		if !slices.Contains(before, l) {
			s.labelEvent(who, r, i, l, "labeled")
		}
	}
}

// IssueLabels lists the labels of an issue.
func (s *State) IssueLabels(who Identity, full string, number int) ([]wire.Label, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.issue(who, full, number, ReadIssues)
	if err != nil {
		return nil, err
	}
	return s.viewLabels(r, i.labels), nil
}

// AddLabels adds labels to an issue; one that it has already makes no event.
func (s *State) AddLabels(who Identity, full string, number int, names []string) ([]wire.Label, error) {
	return s.relabel(who, full, number, names, func(r *repo, i *issue) []string {
		var all []string
		for _, l := range i.labels {
			all = append(all, l.name)
		}
		return append(all, names...)
	})
}

// SetLabels replaces the labels of an issue.
func (s *State) SetLabels(who Identity, full string, number int, names []string) ([]wire.Label, error) {
	return s.relabel(who, full, number, names, func(*repo, *issue) []string { return names })
}

func (s *State) relabel(who Identity, full string, number int, names []string, next func(*repo, *issue) []string) ([]wire.Label, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.issue(who, full, number, TriageIssues)
	if err != nil {
		return nil, err
	}
	if err := checkLabels(names); err != nil {
		return nil, err
	}
	i.updated = s.now()
	s.setLabels(who, r, i, next(r, i))
	return s.viewLabels(r, i.labels), nil
}

// RemoveLabel takes one label off an issue and returns those that remain.
func (s *State) RemoveLabel(who Identity, full string, number int, name string) ([]wire.Label, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.issue(who, full, number, TriageIssues)
	if err != nil {
		return nil, err
	}
	l := i.label(name)
	if l == nil {
		return nil, wire.NewError(404, "Label does not exist")
	}
	i.updated = s.now()
	i.labels = slices.DeleteFunc(i.labels, func(x *label) bool { return x == l })
	s.labelEvent(who, r, i, l, "unlabeled")
	return s.viewLabels(r, i.labels), nil
}
