package state

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// pull is what makes an issue a pull request. Its number, title, text, labels and comments are the issue's.
type pull struct {
	id          int64
	in          *repo // whose issue it is
	head        headEnd
	base        baseEnd
	draft       bool
	seen        string // the tip of the base branch up to which it is known that it lacks the head
	facts       PullFacts
	merged      time.Time
	mergedBy    string
	merge       string // the commit that brought it into the base
	maintainers bool   // of the base repository may push to the head
	reviews     []*Review
	comments    []*ReviewComment // on its diff
	requested   []string         // logins whose review is asked for
	teams       []*team          // likewise, of the repository's organisation
}

// headEnd is the branch that a pull request leads from. repo is nil when it is gone.
type headEnd struct {
	repo  *repo
	owner string // login
	ref   string // name of the branch
	sha   string
}

// baseEnd is the branch that a pull request leads to; sha is what it named when the head moved last.
type baseEnd struct{ ref, sha string }

// PullFacts is what git says of two commits, the tip of a base branch and the head of a pull request.
type PullFacts struct {
	Base, Head string
	Common     string // their best common ancestor
	Merge      string // the commit that merges them, which only refs/pull/N/merge names; "" when they conflict
	Linear     bool   // none of the head's commits is a merge
	Commits    int
	Shas       []string // of the head that the base lacks, oldest first, at most MaxPullCommits
	Additions  int
	Deletions  int
	Files      int
	Paths      []string // of the files, at most MaxPullPaths
	Message    string   // of the head's commit
}

// MaxPullPaths is how many changed files filters of paths look at.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#git-diff-comparisons
const MaxPullPaths = 300

// MaxPullCommits is how many commits a pull request lists.
// https://docs.github.com/en/rest/pulls/pulls#list-commits-on-a-pull-request
const MaxPullCommits = 250

// ErrMoved says that a branch moved, or a number was taken, since git was asked. Ask again.
var ErrMoved = errors.New("the branches of the pull request have moved")

// Pull is a pull request as the git side needs it. What is gone has no SHA.
type Pull struct {
	Number   int
	Repo     Repo   // that it is in, without its refs
	Base     string // name of the branch
	BaseSHA  string // that the branch names now
	Head     string
	HeadSHA  string // that the branch names now
	HeadRepo int64  // 0 when it is gone
	HeadFull string // owner/name of HeadRepo
	Known    string // head that the pull request has
	Seen     string // base that the pull request was compared with last
	Facts    PullFacts
	Open     bool
}

// HeadRef is the ref in the base repository that keeps the head of a pull request.
func (p Pull) HeadRef() string { return pullRef(p.Number, "head") }

// MergeRef is the ref in the base repository that keeps the test merge of a pull request.
func (p Pull) MergeRef() string { return pullRef(p.Number, "merge") }

// Fresh reports whether the facts are those of the branches as they are.
func (p Pull) Fresh() bool { return p.Facts.Base == p.BaseSHA && p.Facts.Head == p.Known }

// Stale reports whether git has to be asked whether the pull request can be merged.
func (p Pull) Stale() bool { return p.Open && !p.Fresh() && p.BaseSHA != "" && p.HeadSHA != "" }

func (s *State) plainPull(i *issue) Pull {
	p := i.pull
	r := p.in
	out := Pull{Number: i.number, Repo: Repo{ID: r.id, FullName: r.fullName(), DefaultBranch: r.defaultBranch, Private: r.private}, Base: p.base.ref, BaseSHA: p.in.branch(p.base.ref), Head: p.head.ref,
		Known: p.head.sha, Seen: p.seen, Facts: p.facts, Open: i.state == stateOpen}
	if from := p.head.repo; from != nil {
		out.HeadRepo, out.HeadFull, out.HeadSHA = from.id, from.fullName(), from.branch(p.head.ref)
	}
	return out
}

func (r *repo) branch(name string) string { return r.refs["refs/heads/"+name] }

// NewPull describes a pull request to open.
type NewPull struct {
	Title         string
	Body          string
	Issue         int    // that becomes the pull request; 0 makes a new one
	Head          string // branch, or owner:branch
	HeadRepo      string // name of a repository of the owner, where he has several
	Base          string
	Draft         bool
	NoMaintainers bool // may push to the head
}

// PlanPull checks all of a new pull request but what git has to say, and returns it as it would be.
func (s *State) PlanPull(who Identity, full string, in NewPull) (Pull, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.newPull(who, full, in)
	if err != nil {
		return Pull{}, err
	}
	return s.plainPull(i), nil
}

// newPull makes a pull request that is nowhere yet. The caller holds the lock.
func (s *State) newPull(who Identity, full string, in NewPull) (*issue, error) {
	r, err := s.open(who, full, WritePulls)
	if err != nil {
		return nil, err
	}
	if r.barsActions(who) {
		return nil, wire.Forbidden("GitHub Actions is not permitted to create or approve pull requests.")
	}
	i := &issue{number: len(r.issues) + 1, title: in.Title, body: in.Body, author: who.Login, state: stateOpen}
	if in.Issue != 0 {
		if in.Issue < 1 || in.Issue > len(r.issues) {
			return nil, invalidPull("issue", "invalid", "")
		}
		old := *r.issues[in.Issue-1]
		if i = &old; i.pull != nil || i.state != stateOpen {
			return nil, invalidPull("issue", "invalid", "")
		}
		if key(i.author) != key(who.Login) && s.allow(who, r, TriagePulls) != nil {
			return nil, wire.NotFound()
		}
	}
	if strings.TrimSpace(i.title) == "" {
		return nil, invalidPull("title", "missing_field", "")
	}
	i.pull = &pull{in: r, draft: in.Draft, maintainers: !in.NoMaintainers, base: baseEnd{ref: strings.TrimPrefix(in.Base, "refs/heads/")}}
	p := i.pull
	if p.base.sha = r.branch(p.base.ref); p.base.sha == "" {
		return nil, invalidPull("base", "invalid", "")
	}
	if p.head, err = s.headOf(who, r, in); err != nil {
		return nil, err
	}
	p.seen = p.base.sha
	return i, s.checkTwin(i)
}

// checkTwin refuses a second open pull request between the same branches.
func (s *State) checkTwin(i *issue) error {
	for _, o := range i.pull.in.pulls {
		if o.state == stateOpen && o.number != i.number && o.pull.base.ref == i.pull.base.ref && o.pull.head.repo == i.pull.head.repo && o.pull.head.ref == i.pull.head.ref {
			return invalidPull("", "custom", "A pull request already exists for "+i.pull.head.label()+".")
		}
	}
	return nil
}

func (h headEnd) label() string { return h.owner + ":" + h.ref }

// headOf finds the branch that a new pull request leads from, to which who may push.
func (s *State) headOf(who Identity, r *repo, in NewPull) (headEnd, error) {
	owner, ref, qualified := strings.Cut(in.Head, ":")
	if !qualified {
		owner, ref = r.owner.login, in.Head
	}
	from := r.related(owner, in.HeadRepo)
	ref = strings.TrimPrefix(ref, "refs/heads/")
	if from == nil || s.roleFor(who, from) < Read || from.branch(ref) == "" {
		return headEnd{}, invalidPull("head", "invalid", "")
	}
	if !who.App() && s.roleFor(who, from) < Write && s.roleFor(who, r) < Write {
		return headEnd{}, invalidPull("", "custom", "must be a collaborator")
	}
	return headEnd{repo: from, owner: from.owner.login, ref: ref, sha: from.branch(ref)}, nil
}

// related finds the repository of an owner that shares its history with r: itself, or one of its forks.
func (r *repo) related(owner, name string) *repo {
	if name == "" && key(owner) == key(r.owner.login) {
		return r
	}
	name = strings.TrimPrefix(key(name), key(owner)+"/")
	for _, x := range r.source().network() {
		if key(x.owner.login) == key(owner) && (name == "" || name == key(x.name)) {
			return x
		}
	}
	return nil
}

func invalidPull(field, code, message string) error {
	return wire.Invalid(wire.FieldError{Resource: "PullRequest", Field: field, Code: code, Message: message})
}

// OpenPull opens the pull request that PlanPull returned, with what git says of it. ErrMoved when the
// number or the branches are others by now.
func (s *State) OpenPull(who Identity, full string, in NewPull, number int, facts PullFacts) (wire.Pull, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.newPull(who, full, in)
	if err != nil {
		return wire.Pull{}, err
	}
	p := i.pull
	if i.number != number || p.base.sha != facts.Base || p.head.sha != facts.Head {
		return wire.Pull{}, ErrMoved
	}
	if err := p.checkNew(facts); err != nil {
		return wire.Pull{}, err
	}
	r := p.in
	p.id, i.updated = s.nextID(nounPull), s.now()
	if in.Issue != 0 {
		*r.issues[number-1] = *i
		i = r.issues[number-1]
	} else {
		i.id, i.created = s.nextID(nounIssue), i.updated
		r.issues = append(r.issues, i)
	}
	p.facts = facts
	r.addPull(i)
	r.setPullRefs(i)
	s.pullEvent(who, r, i, wire.Event{Action: "opened"})
	return s.viewPull(i), nil
}

// checkNew refuses a pull request that would bring nothing.
func (p *pull) checkNew(f PullFacts) error {
	base, head := p.base.ref, p.head.ref
	if p.head.repo != p.in {
		base, head = p.in.owner.login+":"+base, p.head.label()
	}
	if f.Common == "" {
		return invalidPull("", "custom", "The "+head+" branch has no history in common with "+base)
	}
	if f.Commits == 0 {
		return invalidPull("", "custom", "No commits between "+base+" and "+head)
	}
	return nil
}

// addPull keeps a pull request where it is found by its base and by its head.
func (r *repo) addPull(i *issue) {
	at, _ := slices.BinarySearchFunc(r.pulls, i.number, func(o *issue, n int) int { return cmp.Compare(o.number, n) })
	r.pulls = slices.Insert(r.pulls, at, i)
	if from := i.pull.head.repo; from != nil && from != r {
		from.outgoing = append(from.outgoing, i)
	}
}

// setPullRefs records the refs of a pull request that git has by now.
func (r *repo) setPullRefs(i *issue) {
	r.refs[pullRef(i.number, "head")] = i.pull.head.sha
	if m := pullRef(i.number, "merge"); i.pull.facts.Merge == "" {
		delete(r.refs, m)
	} else {
		r.refs[m] = i.pull.facts.Merge
	}
}

// pull finds a pull request for a need. The caller holds the lock.
func (s *State) pull(who Identity, full string, number int, need Need) (*repo, *issue, error) {
	r, err := s.open(who, full, need)
	if err != nil {
		return nil, nil, err
	}
	if number < 1 || number > len(r.issues) || r.issues[number-1].pull == nil {
		return nil, nil, wire.NotFound()
	}
	return r, r.issues[number-1], nil
}

// Pull returns one pull request.
func (s *State) Pull(who Identity, full string, number int) (wire.Pull, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, i, err := s.pull(who, full, number, ReadPulls)
	if err != nil {
		return wire.Pull{}, err
	}
	return s.viewPull(i), nil
}

// PullNow returns a pull request for git to look at, whatever anybody may do.
func (s *State) PullNow(full string, number int) (p Pull, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[key(full)]
	if r == nil || number < 1 || number > len(r.issues) || r.issues[number-1].pull == nil {
		return Pull{}, false
	}
	return s.plainPull(r.issues[number-1]), true
}

// PullEnds returns one pull request for git to look at, when who may do need.
func (s *State) PullEnds(who Identity, full string, number int, need Need) (Pull, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, i, err := s.pull(who, full, number, need)
	if err != nil {
		return Pull{}, err
	}
	return s.plainPull(i), nil
}
