package state

import (
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

type comment struct {
	id      int64
	author  string
	body    string
	created time.Time
	updated time.Time

	reactions []*reaction
}

// AddComment comments on an issue.
func (s *State) AddComment(who Identity, full string, number int, body string) (wire.Comment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.issue(who, full, number, WriteIssues)
	if err != nil {
		return wire.Comment{}, err
	}
	if err := checkComment(body); err != nil {
		return wire.Comment{}, err
	}
	if err := s.speak(who, r, i); err != nil {
		return wire.Comment{}, err
	}
	now := s.now()
	c := &comment{id: s.nextID(nounComment), author: who.Login, body: body, created: now, updated: now}
	i.comments = append(i.comments, c)
	i.updated = now
	s.commentEvent(who, r, i, c, wire.Event{Action: "created"})
	return s.viewComment(r, i, c), nil
}

func checkComment(body string) error {
	if strings.TrimSpace(body) == "" {
		return wire.Invalid(wire.FieldError{Resource: "IssueComment", Field: "data", Code: "unprocessable", Message: "Body cannot be blank"})
	}
	if len(body) > 65536*4 || len([]rune(body)) > 65536 {
		return wire.Invalid(wire.FieldError{Resource: "IssueComment", Field: "data", Code: "unprocessable", Message: "Body is too long (maximum is 65536 characters)"})
	}
	return nil
}

func (s *State) commentEvent(who Identity, r *repo, i *issue, c *comment, body wire.Event) {
	iv, cv := s.viewIssue(r, i), s.viewComment(r, i, c)
	body.Issue, body.Comment = &wire.EventIssue{Issue: iv}, &cv
	s.event(who, r, "issue_comment", body, r.subject(i))
}

// Comments lists the comments of an issue that changed at or after since, oldest first.
func (s *State) Comments(who Identity, full string, number int, since time.Time) ([]wire.Comment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.issue(who, full, number, ReadIssues)
	if err != nil {
		return nil, err
	}
	out := []wire.Comment{}
	for _, c := range i.comments {
		if !c.updated.Before(since) {
			out = append(out, s.viewComment(r, i, c))
		}
	}
	return out, nil
}

// comment finds a comment of a repository by id. The caller holds the lock.
func (s *State) comment(who Identity, full string, id int64, need Need) (*repo, *issue, *comment, error) {
	r, err := s.visible(who, full)
	if err != nil {
		return nil, nil, nil, err
	}
	var of *issue
	var found *comment
	for _, i := range r.issues {
		for _, c := range i.comments {
			if c.id == id {
				of, found = i, c
			}
		}
	}
	if err := s.allow(who, r, need.on(who, of)); err != nil {
		return nil, nil, nil, err
	}
	if found == nil {
		return nil, nil, nil, wire.NotFound()
	}
	return r, of, found, nil
}

// Comment returns one comment.
func (s *State) Comment(who Identity, full string, id int64) (wire.Comment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, c, err := s.comment(who, full, id, ReadIssues)
	if err != nil {
		return wire.Comment{}, err
	}
	return s.viewComment(r, i, c), nil
}

// EditComment replaces the text of a comment. Another's comment needs write access.
func (s *State) EditComment(who Identity, full string, id int64, body string) (wire.Comment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, c, err := s.ownComment(who, full, id)
	if err != nil {
		return wire.Comment{}, err
	}
	if err := checkComment(body); err != nil {
		return wire.Comment{}, err
	}
	was := c.body
	c.body, c.updated = body, s.now()
	s.commentEvent(who, r, i, c, wire.Event{Action: "edited", Changes: map[string]any{"body": map[string]any{"from": was}}})
	return s.viewComment(r, i, c), nil
}

// DeleteComment removes a comment. Another's comment needs write access.
func (s *State) DeleteComment(who Identity, full string, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, c, err := s.ownComment(who, full, id)
	if err != nil {
		return err
	}
	i.comments = slices.DeleteFunc(i.comments, func(x *comment) bool { return x == c })
	s.commentEvent(who, r, i, c, wire.Event{Action: "deleted"})
	return nil
}

func (s *State) ownComment(who Identity, full string, id int64) (*repo, *issue, *comment, error) {
	r, i, c, err := s.comment(who, full, id, WriteIssues)
	if err != nil {
		return nil, nil, nil, err
	}
	if key(c.author) != key(who.Login) {
		if err := s.allow(who, r, EditLabels.on(who, i)); err != nil {
			return nil, nil, nil, err
		}
	}
	return r, i, c, nil
}

func (s *State) viewComment(r *repo, i *issue, c *comment) wire.Comment {
	v := wire.Comment{ID: c.id, User: s.viewLogin(c.author), CreatedAt: wire.Time{Time: c.created}, UpdatedAt: wire.Time{Time: c.updated},
		Body: c.body, AuthorAssociation: s.association(r, c.author)}
	v.Link(s.base, r.fullName(), i.number)
	count(&v.Reactions, c.reactions)
	return v
}
