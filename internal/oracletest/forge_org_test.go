package oracletest_test

import (
	"crypto/rand"
	"encoding/base64"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-github/v88/github"
	"golang.org/x/crypto/nacl/box"

	"github.com/understudy-dev/understudy/emulator/forge"
)

func TestForgeOrganizationsWithGoGithub(t *testing.T) {
	f, c := openForge(t)
	ctx := t.Context()
	createApp(t, c)
	check(t, f.Admin().AddUser(forge.User{Login: "bob"}))
	token, err := f.Admin().MintToken(forge.TokenSpec{Login: "bob"})
	check(t, err)
	bob, err := github.NewClient(github.WithAuthToken(token), github.WithEnterpriseURLs(f.URL(), f.URL()))
	check(t, err)

	org, _, err := c.Organizations.Get(ctx, "acme")
	check(t, err)
	if org.GetLogin() != "acme" || org.GetType() != "Organization" || org.GetPublicRepos() != 1 || org.GetCreatedAt().IsZero() || org.GetDefaultRepoPermission() != "read" {
		t.Errorf("organization = %v", org)
	}
	m, _, err := c.Organizations.EditOrgMembership(ctx, "bob", "acme", &github.Membership{Role: github.Ptr("member")})
	check(t, err)
	if m.GetState() != "pending" || m.GetOrganization().GetLogin() != "acme" || m.GetUser().GetLogin() != "bob" {
		t.Errorf("membership = %v", m)
	}
	_, _, err = bob.Organizations.EditOrgMembership(ctx, "", "acme", &github.Membership{State: github.Ptr("active")})
	check(t, err)
	if is, _, err := c.Organizations.IsMember(ctx, "acme", "bob"); !is || err != nil {
		t.Errorf("bob is a member: %v, %v", is, err)
	}
	_, err = bob.Organizations.PublicizeMembership(ctx, "acme", "bob")
	check(t, err)
	public, _, err := c.Organizations.ListMembers(ctx, "acme", &github.ListMembersOptions{PublicOnly: true})
	check(t, err)
	if len(public) != 1 || public[0].GetLogin() != "bob" {
		t.Errorf("public members = %v", public)
	}
	all, r, err := c.Organizations.ListMembers(ctx, "acme", &github.ListMembersOptions{ListOptions: github.ListOptions{PerPage: 1}})
	check(t, err)
	if len(all) != 1 || r.NextPage != 2 || r.LastPage != 2 {
		t.Errorf("members = %v, next %d, last %d", all, r.NextPage, r.LastPage)
	}
	orgs, _, err := bob.Organizations.List(ctx, "", nil)
	check(t, err)
	mine, _, err := bob.Organizations.ListOrgMemberships(ctx, &github.ListOrgMembershipsOptions{State: "active"})
	check(t, err)
	if len(orgs) != 1 || len(mine) != 1 || mine[0].GetRole() != "member" {
		t.Errorf("organizations = %v, memberships = %v", orgs, mine)
	}
	repos, _, err := bob.Repositories.ListByOrg(ctx, "acme", &github.RepositoryListByOrgOptions{Type: "all", Sort: "full_name"})
	check(t, err)
	seen, _, err := bob.Repositories.ListByAuthenticatedUser(ctx, &github.RepositoryListByAuthenticatedUserOptions{Affiliation: "organization_member"})
	check(t, err)
	if len(repos) != 1 || len(seen) != 1 || seen[0].GetFullName() != "acme/app" {
		t.Errorf("repositories = %v, %v", repos, seen)
	}
	_, err = c.Organizations.RemoveOrgMembership(ctx, "bob", "acme")
	check(t, err)
	if _, _, err := c.Organizations.GetOrgMembership(ctx, "bob", "acme"); err == nil {
		t.Error("bob is a member still")
	}
}

func TestForgeOrganizationConfigWithGoGithub(t *testing.T) {
	f, c := openForge(t)
	ctx := t.Context()
	createApp(t, c)
	app, _, err := c.Repositories.Get(ctx, "acme", "app")
	check(t, err)
	key, _, err := c.Actions.GetOrgPublicKey(ctx, "acme")
	check(t, err)
	raw, err := base64.StdEncoding.DecodeString(key.GetKey())
	check(t, err)
	sealed, err := box.SealAnonymous(nil, []byte("hunter2"), (*[32]byte)(raw), rand.Reader)
	check(t, err)
	_, err = c.Actions.CreateOrUpdateOrgSecret(ctx, "acme", &github.EncryptedSecret{Name: "KEY", KeyID: key.GetKeyID(),
		EncryptedValue: base64.StdEncoding.EncodeToString(sealed), Visibility: "selected"})
	check(t, err)
	_, err = c.Actions.SetSelectedReposForOrgSecret(ctx, "acme", "KEY", github.SelectedRepoIDs{app.GetID()})
	check(t, err)
	selected, _, err := c.Actions.ListSelectedReposForOrgSecret(ctx, "acme", "KEY", nil)
	check(t, err)
	if selected.GetTotalCount() != 1 || selected.Repositories[0].GetFullName() != "acme/app" {
		t.Errorf("selected = %v", selected)
	}
	secrets, _, err := c.Actions.ListOrgSecrets(ctx, "acme", nil)
	check(t, err)
	if secrets.TotalCount != 1 || secrets.Secrets[0].Visibility != "selected" || secrets.Secrets[0].SelectedRepositoriesURL == "" {
		t.Errorf("secrets = %v", secrets)
	}
	_, err = c.Actions.CreateOrgVariable(ctx, "acme", &github.ActionsVariable{Name: "REGION", Value: "eu", Visibility: github.Ptr("private")})
	check(t, err)
	_, err = c.Actions.UpdateOrgVariable(ctx, "acme", &github.ActionsVariable{Name: "REGION", Value: "us", Visibility: github.Ptr("selected"),
		SelectedRepositoryIDs: &github.SelectedRepoIDs{}})
	check(t, err)
	_, err = c.Actions.AddSelectedRepoToOrgVariable(ctx, "acme", "REGION", app)
	check(t, err)
	shared, _, err := c.Actions.ListRepoOrgVariables(ctx, "acme", "app", nil)
	check(t, err)
	if shared.TotalCount != 1 || shared.Variables[0].Value != "us" {
		t.Errorf("shared = %v", shared)
	}
	got, err := f.Admin().Secrets("acme/app")
	check(t, err)
	vars, err := f.Admin().Variables("acme/app")
	check(t, err)
	if !cmp.Equal(got, map[string]string{"KEY": "hunter2"}) || !cmp.Equal(vars, map[string]string{"REGION": "us"}) {
		t.Errorf("secrets = %v, variables = %v", got, vars)
	}
}
