package post

import (
	"context"
	"fmt"
	"strings"

	"example.com/crew/internal/defect"
	"example.com/crew/internal/forge"
	"example.com/crew/internal/push"
	"example.com/crew/internal/stage"
)

func triage(ctx context.Context, o Options, res Result) (outcome, error) {
	text := "**Triage: " + res.Action + "**\n\n" + plain(res.Comment)
	label, done := stage.Triaged, outcome{handOff: stage.ReadyToCode}
	switch res.Action {
	case "sufficient":
	case "insufficient":
		label, done.handOff = stage.NeedsInfo, ""
		text += list(res.Questions)
	default:
		return done, failure{"result", fmt.Errorf("the result's action %q is unknown", res.Action)}
	}
	branch, err := o.push(ctx, push.Rule{})
	if err != nil {
		return done, err
	}
	if o.Defect == defect.LabelBeforeComment {
		if err := o.label(ctx, o.Bot, label); err != nil {
			return done, err
		}
		if o.comment(ctx, text) != nil {
			return done, nil
		}
	}
	if err := o.comment(ctx, text); err != nil {
		return done, err
	}
	if err := o.label(ctx, o.Job, label); err != nil {
		return done, err
	}
	done.said = fmt.Sprintf("issue %d is %s (%q)", o.Issue, res.Action, bounded(res.Reason))
	if branch != "" {
		done.said += "; pushed branch " + branch
	}
	return done, nil
}

// code opens a pull request for the branch that the agent left. That there is none is no failure.
func code(ctx context.Context, o Options, res Result) (outcome, error) {
	if res.Action == "nothing" {
		return o.noPull(ctx, plain(res.Summary))
	}
	rule := push.Rule{Prefix: fmt.Sprintf("%s%d-", push.Namespace, o.Issue), Why: fmt.Sprintf("for issue %d", o.Issue)}
	if o.Defect == defect.CodePushesOtherIssue {
		rule = push.Rule{}
	}
	branch, err := o.push(ctx, rule)
	switch {
	case err != nil:
		return outcome{}, err
	case branch == "":
		return o.noPull(ctx, "The agent left no branch.")
	case o.Defect == defect.CodeWithoutPullRequest:
		return outcome{said: "pushed branch " + branch}, nil
	}
	in := forge.NewPull{Title: plain(res.Title), Body: plain(res.Summary), Head: branch, Base: o.Base}
	if o.Defect != defect.ClosesMissing {
		in.Body += fmt.Sprintf("\n\nCloses #%d", o.Issue)
	}
	number, err := o.Bot.OpenPull(ctx, in)
	if err != nil {
		return outcome{}, failed("pull-request", err, "open a pull request for branch %s", branch)
	}
	if err := o.comment(ctx, fmt.Sprintf("**Pull request #%d** works this out.", number)); err != nil {
		return outcome{}, err
	}
	return outcome{said: fmt.Sprintf("pull request %d is open for issue %d", number, o.Issue)}, o.label(ctx, o.Job, stage.PullOpen)
}

func (o Options) noPull(ctx context.Context, why string) (outcome, error) {
	return outcome{said: "there is no pull request"}, o.comment(ctx, "**No pull request**\n\n"+why)
}

// prioritize puts on the label of one priority and takes off those of the others.
func prioritize(ctx context.Context, o Options, res Result) (outcome, error) {
	done := outcome{said: fmt.Sprintf("issue %d has the priority %s", o.Issue, res.Action)}
	if err := o.comment(ctx, "**Priority: "+res.Action+"**\n\n"+plain(res.Reason)); err != nil {
		return done, err
	}
	want := stage.Priority + res.Action
	if o.Defect == defect.PriorityWrong {
		want = stage.Priority + "medium"
	}
	have, err := o.Job.Labels(ctx, o.Issue)
	if err != nil {
		return done, failed("label", err, "read the labels of %d", o.Issue)
	}
	for _, l := range have {
		other := strings.HasPrefix(l, stage.Priority) || o.Defect == defect.PriorityClearsLabels
		if other && l != want && o.Defect != defect.PriorityKept {
			if err := o.Job.RemoveLabel(ctx, o.Issue, l); err != nil {
				return done, failed("label", err, "take label %s off %d", l, o.Issue)
			}
		}
	}
	return done, o.label(ctx, o.Job, want)
}

func list(items []string) (text string) {
	for _, i := range items {
		text += "\n- " + plain(i)
	}
	return text
}
