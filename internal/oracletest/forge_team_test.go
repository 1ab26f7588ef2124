package oracletest_test

import (
	"testing"

	"github.com/google/go-github/v88/github"

	"github.com/understudy-dev/understudy/emulator/forge"
)

func TestForgeTeamsWithGoGithub(t *testing.T) {
	f, c := openForge(t)
	ctx := t.Context()
	createApp(t, c)
	check(t, f.Admin().AddUser(forge.User{Login: "bob"}))
	core, _, err := c.Teams.CreateTeam(ctx, "acme", github.NewTeam{Name: "Core", Privacy: github.Ptr("closed"), RepoNames: []string{"acme/app"}})
	check(t, err)
	if core.GetSlug() != "core" || core.GetMembersCount() != 1 || core.GetReposCount() != 1 || core.GetOrganization().GetLogin() != "acme" {
		t.Errorf("team = %v", core)
	}
	web, _, err := c.Teams.CreateTeam(ctx, "acme", github.NewTeam{Name: "Web", ParentTeamID: core.ID})
	check(t, err)
	if web.GetParent().GetSlug() != "core" || web.GetPrivacy() != "closed" {
		t.Errorf("team = %v", web)
	}
	m, _, err := c.Teams.AddTeamMembershipBySlug(ctx, "acme", "web", "bob", &github.TeamAddTeamMembershipOptions{Role: "maintainer"})
	check(t, err)
	if m.GetState() != "pending" || m.GetRole() != "maintainer" {
		t.Errorf("membership = %v", m)
	}
	_, err = c.Teams.AddTeamRepoBySlug(ctx, "acme", "core", "acme", "app", &github.TeamAddTeamRepoOptions{Permission: "push"})
	check(t, err)
	r, _, err := c.Teams.IsTeamRepoBySlug(ctx, "acme", "web", "acme", "app")
	check(t, err)
	if r.GetFullName() != "acme/app" || !r.GetPermissions().GetPush() || r.GetRoleName() != "write" {
		t.Errorf("repository of the team = %v", r)
	}
	teams, _, err := c.Repositories.ListTeams(ctx, "acme", "app", nil)
	check(t, err)
	if len(teams) != 1 || teams[0].GetPermission() != "push" {
		t.Errorf("teams of the repository = %v", teams)
	}
	members, _, err := c.Teams.ListTeamMembersBySlug(ctx, "acme", "core", nil)
	check(t, err)
	mine, _, err := c.Teams.ListUserTeams(ctx, nil)
	check(t, err)
	below, _, err := c.Teams.ListChildTeamsByParentSlug(ctx, "acme", "core", nil)
	check(t, err)
	repos, _, err := c.Teams.ListTeamReposBySlug(ctx, "acme", "web", nil)
	check(t, err)
	if len(members) != 1 || len(mine) != 2 || len(below) != 1 || len(repos) != 1 {
		t.Errorf("members %v, mine %v, below %v, repositories %v", members, mine, below, repos)
	}
	_, _, err = c.Teams.EditTeamBySlug(ctx, "acme", "web", github.NewTeam{Name: "Site"}, true)
	check(t, err)
	_, err = c.Teams.RemoveTeamMembershipBySlug(ctx, "acme", "site", "bob")
	check(t, err)
	_, err = c.Teams.RemoveTeamRepoBySlug(ctx, "acme", "core", "acme", "app")
	check(t, err)
	_, err = c.Teams.DeleteTeamBySlug(ctx, "acme", "core")
	check(t, err)
	all, _, err := c.Teams.ListTeams(ctx, "acme", nil)
	check(t, err)
	if len(all) != 1 || all[0].GetSlug() != "site" {
		t.Errorf("teams = %v", all)
	}
}
