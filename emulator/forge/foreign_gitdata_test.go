package forge_test

import (
	"testing"
	"time"

	"github.com/google/go-github/v88/github"
)

func foreignObjects(t *testing.T, n *tally) {
	_, c := openForge(t, n)
	ctx := t.Context()
	createApp(t, c)
	const owner, repo = "acme", "app"
	head, _, err := c.Git.GetRef(ctx, owner, repo, "heads/main")
	must(t, err)
	base, _, err := c.Git.GetCommit(ctx, owner, repo, head.GetObject().GetSHA())
	must(t, err)
	blob, _, err := c.Git.CreateBlob(ctx, owner, repo, github.Blob{Content: github.Ptr("one\n"), Encoding: github.Ptr("utf-8")})
	must(t, err)
	tree, _, err := c.Git.CreateTree(ctx, owner, repo, base.GetTree().GetSHA(), []*github.TreeEntry{
		{Path: github.Ptr("a/b.txt"), Mode: github.Ptr("100644"), Type: github.Ptr("blob"), SHA: blob.SHA},
		{Path: github.Ptr("README.md"), Mode: github.Ptr("100644"), Type: github.Ptr("blob")}, // removed
	})
	must(t, err)
	when := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	commit, _, err := c.Git.CreateCommit(ctx, owner, repo, github.Commit{Message: github.Ptr("change"), Tree: tree, Parents: []*github.Commit{base},
		Author: &github.CommitAuthor{Name: github.Ptr("Bob"), Email: github.Ptr("bob@example.test"), Date: &github.Timestamp{Time: when}}}, nil)
	must(t, err)
	_, _, err = c.Git.UpdateRef(ctx, owner, repo, "heads/main", github.UpdateRef{SHA: commit.GetSHA()})
	must(t, err)

	deep, _, err := c.Git.GetTree(ctx, owner, repo, "main", true)
	must(t, err)
	if len(deep.Entries) != 2 || deep.Entries[1].GetPath() != "a/b.txt" || deep.GetTruncated() {
		t.Errorf("tree = %v", deep)
	}
	raw, _, err := c.Git.GetBlobRaw(ctx, owner, repo, blob.GetSHA())
	must(t, err)
	if string(raw) != "one\n" {
		t.Errorf("blob = %q", raw)
	}
	tag, _, err := c.Git.CreateTag(ctx, owner, repo, github.CreateTag{Tag: "v1", Message: "one", Object: commit.GetSHA(), Type: "commit"})
	must(t, err)
	_, _, err = c.Git.CreateRef(ctx, owner, repo, github.CreateRef{Ref: "refs/tags/v1", SHA: tag.GetSHA()})
	must(t, err)
	refs, _, err := c.Git.ListMatchingRefs(ctx, owner, repo, "tags/v")
	must(t, err)
	tags, _, err := c.Repositories.ListTags(ctx, owner, repo, nil)
	must(t, err)
	if len(refs) != 1 || refs[0].GetObject().GetType() != "tag" || len(tags) != 1 || tags[0].GetCommit().GetSHA() != commit.GetSHA() {
		t.Errorf("refs = %v, tags = %v", refs, tags)
	}
	one, _, err := c.Repositories.GetCommit(ctx, owner, repo, "v1", nil)
	must(t, err)
	if s := one.GetStats(); s.GetAdditions() != 1 || s.GetDeletions() != 1 || len(one.Files) != 2 || one.GetCommit().GetAuthor().GetDate().Time != when {
		t.Errorf("commit = %v", one)
	}
	if f := one.Files[1]; f.GetFilename() != "a/b.txt" || f.GetStatus() != "added" || f.GetPatch() != "@@ -0,0 +1 @@\n+one" || f.GetChanges() != 1 {
		t.Errorf("file = %v", f)
	}
	sha, _, err := c.Repositories.GetCommitSHA1(ctx, owner, repo, "main", "")
	must(t, err)
	if sha != commit.GetSHA() {
		t.Errorf("sha = %q", sha)
	}
	list, _, err := c.Repositories.ListCommits(ctx, owner, repo, &github.CommitsListOptions{Path: "a", Author: "bob@example.test", Until: when.AddDate(100, 0, 0)})
	must(t, err)
	branches, _, err := c.Repositories.ListBranches(ctx, owner, repo, &github.BranchListOptions{Protected: github.Ptr(false)})
	must(t, err)
	if len(list) != 1 || len(branches) != 1 || branches[0].GetCommit().GetSHA() != sha {
		t.Errorf("commits = %v, branches = %v", list, branches)
	}
}
