package state

import (
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// PullEdit changes what is not nil.
type PullEdit struct {
	Title       *string
	Body        *string
	State       *string
	Base        *string // branch
	Maintainers *bool   // may push to the head
	Draft       *bool
}

// EditPull changes a pull request. Its author may; another's needs write access. A new base leaves it with
// facts that are not fresh.
func (s *State) EditPull(who Identity, full string, number int, e PullEdit) (wire.Pull, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.pull(who, full, number, WritePulls)
	if err != nil {
		return wire.Pull{}, err
	}
	if key(i.author) != key(who.Login) {
		if err := s.allow(who, r, TendPulls); err != nil {
			return wire.Pull{}, err
		}
	}
	as := IssueEdit{Title: e.Title, Body: e.Body, State: e.State}
	if err := s.checkIssueEdit(i, as); err != nil {
		return wire.Pull{}, pullError(err)
	}
	if err := s.checkBase(i, e.Base); err != nil {
		return wire.Pull{}, err
	}
	if e.Maintainers != nil {
		i.pull.maintainers = *e.Maintainers
	}
	s.applyIssueEdit(who, r, i, as)
	s.rebase(who, i, e.Base)
	s.setDraft(who, i, e.Draft)
	return s.viewPull(i), nil
}

// pullError names what is wrong with an issue that is a pull request after that.
func pullError(err error) error {
	if e, is := err.(*wire.Error); is {
		for i := range e.Errors {
			e.Errors[i].Resource = strings.Replace(e.Errors[i].Resource, "Issue", "PullRequest", 1)
		}
	}
	return err
}

func (s *State) checkBase(i *issue, base *string) error {
	p := i.pull
	if base == nil || *base == p.base.ref {
		return nil
	}
	if i.state != stateOpen {
		return invalidPull("base", "invalid", "Cannot change the base branch of a closed pull request.")
	}
	if p.in.branch(*base) == "" {
		return invalidPull("base", "invalid", "Proposed base branch '"+*base+"' was not found")
	}
	if p.head.repo == p.in && p.head.ref == *base {
		return invalidPull("base", "invalid", "There are no new commits between base branch '"+*base+"' and head branch '"+p.head.ref+"'")
	}
	for _, o := range p.in.pulls {
		if o.state == stateOpen && o != i && o.pull.base.ref == *base && o.pull.head.repo == p.head.repo && o.pull.head.ref == p.head.ref {
			return invalidPull("base", "invalid", "A pull request already exists for base branch '"+*base+"' and head branch '"+p.head.ref+"'")
		}
	}
	return nil
}

// rebase gives a pull request another base branch.
func (s *State) rebase(who Identity, i *issue, base *string) {
	p := i.pull
	if base == nil || *base == p.base.ref {
		return
	}
	was := p.base
	p.base = baseEnd{ref: *base, sha: p.in.branch(*base)}
	p.seen = p.base.sha
	i.updated = s.now()
	s.pullEvent(who, p.in, i, wire.Event{Action: "edited", Changes: map[string]any{
		"base": map[string]any{"ref": map[string]any{"from": was.ref}, "sha": map[string]any{"from": was.sha}}}})
}

// RetargetPulls makes the open pull requests to a branch lead to another, which is that branch renamed.
func (s *State) RetargetPulls(who Identity, full, from, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[key(full)]
	if r == nil {
		return
	}
	r.renameProtection(from, to)
	for _, i := range r.pulls {
		if i.state == stateOpen && i.pull.base.ref == from {
			s.rebase(who, i, &to)
		}
	}
}

// setDraft makes a pull request a draft or ready for review.
func (s *State) setDraft(who Identity, i *issue, draft *bool) {
	if draft == nil || *draft == i.pull.draft {
		return
	}
	i.pull.draft, i.updated = *draft, s.now()
	action := "ready_for_review"
	if *draft {
		action = "converted_to_draft"
	}
	s.pullEvent(who, i.pull.in, i, wire.Event{Action: action})
}

// checkReopen says whether a closed pull request can be opened again.
func (s *State) checkReopen(i *issue) error {
	p := i.pull
	refuse := func(why string) error { return invalidPull("state", "invalid", "state cannot be changed. "+why) }
	switch {
	case !p.merged.IsZero():
		return refuse("The pull request is already merged.")
	case p.head.repo == nil:
		return refuse("The repository that submitted this pull request has been deleted.")
	case p.head.repo.branch(p.head.ref) == "":
		return refuse("The " + p.head.ref + " branch has been deleted.")
	case p.in.branch(p.base.ref) == "":
		return refuse("The " + p.base.ref + " branch has been deleted.")
	}
	if s.checkTwin(i) != nil {
		return refuse("There is already an open pull request from " + p.head.label() + " to " + p.base.ref + ".")
	}
	return nil
}

// PullsBehind lists the open pull requests of a repository whose branches are not where they were when
// they were looked at last.
func (s *State) PullsBehind(full string) []Pull {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[key(full)]
	if r == nil {
		return nil
	}
	var out []Pull
	for _, i := range r.pulls {
		if i.state == stateOpen && i.pull.behind() {
			out = append(out, s.plainPull(i))
		}
	}
	return out
}

func (p *pull) behind() bool {
	return p.in.branch(p.base.ref) != p.seen || p.head.repo == nil || p.head.repo.branch(p.head.ref) != p.head.sha
}

// PullBases names the repositories with open pull requests from another one that are behind it.
func (s *State) PullBases(full string) []Repo {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Repo
	r := s.repos[key(full)]
	if r == nil {
		return nil
	}
	for _, i := range r.outgoing {
		in := i.pull.in
		if i.state == stateOpen && i.pull.behind() && !slices.ContainsFunc(out, func(o Repo) bool { return o.ID == in.id }) {
			out = append(out, Repo{ID: in.id, FullName: in.fullName()})
		}
	}
	return out
}

// Settling is what becomes of a pull request whose branches moved.
type Settling struct {
	Pull             // as it was when git was asked
	Now    PullFacts // of its branches; zero when they were not compared
	Inside bool      // the base has the head's commits
}

// SettlePull brings a pull request up to its branches: synchronize when the head moved, merged when the
// base has it, closed when a branch is gone. ErrMoved when they have moved again.
func (s *State) SettlePull(who Identity, in Settling) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[key(in.Repo.FullName)]
	if r == nil || in.Number > len(r.issues) || r.issues[in.Number-1].pull == nil {
		return wire.NotFound()
	}
	i := r.issues[in.Number-1]
	if now := s.plainPull(i); now.Base != in.Base || now.BaseSHA != in.BaseSHA || now.HeadSHA != in.HeadSHA || now.Known != in.Known || now.Open != in.Open {
		return ErrMoved
	}
	if i.state != stateOpen {
		return nil
	}
	p := i.pull
	if in.BaseSHA == "" || in.HeadSHA == "" {
		if in.HeadSHA == "" || !s.retarget(who, i) {
			s.closePull(who, i)
		}
		return nil
	}
	p.seen = in.BaseSHA
	if in.Inside {
		s.mergedBy(who, i, in.BaseSHA, nil)
		return nil
	}
	if in.Now.Head != "" {
		if in.Now.Commits == 0 { // nothing is left to merge
			s.closePull(who, i)
			return nil
		}
		p.facts = in.Now
	}
	if in.HeadSHA != p.head.sha {
		was := p.head.sha
		p.head.sha, p.base.sha, i.updated = in.HeadSHA, in.BaseSHA, s.now()
		r.setPullRefs(i)
		s.pullEvent(who, r, i, wire.Event{Action: "synchronize", Before: was, After: in.HeadSHA})
		s.dismissStale(who, i)
		return nil
	}
	r.setPullRefs(i)
	return nil
}

// retarget gives a pull request whose base branch is deleted the branch that this one was merged into.
// https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/proposing-changes-to-your-work-with-pull-requests/about-branches#working-with-branches
func (s *State) retarget(who Identity, i *issue) bool {
	p := i.pull
	for _, o := range slices.Backward(p.in.pulls) {
		base := o.pull.base.ref
		if o.pull.head.repo == p.in && o.pull.head.ref == p.base.ref && !o.pull.merged.IsZero() && s.checkBase(i, &base) == nil {
			s.rebase(who, i, &base)
			return true
		}
	}
	return false
}

func (s *State) closePull(who Identity, i *issue) {
	closed := stateClosed
	s.setIssueState(who, i.pull.in, i, IssueEdit{State: &closed})
}

// mergedBy closes a pull request whose commits are in its base now, and the issues that it and the messages
// of its commits name.
func (s *State) mergedBy(who Identity, i *issue, commit string, messages []string) {
	p := i.pull
	p.merged, p.mergedBy, p.merge = s.now(), who.Login, commit
	i.updated = p.merged
	s.closePull(who, i)
	if p.base.ref == p.in.defaultBranch {
		s.closeIssues(who, p.in, append([]string{i.body}, messages...)...)
	}
}

// forgetPulls is called when a repository goes. Pull requests that lead from it stay, closed.
func (s *State) forgetPulls(who Identity, r *repo) {
	for _, i := range r.pulls {
		if from := i.pull.head.repo; from != nil && from != r {
			from.outgoing = slices.DeleteFunc(from.outgoing, func(o *issue) bool { return o == i })
		}
	}
	for _, i := range r.outgoing {
		i.pull.head.repo = nil
		if i.state == stateOpen {
			s.closePull(who, i)
		}
	}
}
