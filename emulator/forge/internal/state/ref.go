package state

import (
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// Zero is the hash of a ref that is not there.
const Zero = "0000000000000000000000000000000000000000"

// RefChange is one ref that moved. Commits are oldest first; their addresses and accounts are
// filled in here.
type RefChange struct {
	Ref     string
	Before  string // Zero when created
	After   string // Zero when deleted
	Forced  bool
	Commits []wire.PushCommit
	Head    *wire.PushCommit // the commit After names
}

// MoveRefs records ref changes that git has made, and appends their events. The caller holds the
// repository's git lock, so changes arrive in the order git made them.
func (s *State) MoveRefs(who Identity, full string, changes []RefChange) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[key(full)]
	if r == nil {
		return wire.NotFound()
	}
	s.moveRefs(who, r, changes)
	for _, c := range changes {
		if c.Ref == "refs/heads/"+r.defaultBranch && c.Before != Zero {
			for _, one := range c.Commits {
				s.closeIssues(who, r, one.Message)
			}
		}
	}
	return nil
}

func (s *State) moveRefs(who Identity, r *repo, changes []RefChange) {
	for _, c := range changes {
		if c.After == Zero {
			delete(r.refs, c.Ref)
			s.untag(who, r, c.Ref)
		} else {
			r.refs[c.Ref] = c.After
		}
	}
	r.pushed = s.now()
	for _, c := range changes {
		s.refEvents(who, r, c)
	}
}

func (s *State) refEvents(who Identity, r *repo, c RefChange) {
	kind, short := "branch", strings.TrimPrefix(c.Ref, "refs/heads/")
	if rest, ok := strings.CutPrefix(c.Ref, "refs/tags/"); ok {
		kind, short = "tag", rest
	} else if short == c.Ref {
		return // notes and the like have no webhook
	}
	detail := func(event string) map[string]string {
		return map[string]string{"event": event, "ref": c.Ref, "sha": c.After}
	}
	switch Zero {
	case c.Before:
		body := wire.Create{Ref: short, RefType: kind, MasterBranch: r.defaultBranch, Description: optional(r.description), PusherType: "user",
			Repository: s.eventRepo(r), Organization: s.eventOrg(r), Sender: s.eventSender(who)}
		s.emit(who, r, "create", r.fullName(), body, detail("create"))
	case c.After:
		d := detail("delete")
		d["sha"] = c.Before
		body := wire.Delete{Ref: short, RefType: kind, PusherType: "user",
			Repository: s.eventRepo(r), Organization: s.eventOrg(r), Sender: s.eventSender(who)}
		s.emit(who, r, "delete", r.fullName(), body, d)
	}
	s.emit(who, r, "push", r.fullName(), s.push(who, r, c), detail("push"))
}

func (s *State) push(who Identity, r *repo, c RefChange) wire.Push {
	var email *string
	if r.owner.kind != kindOrg {
		email = optional(s.email(r.owner.login))
	}
	p := wire.Push{
		Ref: c.Ref, Before: c.Before, After: c.After,
		Repository: wire.NewPushRepository(*s.eventRepo(r), email), Organization: s.eventOrg(r), Sender: s.eventSender(who),
		Pusher:  wire.Pusher{Name: who.Login, Email: s.email(who.Login)},
		Created: c.Before == Zero, Deleted: c.After == Zero, Forced: c.Forced, Commits: []wire.PushCommit{},
	}
	repoURL := p.Repository.HTMLURL
	switch {
	case p.Created:
		p.Compare = repoURL + "/compare/" + c.After[:12]
	default:
		p.Compare = repoURL + "/compare/" + c.Before[:12] + "..." + c.After[:12]
	}
	for _, one := range c.Commits {
		p.Commits = append(p.Commits, s.pushCommit(one, repoURL))
	}
	if c.Head != nil {
		head := s.pushCommit(*c.Head, repoURL)
		head.Distinct = true
		p.HeadCommit = &head
	}
	return p
}

func (s *State) pushCommit(c wire.PushCommit, repoURL string) wire.PushCommit {
	c.URL = repoURL + "/commit/" + c.ID
	if a := s.accountByEmail(c.Author.Email); a != nil {
		c.Author.Username = a.login
	}
	if a := s.accountByEmail(c.Committer.Email); a != nil {
		c.Committer.Username = a.login
	}
	for _, list := range []*[]string{&c.Added, &c.Removed, &c.Modified} {
		if *list == nil {
			*list = []string{}
		}
	}
	return c
}
