package state

import (
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// MergeMethod is how the commits of a pull request come into its base.
type MergeMethod string

// The methods.
const (
	MergeCommit MergeMethod = "merge"
	MergeSquash MergeMethod = "squash"
	MergeRebase MergeMethod = "rebase"
)

// MergePlan is a pull request that is to be merged, and what its messages are made of.
type MergePlan struct {
	Pull
	Title  string
	Author string // login
	Label  string // owner/branch of the head
	Drop   bool   // the head's branch is deleted afterwards
}

// PlanMerge checks all of a merge but what git has to say. sha is the head that who wants to merge; "" is
// whatever it is.
func (s *State) PlanMerge(who Identity, full string, number int, method MergeMethod, sha string) (MergePlan, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.pull(who, full, number, WriteContents)
	if err != nil {
		return MergePlan{}, err
	}
	if err := s.checkMerge(who, i, method); err != nil {
		return MergePlan{}, err
	}
	p := i.pull
	if sha != "" && sha != p.head.sha {
		return MergePlan{}, wire.NewError(http.StatusConflict, "Head branch was modified. Review and try the merge again.")
	}
	return MergePlan{Pull: s.plainPull(i), Title: i.title, Author: i.author, Label: p.head.owner + "/" + p.head.ref,
		Drop: r.merging.deleteBranch && r.protection(p.head.ref) == nil && p.head.repo == r && p.head.ref != r.defaultBranch}, nil
}

// checkMerge says why a pull request cannot be merged now.
// https://docs.github.com/en/rest/pulls/pulls#merge-a-pull-request
func (s *State) checkMerge(who Identity, i *issue, method MergeMethod) error {
	p, refuse := i.pull, func(why string) error { return wire.NewError(http.StatusMethodNotAllowed, why) }
	rules := p.in.merging
	switch {
	case i.state != stateOpen:
		return refuse("Pull Request is not mergeable")
	case p.draft:
		return refuse("Pull Request is still a draft")
	case method == MergeCommit && rules.noCommit:
		return refuse("Merge commits are not allowed on this repository.")
	case method == MergeSquash && rules.noSquash:
		return refuse("Squash merges are not allowed on this repository.")
	case method == MergeRebase && rules.noRebase:
		return refuse("Rebase merges are not allowed on this repository.")
	}
	if bound := s.binding(who, p.in, p.base.ref); bound != nil && bound.Linear && method == MergeCommit {
		return refuse("This branch must not contain merge commits.")
	}
	_, err := s.barrier(who, i)
	return err
}

// Merge is a merge that git has made.
type Merge struct {
	MergePlan
	Change   RefChange // of the base
	Messages []string  // of the commits, in which issues can be closed
}

// MergePull records a merge. ErrMoved when the pull request is another by now; who calls holds the
// repository's git lock, so that its branches are where they were.
func (s *State) MergePull(who Identity, method MergeMethod, m Merge) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.pull(who, m.Repo.FullName, m.Number, WriteContents)
	if err != nil {
		return err
	}
	if err := s.checkMerge(who, i, method); err != nil {
		return err
	}
	p := i.pull
	if p.base.ref != m.Base || p.head.sha != m.Known || r.branch(p.base.ref) != m.Change.Before {
		return ErrMoved
	}
	s.moveRefs(who, r, []RefChange{m.Change})
	s.mergedBy(who, i, m.Change.After, m.Messages)
	return nil
}

// Merged reports whether a pull request is merged.
func (s *State) Merged(who Identity, full string, number int) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, i, err := s.pull(who, full, number, ReadPulls)
	return err == nil && !i.pull.merged.IsZero(), err
}

// letsMaintainers reports whether who may write to the base of a pull request may push to its head: the author has
// allowed it, and the fork is a person's.
// https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/working-with-forks/allowing-changes-to-a-pull-request-branch-created-from-a-fork
func (p *pull) letsMaintainers() bool {
	return p.maintainers && p.head.repo != nil && p.head.repo != p.in && p.head.repo.org() == nil
}

// Maintained returns a fork with the branches of it that who may push to only because he may write to the bases of
// their open pull requests.
func (s *State) Maintained(who Identity, full string) (Repo, []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[key(full)]
	if r == nil || who.tok == nil || who.App() || s.roleFor(who, r) < Read || r.writable(WriteContents) != nil ||
		!who.tok.reaches(r) || !who.tok.grants("contents", "write") || s.inScope(who, r, WriteContents, false) != nil {
		return Repo{}, nil
	}
	var branches []string
	for _, i := range r.outgoing {
		if i.state == stateOpen && i.pull.letsMaintainers() && s.roleFor(who, i.pull.in) >= Write && r.branch(i.pull.head.ref) != "" {
			branches = append(branches, i.pull.head.ref)
		}
	}
	return r.plain(), branches
}

// MayPushHead says whether who may push to the head of a pull request: as one who may write there, or as
// one who may write to the base, where the author has allowed it.
func (s *State) MayPushHead(who Identity, full string, number int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.pull(who, full, number, WritePulls)
	if err != nil {
		return err
	}
	p := i.pull
	switch {
	case p.head.repo == nil:
		return wire.Unprocessable("The head repository of the pull request is gone.")
	case who.App(), s.roleFor(who, p.head.repo) >= Write, p.letsMaintainers() && s.roleFor(who, r) >= Write:
		return nil
	}
	return wire.Forbidden("User does not have permission to update the head branch.")
}

// PullsOf lists the pull requests that have a commit: those that were merged with it, and the open ones.
func (s *State) PullsOf(who Identity, full, sha string) ([]wire.ListedPull, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadPulls)
	if err != nil {
		return nil, err
	}
	v := s.pullViewer(false)
	out := []wire.ListedPull{}
	for _, i := range r.pulls {
		if (i.state == stateOpen || !i.pull.merged.IsZero()) && i.pull.has(sha) {
			out = append(out, v.listed(i))
		}
	}
	return out, nil
}

func (p *pull) has(sha string) bool {
	if p.head.sha == sha || p.merge == sha {
		return true
	}
	for _, c := range p.facts.Shas {
		if c == sha {
			return true
		}
	}
	return false
}
