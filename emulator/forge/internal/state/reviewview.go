package state

import (
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (s *State) viewReview(r *repo, i *issue, x *Review) wire.Review {
	v := wire.Review{ID: x.ID, User: s.viewLogin(x.Author), Body: x.Body, State: x.State, CommitID: x.Commit, AuthorAssociation: s.association(r, x.Author)}
	if !x.Submitted.IsZero() {
		v.SubmittedAt = &wire.Time{Time: x.Submitted}
	}
	v.Link(s.base, r.fullName(), i.number)
	return v
}

func (s *State) viewReviewComment(r *repo, i *issue, c *ReviewComment) wire.ReviewComment {
	v := wire.ReviewComment{ID: c.ID, ReviewID: c.Review, DiffHunk: c.Hunk, Path: c.Path, CommitID: c.Commit, OriginalCommitID: c.OriginalCommit,
		InReplyTo: c.InReplyTo, User: s.viewLogin(c.Author), Body: c.Body, CreatedAt: wire.Time{Time: c.Created}, UpdatedAt: wire.Time{Time: c.Updated},
		AuthorAssociation: s.association(r, c.Author), StartLine: positive(c.StartLine), OriginalStartLine: positive(c.OriginalStartLine),
		StartSide: optional(c.StartSide), Line: positive(c.Line), OriginalLine: positive(c.OriginalLine), Side: c.Side,
		Position: positive(c.Position), OriginalPosition: positive(c.OriginalPosition), SubjectType: "line"}
	if c.OfFile {
		v.SubjectType, v.Position, v.OriginalPosition = "file", positive(1), positive(1)
	}
	v.Link(s.base, r.fullName(), i.number)
	return v
}

// reviewEvent is the webhook pull_request_review.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request_review
func (s *State) reviewEvent(who Identity, r *repo, i *issue, x *Review, body wire.ReviewEvent) {
	v := s.viewReview(r, i, x)
	v.State = strings.ToLower(v.State)
	body.Review = &wire.EventReview{Review: v, Body: optional(v.Body)}
	s.emitReview(who, r, i, "pull_request_review", body)
}

// reviewCommentEvent is the webhook pull_request_review_comment.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request_review_comment
func (s *State) reviewCommentEvent(who Identity, r *repo, i *issue, c *ReviewComment, body wire.ReviewEvent) {
	v := s.viewReviewComment(r, i, c)
	body.Comment = &v
	s.emitReview(who, r, i, "pull_request_review_comment", body)
}

// emitReview appends an event about a pull request. Workflows run on its test merge, when there is one.
func (s *State) emitReview(who Identity, r *repo, i *issue, event string, body wire.ReviewEvent) {
	body.PullRequest = s.pullViewer(false).listed(i)
	body.PullRequest.RequestedTeams = wire.AskedTeams(body.PullRequest.RequestedTeams)
	body.Repository, body.Organization, body.Sender = s.eventRepo(r), s.eventOrg(r), s.eventSender(who)
	detail := map[string]string{
		"event": event, "action": body.Action, "head": i.pull.head.sha, "ref": pullRef(i.number, "merge"), "sha": i.pull.facts.Merge,
		"paths": strings.Join(i.pull.facts.Paths, "\n"),
	}
	s.hold(who, i, detail)
	s.emit(who, r, event+"."+body.Action, r.subject(i), body, detail)
}
