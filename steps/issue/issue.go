// Package issue lets scenarios open, label and read issues.
package issue

import (
	"context"
	"regexp"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

// Who acts: a person with write access. Reading is the observer's.
const (
	writer   = "write"
	observer = "observer"
)

// labeledStep is the text of the step that sets a platform going.
const labeledStep = `the issue is labeled "([^"]+)"`

var labeledText = regexp.MustCompile("^" + labeledStep + "$")

// Labeled is the label that a step with this text adds; false is that it adds none.
func Labeled(text string) (label string, ok bool) {
	m := labeledText.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// Pack holds the steps.
var Pack = suite.Pack{Name: "issue", Lint: lint, Steps: []suite.Step{
	{
		Pattern: `an issue`, Do: open,
		Doc:     "Opens an issue as the write actor.",
		Example: `an issue`,
	},
	{
		Pattern: `an issue with title "([^"]*)" and body containing "([^"]*)"`, Do: openWith,
		Doc:     "Opens an issue with that title and body as the write actor.",
		Example: `an issue with title "It breaks" and body containing "steps to reproduce"`,
	},
	{
		Pattern: `an issue "([^"]+)" is created`, Do: create,
		Doc:     "Opens an issue with that title as the write actor. Later steps look at the runs that this causes.",
		Example: `an issue "Greet the world" is created`,
	},
	{
		Pattern: `(?:an issue is opened|the ([\w-]+?)(?: actor)? opens an issue) for OWNERS auth testing`, Do: openForOwners,
		Doc: "Opens an issue as that actor, the write actor where none is named; the bot is the write actor, too. " +
			"Later steps look at the runs that this causes.",
		Example: `the outsider opens an issue for OWNERS auth testing`,
	},
	{
		Pattern: labeledStep, Do: label,
		Doc:     "Adds the label as the write actor. Later steps look at the runs that this causes.",
		Example: `the issue is labeled "ready-for-triage"`,
	},
	{
		Pattern: `the label "([^"]+)" is removed from the issue`, Do: unlabel,
		Doc:     "Takes the label off as the write actor. Later steps look at the runs that this causes.",
		Example: `the label "ready-for-triage" is removed from the issue`,
	},
	{
		Pattern: `a comment "([^"]+)" is posted on the issue(?: by the ([\w-]+?)(?: actor)?)?`, Do: comment,
		Doc:     "Writes the comment as that actor, the write actor where none is named. Later steps look at the runs that this causes.",
		Example: `a comment "/triage" is posted on the issue by the outsider`,
	},
	{
		Pattern: `a comment is posted on the issue(?: by the ([\w-]+?)(?: actor)?)?:`, Do: commentText,
		Doc:     "The same with a text of several lines, and whatever is in it.",
		Example: `a comment is posted on the issue:`,
	},
	{
		Pattern: `the outsider posts "([^"]+)" on the issue`, Do: outsiderComments,
		Doc:     "The same by the actor outsider.",
		Example: `the outsider posts "/triage" on the issue`,
	},
	{
		Pattern: `the issue has label "([^"]+)"`, Do: hasLabel,
		Doc:     "Holds as soon as the label is there; at quiet it is decided.",
		Example: `the issue has label "bug"`,
	},
	{
		Pattern: `the issue does not have label "([^"]+)"`, Do: lacksLabel,
		Doc:     "Is decided at quiet: the label is not there and nothing is under way that could add it.",
		Example: `the issue does not have label "bug"`,
	},
	{
		Pattern: `the issue has a comment containing "([^"]*)"`, Do: hasComment,
		Doc:     "Holds as soon as one comment contains the text; at quiet it is decided.",
		Example: `the issue has a comment containing "triaged"`,
	},
	{
		Pattern: `the issue has exactly (\d+) comments? containing "([^"]*)"`, Do: countComments,
		Doc:     "Is decided at quiet: so many comments contain the text, no more and no less.",
		Example: `the issue has exactly 1 comment containing "triaged"`,
	},
	{
		Pattern: reactionsStep, Do: enableReactions,
		Doc:     "Has the platform show by reactions how far it is, by edits.reactions of the platform file.",
		Example: reactionsStep,
	},
	{
		Pattern: `the issue has an? "([^"]+)" reaction`, Do: hasReaction,
		Doc:     "Holds as soon as somebody reacted so; at quiet it is decided. It is +1, -1, laugh, confused, heart, hooray, rocket or eyes.",
		Example: `the issue has a "rocket" reaction`,
	},
	{
		Pattern: `the issue does not have an? "([^"]+)" reaction`, Do: lacksReaction,
		Doc:     "Is decided at quiet: nobody reacts so, and nothing is under way that could.",
		Example: `the issue does not have a "confused" reaction`,
	},
}}

func open(ctx context.Context) error {
	return openWith(ctx, "A test issue", "Opened by a scenario.")
}

func openWith(ctx context.Context, title, body string) error {
	return openAs(ctx, writer, driver.NewIssue{Title: title, Body: body})
}

func create(ctx context.Context, title string) error {
	world.Share(ctx, world.TheStimulus, world.From(ctx).Cause())
	return openWith(ctx, title, "Opened by a scenario.")
}

func openForOwners(ctx context.Context, actor string) error {
	world.Share(ctx, world.TheStimulus, world.From(ctx).Cause())
	return openAs(ctx, world.ActorCalled(actor), driver.NewIssue{Title: "Who may start agents", Body: "An issue whose opening starts one."})
}

func openAs(ctx context.Context, actor string, in driver.NewIssue) error {
	w := world.From(ctx)
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return err
	}
	is, err := w.As(actor).Issues.Open(ctx, r, in)
	if err != nil {
		return err
	}
	world.Share(ctx, world.TheIssue, is.Ref)
	return nil
}

func label(ctx context.Context, name string) error {
	return edit(ctx, driver.IssueEdit{AddLabels: []string{name}})
}

func unlabel(ctx context.Context, name string) error {
	return edit(ctx, driver.IssueEdit{RemoveLabels: []string{name}})
}

// edit changes the scenario's issue, and makes the change what later steps look at.
func edit(ctx context.Context, change driver.IssueEdit) error {
	w := world.From(ctx)
	ref, err := world.Shared[driver.Ref](ctx, world.TheIssue)
	if err != nil {
		return err
	}
	world.Share(ctx, world.TheStimulus, w.Cause())
	return w.As(writer).Issues.Edit(ctx, ref, change)
}

func comment(ctx context.Context, body, actor string) error {
	w := world.From(ctx)
	ref, err := world.Shared[driver.Ref](ctx, world.TheIssue)
	if err != nil {
		return err
	}
	if actor == "" {
		actor = writer
	}
	world.Share(ctx, world.TheStimulus, w.Cause())
	_, err = w.As(actor).Issues.Comment(ctx, ref, body)
	return err
}

func commentText(ctx context.Context, actor string, doc *suite.DocString) error {
	return comment(ctx, doc.Content, actor)
}

func outsiderComments(ctx context.Context, body string) error { return comment(ctx, body, "outsider") }

func hasLabel(ctx context.Context, name string) error {
	return look(ctx, world.From(ctx).Until, func(ctx context.Context, w *world.World, is driver.Issue) error {
		return w.Expect(ctx, "issue.labels", is.Labels, match.Contains(name))
	})
}

func lacksLabel(ctx context.Context, name string) error {
	return look(ctx, world.From(ctx).Settled, func(ctx context.Context, w *world.World, is driver.Issue) error {
		return w.Expect(ctx, "issue.labels", is.Labels, match.Lacks(name))
	})
}

type waiting func(ctx context.Context, check func(context.Context) error) error

// look reads the issue in each try of a wait and hands it to check.
func look(ctx context.Context, wait waiting, check func(context.Context, *world.World, driver.Issue) error) error {
	w := world.From(ctx)
	ref, err := world.Shared[driver.Ref](ctx, world.TheIssue)
	if err != nil {
		return err
	}
	return wait(ctx, func(ctx context.Context) error {
		is, err := w.As(observer).Issues.Get(ctx, ref)
		if err != nil {
			return err
		}
		return check(ctx, w, is)
	})
}

func hasComment(ctx context.Context, text string) error {
	w := world.From(ctx)
	ref, err := world.Shared[driver.Ref](ctx, world.TheIssue)
	if err != nil {
		return err
	}
	return w.Until(ctx, func(ctx context.Context) error {
		comments, err := w.As(observer).Issues.Comments(ctx, ref)
		if err != nil {
			return err
		}
		return w.Expect(ctx, "issue.comments", bodies(comments), match.Any(match.Contains(text)))
	})
}

func countComments(ctx context.Context, n int, text string) error {
	w := world.From(ctx)
	ref, err := world.Shared[driver.Ref](ctx, world.TheIssue)
	if err != nil {
		return err
	}
	return w.Settled(ctx, func(ctx context.Context) error {
		comments, err := w.As(observer).Issues.Comments(ctx, ref)
		if err != nil {
			return err
		}
		found := []string{}
		for _, body := range bodies(comments) {
			if strings.Contains(body, text) {
				found = append(found, body)
			}
		}
		return w.ExpectKey(ctx, "issue.comments.with", text, found, match.Count(n))
	})
}

func bodies(comments []driver.Comment) []string {
	out := make([]string, len(comments))
	for i, c := range comments {
		out[i] = c.Body
	}
	return out
}
