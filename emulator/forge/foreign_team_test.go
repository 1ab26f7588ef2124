package forge_test

import (
	"testing"

	"github.com/google/go-github/v88/github"

	"github.com/understudy-dev/understudy/emulator/forge"
)

func foreignTeams(t *testing.T, n *tally) {
	f, c := openForge(t, n)
	ctx := t.Context()
	createApp(t, c)
	must(t, f.Admin().AddUser(forge.User{Login: "bob"}))
	core, _, err := c.Teams.CreateTeam(ctx, "acme", github.NewTeam{Name: "Core", Privacy: github.Ptr("closed"), RepoNames: []string{"acme/app"}})
	must(t, err)
	if core.GetSlug() != "core" || core.GetMembersCount() != 1 || core.GetReposCount() != 1 || core.GetOrganization().GetLogin() != "acme" {
		t.Errorf("team = %v", core)
	}
	web, _, err := c.Teams.CreateTeam(ctx, "acme", github.NewTeam{Name: "Web", ParentTeamID: core.ID})
	must(t, err)
	if web.GetParent().GetSlug() != "core" || web.GetPrivacy() != "closed" {
		t.Errorf("team = %v", web)
	}
	m, _, err := c.Teams.AddTeamMembershipBySlug(ctx, "acme", "web", "bob", &github.TeamAddTeamMembershipOptions{Role: "maintainer"})
	must(t, err)
	if m.GetState() != "pending" || m.GetRole() != "maintainer" {
		t.Errorf("membership = %v", m)
	}
	_, err = c.Teams.AddTeamRepoBySlug(ctx, "acme", "core", "acme", "app", &github.TeamAddTeamRepoOptions{Permission: "push"})
	must(t, err)
	r, _, err := c.Teams.IsTeamRepoBySlug(ctx, "acme", "web", "acme", "app")
	must(t, err)
	if r.GetFullName() != "acme/app" || !r.GetPermissions().GetPush() || r.GetRoleName() != "write" {
		t.Errorf("repository of the team = %v", r)
	}
	teams, _, err := c.Repositories.ListTeams(ctx, "acme", "app", nil)
	must(t, err)
	if len(teams) != 1 || teams[0].GetPermission() != "push" {
		t.Errorf("teams of the repository = %v", teams)
	}
	members, _, err := c.Teams.ListTeamMembersBySlug(ctx, "acme", "core", nil)
	must(t, err)
	mine, _, err := c.Teams.ListUserTeams(ctx, nil)
	must(t, err)
	below, _, err := c.Teams.ListChildTeamsByParentSlug(ctx, "acme", "core", nil)
	must(t, err)
	repos, _, err := c.Teams.ListTeamReposBySlug(ctx, "acme", "web", nil)
	must(t, err)
	if len(members) != 1 || len(mine) != 2 || len(below) != 1 || len(repos) != 1 {
		t.Errorf("members %v, mine %v, below %v, repositories %v", members, mine, below, repos)
	}
	_, _, err = c.Teams.EditTeamBySlug(ctx, "acme", "web", github.NewTeam{Name: "Site"}, true)
	must(t, err)
	_, err = c.Teams.RemoveTeamMembershipBySlug(ctx, "acme", "site", "bob")
	must(t, err)
	_, err = c.Teams.RemoveTeamRepoBySlug(ctx, "acme", "core", "acme", "app")
	must(t, err)
	_, err = c.Teams.DeleteTeamBySlug(ctx, "acme", "core")
	must(t, err)
	all, _, err := c.Teams.ListTeams(ctx, "acme", nil)
	must(t, err)
	if len(all) != 1 || all[0].GetSlug() != "site" {
		t.Errorf("teams = %v", all)
	}
}
