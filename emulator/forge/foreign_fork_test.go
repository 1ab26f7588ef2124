package forge_test

import (
	"errors"
	"testing"

	"github.com/google/go-github/v88/github"

	"github.com/understudy-dev/understudy/emulator/forge"
)

func foreignForks(t *testing.T, n *tally) {
	f, c := openForge(t, n)
	ctx := t.Context()
	createApp(t, c)
	must(t, f.Admin().AddUser(forge.User{Login: "bob"}))
	token, err := f.Admin().MintToken(forge.TokenSpec{Login: "bob"})
	must(t, err)
	bob := n.client(t, f, token)

	fork, _, err := bob.Repositories.CreateFork(ctx, "acme", "app", &github.RepositoryCreateForkOptions{Name: "mine", DefaultBranchOnly: true})
	var accepted *github.AcceptedError
	if !errors.As(err, &accepted) || fork.GetFullName() != "bob/mine" || !fork.GetFork() || fork.GetParent().GetFullName() != "acme/app" || fork.GetSource().GetFullName() != "acme/app" {
		t.Errorf("fork = %v, %v", fork, err)
	}
	list, _, err := c.Repositories.ListForks(ctx, "acme", "app", &github.RepositoryListForksOptions{Sort: "newest"})
	must(t, err)
	if len(list) != 1 || list[0].GetID() != fork.GetID() {
		t.Errorf("forks = %v", list)
	}
	_, _, err = c.Repositories.CreateFile(ctx, "acme", "app", "a.txt", &github.RepositoryContentFileOptions{Message: github.Ptr("add"), Content: []byte("one")})
	must(t, err)
	merged, _, err := bob.Repositories.MergeUpstream(ctx, "bob", "mine", &github.RepoMergeUpstreamRequest{Branch: github.Ptr("main")})
	must(t, err)
	if merged.GetMergeType() != "fast-forward" || merged.GetBaseBranch() != "acme:main" {
		t.Errorf("merged = %v", merged)
	}
	_, err = bob.Repositories.Delete(ctx, "bob", "mine")
	must(t, err)
	if r, _, err := c.Repositories.Get(ctx, "acme", "app"); err != nil || r.GetForksCount() != 0 {
		t.Errorf("after the fork is deleted: %v, %v", r, err)
	}

	enabled, _, err := c.Repositories.GetActionsPermissions(ctx, "acme", "app")
	must(t, err)
	_, _, err = c.Repositories.UpdateActionsPermissions(ctx, "acme", "app", github.ActionsPermissionsRepository{Enabled: github.Ptr(true), AllowedActions: github.Ptr("all")})
	must(t, err)
	if !enabled.GetEnabled() || enabled.GetAllowedActions() != "all" {
		t.Errorf("permissions of Actions = %v", enabled)
	}
}
