package forge

import (
	"context"
	"fmt"
	"time"
)

// MaxAdvance is how far the clock can be put forward at once.
const MaxAdvance = 10 * 366 * 24 * time.Hour

// Due is a workflow run that is due at a time.
type Due struct {
	Repo     string
	Workflow string // path of the file
	Cron     string // as it stands there
	Line     int    // where
	SHA      string // head of the default branch
	At       time.Time
}

// Scheduler says, in order, what the default branches of repositories have scheduled after from and until to.
type Scheduler func(ctx context.Context, repos []string, from, to time.Time) ([]Due, error)

// ScheduleBy has a workflow engine say what is due when the clock is advanced. It is called before the first
// Advance.
func (a *Admin) ScheduleBy(s Scheduler) { a.scheduler = s }

// Advanced is what an Advance did.
type Advanced struct {
	From time.Time
	To   time.Time
	Runs int // that were due
}

// Advance puts the clock forward by d: what the forge shows, and what it judges by time, such as the life of a
// token, goes by it from now on, but for what clients sign with clocks of their own. Each scheduled run that is due
// meanwhile is announced in the journal, in the order of time. Nothing else makes one due: the time that passes by
// itself does not.
//
// The cause is that last given to Mark. With an error nothing has moved, unless it is that this could not be stored:
// then Advanced says what was done.
func (a *Admin) Advance(ctx context.Context, d time.Duration) (Advanced, error) {
	a.advancing.Lock()
	defer a.advancing.Unlock()
	return a.advance(ctx, func(from time.Time) (time.Time, error) {
		if d <= 0 {
			return from, fmt.Errorf("by %v: time goes forward only", d)
		}
		if d > MaxAdvance {
			return from, fmt.Errorf("by %v: ten years are the most at once", d)
		}
		return from.Add(d), nil
	})
}

// AdvanceTo is Advance until a time, which must be to come.
func (a *Admin) AdvanceTo(ctx context.Context, t time.Time) (Advanced, error) {
	a.advancing.Lock()
	defer a.advancing.Unlock()
	return a.advance(ctx, func(from time.Time) (time.Time, error) {
		switch {
		case !t.After(from):
			return from, fmt.Errorf("to %s: it is %s already, and time goes forward only", t.UTC().Format(time.RFC3339), from.Format(time.RFC3339))
		case t.Sub(from) > MaxAdvance:
			return from, fmt.Errorf("to %s: ten years are the most at once", t.UTC().Format(time.RFC3339))
		}
		return t.UTC(), nil
	})
}

// Now is the time that the forge shows.
func (a *Admin) Now() time.Time { return a.now() }

func (a *Admin) advance(ctx context.Context, until func(from time.Time) (time.Time, error)) (Advanced, error) {
	work := a.ledger.Open("advance the clock")
	defer work.Close()
	from := a.now()
	to, err := until(from)
	if err != nil {
		return Advanced{}, fmt.Errorf("advance the clock %w", err)
	}
	var due []Due
	if a.scheduler != nil {
		if due, err = a.scheduler(ctx, a.state.RepoNames(), from, to); err != nil {
			return Advanced{}, fmt.Errorf("advance the clock: %w", err)
		}
	}
	actors := make([]string, len(due))
	known := map[Due]string{}
	for i, x := range due {
		x.At = time.Time{}
		if _, ok := known[x]; !ok {
			if known[x], err = a.lastToChange(ctx, x); err != nil {
				return Advanced{}, fmt.Errorf("advance the clock: who scheduled %s of %s: %w", x.Workflow, x.Repo, err)
			}
		}
		actors[i] = known[x]
	}
	if err := ctx.Err(); err != nil {
		return Advanced{}, fmt.Errorf("advance the clock: %w", err)
	}
	cause := fmt.Sprintf("event:%d", a.state.Advancing(a.state.Marked(), from, to, len(due)))
	for i, x := range due {
		a.clock.AdvanceTo(x.At)
		a.state.Schedule(x.Repo, x.Workflow, x.Cron, x.SHA, actors[i], cause, x.At)
	}
	a.clock.AdvanceTo(to)
	done := Advanced{From: from, To: to, Runs: len(due)}
	if k := a.server.keeper; k != nil {
		if err := k.sync(); err != nil {
			return done, fmt.Errorf("advance the clock: %w", err)
		}
	}
	return done, nil
}

// lastToChange is the account that changed the line of a schedule last; "" when it is none of this forge.
func (a *Admin) lastToChange(ctx context.Context, x Due) (string, error) {
	r, err := a.state.Find(x.Repo)
	if err != nil {
		return "", err
	}
	email, err := a.git.Open(r.ID).Blame(ctx, x.SHA, x.Workflow, x.Line)
	if err != nil {
		return "", err
	}
	if u := a.state.ByEmail(email); u != nil {
		return u.Login, nil
	}
	return "", nil
}
