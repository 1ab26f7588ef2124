package state

import (
	"fmt"
	"slices"
)

// addReviews puts the reviews of a pull request into its image.
func (im *PullImage) addReviews(p *pull) {
	im.Requested = slices.Clone(p.requested)
	for _, t := range p.teams {
		im.Teams = append(im.Teams, t.id)
	}
	for _, x := range p.reviews {
		im.Reviews = append(im.Reviews, *x)
	}
	for _, c := range p.comments {
		im.Comments = append(im.Comments, *c)
	}
}

// reviewsRead are the reviews and comments that were read, by id.
type reviewsRead struct {
	reviews  map[int64]*Review
	comments map[int64]*ReviewComment
}

func (r reader) readReviews(into *pull, in *PullImage, seen reviewsRead) error {
	for _, login := range in.Requested {
		if r.s.accounts[key(login)] == nil {
			return fmt.Errorf("pull request %d asks %q for a review, which is no account", in.ID, login)
		}
	}
	into.requested = slices.Clone(in.Requested)
	for _, id := range in.Teams {
		t := into.in.owner.teams[id]
		if t == nil {
			return fmt.Errorf("pull request %d asks team %d for a review, which its organisation does not have", in.ID, id)
		}
		into.teams = append(into.teams, t)
	}
	states := []string{reviewPending, reviewCommented, reviewApproved, reviewChanges, reviewDismissed}
	of := map[int64]bool{}
	for _, x := range in.Reviews {
		if !slices.Contains(states, x.State) {
			return fmt.Errorf("review %d is %q", x.ID, x.State)
		}
		if err := put(r, nounReview, seen.reviews, x.ID, &x); err != nil {
			return err
		}
		of[x.ID] = true
		into.reviews = append(into.reviews, &x)
	}
	for _, c := range in.Comments {
		if !of[c.Review] {
			return fmt.Errorf("comment %d is of review %d, which is not there", c.ID, c.Review)
		}
		if err := put(r, nounReviewComment, seen.comments, c.ID, &c); err != nil {
			return err
		}
		into.comments = append(into.comments, &c)
	}
	return nil
}
