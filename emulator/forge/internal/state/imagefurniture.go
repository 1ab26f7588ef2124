package state

import (
	"fmt"
	"slices"
	"time"
)

// MilestoneImage is a milestone of a repository.
type MilestoneImage struct {
	ID          int64
	Number      int
	Title       string
	Description string `json:",omitempty"`
	State       string
	Creator     string
	Created     time.Time
	Updated     time.Time
	Closed      time.Time
	Due         time.Time
}

// ReactionImage is a reaction to the issue Issue or to the comment Comment.
type ReactionImage struct {
	ID      int64
	Issue   int64 `json:",omitempty"`
	Comment int64 `json:",omitempty"`
	Login   string
	Content string
	Created time.Time
}

// IssueEventImage is something that happened to the issue Issue.
type IssueEventImage struct {
	ID        int64
	Issue     int64
	Event     string
	Actor     string
	Created   time.Time
	Label     string `json:",omitempty"`
	Color     string `json:",omitempty"`
	Assignee  string `json:",omitempty"`
	Milestone string `json:",omitempty"`
	From      string `json:",omitempty"`
	To        string `json:",omitempty"`
	Reason    string `json:",omitempty"`
}

// FurnitureImage is what few issues have.
type FurnitureImage struct {
	Assignees []string `json:",omitempty"`
	Milestone int64    `json:",omitempty"`
	Locked    bool     `json:",omitempty"`
	Reason    string   `json:",omitempty"` // of the lock
}

func imageOfMilestones(all []*milestone) []MilestoneImage {
	var out []MilestoneImage
	for _, m := range all {
		out = append(out, MilestoneImage{ID: m.id, Number: m.number, Title: m.title, Description: m.description, State: m.state, Creator: m.creator,
			Created: m.created, Updated: m.updated, Closed: m.closed, Due: m.due})
	}
	return out
}

// addFurniture takes what an issue has of it, beside what stands in its row.
func (im *Image) addFurniture(i *issue) {
	if m := i.more; m != nil {
		for _, x := range m.reactions {
			im.Reactions = append(im.Reactions, ReactionImage{ID: x.id, Issue: i.id, Login: x.login, Content: x.content, Created: x.created})
		}
		for _, e := range m.events {
			im.Events = append(im.Events, IssueEventImage{ID: e.id, Issue: i.id, Event: e.event, Actor: e.actor, Created: e.created, Label: e.label,
				Color: e.color, Assignee: e.assignee, Milestone: e.milestone, From: e.from, To: e.to, Reason: e.reason})
		}
	}
	for _, c := range i.comments {
		for _, x := range c.reactions {
			im.Reactions = append(im.Reactions, ReactionImage{ID: x.id, Comment: c.id, Login: x.login, Content: x.content, Created: x.created})
		}
	}
}

func imageOfFurniture(i *issue) *FurnitureImage {
	m := i.more
	if m == nil || len(m.assignees) == 0 && m.milestone == nil && !m.locked {
		return nil
	}
	out := FurnitureImage{Assignees: slices.Clone(m.assignees), Locked: m.locked, Reason: m.reason}
	if m.milestone != nil {
		out.Milestone = m.milestone.id
	}
	return &out
}

func (r reader) readMilestones(x *repo, in []MilestoneImage) error {
	for _, m := range in {
		if m.Number < 1 || x.milestone(m.Number) != nil || m.State != stateOpen && m.State != stateClosed {
			return fmt.Errorf("milestone %d is %q and has number %d", m.ID, m.State, m.Number)
		}
		n := &milestone{id: m.ID, number: m.Number, title: m.Title, description: m.Description, state: m.State, creator: m.Creator,
			created: m.Created, updated: m.Updated, closed: m.Closed, due: m.Due}
		if err := put(r, nounMilestone, r.milestones, m.ID, n); err != nil {
			return err
		}
		x.milestones = append(x.milestones, n)
	}
	return nil
}

func (r reader) readFurniture(of *repo, x *issue, in *FurnitureImage) error {
	if in == nil {
		return nil
	}
	m := furniture{assignees: slices.Clone(in.Assignees), locked: in.Locked, reason: in.Reason}
	if !slices.Contains(LockReasons(), in.Reason) || in.Reason != "" && !in.Locked {
		return fmt.Errorf("issue %d is locked for %q", x.id, in.Reason)
	}
	if in.Milestone != 0 {
		if m.milestone = r.milestones[in.Milestone]; !slices.Contains(of.milestones, m.milestone) {
			return fmt.Errorf("issue %d has milestone %d, which is not of its repository", x.id, in.Milestone)
		}
	}
	x.more = &m
	return nil
}

// readLife reads reactions, and what happened to issues.
func (r reader) readLife(im Image) error {
	for _, in := range im.Reactions {
		x := &reaction{id: in.ID, login: in.Login, content: in.Content, created: in.Created}
		if !slices.Contains(ReactionContents(), in.Content) {
			return fmt.Errorf("reaction %d is %q", in.ID, in.Content)
		}
		if err := put(r, nounReaction, r.reactions, in.ID, x); err != nil {
			return err
		}
		i, c := r.issues[in.Issue], r.comments[in.Comment]
		switch {
		case (i == nil) == (c == nil):
			return fmt.Errorf("reaction %d is to issue %d and comment %d: want one that is there", in.ID, in.Issue, in.Comment)
		case i != nil:
			i.furnished().reactions = append(i.furnished().reactions, x)
		default:
			c.reactions = append(c.reactions, x)
		}
	}
	seen := map[int64]*issueEvent{}
	for _, in := range im.Events {
		i := r.issues[in.Issue]
		if i == nil {
			return fmt.Errorf("event %d is of issue %d, which is not there", in.ID, in.Issue)
		}
		x := &issueEvent{id: in.ID, event: in.Event, actor: in.Actor, created: in.Created, label: in.Label, color: in.Color, assignee: in.Assignee,
			milestone: in.Milestone, from: in.From, to: in.To, reason: in.Reason}
		if err := put(r, nounIssueEvent, seen, in.ID, x); err != nil {
			return err
		}
		i.furnished().events = append(i.furnished().events, x)
	}
	return nil
}

func reactionKey(x ReactionImage) int64 { return x.ID }
func eventKey(x IssueEventImage) int64  { return x.ID }
