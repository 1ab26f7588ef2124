package pull

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/ledger"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

// forge has repositories with branches, and pull requests; done is what was asked of it, with who asked.
type forge struct {
	branches map[driver.Repo]map[string]string
	parents  map[driver.Repo]driver.Repo
	pulls    []driver.Pull
	comments []driver.Comment
	done     []string
	lag      int // answers without branches that a fork gives at first
	moved    func()
}

func (f *forge) As(actor string) (driver.Session, error) {
	s := seen{f, actor}
	return driver.Session{Repos: repos{seen: s}, Files: files{seen: s}, Issues: issues{seen: s}, Pulls: pulls{seen: s}, Reviews: reviews{seen: s}}, nil
}

type seen struct {
	*forge
	actor string
}

func (s seen) did(format string, args ...any) {
	s.done = append(s.done, s.actor+" "+fmt.Sprintf(format, args...))
}

type repos struct {
	driver.Repos
	seen
}

func (s repos) Fork(_ context.Context, in driver.NewFork) (driver.Repo, error) {
	r := driver.Repo{Owner: in.Owner, Name: in.Name}
	if in.Owner == "" {
		r = driver.Repo{Owner: s.actor, Name: in.Of.Name}
	}
	s.did("forks %s as %s", in.Of, r)
	if _, ok := s.parents[r]; !ok {
		s.parents[r], s.branches[r] = in.Of, map[string]string{"main": "a"}
	}
	return r, nil
}

func (s repos) Get(_ context.Context, r driver.Repo) (driver.RepoInfo, error) {
	return driver.RepoInfo{Repo: r, Parent: s.parents[r], DefaultBranch: "main"}, nil
}

func (s repos) Branches(_ context.Context, r driver.Repo) (map[string]string, error) {
	if s.parents[r] != (driver.Repo{}) && s.lag > 0 {
		s.lag--
		s.moved()
		return nil, nil
	}
	return maps.Clone(s.branches[r]), nil
}

type files struct {
	driver.Files
	seen
}

func (s files) Commit(_ context.Context, r driver.Repo, in driver.NewCommit) (string, error) {
	s.did("commits to %s %s, new: %t", r, in.Branch, in.New)
	s.branches[r][in.Branch] = "b"
	return "b", nil
}

type issues struct {
	driver.Issues
	seen
}

func (s issues) Edit(_ context.Context, ref driver.Ref, e driver.IssueEdit) error {
	s.did("edits #%d, labels %q, closes: %t", ref.Number, e.AddLabels, e.State != nil)
	return nil
}

func (s issues) Comment(_ context.Context, ref driver.Ref, body string) (driver.Comment, error) {
	s.did("comments #%d with %q", ref.Number, body)
	return driver.Comment{}, nil
}

func (s issues) Comments(context.Context, driver.Ref) ([]driver.Comment, error) {
	return s.comments, nil
}

type pulls struct {
	driver.Pulls
	seen
}

func (s pulls) Open(_ context.Context, r driver.Repo, in driver.NewPull) (driver.Pull, error) {
	s.did("opens %s to %s of %s, head_repo %q", in.Head, in.Base, r, in.HeadRepo)
	p := driver.Pull{Ref: driver.Ref{Repo: r, Number: len(s.pulls) + 1}, State: "open", Head: r.Owner + ":" + in.Head, HeadRepo: r, Mergeable: "clean"}
	if owner, _, ok := strings.Cut(in.Head, ":"); ok {
		p.Head, p.HeadRepo = in.Head, driver.Repo{Owner: owner, Name: in.HeadRepo}
	}
	s.forge.pulls = append(s.forge.pulls, p)
	return p, nil
}

func (s pulls) Get(_ context.Context, ref driver.Ref) (driver.Pull, error) {
	return s.forge.pulls[ref.Number-1], nil
}

func (s pulls) List(context.Context, driver.Repo, driver.PullFilter) ([]driver.Pull, error) {
	return slices.Clone(s.forge.pulls), nil
}

func (s pulls) Merge(_ context.Context, ref driver.Ref, _ driver.MergePull) (string, error) {
	s.did("merges #%d", ref.Number)
	return "", nil
}

type reviews struct {
	driver.Reviews
	seen
}

func (s reviews) Submit(_ context.Context, ref driver.Ref, in driver.NewReview) (driver.Review, error) {
	s.did("reviews #%d: %s", ref.Number, in.Says)
	return driver.Review{}, nil
}

var base = driver.Repo{Owner: "o", Name: "test-repo-07"}

func stage(t *testing.T) (context.Context, *forge) {
	t.Helper()
	l := ledger.New()
	f := &forge{branches: map[driver.Repo]map[string]string{base: {"main": "a"}}, parents: map[driver.Repo]driver.Repo{},
		moved: func() { l.Changed() }}
	set := driver.Unassigned()
	set.Forge, set.Ledger = f, l
	ctx := world.Into(t.Context(), world.New(world.Options{Drivers: set}))
	world.Share(ctx, world.TheRepository, base)
	return ctx, f
}

func TestPack(t *testing.T) {
	if err := suite.Check([]suite.Pack{Pack}); err != nil {
		t.Error(err)
	}
}

// Who does what where: the whole of what sets a platform going.
func TestStimuli(t *testing.T) {
	for _, tc := range []struct {
		name string
		do   func(ctx context.Context) error
		want []string
	}{
		{"a pull request is opened", open, []string{
			"write commits to o/test-repo-07 behaviour-pr-1, new: true", `write opens behaviour-pr-1 to main of o/test-repo-07, head_repo ""`}},
		{"twice", func(ctx context.Context) error { return errors.Join(open(ctx), open(ctx), label(ctx, "", "x")) }, []string{
			"write commits to o/test-repo-07 behaviour-pr-1, new: true", `write opens behaviour-pr-1 to main of o/test-repo-07, head_repo ""`,
			"write commits to o/test-repo-07 behaviour-pr-2, new: true", `write opens behaviour-pr-2 to main of o/test-repo-07, head_repo ""`,
			`write edits #2, labels ["x"], closes: false`}},
		{"from the organisation's fork", func(ctx context.Context) error {
			return errors.Join(makeFork(ctx, "test-repo-fork"), makeFork(ctx, "test-repo-fork"), openFromFork(ctx), push(ctx, "fork "), label(ctx, "fork ", "x"))
		}, []string{
			"admin forks o/test-repo-07 as o/test-repo-07-fork", "admin forks o/test-repo-07 as o/test-repo-07-fork",
			"write commits to o/test-repo-07-fork behaviour-pr-1, new: true", `write opens o:behaviour-pr-1 to main of o/test-repo-07, head_repo "test-repo-07-fork"`,
			"write commits to o/test-repo-07-fork behaviour-pr-1, new: false", `write edits #1, labels ["x"], closes: false`}},
		{"from somebody's own fork", func(ctx context.Context) error { return errors.Join(openAs(ctx, "outsider"), push(ctx, "fork ")) }, []string{
			"outsider forks o/test-repo-07 as outsider/test-repo-07", "outsider commits to outsider/test-repo-07 behaviour-pr-1, new: true",
			`outsider opens outsider:behaviour-pr-1 to main of o/test-repo-07, head_repo "test-repo-07"`,
			"outsider commits to outsider/test-repo-07 behaviour-pr-1, new: false"}},
		{"the end", func(ctx context.Context) error {
			return errors.Join(open(ctx), comment(ctx, "/review", ""), review(ctx, ""), end(ctx, "", "merged", "admin"), end(ctx, "", "closed", "triage"))
		}, []string{
			"write commits to o/test-repo-07 behaviour-pr-1, new: true", `write opens behaviour-pr-1 to main of o/test-repo-07, head_repo ""`,
			`write comments #1 with "/review"`, "triage reviews #1: comment", "admin merges #1", "triage edits #1, labels [], closes: true"}},
	} {
		ctx, f := stage(t)
		if err := tc.do(ctx); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
		if diff := cmp.Diff(tc.want, f.done); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
		if _, err := world.Shared[driver.Cause](ctx, world.TheStimulus); err != nil {
			t.Errorf("%s: no stimulus: %v", tc.name, err)
		}
	}
}

func TestOpenOn(t *testing.T) {
	ctx, f := stage(t)
	if err := openOn(ctx, "agent/<issue>-decoy"); err == nil || !strings.Contains(err.Error(), "before this one") || len(f.done) > 0 {
		t.Errorf("before there is an issue: got %v, done %q", err, f.done)
	}
	f.branches[base]["there"] = "c"
	world.Share(ctx, world.TheIssue, driver.Ref{Number: 3})
	if err := errors.Join(openOn(ctx, "there"), openOn(ctx, "agent/<issue>-decoy")); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`write opens there to main of o/test-repo-07, head_repo ""`,
		"write commits to o/test-repo-07 agent/3-decoy, new: true", `write opens agent/3-decoy to main of o/test-repo-07, head_repo ""`,
	}
	if diff := cmp.Diff(want, f.done); diff != "" {
		t.Error(diff)
	}
	if _, err := world.Shared[driver.Cause](ctx, world.TheStimulus); err == nil {
		t.Error("what is there beforehand counts as what sets the platform going")
	}
}

func TestForks(t *testing.T) {
	for name, want := range map[string]string{
		"test-repo-fork": "test-repo-07-fork", "test-repo-a.b": "test-repo-07-a.b", "fork": "test-repo-07-fork", "my-test-repo": "test-repo-07-my-test-repo",
	} {
		if got := forkName(base.Name, name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	ctx, f := stage(t)
	if err := makeFork(ctx, "test-repo"); err == nil || !strings.Contains(err.Error(), "the leased repository itself") || len(f.done) > 0 {
		t.Errorf("a fork called as its parent: got %v", err)
	}
	if err := openFromFork(ctx); err == nil || !strings.Contains(err.Error(), "no fork was made") {
		t.Errorf("no fork: got %v", err)
	}
	if err := label(ctx, "fork ", "x"); err == nil || !strings.Contains(err.Error(), `"the fork pull request"`) {
		t.Errorf("no pull request of a fork: got %v", err)
	}
	f.lag = 3
	if err := makeFork(ctx, "test-repo-fork"); err != nil || f.lag != 0 {
		t.Errorf("branches come later: got %v", err)
	}
	// An actor's own fork does not take the place of the one that a step made.
	if err := errors.Join(openAs(ctx, "outsider"), openFromFork(ctx)); err != nil || !strings.HasSuffix(f.done[len(f.done)-1], `head_repo "test-repo-07-fork"`) {
		t.Errorf("the fork that was made: got %q, %v", f.done, err)
	}
	other := driver.Repo{Owner: "o", Name: "test-repo-07-taken"}
	f.parents[other], f.branches[other] = driver.Repo{Owner: "o", Name: "else"}, map[string]string{"main": "a"}
	if err := makeFork(ctx, "test-repo-taken"); err == nil || isMismatch(err) || !strings.Contains(err.Error(), "no fork of o/test-repo-07") {
		t.Errorf("a name that is taken: got %v", err)
	}
}

func TestHeadMatches(t *testing.T) {
	ctx, f := stage(t)
	world.Share(ctx, world.TheIssue, driver.Ref{Number: 3})
	for i, head := range []string{"o:agent/3-fix", "o:agent/990-decoy", "o:x/agent/3-fix-y"} {
		f.pulls = append(f.pulls, driver.Pull{Ref: driver.Ref{Repo: base, Number: i + 1}, Head: head, State: "open"})
	}
	if err := headMatches(ctx, "agent/<issue>-.*"); err != nil {
		t.Fatal(err)
	}
	if ref, err := world.Shared[driver.Ref](ctx, world.ThePull); err != nil || ref.Number != 1 {
		t.Errorf("the pull request is %v, %v", ref, err)
	}
	for pattern, hint := range map[string]string{
		"agent/.*": "ambiguous", "agent/<issue>": "there are", "fix|decoy": "there are", "gent/3-fi": "there are",
	} {
		if err := headMatches(ctx, pattern); !isMismatch(err) || !strings.Contains(fmt.Sprint(hintOf(err)), hint) {
			t.Errorf("%s: got %v, want a mismatch with %q", pattern, err, hint)
		}
	}
	if err := headMatches(ctx, "agent/("); err == nil || isMismatch(err) || !strings.Contains(err.Error(), "agent/(") {
		t.Errorf("no pattern: got %v", err)
	}
}

func TestStates(t *testing.T) {
	ctx, f := stage(t)
	if err := open(ctx); err != nil {
		t.Fatal(err)
	}
	f.comments = []driver.Comment{{Body: "Review: comment"}}
	p := &f.pulls[0]
	p.Labels = []string{"bug"}
	for _, tc := range []struct {
		name   string
		state  string
		merged bool
		how    string // mergeable
		do     func() error
		holds  bool
	}{
		{"open", "open", false, "", func() error { return is(ctx, "", "open") }, true},
		{"not closed", "open", false, "", func() error { return is(ctx, "", "closed") }, false},
		{"closed", "closed", false, "", func() error { return is(ctx, "", "closed") }, true},
		{"merged", "closed", true, "", func() error { return is(ctx, "", "merged") }, true},
		{"merged is not closed", "closed", true, "", func() error { return is(ctx, "", "closed") }, false},
		{"clean", "open", false, "clean", func() error { return mergeable(ctx, "") }, true},
		{"a check that is not required fails", "open", false, "unstable", func() error { return mergeable(ctx, "") }, true},
		{"blocked", "open", false, "blocked", func() error { return mergeable(ctx, "") }, false},
		{"unknown", "open", false, "unknown", func() error { return mergeable(ctx, "") }, false},
		{"conflict", "open", false, "dirty", func() error { return conflicts(ctx, "") }, true},
		{"no conflict", "open", false, "behind", func() error { return conflicts(ctx, "") }, false},
		{"label", "open", false, "", func() error { return hasLabel(ctx, "", "bug") }, true},
		{"no such label", "open", false, "", func() error { return hasLabel(ctx, "", "bu") }, false},
		{"lacks it", "open", false, "", func() error { return lacksLabel(ctx, "", "bu") }, true},
		{"lacks it not", "open", false, "", func() error { return lacksLabel(ctx, "", "bug") }, false},
		{"comment", "open", false, "", func() error { return hasComment(ctx, "", "iew: c") }, true},
		{"no such comment", "open", false, "", func() error { return hasComment(ctx, "", "other") }, false},
	} {
		p.State, p.Merged, p.Mergeable = tc.state, tc.merged, tc.how
		if err := tc.do(); tc.holds && err != nil || !tc.holds && !isMismatch(err) {
			t.Errorf("%s: got %v", tc.name, err)
		}
	}
}

func isMismatch(err error) bool {
	_, ok := errors.AsType[*match.Mismatch](err)
	return ok
}

func hintOf(err error) string {
	mis, _ := errors.AsType[*match.Mismatch](err)
	return mis.Hint
}
