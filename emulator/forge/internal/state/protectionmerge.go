package state

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// How a check of a commit stands.
const (
	checkPassed   = "passing"
	checkExpected = "expected"
	checkPending  = "pending"
	checkProgress = "in progress"
	checkQueued   = "queued"
	checkFailing  = "failing"
)

// checkState is how the latest check run and status of a name stand at a commit; a job is a check run.
func (s *State) checkState(r *repo, sha string, c RequiredCheck) string {
	run, status := checkExpected, checkExpected
	for _, x := range s.headChecks(r, sha) {
		if x.name == c.Context && (c.App == 0 || c.App == x.app) {
			run = x.state
		}
	}
	for _, x := range r.statuses {
		if x.SHA == sha && key(x.Context) == key(c.Context) && c.App == 0 {
			status = statusState(x.State)
		}
	}
	if run == checkExpected || run == checkPassed && status != checkExpected {
		return status
	}
	return run
}

func statusState(state string) string {
	switch state {
	case "success":
		return checkPassed
	case "pending":
		return checkPending
	}
	return checkFailing
}

type headCheck struct {
	id    int64
	name  string
	app   int64
	state string
}

// headChecks are the check runs of a commit, oldest first.
func (s *State) headChecks(r *repo, sha string) []headCheck {
	var out []headCheck
	for _, x := range r.runs {
		if x.HeadSHA == sha {
			for _, j := range x.jobs {
				out = append(out, headCheck{j.ID, j.Name, s.viewActor(ActionsLogin).ID, runState(j.Status, j.Conclusion)})
			}
		}
	}
	for _, c := range r.checks {
		if c.HeadSHA == sha {
			out = append(out, headCheck{c.ID, c.Name, s.viewActor(c.App).ID, runState(c.Status, c.Conclusion)})
		}
	}
	slices.SortFunc(out, func(a, b headCheck) int { return int(a.id - b.id) })
	return out
}

func runState(status, conclusion string) string {
	switch {
	case status == completed && slices.Contains([]string{"success", "neutral", "skipped"}, conclusion):
		return checkPassed
	case status == completed:
		return checkFailing
	case status == "in_progress":
		return checkProgress
	}
	return checkQueued
}

// unapproved says what reviews a pull request lacks, or "".
func (s *State) unapproved(i *issue, p *Protection) string {
	if p.Reviews == nil {
		return ""
	}
	approvals, changes := 0, false
	for author, x := range i.pull.verdicts() {
		if a := s.accounts[author]; a == nil || s.roleOf(a, i.pull.in) < Write {
			continue
		}
		switch x.State {
		case reviewApproved:
			approvals++
		case reviewChanges:
			changes = true
		}
	}
	switch n := p.Reviews.Count; {
	case changes && n > 0:
		return "Changes have been requested."
	case approvals < n && n == 1:
		return "At least 1 approving review is required by reviewers with write access."
	case approvals < n:
		return fmt.Sprintf("At least %d approving reviews are required by reviewers with write access.", n)
	}
	return ""
}

// barrier is what stands between a pull request that git can merge and its merge by who: the word for
// mergeable_state, and the refusal.
func (s *State) barrier(who Identity, i *issue) (word string, refusal error) {
	r, pull := i.pull.in, i.pull
	refuse := func(why string) error { return wire.NewError(http.StatusMethodNotAllowed, why) }
	bound := s.binding(who, r, pull.base.ref)
	if p := r.protection(pull.base.ref); p != nil {
		for _, why := range []string{s.unapproved(i, p), s.unchecked(r, p, pull.head.sha)} {
			if why == "" {
				continue
			}
			if bound == nil {
				return "blocked", nil
			}
			return "blocked", refuse(why)
		}
		if p.Checks != nil && p.Checks.Strict && pull.facts.Common != r.branch(pull.base.ref) {
			if bound == nil {
				return "behind", nil
			}
			return "behind", refuse("Head branch is out of date. Review and try the merge again.")
		}
		if bound != nil && who.Login != "" {
			if why := bound.restrict(who); why != "" {
				return "blocked", refuse(why)
			}
		}
	}
	latest := map[string]string{}
	for _, c := range s.headChecks(r, pull.head.sha) {
		latest["run "+c.name] = c.state
	}
	for _, x := range r.statuses {
		if x.SHA == pull.head.sha {
			latest["status "+key(x.Context)] = statusState(x.State)
		}
	}
	for _, state := range latest {
		if state != checkPassed {
			return "unstable", nil
		}
	}
	return "clean", nil
}

// dismissStale takes their effect from the approvals of a head that moved, where its base wants that.
func (s *State) dismissStale(who Identity, i *issue) {
	p := i.pull.in.protection(i.pull.base.ref)
	if p == nil || p.Reviews == nil || !p.Reviews.DismissStale {
		return
	}
	for _, x := range i.pull.given() {
		if x.State == reviewApproved {
			s.dismiss(who, i.pull.in, i, x)
		}
	}
}
