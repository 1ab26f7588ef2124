package drivertest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/driver"
)

// contextOf is a context for clean-ups: that of the test, but not ended with it.
func contextOf(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func issues(c *trial) {
	ctx := c.Context()
	is, err := c.outsider.Issues.Open(ctx, c.repo, driver.NewIssue{Title: "T", Body: "B"})
	c.must(err)
	equal(c, "number", is.Ref, driver.Ref{Repo: c.repo, Number: 1})
	equal(c, "author", is.Author, c.p.OutsiderLogin)
	c.must(c.writer.Issues.Edit(ctx, is.Ref, driver.IssueEdit{AddLabels: []string{"one", "two"}}))
	c.must(c.writer.Issues.Edit(ctx, is.Ref, driver.IssueEdit{RemoveLabels: []string{"one"}}))
	closed, title := "closed", "Other"
	c.must(c.writer.Issues.Edit(ctx, is.Ref, driver.IssueEdit{State: &closed, Title: &title}))
	_, err = c.outsider.Issues.Comment(ctx, is.Ref, "first")
	c.must(err)
	_, err = c.writer.Issues.Comment(ctx, is.Ref, "second")
	c.must(err)
	is, err = c.writer.Issues.Get(ctx, is.Ref)
	c.must(err)
	sameSet(c, "labels", is.Labels, "two")
	equal(c, "state, title, body", is.State+" "+is.Title+" "+is.Body, "closed Other B")
	all, err := c.writer.Issues.Comments(ctx, is.Ref)
	c.must(err)
	if len(all) != 2 || all[0].Body != "first" || all[1].Body != "second" || all[0].Author != c.p.OutsiderLogin || all[0].ID == all[1].ID {
		c.Errorf("comments %+v", all)
	}
	reactions, err := c.writer.Reactions.List(ctx, is.Ref)
	c.must(err)
	equal(c, "reactions", len(reactions), 0)
	_, err = c.writer.Reactions.List(ctx, driver.Ref{Repo: c.repo, Number: 99})
	c.refused("reactions to an issue that is not there", err, driver.ErrNotFound)
	_, err = c.writer.Issues.Get(ctx, driver.Ref{Repo: c.repo, Number: 99})
	c.refused("an issue that is not there", err, driver.ErrNotFound)
	c.must(c.writer.Issues.Edit(ctx, is.Ref, driver.IssueEdit{AddLabels: []string{"three"}}))
	if err := c.outsider.Issues.Edit(ctx, is.Ref, driver.IssueEdit{AddLabels: []string{"four"}}); err == nil {
		c.Error("labeled by an outsider")
	}
}

// propose makes a branch with one file and opens a pull request of it.
func (c *trial) propose(branch, path, text string) driver.Pull {
	c.Helper()
	_, err := c.writer.Files.Commit(c.Context(), c.repo, driver.NewCommit{
		Branch: branch, New: true, Message: "Change " + path, Files: []driver.NewFile{{Path: path, Content: []byte(text)}},
	})
	c.must(err)
	p, err := c.writer.Pulls.Open(c.Context(), c.repo, driver.NewPull{Title: "T", Body: "B", Head: branch, Base: c.base()})
	c.must(err)
	return p
}

func (c *trial) base() string {
	c.Helper()
	info, err := c.admin.Repos.Get(c.Context(), c.repo)
	c.must(err)
	return info.DefaultBranch
}

func pulls(c *trial) {
	ctx := c.Context()
	p := c.propose("side/one", "new.txt", "new\n")
	equal(c, "number", p.Ref, driver.Ref{Repo: c.repo, Number: 1})
	equal(c, "head", p.Head, c.repo.Owner+":side/one")
	equal(c, "head's repository", p.HeadRepo, c.repo)
	equal(c, "base and author", p.Base+" "+p.Author, c.base()+" "+c.p.WriterLogin)
	paths, err := c.outsider.Pulls.Files(ctx, p.Ref)
	c.must(err)
	sameSet(c, "files", paths, "new.txt")
	_, err = c.writer.Pulls.Open(ctx, c.repo, driver.NewPull{Title: "Again", Head: "side/one", Base: c.base()})
	c.refused("a second one of the same branches", err, driver.ErrConflict)
	c.must(c.writer.Issues.Edit(ctx, p.Ref, driver.IssueEdit{AddLabels: []string{"one"}}))
	c.eventually("mergeable", func() error {
		if p, err = c.writer.Pulls.Get(ctx, p.Ref); err != nil || p.Mergeable != "clean" {
			return fmt.Errorf("mergeable is %q, %w", p.Mergeable, err)
		}
		return nil
	})
	sameSet(c, "labels", p.Labels, "one")
	for _, f := range []struct {
		filter driver.PullFilter
		want   int
	}{{driver.PullFilter{}, 1}, {driver.PullFilter{State: "closed"}, 0}, {driver.PullFilter{Head: p.Head}, 1}, {driver.PullFilter{Base: "other"}, 0}} {
		list, err := c.writer.Pulls.List(ctx, c.repo, f.filter)
		c.must(err)
		equal(c, fmt.Sprintf("pull requests of %+v", f.filter), len(list), f.want)
	}
	_, err = c.writer.Pulls.Merge(ctx, p.Ref, driver.MergePull{SHA: "0123456789012345678901234567890123456789"})
	c.refused("a merge of another head", err, driver.ErrConflict)
	if _, err := c.outsider.Pulls.Merge(ctx, p.Ref, driver.MergePull{}); err == nil {
		c.Error("merged by an outsider")
	}
	sha, err := c.writer.Pulls.Merge(ctx, p.Ref, driver.MergePull{Method: "squash", Title: "All of it", SHA: p.HeadSHA})
	c.must(err)
	p, err = c.writer.Pulls.Get(ctx, p.Ref)
	c.must(err)
	if p.State != "closed" || !p.Merged || p.MergeCommit != sha {
		c.Errorf("merged as %s: %+v", sha, p)
	}
	_, err = c.writer.Files.Read(ctx, c.repo, sha, "new.txt")
	c.must(err)
	_, err = c.writer.Pulls.Get(ctx, driver.Ref{Repo: c.repo, Number: 99})
	c.refused("a pull request that is not there", err, driver.ErrNotFound)
}

func conflicts(c *trial) {
	ctx := c.Context()
	p := c.propose("side/one", "same.txt", "theirs\n")
	_, err := c.writer.Files.Commit(ctx, c.repo, driver.NewCommit{Message: "Ours", Files: []driver.NewFile{{Path: "same.txt", Content: []byte("ours\n")}}})
	c.must(err)
	c.eventually("conflict", func() error {
		if p, err = c.writer.Pulls.Get(ctx, p.Ref); err != nil || p.Mergeable != "dirty" {
			return fmt.Errorf("mergeable is %q, %w", p.Mergeable, err)
		}
		return nil
	})
	_, err = c.writer.Pulls.Merge(ctx, p.Ref, driver.MergePull{})
	c.refused("a merge of what conflicts", err, driver.ErrConflict)
}

func reviews(c *trial) {
	ctx := c.Context()
	p := c.propose("side/one", "new.txt", "new\n")
	if _, err := c.writer.Reviews.Submit(ctx, p.Ref, driver.NewReview{Says: driver.ReviewApprove}); err == nil {
		c.Error("approved by its author")
	}
	for _, says := range []string{driver.ReviewComment, driver.ReviewRequestChanges, driver.ReviewApprove} {
		_, err := c.admin.Reviews.Submit(ctx, p.Ref, driver.NewReview{Says: says, Body: "It says " + says})
		c.must(err)
	}
	all, err := c.outsider.Reviews.List(ctx, p.Ref)
	c.must(err)
	states := []string{}
	for _, r := range all {
		states = append(states, r.State)
		equal(c, "commit of a review", r.Commit, p.HeadSHA)
	}
	if !slices.Equal(states, []string{"commented", "changes_requested", "approved"}) {
		c.Errorf("reviews %+v", all)
	}
}

func forks(c *trial) {
	ctx := c.Context()
	in := driver.NewFork{Of: c.repo, Owner: c.p.Owner, Name: c.repo.Name + "-fork"}
	fork, err := c.admin.Repos.Fork(ctx, in)
	c.must(err)
	c.Cleanup(func() { c.delete(fork) })
	equal(c, "fork", fork, driver.Repo{Owner: in.Owner, Name: in.Name})
	again, err := c.admin.Repos.Fork(ctx, in)
	c.must(err)
	equal(c, "the same again", again, fork)
	base := c.base()
	c.eventually("branches of the fork", func() error {
		branches, err := c.writer.Repos.Branches(ctx, fork)
		if err == nil && branches[base] == "" {
			err = fmt.Errorf("branches %q", slices.Collect(maps.Keys(branches)))
		}
		return err
	})
	info, err := c.writer.Repos.Get(ctx, fork)
	c.must(err)
	equal(c, "parent", info.Parent, c.repo)
	_, err = c.writer.Files.Commit(ctx, fork, driver.NewCommit{Branch: "side", New: true, Message: "m", Files: []driver.NewFile{{Path: "new.txt", Content: []byte("x")}}})
	c.must(err)
	p, err := c.writer.Pulls.Open(ctx, c.repo, driver.NewPull{Title: "T", Head: fork.Owner + ":side", HeadRepo: fork.Name, Base: base})
	c.must(err)
	equal(c, "number", p.Ref, driver.Ref{Repo: c.repo, Number: 1})
	equal(c, "head's repository", p.HeadRepo, fork)
	own, err := c.outsider.Repos.Fork(ctx, driver.NewFork{Of: c.repo})
	c.must(err)
	c.Cleanup(func() {
		if err := c.outsider.Repos.Delete(contextOf(c.T), own); err != nil {
			c.Errorf("clean up: %v", err)
		}
	})
	equal(c, "owner of a fork of one's own", own.Owner, c.p.OutsiderLogin)
	_, err = c.outsider.Repos.Fork(ctx, driver.NewFork{Of: driver.Repo{Owner: c.repo.Owner, Name: "nothing-of-this-name"}})
	c.refused("a fork of nothing", err, driver.ErrNotFound)
}

func runs(c *trial) {
	ctx := c.Context()
	list, err := c.writer.Runs.List(ctx, c.repo, driver.RunFilter{})
	c.must(err)
	equal(c, "runs of a repository without workflows", len(list), 0)
	const none = 1 << 40
	_, err = c.writer.Runs.Jobs(ctx, c.repo, none)
	c.refused("jobs of a run that is not there", err, driver.ErrNotFound)
	_, err = c.writer.Runs.Log(ctx, c.repo, none)
	c.refused("log of a job that is not there", err, driver.ErrNotFound)
	_, err = c.writer.Runs.Artifacts(ctx, c.repo, none)
	c.refused("artifacts of a run that is not there", err, driver.ErrNotFound)
	_, err = c.writer.Runs.Open(ctx, c.repo, none)
	c.refused("an artifact that is not there", err, driver.ErrNotFound)
}
