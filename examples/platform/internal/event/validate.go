package event

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var repoName = regexp.MustCompile(`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+$`)

// Validate returns the first rule that the event breaks, or nil.
func (e Event) Validate() error {
	switch {
	case e.Repo == "":
		return errors.New("repo is missing")
	case len(e.Repo) > maxField || !repoName.MatchString(e.Repo) || strings.Contains(e.Repo, ".."):
		return fmt.Errorf("repo %q is not of the form owner/name", clip(e.Repo))
	}
	for _, check := range []func() error{e.source, e.entity, e.transition, e.actor, e.state, e.bounds} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// clip keeps a text that is too long out of messages.
func clip(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}

// one says of a field that it must hold one of some words.
func one(field, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	if value == "" {
		return fmt.Errorf("%s is missing; it is one of %s", field, strings.Join(words, ", "))
	}
	return fmt.Errorf("%s %q is unknown; it is one of %s", field, clip(value), strings.Join(words, ", "))
}

func (e Event) source() error {
	return one("source.system", e.Source.System, GitHub, "gitlab", Jira, "manual", "schedule")
}

func (e Event) entity() error {
	n, linked := e.Entity, e.Entity.Linked
	if err := one("entity.kind", n.Kind, WorkItem, ChangeProposal, Discussion); err != nil {
		return err
	}
	switch {
	case n.ID < 1:
		return fmt.Errorf("entity.id is %d; it must be 1 or more", n.ID)
	case n.Key == "" && e.Source.System == Jira:
		return errors.New("entity.key is missing: source.system is jira")
	case linked != nil && n.Kind == ChangeProposal:
		return errors.New("entity.linked_change_proposal is not for a change_proposal")
	case linked != nil && linked.ID < 1:
		return fmt.Errorf("entity.linked_change_proposal.id is %d; it must be 1 or more", linked.ID)
	case linked == nil && n.Kind == WorkItem && e.State.ChangeProposal != nil:
		return errors.New("entity.linked_change_proposal is missing: a work_item has state.change_proposal")
	}
	return nil
}

func (e Event) transition() error {
	t := e.Transition
	err := one("transition.kind", t.Kind, Opened, Reopened, Edited, Synchronized, Updated, Closed, Merged, MarkedReady,
		LabelChanged, CommentAdded, CommentEdited, CommentDeleted, ReviewSubmitted)
	if err != nil {
		return err
	}
	comment := strings.HasPrefix(t.Kind, "comment_")
	for _, part := range []struct {
		name       string
		has, needs bool
	}{
		{"label", t.Label != nil, t.Kind == LabelChanged},
		{"comment", t.Comment != nil, comment},
		{"review", t.Review != nil, t.Kind == ReviewSubmitted},
	} {
		switch {
		case part.needs && !part.has:
			return fmt.Errorf("transition.%s is missing: transition.kind is %s", part.name, t.Kind)
		case part.has && !part.needs:
			return fmt.Errorf("transition.%s is not for %s", part.name, t.Kind)
		}
	}
	switch {
	case t.Label != nil && t.Label.Name == "":
		return errors.New("transition.label.name is missing")
	case t.Label != nil:
		return one("transition.label.action", t.Label.Action, Added, Removed)
	case t.Review != nil && t.Review.State == "":
		return errors.New("transition.review.state is missing")
	case comment && e.Entity.Kind == Discussion && (t.Comment.ID == "" || t.Comment.ParentID == ""):
		return errors.New("transition.comment.id and parent_id are needed in a conversation")
	}
	return nil
}

func (e Event) actor() error {
	if e.Actor.ID == "" {
		return errors.New("actor.id is missing")
	}
	if err := one("actor.kind", e.Actor.Kind, Human, Bot); err != nil {
		return err
	}
	return one("actor.role", e.Actor.Role, "admin", "maintain", "write", "triage", "read", NoRole, "external")
}

func (e Event) state() error {
	s := e.State
	switch {
	case s.Labels == nil:
		return errors.New("state.labels is missing; it may be empty")
	case len(s.Labels) > maxCount:
		return fmt.Errorf("state.labels has %d entries; %d are the most", len(s.Labels), maxCount)
	case s.ChangeProposal != nil && s.ChangeProposal.ID < 1:
		return fmt.Errorf("state.change_proposal.id is %d; it must be 1 or more", s.ChangeProposal.ID)
	case s.ChangeProposal == nil && e.Entity.Kind == ChangeProposal:
		return errors.New("state.change_proposal is missing: entity.kind is change_proposal")
	case e.Entity.Kind == Discussion && (s.Conversation == nil || s.Conversation.Category.Name == ""):
		return errors.New("state.conversation.category.name is missing: entity.kind is conversation")
	case e.Entity.Kind != Discussion && s.Conversation != nil:
		return fmt.Errorf("state.conversation is not for a %s", e.Entity.Kind)
	}
	if p := s.ChangeProposal; p != nil && !p.IsFork && (p.HeadRepo == "" || p.BaseRepo == "" || p.HeadRepo != p.BaseRepo) {
		return errors.New("state.change_proposal.is_fork must be true: head_repo and base_repo are not known to be one")
	}
	return nil
}

// bounds looks at the texts that no other rule does.
func (e Event) bounds() error {
	all := map[string]string{
		"entity.key": e.Entity.Key, "entity.url": e.Entity.URL, "actor.id": e.Actor.ID,
		"source.raw_type": e.Source.RawType, "source.raw_action": e.Source.RawAction,
	}
	if l := e.Entity.Linked; l != nil {
		all["entity.linked_change_proposal.url"] = l.URL
	}
	if l := e.Transition.Label; l != nil {
		all["transition.label.name"] = l.Name
	}
	if c := e.Transition.Comment; c != nil {
		all["transition.comment.id"], all["transition.comment.parent_id"] = c.ID, c.ParentID
	}
	if r := e.Transition.Review; r != nil {
		all["transition.review.state"], all["transition.review.reviewer_id"] = r.State, r.ReviewerID
	}
	if p := e.State.ChangeProposal; p != nil {
		all["state.change_proposal"] = p.HeadRepo + p.BaseRepo + p.HeadRef + p.BaseRef + p.HeadSHA + p.AuthorID
	}
	if c := e.State.Conversation; c != nil {
		all["state.conversation.category"] = c.Category.ID + c.Category.Name + c.Category.Slug + c.Category.Format
	}
	for _, l := range e.State.Labels {
		if len(l) > maxField {
			all["state.labels"] = l
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if len(all[name]) > maxField {
			return fmt.Errorf("%s is longer than %d bytes", name, maxField)
		}
	}
	return nil
}
