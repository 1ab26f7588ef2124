// Package pull lets scenarios open, label, comment and read pull requests, of branches of the repository
// under test and of forks of it.
//
// "The pull request" is the last one that a step named, "the fork pull request" the last one that a step
// opened from a fork; a scenario may have both.
package pull

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

// Who acts where the step names nobody: a person who may push, and another who reviews. Reading is the
// observer's.
const (
	writer   = "write"
	reviewer = "triage"
	observer = "observer"
)

// which begins the text of every step about one of the two pull requests. It gives "fork " or "".
const which = `the (fork )?pull request `

// labeledStep is the text of the step that sets a platform going.
const labeledStep = which + `is labeled "([^"]+)"`

var labeledText = regexp.MustCompile("^" + labeledStep + "$")

// Labeled is the label that a step with this text adds; false is that it adds none.
func Labeled(text string) (label string, ok bool) {
	m := labeledText.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	return m[2], true
}

// Pack holds the steps.
var Pack = suite.Pack{Name: "pull", Steps: []suite.Step{
	{
		Pattern: `a pull request is opened`, Do: open,
		Doc: "Opens a pull request from a new branch with one commit to the default branch, as the write actor. " +
			"Later steps look at the runs that this causes.",
		Example: `a pull request is opened`,
	},
	{
		Pattern: `an open pull request on branch "([^"]+)"`, Do: openOn,
		Doc: "Opens a pull request from the branch to the default branch, as the write actor. A branch that is not there is made, with one commit. " +
			"In branch names <issue> is the number of the scenario's issue.",
		Example: `an open pull request on branch "release/1.0"`,
	},
	{
		Pattern: `a fork "([\w.-]+)" of the enrolled test repository`, Do: makeFork,
		Doc: "Makes a fork in the leased repository's organisation, as the admin actor, and waits for its default branch. " +
			"In the name test-repo stands for the leased repository; another name comes behind the leased one's. A second use changes nothing.",
		Example: `a fork "test-repo-fork" of the enrolled test repository`,
	},
	{
		Pattern: `a fork pull request is opened`, Do: openFromFork,
		Doc: "Opens a pull request from a new branch of the fork, with one commit, to the default branch of the leased repository, as the write actor. " +
			"Later steps look at the runs that this causes.",
		Example: `a fork pull request is opened`,
	},
	{
		Pattern: `a fork pull request is opened by the ([\w-]+?)(?: actor)?`, Do: openAs,
		Doc:     "The same from a fork of the actor's own account, which is made if need be, as that actor.",
		Example: `a fork pull request is opened by the outsider`,
	},
	{
		Pattern: labeledStep, Do: label,
		Doc:     "Adds the label as the write actor. Later steps look at the runs that this causes.",
		Example: `the fork pull request is labeled "ready-for-review"`,
	},
	{
		Pattern: `a commit is pushed to the (fork )?pull request`, Do: push,
		Doc:     "Adds one commit to the head branch, as the actor who opened it. Later steps look at the runs that this causes.",
		Example: `a commit is pushed to the fork pull request`,
	},
	{
		Pattern: `a comment "([^"]+)" is posted on the (fork )?pull request`, Do: comment,
		Doc:     "Writes the comment as the write actor. Later steps look at the runs that this causes.",
		Example: `a comment "/review" is posted on the pull request`,
	},
	{
		Pattern: `a review comment is submitted on the (fork )?pull request`, Do: review,
		Doc:     "Submits a review that only comments, as the triage actor. Later steps look at the runs that this causes.",
		Example: `a review comment is submitted on the pull request`,
	},
	{
		Pattern: which + `is (merged|closed) by the ([\w-]+?)(?: actor)?`, Do: end,
		Doc:     "Merges or closes it as that actor. Later steps look at the runs that this causes.",
		Example: `the pull request is merged by the write actor`,
	},
	{
		Pattern: `the pull request head branch matches "([^"]+)"`, Do: headMatches,
		Doc: "Is decided at quiet: exactly one open pull request has a head branch that the regular expression matches from end to end; " +
			"several are a failure. It becomes \"the pull request\" of later steps. <issue> is the number of the scenario's issue.",
		Example: `the pull request head branch matches "agent/<issue>-.*"`,
	},
	{
		Pattern: which + `is (open|closed|merged)`, Do: is,
		Doc:     "Holds as soon as it is in that state; at quiet it is decided. A merged one is not said to be closed.",
		Example: `the pull request is merged`,
	},
	{
		Pattern: which + `is mergeable`, Do: mergeable,
		Doc:     "Is decided at quiet: it could be merged now. It has no conflict, is no draft, and nothing that is required is missing.",
		Example: `the pull request is mergeable`,
	},
	{
		Pattern: which + `conflicts with its base`, Do: conflicts,
		Doc:     "Is decided at quiet: it cannot be merged because both sides changed the same.",
		Example: `the pull request conflicts with its base`,
	},
	{
		Pattern: which + `has label "([^"]+)"`, Do: hasLabel,
		Doc:     "Holds as soon as the label is there; at quiet it is decided.",
		Example: `the pull request has label "reviewed"`,
	},
	{
		Pattern: which + `does not have label "([^"]+)"`, Do: lacksLabel,
		Doc:     "Is decided at quiet: the label is not there and nothing is under way that could add it.",
		Example: `the fork pull request does not have label "reviewed"`,
	},
	{
		Pattern: which + `has a comment containing "([^"]*)"`, Do: hasComment,
		Doc:     "Holds as soon as one comment contains the text; at quiet it is decided.",
		Example: `the pull request has a comment containing "Review"`,
	},
	{
		Pattern: which + `has a body containing "([^"]*)"`, Do: hasBody,
		Doc:     "Is decided at quiet: its description contains the text, in which <issue> is the number of the scenario's issue.",
		Example: `the pull request has a body containing "Closes #<issue>"`,
	},
}}

// state is what this pack alone knows of a scenario.
type state struct {
	fork     driver.Repo           // zero until there is one
	branches int                   // that were made for pull requests
	commits  int                   // that were pushed to them
	author   map[driver.Ref]string // who opened which, by the actor's name
}

var slot = world.NewSlot[state]("pull")

// name is that of one of the two pull requests in the world.
func name(fork string) string {
	if fork != "" {
		return world.TheForkPull
	}
	return world.ThePull
}

// the returns one of the two pull requests.
func the(ctx context.Context, fork string) (*world.World, driver.Ref, error) {
	ref, err := world.Shared[driver.Ref](ctx, name(fork))
	return world.From(ctx), ref, err
}

// stimulate says that what this step does is what sets the platform going.
func stimulate(ctx context.Context) { world.Share(ctx, world.TheStimulus, world.From(ctx).Cause()) }

// freshBranch names a branch for a pull request that needs one.
func freshBranch(ctx context.Context) string {
	s := slot.Of(ctx)
	s.branches++
	return fmt.Sprintf("behaviour-pr-%d", s.branches)
}

func open(ctx context.Context) error {
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return err
	}
	stimulate(ctx)
	return propose(ctx, world.ThePull, proposal{actor: writer, base: r, head: r, branch: freshBranch(ctx), seeded: true})
}

func openOn(ctx context.Context, branch string) error {
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return err
	}
	if branch, err = world.WithIssue(ctx, branch); err != nil {
		return err
	}
	branches, err := world.From(ctx).As(observer).Repos.Branches(ctx, r)
	if err != nil {
		return err
	}
	_, there := branches[branch]
	return propose(ctx, world.ThePull, proposal{actor: writer, base: r, head: r, branch: branch, seeded: !there})
}

// proposal is a pull request to open. A seeded one has its branch made first.
type proposal struct {
	actor      string
	base, head driver.Repo
	branch     string
	seeded     bool
}

// propose opens a pull request and makes it the one that name stands for.
func propose(ctx context.Context, name string, p proposal) error {
	w := world.From(ctx)
	info, err := w.As(observer).Repos.Get(ctx, p.base)
	if err != nil {
		return err
	}
	session := w.As(p.actor)
	if p.seeded {
		_, err := session.Files.Commit(ctx, p.head, driver.NewCommit{
			Branch: p.branch, New: true, Message: "Begin " + p.branch,
			Files: []driver.NewFile{{Path: strings.ReplaceAll(p.branch, "/", "-") + ".txt", Content: []byte(p.branch + "\n")}},
		})
		if err != nil {
			return err
		}
	}
	in := driver.NewPull{Title: "A test pull request", Body: "Opened by a scenario.", Head: p.branch, Base: info.DefaultBranch}
	if p.head != p.base {
		in.Head, in.HeadRepo = p.head.Owner+":"+p.branch, p.head.Name
	}
	pull, err := session.Pulls.Open(ctx, p.base, in)
	if err != nil {
		return err
	}
	s := slot.Of(ctx)
	if s.author == nil {
		s.author = map[driver.Ref]string{}
	}
	s.author[pull.Ref] = p.actor
	world.Share(ctx, name, pull.Ref)
	return nil
}

func label(ctx context.Context, fork, label string) error {
	w, ref, err := the(ctx, fork)
	if err != nil {
		return err
	}
	stimulate(ctx)
	return w.As(writer).Issues.Edit(ctx, ref, driver.IssueEdit{AddLabels: []string{label}})
}

func push(ctx context.Context, fork string) error {
	w, ref, err := the(ctx, fork)
	if err != nil {
		return err
	}
	pull, err := w.As(observer).Pulls.Get(ctx, ref)
	if err != nil {
		return err
	}
	_, branch, _ := strings.Cut(pull.Head, ":")
	actor := slot.Of(ctx).author[ref]
	if actor == "" { // the platform opened it
		actor = writer
	}
	s := slot.Of(ctx)
	s.commits++
	stimulate(ctx)
	_, err = w.As(actor).Files.Commit(ctx, pull.HeadRepo, driver.NewCommit{
		Branch: branch, Message: fmt.Sprintf("Commit %d", s.commits),
		Files: []driver.NewFile{{Path: fmt.Sprintf("pushed-%d.txt", s.commits), Content: []byte(branch + "\n")}},
	})
	return err
}

func comment(ctx context.Context, text, fork string) error {
	w, ref, err := the(ctx, fork)
	if err != nil {
		return err
	}
	stimulate(ctx)
	_, err = w.As(writer).Issues.Comment(ctx, ref, text)
	return err
}

func review(ctx context.Context, fork string) error {
	w, ref, err := the(ctx, fork)
	if err != nil {
		return err
	}
	stimulate(ctx)
	_, err = w.As(reviewer).Reviews.Submit(ctx, ref, driver.NewReview{Says: driver.ReviewComment, Body: "A review comment of a scenario."})
	return err
}

func end(ctx context.Context, fork, how, actor string) error {
	w, ref, err := the(ctx, fork)
	if err != nil {
		return err
	}
	stimulate(ctx)
	if how == "merged" {
		_, err := w.As(actor).Pulls.Merge(ctx, ref, driver.MergePull{})
		return err
	}
	closed := "closed"
	return w.As(actor).Issues.Edit(ctx, ref, driver.IssueEdit{State: &closed})
}
