package state

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// ReviewComment is a comment on a line or a file of the diff of a pull request. Line, StartLine and Position are 0
// when the head has moved past them.
type ReviewComment struct {
	ID                int64
	Review            int64 // that it is part of
	Author            string
	Body              string
	Path              string
	Side              string // LEFT: of the base, RIGHT: of the head
	StartSide         string // of the first of several lines; "" when it is one
	Line              int
	StartLine         int
	Position          int    // in the diff of the file
	Commit            string // in which Line counts
	OriginalLine      int
	OriginalStartLine int
	OriginalPosition  int
	OriginalCommit    string
	Hunk              string // of the diff, up to the line
	OfFile            bool
	InReplyTo         int64
	Created           time.Time
	Updated           time.Time
}

// NewReviewComment describes a comment to make.
type NewReviewComment struct {
	Body   string
	Anchor Anchor
}

// Anchor is what a new comment points at, which git has found.
type Anchor struct {
	Path      string
	Side      string
	StartSide string
	Line      int
	StartLine int
	Position  int
	Commit    string
	Hunk      string
	OfFile    bool
}

func checkReviewComment(body string) error {
	if strings.TrimSpace(body) == "" {
		return wire.Invalid(wire.FieldError{Resource: "PullRequestReviewComment", Field: "body", Code: "missing_field"})
	}
	return checkReviewBody(body)
}

func (s *State) addReviewComment(who Identity, i *issue, of *Review, in NewReviewComment) *ReviewComment {
	a, now := in.Anchor, s.now()
	c := &ReviewComment{ID: s.nextID(nounReviewComment), Review: of.ID, Author: who.Login, Body: in.Body, Path: a.Path, Side: a.Side, StartSide: a.StartSide,
		Line: a.Line, StartLine: a.StartLine, Position: a.Position, Commit: a.Commit, OriginalLine: a.Line, OriginalStartLine: a.StartLine,
		OriginalPosition: a.Position, OriginalCommit: a.Commit, Hunk: a.Hunk, OfFile: a.OfFile, Created: now, Updated: now}
	i.pull.comments = append(i.pull.comments, c)
	return c
}

// AddReviewComment comments on a diff, in a review of its own. replyTo is the comment that it answers, whose
// place it takes; 0 is none. ErrMoved when the head is another than who calls has looked at.
func (s *State) AddReviewComment(who Identity, full string, number int, head string, in NewReviewComment, replyTo int64) (wire.ReviewComment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.pull(who, full, number, WritePulls)
	if err != nil {
		return wire.ReviewComment{}, err
	}
	p := i.pull
	if replyTo == 0 && p.head.sha != head {
		return wire.ReviewComment{}, ErrMoved
	}
	root := p.comment(who, replyTo)
	switch {
	case replyTo != 0 && root == nil:
		return wire.ReviewComment{}, wire.NotFound()
	case root != nil && root.InReplyTo != 0:
		return wire.ReviewComment{}, wire.Invalid(wire.FieldError{Resource: "PullRequestReviewComment", Field: "in_reply_to", Code: "invalid"})
	case p.pendingOf(who) != nil:
		return wire.ReviewComment{}, wire.Invalid(wire.FieldError{Resource: "PullRequestReview", Field: "user_id", Code: "custom",
			Message: "user_id can only have one pending review per pull request"})
	}
	if err := checkReviewComment(in.Body); err != nil {
		return wire.ReviewComment{}, err
	}
	x := &Review{ID: s.nextID(nounReview), Author: who.Login, State: reviewPending, Commit: cmp.Or(in.Anchor.Commit, p.head.sha)}
	p.reviews = append(p.reviews, x)
	c := s.addReviewComment(who, i, x, in)
	if root != nil {
		is := *root
		is.ID, is.Review, is.Author, is.Body, is.Created, is.Updated, is.InReplyTo = c.ID, c.Review, c.Author, c.Body, c.Created, c.Updated, root.ID
		*c = is
	}
	s.submit(who, r, i, x, "COMMENT")
	return s.viewReviewComment(r, i, c), nil
}

// comment finds a comment that who can see, or nil.
func (p *pull) comment(who Identity, id int64) *ReviewComment {
	for _, c := range p.comments {
		if c.ID == id && p.shown(who, c) {
			return c
		}
	}
	return nil
}

func (p *pull) shown(who Identity, c *ReviewComment) bool {
	for _, x := range p.reviews {
		if x.ID == c.Review {
			return x.seenBy(who)
		}
	}
	return true
}

// ReviewCommentFilter selects and orders comments; zero fields select all.
type ReviewCommentFilter struct {
	Number     int   // of the pull request; 0 is all of the repository
	Review     int64 // that they are part of
	Since      time.Time
	Sort       string // created (also ""), updated
	Descending bool
}

// ReviewComments lists comments on diffs.
func (s *State) ReviewComments(who Identity, full string, f ReviewCommentFilter) ([]wire.ReviewComment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadPulls)
	if err != nil {
		return nil, err
	}
	in := r.pulls
	if f.Number != 0 {
		_, i, err := s.pull(who, full, f.Number, ReadPulls)
		if err != nil {
			return nil, err
		}
		in = []*issue{i}
	}
	if f.Review != 0 {
		if _, _, _, err := s.review(who, full, f.Number, f.Review, ReadPulls); err != nil {
			return nil, err
		}
	}
	out := []wire.ReviewComment{}
	for _, i := range in {
		for _, c := range i.pull.comments {
			if i.pull.shown(who, c) && (f.Review == 0 || f.Review == c.Review) && !c.Updated.Before(f.Since) {
				out = append(out, s.viewReviewComment(r, i, c))
			}
		}
	}
	slices.SortStableFunc(out, func(a, b wire.ReviewComment) int {
		n := 0
		if f.Sort == "updated" {
			n = a.UpdatedAt.Compare(b.UpdatedAt.Time)
		}
		if n = cmp.Or(n, cmp.Compare(a.ID, b.ID)); f.Descending {
			return -n
		}
		return n
	})
	return out, nil
}

// reviewComment finds a comment of a repository by id. The caller holds the lock.
func (s *State) reviewComment(who Identity, full string, id int64, need Need) (*repo, *issue, *ReviewComment, error) {
	r, err := s.open(who, full, need)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, i := range r.pulls {
		if c := i.pull.comment(who, id); c != nil {
			return r, i, c, nil
		}
	}
	return nil, nil, nil, wire.NotFound()
}

// ReviewComment returns one comment.
func (s *State) ReviewComment(who Identity, full string, id int64) (wire.ReviewComment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, c, err := s.reviewComment(who, full, id, ReadPulls)
	if err != nil {
		return wire.ReviewComment{}, err
	}
	return s.viewReviewComment(r, i, c), nil
}

// ownReviewComment finds a comment that who may change: his own, or with write access another's.
func (s *State) ownReviewComment(who Identity, full string, id int64) (*repo, *issue, *ReviewComment, error) {
	r, i, c, err := s.reviewComment(who, full, id, WritePulls)
	if err == nil && key(c.Author) != key(who.Login) {
		err = s.allow(who, r, TendPulls)
	}
	return r, i, c, err
}

// EditReviewComment replaces the text of a comment.
func (s *State) EditReviewComment(who Identity, full string, id int64, body string) (wire.ReviewComment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, c, err := s.ownReviewComment(who, full, id)
	if err == nil {
		err = checkReviewComment(body)
	}
	if err != nil {
		return wire.ReviewComment{}, err
	}
	was := c.Body
	c.Body, c.Updated = body, s.now()
	s.reviewCommentEvent(who, r, i, c, wire.ReviewEvent{Action: "edited", Changes: map[string]any{"body": map[string]any{"from": was}}})
	return s.viewReviewComment(r, i, c), nil
}

// DeleteReviewComment removes a comment; answers to it stay.
func (s *State) DeleteReviewComment(who Identity, full string, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, c, err := s.ownReviewComment(who, full, id)
	if err != nil {
		return err
	}
	i.pull.comments = slices.DeleteFunc(i.pull.comments, func(o *ReviewComment) bool { return o == c })
	s.reviewCommentEvent(who, r, i, c, wire.ReviewEvent{Action: "deleted"})
	return nil
}

// PlacedComments returns the comments of a pull request that point at lines.
func (s *State) PlacedComments(full string, number int) []ReviewComment {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []ReviewComment
	if r := s.repos[key(full)]; r != nil && number <= len(r.issues) && r.issues[number-1].pull != nil {
		for _, c := range r.issues[number-1].pull.comments {
			if c.Line != 0 || c.OfFile {
				out = append(out, *c)
			}
		}
	}
	return out
}

// PlaceComments gives comments the place that they have in another head. Without a line they are outdated.
func (s *State) PlaceComments(full string, number int, at map[int64]Anchor) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.repos[key(full)]; r != nil && number <= len(r.issues) && r.issues[number-1].pull != nil {
		for _, c := range r.issues[number-1].pull.comments {
			if a, moved := at[c.ID]; moved {
				c.Line, c.StartLine, c.Position = a.Line, a.StartLine, a.Position
				c.Commit = cmp.Or(a.Commit, c.Commit)
			}
		}
	}
}

// publicComments counts the comments that everybody sees.
func (p *pull) publicComments() int {
	n := 0
	for _, c := range p.comments {
		if p.shown(Identity{}, c) {
			n++
		}
	}
	return n
}
