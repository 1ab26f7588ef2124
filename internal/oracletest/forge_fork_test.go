package oracletest_test

import (
	"errors"
	"testing"

	"github.com/google/go-github/v88/github"

	"github.com/understudy-dev/understudy/emulator/forge"
)

func TestForgeForksWithGoGithub(t *testing.T) {
	f, c := openForge(t)
	ctx := t.Context()
	createApp(t, c)
	check(t, f.Admin().AddUser(forge.User{Login: "bob"}))
	token, err := f.Admin().MintToken(forge.TokenSpec{Login: "bob"})
	check(t, err)
	bob, err := github.NewClient(github.WithAuthToken(token), github.WithEnterpriseURLs(f.URL(), f.URL()))
	check(t, err)

	fork, _, err := bob.Repositories.CreateFork(ctx, "acme", "app", &github.RepositoryCreateForkOptions{Name: "mine", DefaultBranchOnly: true})
	var accepted *github.AcceptedError
	if !errors.As(err, &accepted) || fork.GetFullName() != "bob/mine" || !fork.GetFork() || fork.GetParent().GetFullName() != "acme/app" || fork.GetSource().GetFullName() != "acme/app" {
		t.Errorf("fork = %v, %v", fork, err)
	}
	list, _, err := c.Repositories.ListForks(ctx, "acme", "app", &github.RepositoryListForksOptions{Sort: "newest"})
	check(t, err)
	if len(list) != 1 || list[0].GetID() != fork.GetID() {
		t.Errorf("forks = %v", list)
	}
	_, _, err = c.Repositories.CreateFile(ctx, "acme", "app", "a.txt", &github.RepositoryContentFileOptions{Message: github.Ptr("add"), Content: []byte("one")})
	check(t, err)
	merged, _, err := bob.Repositories.MergeUpstream(ctx, "bob", "mine", &github.RepoMergeUpstreamRequest{Branch: github.Ptr("main")})
	check(t, err)
	if merged.GetMergeType() != "fast-forward" || merged.GetBaseBranch() != "acme:main" {
		t.Errorf("merged = %v", merged)
	}
	_, err = bob.Repositories.Delete(ctx, "bob", "mine")
	check(t, err)
	if r, _, err := c.Repositories.Get(ctx, "acme", "app"); err != nil || r.GetForksCount() != 0 {
		t.Errorf("after the fork is deleted: %v, %v", r, err)
	}

	enabled, _, err := c.Repositories.GetActionsPermissions(ctx, "acme", "app")
	check(t, err)
	_, _, err = c.Repositories.UpdateActionsPermissions(ctx, "acme", "app", github.ActionsPermissionsRepository{Enabled: github.Ptr(true), AllowedActions: github.Ptr("all")})
	check(t, err)
	if !enabled.GetEnabled() || enabled.GetAllowedActions() != "all" {
		t.Errorf("permissions of Actions = %v", enabled)
	}
}
