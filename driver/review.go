package driver

import "context"

// What a review says.
const (
	ReviewComment        = "comment"
	ReviewApprove        = "approve"
	ReviewRequestChanges = "request_changes"
)

// NewReview describes a review to submit. All but an approval need a body.
type NewReview struct {
	Says string // comment, approve, request_changes
	Body string
}

// Review is a review of a pull request as read.
type Review struct {
	ID     int64
	Author string
	State  string // commented, approved, changes_requested, dismissed, pending
	Body   string
	Commit string // that was looked at
}

// Reviews submits and reads reviews of pull requests.
type Reviews interface {
	Submit(ctx context.Context, ref Ref, in NewReview) (Review, error)
	List(ctx context.Context, ref Ref) ([]Review, error) // oldest first
}
