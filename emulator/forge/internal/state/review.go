package state

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// Review is what somebody says about a pull request as a whole.
type Review struct {
	ID        int64
	Author    string
	Body      string
	State     string
	Commit    string // that it is about
	Submitted time.Time
}

// The states of a review.
const (
	reviewPending   = "PENDING" // only its author sees it
	reviewCommented = "COMMENTED"
	reviewApproved  = "APPROVED"
	reviewChanges   = "CHANGES_REQUESTED"
	reviewDismissed = "DISMISSED"
)

// reviewState is what an event of the dialect makes of a review; "" is no event.
func reviewState(event string) string {
	return map[string]string{"": reviewPending, "APPROVE": reviewApproved, "REQUEST_CHANGES": reviewChanges, "COMMENT": reviewCommented}[event]
}

// NewReview describes a review to make. Its comments point at lines that are there.
type NewReview struct {
	Commit   string
	Body     string
	Event    string // APPROVE, REQUEST_CHANGES, COMMENT; "" leaves it pending
	Comments []NewReviewComment
}

// CreateReview makes a review. ErrMoved when the head is another than who calls has looked at.
func (s *State) CreateReview(who Identity, full string, number int, head string, in NewReview) (wire.Review, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.pull(who, full, number, WritePulls)
	if err != nil {
		return wire.Review{}, err
	}
	if i.pull.head.sha != head {
		return wire.Review{}, ErrMoved
	}
	if i.pull.pendingOf(who) != nil {
		return wire.Review{}, wire.Unmet("User can only have one pending review per pull request")
	}
	if err := i.checkReview(who, in.Event, in.Body, len(in.Comments)); err != nil {
		return wire.Review{}, err
	}
	if err := checkReviewBody(in.Body); err != nil {
		return wire.Review{}, err
	}
	for _, c := range in.Comments {
		if checkReviewComment(c.Body) != nil {
			return wire.Review{}, wire.Unmet("Pull request review comment body is blank or too long")
		}
	}
	x := &Review{ID: s.nextID(nounReview), Author: who.Login, Body: in.Body, State: reviewPending, Commit: in.Commit}
	i.pull.reviews = append(i.pull.reviews, x)
	for _, c := range in.Comments {
		s.addReviewComment(who, i, x, c)
	}
	if in.Event != "" {
		s.submit(who, r, i, x, in.Event)
	}
	return s.viewReview(r, i, x), nil
}

// checkReview says whether who may give a review that verdict.
func (i *issue) checkReview(who Identity, event, body string, comments int) error {
	own := key(i.author) == key(who.Login)
	switch {
	case reviewState(event) == "":
		return wire.Unmet("Event is invalid")
	case own && event == "APPROVE":
		return wire.Unmet("Can not approve your own pull request")
	case own && event == "REQUEST_CHANGES":
		return wire.Unmet("Can not request changes on your own pull request")
	case event == "APPROVE" && i.pull.in.barsActions(who):
		return wire.Unmet("GitHub Actions is not permitted to approve pull requests.")
	case (event == "REQUEST_CHANGES" || event == "COMMENT") && strings.TrimSpace(body) == "" && comments == 0:
		return wire.Unmet("Body can't be blank")
	}
	return nil
}

func checkReviewBody(body string) error {
	if len([]rune(body)) > maxReviewBody {
		return wire.Unmet("Body is too long (maximum is 65536 characters)")
	}
	return nil
}

const maxReviewBody = 65536

func (p *pull) pendingOf(who Identity) *Review {
	for _, x := range p.reviews {
		if x.State == reviewPending && key(x.Author) == key(who.Login) {
			return x
		}
	}
	return nil
}

// submit gives a pending review its verdict, which answers a request for it.
func (s *State) submit(who Identity, r *repo, i *issue, x *Review, event string) {
	x.State, x.Submitted = reviewState(event), s.now()
	i.updated = x.Submitted
	i.pull.answer(x.Author)
	s.reviewEvent(who, r, i, x, wire.ReviewEvent{Action: "submitted"})
	for _, c := range i.pull.comments {
		if c.Review == x.ID {
			s.reviewCommentEvent(who, r, i, c, wire.ReviewEvent{Action: "created"})
		}
	}
}

// review finds a review that who can see. The caller holds the lock.
func (s *State) review(who Identity, full string, number int, id int64, need Need) (*repo, *issue, *Review, error) {
	r, i, err := s.pull(who, full, number, need)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, x := range i.pull.reviews {
		if x.ID == id && x.seenBy(who) {
			return r, i, x, nil
		}
	}
	return nil, nil, nil, wire.NotFound()
}

func (x *Review) seenBy(who Identity) bool {
	return x.State != reviewPending || who.Login != "" && key(x.Author) == key(who.Login)
}

// Review returns one review.
func (s *State) Review(who Identity, full string, number int, id int64) (wire.Review, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, x, err := s.review(who, full, number, id, ReadPulls)
	if err != nil {
		return wire.Review{}, err
	}
	return s.viewReview(r, i, x), nil
}

// Reviews lists the reviews of a pull request as they were given; a pending one is last.
func (s *State) Reviews(who Identity, full string, number int) ([]wire.Review, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.pull(who, full, number, ReadPulls)
	if err != nil {
		return nil, err
	}
	out := []wire.Review{}
	for _, x := range i.pull.given() {
		out = append(out, s.viewReview(r, i, x))
	}
	for _, x := range i.pull.reviews {
		if x.State == reviewPending && x.seenBy(who) {
			out = append(out, s.viewReview(r, i, x))
		}
	}
	return out, nil
}

// given are the reviews that are not pending, as they were submitted.
func (p *pull) given() []*Review {
	out := slices.DeleteFunc(slices.Clone(p.reviews), func(x *Review) bool { return x.State == reviewPending })
	slices.SortStableFunc(out, func(a, b *Review) int { return cmp.Or(a.Submitted.Compare(b.Submitted), cmp.Compare(a.ID, b.ID)) })
	return out
}

// verdicts are the latest reviews of each author that approve, or ask for changes, or did until they were
// dismissed. What only comments changes no verdict.
func (p *pull) verdicts() map[string]*Review {
	out := map[string]*Review{}
	for _, x := range p.given() {
		if x.State != reviewCommented {
			out[key(x.Author)] = x
		}
	}
	return out
}

// EditReview replaces the text of a review. Another's needs write access.
func (s *State) EditReview(who Identity, full string, number int, id int64, body string) (wire.Review, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, x, err := s.review(who, full, number, id, WritePulls)
	if err != nil {
		return wire.Review{}, err
	}
	if key(x.Author) != key(who.Login) {
		if err := s.allow(who, r, TendPulls); err != nil {
			return wire.Review{}, err
		}
	}
	if strings.TrimSpace(body) == "" {
		return wire.Review{}, wire.Unmet("Body can't be blank")
	}
	if err := checkReviewBody(body); err != nil {
		return wire.Review{}, err
	}
	was := x.Body
	x.Body = body
	if x.State != reviewPending {
		s.reviewEvent(who, r, i, x, wire.ReviewEvent{Action: "edited", Changes: map[string]any{"body": map[string]any{"from": was}}})
	}
	return s.viewReview(r, i, x), nil
}

// SubmitReview gives a pending review its verdict; body nil leaves the text as it is.
func (s *State) SubmitReview(who Identity, full string, number int, id int64, event string, body *string) (wire.Review, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, x, err := s.review(who, full, number, id, WritePulls)
	if err != nil {
		return wire.Review{}, err
	}
	if x.State != reviewPending {
		return wire.Review{}, wire.Unmet("Can not submit a non-pending pull request review")
	}
	if event == "" {
		return wire.Review{}, wire.Unmet("Event can't be blank")
	}
	text, comments := x.Body, 0
	if body != nil {
		text = *body
	}
	for _, c := range i.pull.comments {
		if c.Review == x.ID {
			comments++
		}
	}
	if err := cmp.Or(i.checkReview(who, event, text, comments), checkReviewBody(text)); err != nil {
		return wire.Review{}, err
	}
	x.Body = text
	s.submit(who, r, i, x, event)
	return s.viewReview(r, i, x), nil
}

// DismissReview takes its effect from a review that approves or asks for changes.
func (s *State) DismissReview(who Identity, full string, number int, id int64, message string) (wire.Review, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, x, err := s.review(who, full, number, id, TendPulls)
	if err != nil {
		return wire.Review{}, err
	}
	if strings.TrimSpace(message) == "" {
		return wire.Review{}, wire.Unmet("Message can't be blank")
	}
	if x.State != reviewApproved && x.State != reviewChanges {
		return wire.Review{}, wire.Unmet("Can not dismiss a " + strings.ToLower(x.State) + " pull request review")
	}
	s.dismiss(who, r, i, x)
	return s.viewReview(r, i, x), nil
}

func (s *State) dismiss(who Identity, r *repo, i *issue, x *Review) {
	x.State, i.updated = reviewDismissed, s.now()
	s.reviewEvent(who, r, i, x, wire.ReviewEvent{Action: "dismissed"})
}

// DeleteReview removes a pending review and its comments.
func (s *State) DeleteReview(who Identity, full string, number int, id int64) (wire.Review, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, x, err := s.review(who, full, number, id, WritePulls)
	if err != nil {
		return wire.Review{}, err
	}
	if x.State != reviewPending {
		return wire.Review{}, wire.Unmet("Can not delete a non-pending pull request review")
	}
	p := i.pull
	p.reviews = slices.DeleteFunc(p.reviews, func(o *Review) bool { return o == x })
	p.comments = slices.DeleteFunc(p.comments, func(c *ReviewComment) bool { return c.Review == x.ID })
	return s.viewReview(r, i, x), nil
}
