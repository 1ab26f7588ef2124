package forge_test

import (
	"testing"
	"time"

	"github.com/google/go-github/v88/github"
)

func foreignFurniture(t *testing.T, n *tally) {
	_, c := openForge(t, n)
	ctx := t.Context()
	createApp(t, c)
	due := time.Date(2030, 1, 2, 0, 0, 0, 0, time.UTC)
	m, _, err := c.Issues.CreateMilestone(ctx, "acme", "app", &github.Milestone{Title: github.Ptr("1.0"), DueOn: &github.Timestamp{Time: due}})
	must(t, err)
	if m.GetNumber() != 1 || !m.GetDueOn().Equal(github.Timestamp{Time: due}) || m.GetState() != "open" {
		t.Errorf("milestone = %v", m)
	}
	i, _, err := c.Issues.Create(ctx, "acme", "app", &github.IssueRequest{Title: github.Ptr("It breaks"), Assignees: &[]string{"ada"}, Milestone: m.Number})
	must(t, err)
	if i.GetAssignee().GetLogin() != "ada" || i.GetMilestone().GetOpenIssues() != 1 || i.GetLocked() {
		t.Errorf("issue = %v", i)
	}
	is, _, err := c.Issues.IsAssignee(ctx, "acme", "app", "ada")
	must(t, err)
	none, _, err := c.Issues.RemoveAssignees(ctx, "acme", "app", 1, []string{"ada"})
	must(t, err)
	if !is || len(none.Assignees) != 0 {
		t.Errorf("assignee: %v, left: %v", is, none.Assignees)
	}
	r, _, err := c.Reactions.CreateIssueReaction(ctx, "acme", "app", 1, "rocket")
	must(t, err)
	_, err = c.Issues.Lock(ctx, "acme", "app", 1, &github.LockIssueOptions{LockReason: "resolved"})
	must(t, err)
	i, _, err = c.Issues.Get(ctx, "acme", "app", 1)
	must(t, err)
	if i.GetReactions().GetRocket() != 1 || i.GetActiveLockReason() != "resolved" {
		t.Errorf("issue = %v", i)
	}
	_, err = c.Reactions.DeleteIssueReaction(ctx, "acme", "app", 1, r.GetID())
	must(t, err)
	line, _, err := c.Issues.ListIssueTimeline(ctx, "acme", "app", 1, nil)
	must(t, err)
	var got []string
	for _, e := range line {
		got = append(got, e.GetEvent())
	}
	if len(got) != 4 || got[0] != "assigned" || got[1] != "milestoned" || got[2] != "unassigned" || got[3] != "locked" {
		t.Errorf("timeline = %v", got)
	}
	list, _, err := c.Issues.ListByRepo(ctx, "acme", "app", &github.IssueListByRepoOptions{Milestone: "1", Assignee: "none"})
	must(t, err)
	if len(list) != 1 {
		t.Errorf("issues of the milestone = %v", list)
	}
}

func foreignCompare(t *testing.T, n *tally) {
	_, c := openForge(t, n)
	ctx := t.Context()
	createApp(t, c)
	ref, _, err := c.Git.GetRef(ctx, "acme", "app", "heads/main")
	must(t, err)
	_, _, err = c.Git.CreateRef(ctx, "acme", "app", github.CreateRef{Ref: "refs/heads/dev", SHA: ref.GetObject().GetSHA()})
	must(t, err)
	_, _, err = c.Repositories.CreateFile(ctx, "acme", "app", "a.txt", &github.RepositoryContentFileOptions{Message: github.Ptr("add"), Content: []byte("one"), Branch: github.Ptr("dev")})
	must(t, err)
	x, _, err := c.Repositories.CompareCommits(ctx, "acme", "app", "main", "dev", nil)
	must(t, err)
	if x.GetStatus() != "ahead" || x.GetAheadBy() != 1 || len(x.Commits) != 1 || len(x.Files) != 1 || x.Files[0].GetFilename() != "a.txt" || x.GetMergeBaseCommit().GetSHA() != ref.GetObject().GetSHA() {
		t.Errorf("comparison = %v", x)
	}
	merged, _, err := c.Repositories.Merge(ctx, "acme", "app", &github.RepositoryMergeRequest{Base: github.Ptr("main"), Head: github.Ptr("dev")})
	must(t, err)
	if len(merged.Parents) != 2 {
		t.Errorf("merge = %v", merged)
	}
	_, _, err = c.Repositories.ReplaceAllTopics(ctx, "acme", "app", []string{"agents"})
	must(t, err)
	b, _, err := c.Repositories.RenameBranch(ctx, "acme", "app", "dev", "next")
	must(t, err)
	if b.GetName() != "next" {
		t.Errorf("branch = %v", b)
	}
}

func foreignSearch(t *testing.T, n *tally) {
	_, c := openForge(t, n)
	ctx := t.Context()
	createApp(t, c)
	for _, title := range []string{"It breaks", "It breaks again", "All is well"} {
		_, _, err := c.Issues.Create(ctx, "acme", "app", &github.IssueRequest{Title: &title, Labels: &[]string{"bug"}})
		must(t, err)
	}
	found, res, err := c.Search.Issues(ctx, `repo:acme/app is:issue is:open label:bug breaks`, &github.SearchOptions{Sort: "created", Order: "asc", ListOptions: github.ListOptions{PerPage: 1}})
	must(t, err)
	if found.GetTotal() != 2 || found.GetIncompleteResults() || len(found.Issues) != 1 || found.Issues[0].GetTitle() != "It breaks" || res.NextPage != 2 {
		t.Errorf("found %v, next page %d", found, res.NextPage)
	}
	if none, _, err := c.Search.Issues(ctx, `repo:acme/app -label:bug`, nil); err != nil || none.GetTotal() != 0 {
		t.Errorf("without the label: %v, %v", none, err)
	}
}
