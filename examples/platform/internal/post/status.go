package post

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"example.com/crew/internal/defect"
)

// FailureMarker stands in every failure comment.
const FailureMarker = "crew: failed"

// Start says on the issue or pull request that the agent is at work. Post edits that comment.
func Start(ctx context.Context, o Options) error { return o.status(ctx, "running") }

// status writes the one comment that says where the agent's work on the number is.
func (o Options) status(ctx context.Context, state string) error {
	marker := "<!-- crew:status:" + o.Agent + " -->"
	switch {
	case o.Defect == defect.StatusCommentShared:
		marker = "<!-- crew:status -->"
	case state == "running":
	case o.Defect == defect.StatusCommentStuck:
		return nil
	case o.Defect == defect.StatusCommentTwice:
		marker = "<!-- crew:status:" + o.Agent + ":end -->"
	}
	err := o.Job.Stick(ctx, o.Issue, marker, fmt.Sprintf("crew agent %s: %s", o.Agent, state))
	return errors.Join(err, o.react(ctx, state))
}

// react shows the state without words. What says that the agent is at work goes when it no longer is.
func (o Options) react(ctx context.Context, state string) error {
	if !o.React && o.Defect != defect.ReactionUnasked || o.Defect == defect.ReactionStuck && state != "running" {
		return nil
	}
	shows := map[string]string{"running": "eyes", "done": "rocket", "failed": "confused"}[state]
	if state == "failed" && o.Defect == defect.ReactionWrong {
		shows = "rocket"
	}
	_, err := o.Job.React(ctx, o.Issue, shows)
	if err == nil && state != "running" {
		err = o.Job.Unreact(ctx, o.Issue, "eyes")
	}
	if err != nil {
		return fmt.Errorf("react to %d: %w", o.Issue, err)
	}
	return nil
}

// fail tells people of a failure. The category is one word: validation, run, result, branch, push,
// pull-request, review, comment, label, or post for all else.
func (o Options) fail(ctx context.Context, category, message string) error {
	// The message may hold what the agent wrote: in a fence it mentions nobody.
	message = strings.ReplaceAll(bounded(message), "```", "'''")
	text := fmt.Sprintf("**%s** (agent %s, %s)\n\n```text\n%s\n```", FailureMarker, o.Agent, category, message)
	if o.Defect == defect.FailureCommentMissing {
		return o.status(ctx, "failed")
	}
	err := o.Job.Stick(ctx, o.Issue, o.marker(":failed"), text)
	if err != nil {
		err = fmt.Errorf("comment on %d: %w", o.Issue, err)
	}
	return errors.Join(err, o.status(ctx, "failed"))
}
