package post

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"example.com/crew/internal/defect"
	"example.com/crew/internal/push"
)

var commit = regexp.MustCompile(`^[0-9a-f]{40}$`)

// review submits a formal review if the commit that was looked at is the head still. Of another it
// is a comment only: nobody is to merge what nobody has seen.
func review(ctx context.Context, o Options, res Result) (outcome, error) {
	if !commit.MatchString(res.Head) { // the schema knows no hexadecimal numbers
		return outcome{}, failure{"result", fmt.Errorf("the result's head_sha %q is no commit's full name", bounded(res.Head))}
	}
	head, err := o.Job.PullHead(ctx, o.Issue)
	if err != nil {
		return outcome{}, failed("review", err, "read pull request %d", o.Issue)
	}
	text := "**Review: " + res.Action + "**\n\n" + plain(res.Body)
	if head.SHA != res.Head && o.Defect != defect.StaleReviewPosted {
		text += fmt.Sprintf("\n\nThis is about %s, which is no longer the head; it is no formal review.", res.Head)
		return outcome{said: fmt.Sprintf("commented pull request %d; the review is stale", o.Issue)}, o.comment(ctx, text)
	}
	says := strings.ToUpper(res.Action)
	if o.Defect == defect.ReviewSoftened {
		says = "COMMENT"
	}
	err = o.Bot.Review(ctx, o.Issue, says, text, head.SHA)
	return outcome{said: fmt.Sprintf("pull request %d has a review (%s)", o.Issue, res.Action)}, failed("review", err, "review pull request %d", o.Issue)
}

// fix pushes to the head of the pull request and to no other branch.
func fix(ctx context.Context, o Options, res Result) (outcome, error) {
	head, err := o.Job.PullHead(ctx, o.Issue)
	if err != nil {
		return outcome{}, failed("push", err, "read pull request %d", o.Issue)
	}
	if !head.Own {
		return outcome{}, failure{"branch", push.Refused(fmt.Sprintf("Refusing to push: pull request %d is not of this repository", o.Issue))}
	}
	rule := push.Rule{Only: head.Branch, Why: fmt.Sprintf("the head of pull request %d", o.Issue)}
	if o.Defect == defect.FixPushesOtherBranch {
		rule = push.Rule{}
	}
	branch := ""
	if res.Action == "fixed" && o.Defect == defect.FixNotPushed {
		branch = head.Branch
	} else if res.Action == "fixed" {
		if branch, err = o.push(ctx, rule); err != nil {
			return outcome{}, err
		}
	}
	text := "**Fix: " + res.Action + "**\n\n" + plain(res.Summary)
	if branch == "" {
		text += "\n\nNothing was pushed."
	} else {
		text += "\n\nPushed to " + branch + "."
	}
	return outcome{said: fmt.Sprintf("pull request %d: %s", o.Issue, res.Action)}, o.comment(ctx, text)
}

func retro(ctx context.Context, o Options, res Result) (outcome, error) {
	text := "**Retrospective: " + res.Action + "**\n\n" + plain(res.Comment) + list(res.Lessons)
	return outcome{said: fmt.Sprintf("looked back at pull request %d", o.Issue)}, o.comment(ctx, text)
}
