package state

import (
	"cmp"
	"slices"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// issueEvent is something that happened to an issue, as its timeline shows it.
type issueEvent struct {
	id        int64
	event     string
	actor     string
	created   time.Time
	label     string
	color     string
	assignee  string
	milestone string // title
	from, to  string // titles of a renamed issue
	reason    string // of a lock, or why it was closed
}

// record keeps what a webhook about an issue tells, for its timeline.
// https://docs.github.com/en/rest/using-the-rest-api/issue-event-types
func (s *State) record(who Identity, i *issue, body wire.Event) {
	e := issueEvent{event: body.Action, actor: who.Login}
	switch body.Action {
	case "labeled", "unlabeled":
		e.label, e.color = body.Label.Name, body.Label.Color
	case "assigned", "unassigned":
		e.assignee = body.Assignee.Login
	case "milestoned", "demilestoned":
		e.milestone = body.Milestone.Title
	case "closed":
		e.reason = i.reason
	case "locked":
		e.reason = i.more.reason
	case "reopened", "unlocked", "converted_to_draft", "ready_for_review":
	case "edited":
		was, renamed := body.Changes["title"].(map[string]any)
		if !renamed {
			return
		}
		e.event, e.to = "renamed", i.title
		e.from, _ = was["from"].(string)
	default:
		return
	}
	e.id, e.created = s.nextID(nounIssueEvent), s.now()
	m := i.furnished()
	m.events = append(m.events, &e)
}

func (i *issue) events() []*issueEvent {
	if i.more == nil {
		return nil
	}
	return i.more.events
}

// IssueEvents lists what happened to an issue, oldest first.
func (s *State) IssueEvents(who Identity, full string, number int) ([]wire.IssueEvent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.issue(who, full, number, ReadIssues)
	if err != nil {
		return nil, err
	}
	out := []wire.IssueEvent{}
	for _, e := range i.events() {
		out = append(out, s.viewIssueEvent(r, e))
	}
	return out, nil
}

// Timeline lists what happened to an issue together with its comments, oldest first: wire.IssueEvent and
// wire.Commented.
func (s *State) Timeline(who Identity, full string, number int) ([]any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.issue(who, full, number, ReadIssues)
	if err != nil {
		return nil, err
	}
	out, comments := []any{}, i.comments
	until := func(at time.Time) {
		for len(comments) > 0 && comments[0].created.Before(at) {
			c := s.viewComment(r, i, comments[0])
			out, comments = append(out, wire.Commented{Comment: c, Event: "commented", Actor: c.User}), comments[1:]
		}
	}
	for _, e := range i.events() {
		until(e.created)
		v := s.viewIssueEvent(r, e)
		v.Assigner = nil
		if e.event == "closed" {
			v.StateReason = optional(e.reason)
		}
		out = append(out, v)
	}
	until(s.now().Add(time.Second))
	return out, nil
}

// RepoEvents lists what happened to the issues of a repository, newest first, each with its issue.
func (s *State) RepoEvents(who Identity, full string) ([]wire.IssueEvent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadIssues)
	if err != nil {
		return nil, err
	}
	out := []wire.IssueEvent{}
	for _, i := range r.issues {
		if len(i.events()) == 0 {
			continue
		}
		about := s.viewIssue(r, i)
		for _, e := range i.events() {
			v := s.viewIssueEvent(r, e)
			v.Issue = &about
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(a, b wire.IssueEvent) int { return cmp.Compare(b.ID, a.ID) })
	return out, nil
}

// RepoEvent returns one of them.
func (s *State) RepoEvent(who Identity, full string, id int64) (wire.IssueEvent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadIssues)
	if err != nil {
		return wire.IssueEvent{}, err
	}
	for _, i := range r.issues {
		for _, e := range i.events() {
			if e.id == id {
				v, about := s.viewIssueEvent(r, e), s.viewIssue(r, i)
				v.Issue = &about
				return v, nil
			}
		}
	}
	return wire.IssueEvent{}, wire.NotFound()
}

func (s *State) viewIssueEvent(r *repo, e *issueEvent) wire.IssueEvent {
	actor := s.viewLogin(e.actor)
	v := wire.IssueEvent{
		ID: e.id, NodeID: wire.NodeID("IssueEvent", e.id), URL: s.base.API("/repos/%s/issues/events/%d", wire.EscapePath(r.fullName()), e.id),
		Actor: &actor, Event: e.event, CreatedAt: wire.Time{Time: e.created},
	}
	switch e.event {
	case "labeled", "unlabeled":
		v.Label = &wire.EventLabel{Name: e.label, Color: e.color}
	case "assigned", "unassigned":
		u := s.viewLogin(e.assignee)
		v.Assignee, v.Assigner = &u, &actor
	case "milestoned", "demilestoned":
		v.Milestone = &wire.EventMilestone{Title: e.milestone}
	case "renamed":
		v.Rename = &wire.EventRename{From: e.from, To: e.to}
	case "locked":
		v.LockReason = optional(e.reason)
	}
	return v
}
