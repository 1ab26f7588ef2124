package forge_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-github/v88/github"
)

func foreignPulls(t *testing.T, n *tally) {
	_, c := openForge(t, n)
	createApp(t, c)
	ctx := t.Context()
	main, _, err := c.Git.GetRef(ctx, "acme", "app", "heads/main")
	must(t, err)
	_, _, err = c.Git.CreateRef(ctx, "acme", "app", github.CreateRef{Ref: "refs/heads/feature", SHA: main.GetObject().GetSHA()})
	must(t, err)
	_, _, err = c.Repositories.CreateFile(ctx, "acme", "app", "a.txt", &github.RepositoryContentFileOptions{
		Message: github.Ptr("add a"), Content: []byte("one\n"), Branch: github.Ptr("feature")})
	must(t, err)

	in := &github.NewPullRequest{Title: github.Ptr("Add a"), Body: github.Ptr("Please"), Head: github.Ptr("feature"), Base: github.Ptr("main")}
	p, _, err := c.PullRequests.Create(ctx, "acme", "app", in)
	must(t, err)
	if p.GetNumber() != 1 || p.GetState() != "open" || !p.GetMergeable() || p.GetMergeableState() != "clean" || p.GetHead().GetRepo().GetFullName() != "acme/app" ||
		p.GetBase().GetSHA() != main.GetObject().GetSHA() || p.GetCommits() != 1 || p.GetAdditions() != 1 || p.GetChangedFiles() != 1 || p.GetUser().GetLogin() != "ada" {
		t.Errorf("pull request = %v", p)
	}
	_, _, err = c.PullRequests.Create(ctx, "acme", "app", in)
	var e *github.ErrorResponse
	if !errors.As(err, &e) || e.Response.StatusCode != 422 || len(e.Errors) != 1 || e.Errors[0].Message != "A pull request already exists for acme:feature." {
		t.Errorf("second one: %v", err)
	}
	list, _, err := c.PullRequests.List(ctx, "acme", "app", &github.PullRequestListOptions{Head: "acme:feature", Base: "main"})
	must(t, err)
	if len(list) != 1 || list[0].GetHead().GetLabel() != "acme:feature" || list[0].Mergeable != nil {
		t.Errorf("list = %v", list)
	}
	files, _, err := c.PullRequests.ListFiles(ctx, "acme", "app", 1, nil)
	must(t, err)
	if len(files) != 1 || files[0].GetFilename() != "a.txt" || files[0].GetPatch() != "@@ -0,0 +1 @@\n+one" {
		t.Errorf("files = %v", files)
	}
	commits, _, err := c.PullRequests.ListCommits(ctx, "acme", "app", 1, nil)
	must(t, err)
	if len(commits) != 1 || commits[0].GetCommit().GetMessage() != "add a" {
		t.Errorf("commits = %v", commits)
	}
	diff, _, err := c.PullRequests.GetRaw(ctx, "acme", "app", 1, github.RawOptions{Type: github.Diff})
	must(t, err)
	if !strings.HasPrefix(diff, "diff --git a/a.txt b/a.txt\n") {
		t.Errorf("diff = %q", diff)
	}
	of, _, err := c.PullRequests.ListPullRequestsWithCommit(ctx, "acme", "app", commits[0].GetSHA(), nil)
	must(t, err)
	if len(of) != 1 || of[0].GetNumber() != 1 {
		t.Errorf("pull requests of the commit = %v", of)
	}
	p, _, err = c.PullRequests.Edit(ctx, "acme", "app", 1, &github.PullRequest{Title: github.Ptr("Add it"), Base: &github.PullRequestBranch{Ref: github.Ptr("main")}})
	must(t, err)
	if p.GetTitle() != "Add it" {
		t.Errorf("edited = %v", p)
	}
	issue, _, err := c.Issues.Get(ctx, "acme", "app", 1)
	must(t, err)
	if !issue.IsPullRequest() || issue.GetPullRequestLinks().GetHTMLURL() != p.GetHTMLURL() {
		t.Errorf("issue = %v", issue)
	}
	if merged, _, err := c.PullRequests.IsMerged(ctx, "acme", "app", 1); merged || err != nil {
		t.Errorf("merged = %v, %v", merged, err)
	}
	mergePull(t, c, p)
}

// mergePull brings the base in, merges, and looks at what has come of it.
func mergePull(t *testing.T, c *github.Client, p *github.PullRequest) {
	t.Helper()
	ctx := t.Context()
	_, _, err := c.Repositories.CreateFile(ctx, "acme", "app", "b.txt", &github.RepositoryContentFileOptions{Message: github.Ptr("add b"), Content: []byte("b\n")})
	must(t, err)
	_, _, err = c.PullRequests.UpdateBranch(ctx, "acme", "app", 1, &github.PullRequestBranchUpdateOptions{ExpectedHeadSHA: p.GetHead().SHA})
	var accepted *github.AcceptedError
	if !errors.As(err, &accepted) {
		t.Fatalf("update branch: %v", err)
	}
	_, resp, err := c.PullRequests.Merge(ctx, "acme", "app", 1, "", &github.PullRequestOptions{SHA: p.GetHead().GetSHA()})
	if err == nil || resp.StatusCode != http.StatusConflict {
		t.Errorf("merge of the old head: %v", err)
	}
	done, _, err := c.PullRequests.Merge(ctx, "acme", "app", 1, "by hand", &github.PullRequestOptions{MergeMethod: "squash", CommitTitle: "One"})
	must(t, err)
	commit, _, err := c.Git.GetCommit(ctx, "acme", "app", done.GetSHA())
	must(t, err)
	if !done.GetMerged() || commit.GetMessage() != "One\n\nby hand" || len(commit.Parents) != 1 || commit.GetCommitter().GetName() != "GitHub" {
		t.Errorf("merged: %v, %v", done, commit)
	}
	p, _, err = c.PullRequests.Get(ctx, "acme", "app", 1)
	must(t, err)
	if !p.GetMerged() || p.GetMergedBy().GetLogin() != "ada" || p.GetMergeCommitSHA() != done.GetSHA() || p.GetMergedAt().IsZero() || p.Mergeable != nil {
		t.Errorf("pull request = %v", p)
	}
	if merged, _, err := c.PullRequests.IsMerged(ctx, "acme", "app", 1); !merged || err != nil {
		t.Errorf("merged = %v, %v", merged, err)
	}
	r, _, err := c.Repositories.Edit(ctx, "acme", "app", &github.Repository{AllowRebaseMerge: github.Ptr(false), DeleteBranchOnMerge: github.Ptr(true)})
	must(t, err)
	if r.GetAllowRebaseMerge() || !r.GetDeleteBranchOnMerge() || !r.GetAllowSquashMerge() {
		t.Errorf("repository = %v", r)
	}
}
