package state

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

type milestone struct {
	id          int64
	number      int
	title       string
	description string
	state       string
	creator     string
	created     time.Time
	updated     time.Time
	closed      time.Time
	due         time.Time
}

// MilestoneEdit changes what is not nil.
type MilestoneEdit struct {
	Title       *string
	State       *string
	Description *string
	Due         *time.Time // the zero time takes it away
}

func (r *repo) milestone(number int) *milestone {
	for _, m := range r.milestones {
		if m.number == number {
			return m
		}
	}
	return nil
}

// MilestoneFilter selects and orders milestones.
type MilestoneFilter struct {
	State      string // open, closed, all
	Sort       string // due_on, completeness
	Descending bool
}

// Milestones lists the milestones of a repository.
func (s *State) Milestones(who Identity, full string, f MilestoneFilter) ([]wire.Milestone, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadIssues)
	if err != nil {
		return nil, err
	}
	out := []wire.Milestone{}
	for _, m := range r.milestones {
		if f.State == "all" || f.State == m.state {
			out = append(out, s.viewMilestone(r, m))
		}
	}
	slices.SortStableFunc(out, func(a, b wire.Milestone) int {
		by := a.DueOn.Compare(b.DueOn.Time)
		if f.Sort == "completeness" {
			by = cmp.Compare(a.Closed*(b.Open+b.Closed), b.Closed*(a.Open+a.Closed))
		}
		if by = cmp.Or(by, cmp.Compare(a.Number, b.Number)); f.Descending {
			return -by
		}
		return by
	})
	return out, nil
}

// Milestone returns one milestone.
func (s *State) Milestone(who Identity, full string, number int) (wire.Milestone, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, m, err := s.openMilestone(who, full, number, ReadIssues)
	if err != nil {
		return wire.Milestone{}, err
	}
	return s.viewMilestone(r, m), nil
}

func (s *State) openMilestone(who Identity, full string, number int, need Need) (*repo, *milestone, error) {
	r, err := s.open(who, full, need)
	if err != nil {
		return nil, nil, err
	}
	if m := r.milestone(number); m != nil {
		return r, m, nil
	}
	return nil, nil, wire.NotFound()
}

// CreateMilestone adds a milestone to a repository.
func (s *State) CreateMilestone(who Identity, full string, in MilestoneEdit) (wire.Milestone, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, EditLabels)
	if err != nil {
		return wire.Milestone{}, err
	}
	if in.Title == nil {
		return wire.Milestone{}, wire.Invalid(wire.FieldError{Resource: "Milestone", Field: "title", Code: "missing_field"})
	}
	now := s.now()
	m := &milestone{state: stateOpen, creator: who.Login, created: now, updated: now}
	if err := in.check(r, m); err != nil {
		return wire.Milestone{}, err
	}
	r.lastMilestone++
	m.id, m.number = s.nextID(nounMilestone), r.lastMilestone
	r.milestones = append(r.milestones, m)
	in.apply(m, now)
	s.milestoneEvent(who, r, m, "created", nil)
	return s.viewMilestone(r, m), nil
}

// EditMilestone changes a milestone.
func (s *State) EditMilestone(who Identity, full string, number int, in MilestoneEdit) (wire.Milestone, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, m, err := s.openMilestone(who, full, number, EditLabels)
	if err != nil {
		return wire.Milestone{}, err
	}
	if err := in.check(r, m); err != nil {
		return wire.Milestone{}, err
	}
	was := *m
	in.apply(m, s.now())
	changes := map[string]any{}
	for name, v := range map[string][2]string{"title": {was.title, m.title}, "description": {was.description, m.description}} {
		if v[0] != v[1] {
			changes[name] = map[string]any{"from": v[0]}
		}
	}
	if !was.due.Equal(m.due) {
		changes["due_on"] = map[string]any{"from": wire.Time{Time: was.due}}
	}
	if len(changes) > 0 {
		s.milestoneEvent(who, r, m, "edited", changes)
	}
	if was.state != m.state {
		s.milestoneEvent(who, r, m, map[string]string{stateOpen: "opened", stateClosed: "closed"}[m.state], nil)
	}
	return s.viewMilestone(r, m), nil
}

// DeleteMilestone removes a milestone from a repository and from its issues.
func (s *State) DeleteMilestone(who Identity, full string, number int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, m, err := s.openMilestone(who, full, number, EditLabels)
	if err != nil {
		return err
	}
	s.milestoneEvent(who, r, m, "deleted", nil)
	r.milestones = slices.DeleteFunc(r.milestones, func(x *milestone) bool { return x == m })
	for _, i := range r.issues {
		if i.milestone() == m {
			i.more.milestone = nil
		}
	}
	return nil
}

// MilestoneLabels lists the labels that the issues of a milestone have.
func (s *State) MilestoneLabels(who Identity, full string, number int) ([]wire.Label, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, m, err := s.openMilestone(who, full, number, ReadIssues)
	if err != nil {
		return nil, err
	}
	var labels []*label
	for _, l := range r.labels {
		if slices.ContainsFunc(r.issues, func(i *issue) bool { return i.milestone() == m && slices.Contains(i.labels, l) }) {
			labels = append(labels, l)
		}
	}
	return s.viewLabels(r, labels), nil
}

func (e MilestoneEdit) check(r *repo, m *milestone) error {
	invalid := func(field, code string) error {
		return wire.Invalid(wire.FieldError{Resource: "Milestone", Field: field, Code: code})
	}
	if e.Title != nil {
		if strings.TrimSpace(*e.Title) == "" {
			return invalid("title", "missing_field")
		}
		if slices.ContainsFunc(r.milestones, func(x *milestone) bool { return x != m && key(x.title) == key(*e.Title) }) {
			return invalid("title", "already_exists")
		}
	}
	if e.State != nil && *e.State != stateOpen && *e.State != stateClosed {
		return invalid("state", "invalid")
	}
	return nil
}

func (e MilestoneEdit) apply(m *milestone, now time.Time) {
	if e.Title != nil {
		m.title = *e.Title
	}
	if e.Description != nil {
		m.description = *e.Description
	}
	if e.Due != nil {
		m.due = e.Due.UTC().Truncate(time.Second)
	}
	if e.State != nil && *e.State != m.state {
		if m.state, m.closed = *e.State, (time.Time{}); m.state == stateClosed {
			m.closed = now
		}
	}
	m.updated = now
}

func (s *State) milestoneEvent(who Identity, r *repo, m *milestone, action string, changes map[string]any) {
	v := s.viewMilestone(r, m)
	s.event(who, r, "milestone", wire.Event{Action: action, Milestone: &v, Changes: changes}, r.fullName())
}

// milestoneOf finds the milestone that an issue is to have: 0 is none.
func (r *repo) milestoneOf(number int) (*milestone, error) {
	if number == 0 {
		return nil, nil
	}
	if m := r.milestone(number); m != nil {
		return m, nil
	}
	return nil, wire.Invalid(wire.FieldError{Resource: "Issue", Field: "milestone", Code: "invalid"})
}

func (s *State) setMilestone(who Identity, r *repo, i *issue, m *milestone) {
	before := i.milestone()
	if before == m {
		return
	}
	i.furnished().milestone, i.updated = m, s.now()
	tell := func(action string, about *milestone) {
		if about != nil {
			v := s.viewMilestone(r, about)
			s.issueEvent(who, r, i, wire.Event{Action: action, Milestone: &v})
		}
	}
	tell("demilestoned", before)
	tell("milestoned", m)
}

func (s *State) viewMilestone(r *repo, m *milestone) wire.Milestone {
	v := wire.Milestone{ID: m.id, NodeID: wire.NodeID("Milestone", m.id), Number: m.number, Title: m.title, Description: optional(m.description),
		Creator: s.viewLogin(m.creator), State: m.state, CreatedAt: wire.Time{Time: m.created}, UpdatedAt: wire.Time{Time: m.updated},
		DueOn: wire.Time{Time: m.due}, ClosedAt: wire.Time{Time: m.closed}}
	for _, i := range r.issues {
		switch {
		case i.milestone() != m:
		case i.state == stateOpen:
			v.Open++
		default:
			v.Closed++
		}
	}
	v.Link(s.base, r.fullName())
	return v
}
