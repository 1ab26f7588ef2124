package state

import (
	"fmt"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func pullRef(number int, end string) string { return fmt.Sprintf("refs/pull/%d/%s", number, end) }

// pullEvent appends an event about a pull request. Workflows run on its test merge, when there is one:
// Detail names it as sha, the changed files as paths, and has the message of the head's commit.
func (s *State) pullEvent(who Identity, r *repo, i *issue, body wire.Event) {
	v := s.pullViewer(true).full(i)
	if !i.pull.merged.IsZero() || i.state != stateOpen {
		// As it is.
	} else if body.Action == "opened" || body.Action == "synchronize" || body.Action == "reopened" {
		v.Mergeable, v.Rebaseable, v.MergeableState, v.MergeCommitSHA = nil, nil, "unknown", nil // GitHub does not know yet
	}
	v.RequestedTeams = wire.AskedTeams(v.RequestedTeams)
	body.Number, body.PullRequest = i.number, &v
	body.Repository, body.Organization, body.Sender = s.eventRepo(r), s.eventOrg(r), s.eventSender(who)
	detail := map[string]string{
		"event": "pull_request", "action": body.Action, "number": fmt.Sprint(i.number), "head": i.pull.head.sha,
		"ref": pullRef(i.number, "merge"), "sha": i.pull.facts.Merge, "paths": strings.Join(i.pull.facts.Paths, "\n"),
		"message": i.pull.facts.Message,
	}
	if !i.pull.merged.IsZero() {
		detail["ref"], detail["sha"] = "refs/heads/"+i.pull.base.ref, i.pull.merge
	}
	if body.Label != nil {
		detail["label"] = body.Label.Name
	}
	s.hold(who, i, detail)
	s.emit(who, r, "pull_request."+body.Action, r.subject(i), body, detail)
}

// pullViewer shows pull requests; the repositories that they lead from and to are made once.
type pullViewer struct {
	s     *State
	rules bool // repositories with their merge settings, as in events
	repos map[*repo]*wire.Repository
}

func (s *State) pullViewer(rules bool) pullViewer {
	return pullViewer{s: s, rules: rules, repos: map[*repo]*wire.Repository{}}
}

func (v pullViewer) repo(r *repo) *wire.Repository {
	if r == nil {
		return nil
	}
	if v.repos[r] == nil {
		x := v.s.eventRepo(r)
		if v.rules {
			x.MergeSettings = r.merging.view()
		}
		v.repos[r] = x
	}
	return v.repos[r]
}

func (v pullViewer) end(r *repo, owner, ref, sha string) wire.PullEnd {
	u := v.s.viewLogin(owner)
	return wire.PullEnd{Label: owner + ":" + ref, Ref: ref, SHA: sha, User: &u, Repo: v.repo(r)}
}

// listed begins with the issue, so that whatever issues have pull requests have as well.
func (v pullViewer) listed(i *issue) wire.ListedPull {
	p := i.pull
	x := v.s.viewIssue(p.in, i)
	out := wire.ListedPull{
		ID: p.id, Number: i.number, State: i.state, Locked: x.Locked, Title: i.title, User: x.User, Body: x.Body, CreatedAt: x.CreatedAt,
		UpdatedAt: x.UpdatedAt, ClosedAt: x.ClosedAt, MergedAt: wire.Time{Time: p.merged}, MergeCommitSHA: optional(p.mergeCommit()),
		Assignee: x.Assignee, Assignees: x.Assignees, RequestedReviewers: v.s.viewLogins(p.requested), RequestedTeams: v.s.viewAskedTeams(p), Labels: x.Labels,
		Milestone: x.Milestone, Draft: p.draft, AuthorAssociation: x.AuthorAssociation, ActiveLockReason: x.ActiveLockReason,
		Head: v.end(p.head.repo, p.head.owner, p.head.ref, p.head.sha), Base: v.end(p.in, p.in.owner.login, p.base.ref, p.base.sha),
	}
	out.Link(v.s.base, p.in.fullName())
	return out
}

// mergeCommit is the commit that brought the pull request into its base, or else its test merge.
func (p *pull) mergeCommit() string {
	if !p.merged.IsZero() {
		return p.merge
	}
	return p.facts.Merge
}

func (v pullViewer) full(i *issue) wire.Pull {
	p := i.pull
	out := wire.Pull{
		ListedPull: v.listed(i), Merged: !p.merged.IsZero(), MergeableState: v.s.mergeableState(i), Comments: len(i.comments), ReviewComments: p.publicComments(),
		MaintainerCanModify: p.letsMaintainers(), Commits: p.facts.Commits, Additions: p.facts.Additions, Deletions: p.facts.Deletions, ChangedFiles: p.facts.Files,
	}
	if p.known(i) {
		mergeable := p.facts.Merge != ""
		rebaseable := mergeable && p.facts.Linear
		out.Mergeable, out.Rebaseable = &mergeable, &rebaseable
	}
	if p.mergedBy != "" {
		u := v.s.viewLogin(p.mergedBy)
		out.MergedBy = &u
	}
	return out
}

func (s *State) viewPull(i *issue) wire.Pull { return s.pullViewer(false).full(i) }

// known reports whether it is known if the branches, as they are, can be merged.
func (p *pull) known(i *issue) bool {
	return i.state == stateOpen && p.facts.Base == p.in.branch(p.base.ref) && p.facts.Head == p.head.sha
}

// mergeableState says in a word what stands between a pull request and its merge.
// https://docs.github.com/en/graphql/reference/enums#mergestatestatus
func (s *State) mergeableState(i *issue) string {
	p := i.pull
	switch {
	case !p.known(i):
		return "unknown"
	case p.facts.Merge == "":
		return "dirty"
	case p.draft:
		return "draft"
	}
	word, _ := s.barrier(Identity{}, i)
	return word
}
