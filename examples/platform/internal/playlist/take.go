package playlist

import (
	"context"
	"fmt"
	"regexp"

	"example.com/crew/internal/forge"
)

// Comments is the tracking issue, as far as rounds need it.
type Comments interface {
	// Append writes a comment.
	Append(ctx context.Context, issue int, body string) (forge.Comment, error)
	// Comments returns all comments, in the order in which they were written.
	Comments(ctx context.Context, issue int) ([]forge.Comment, error)
}

var taken = regexp.MustCompile(`^<!-- crew:playback:([a-z0-9-]+):([0-9]+) -->\n`)

// Take takes the next round of an agent for a workflow run, and returns its number, from 1. A run that is
// started again has the round that it had.
//
// What is taken stands in the tracking issue, one comment a round. A comment that is edited would lose one of
// two rounds that are taken at once, as the forge has no edit on a condition; comments that are added it puts in
// one order, and a run's round is its place among those of its agent. Comments of others do not count.
func Take(ctx context.Context, c Comments, issue int, agent, run string) (int, error) {
	all, err := c.Comments(ctx, issue)
	if err != nil {
		return 0, fmt.Errorf("read tracking issue %d: %w", issue, err)
	}
	mine, have := forge.Comment{}, false
	for _, old := range all {
		if m := taken.FindStringSubmatch(old.Body); m != nil && m[1] == agent && m[2] == run && old.Bot() {
			mine, have = old, true
			break
		}
	}
	if !have {
		body := fmt.Sprintf("<!-- crew:playback:%s:%s -->\nRun %s takes the next recorded result of agent %s.", agent, run, run, agent)
		if mine, err = c.Append(ctx, issue, body); err != nil {
			return 0, fmt.Errorf("take a round in tracking issue %d: %w", issue, err)
		}
		if all, err = c.Comments(ctx, issue); err != nil {
			return 0, fmt.Errorf("read tracking issue %d: %w", issue, err)
		}
	}
	round := 0
	for _, other := range all {
		m := taken.FindStringSubmatch(other.Body)
		if m == nil || m[1] != agent || other.User.Login != mine.User.Login {
			continue
		}
		if round++; other.ID == mine.ID {
			return round, nil
		}
	}
	return 0, fmt.Errorf("tracking issue %d does not show the comment that takes this round", issue)
}
