package forge_test

import (
	"crypto/rand"
	"encoding/base64"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-github/v88/github"
	"golang.org/x/crypto/nacl/box"

	"github.com/understudy-dev/understudy/emulator/forge"
)

func foreignOrgs(t *testing.T, n *tally) {
	f, c := openForge(t, n)
	ctx := t.Context()
	createApp(t, c)
	must(t, f.Admin().AddUser(forge.User{Login: "bob"}))
	token, err := f.Admin().MintToken(forge.TokenSpec{Login: "bob"})
	must(t, err)
	bob := n.client(t, f, token)

	org, _, err := c.Organizations.Get(ctx, "acme")
	must(t, err)
	if org.GetLogin() != "acme" || org.GetType() != "Organization" || org.GetPublicRepos() != 1 || org.GetCreatedAt().IsZero() || org.GetDefaultRepoPermission() != "read" {
		t.Errorf("organization = %v", org)
	}
	m, _, err := c.Organizations.EditOrgMembership(ctx, "bob", "acme", &github.Membership{Role: github.Ptr("member")})
	must(t, err)
	if m.GetState() != "pending" || m.GetOrganization().GetLogin() != "acme" || m.GetUser().GetLogin() != "bob" {
		t.Errorf("membership = %v", m)
	}
	_, _, err = bob.Organizations.EditOrgMembership(ctx, "", "acme", &github.Membership{State: github.Ptr("active")})
	must(t, err)
	if is, _, err := c.Organizations.IsMember(ctx, "acme", "bob"); !is || err != nil {
		t.Errorf("bob is a member: %v, %v", is, err)
	}
	_, err = bob.Organizations.PublicizeMembership(ctx, "acme", "bob")
	must(t, err)
	public, _, err := c.Organizations.ListMembers(ctx, "acme", &github.ListMembersOptions{PublicOnly: true})
	must(t, err)
	if len(public) != 1 || public[0].GetLogin() != "bob" {
		t.Errorf("public members = %v", public)
	}
	all, r, err := c.Organizations.ListMembers(ctx, "acme", &github.ListMembersOptions{ListOptions: github.ListOptions{PerPage: 1}})
	must(t, err)
	if len(all) != 1 || r.NextPage != 2 || r.LastPage != 2 {
		t.Errorf("members = %v, next %d, last %d", all, r.NextPage, r.LastPage)
	}
	orgs, _, err := bob.Organizations.List(ctx, "", nil)
	must(t, err)
	mine, _, err := bob.Organizations.ListOrgMemberships(ctx, &github.ListOrgMembershipsOptions{State: "active"})
	must(t, err)
	if len(orgs) != 1 || len(mine) != 1 || mine[0].GetRole() != "member" {
		t.Errorf("organizations = %v, memberships = %v", orgs, mine)
	}
	repos, _, err := bob.Repositories.ListByOrg(ctx, "acme", &github.RepositoryListByOrgOptions{Type: "all", Sort: "full_name"})
	must(t, err)
	seen, _, err := bob.Repositories.ListByAuthenticatedUser(ctx, &github.RepositoryListByAuthenticatedUserOptions{Affiliation: "organization_member"})
	must(t, err)
	if len(repos) != 1 || len(seen) != 1 || seen[0].GetFullName() != "acme/app" {
		t.Errorf("repositories = %v, %v", repos, seen)
	}
	_, err = c.Organizations.RemoveOrgMembership(ctx, "bob", "acme")
	must(t, err)
	if _, _, err := c.Organizations.GetOrgMembership(ctx, "bob", "acme"); err == nil {
		t.Error("bob is a member still")
	}
}

func foreignOrgConfig(t *testing.T, n *tally) {
	f, c := openForge(t, n)
	ctx := t.Context()
	createApp(t, c)
	app, _, err := c.Repositories.Get(ctx, "acme", "app")
	must(t, err)
	key, _, err := c.Actions.GetOrgPublicKey(ctx, "acme")
	must(t, err)
	raw, err := base64.StdEncoding.DecodeString(key.GetKey())
	must(t, err)
	sealed, err := box.SealAnonymous(nil, []byte("hunter2"), (*[32]byte)(raw), rand.Reader)
	must(t, err)
	_, err = c.Actions.CreateOrUpdateOrgSecret(ctx, "acme", &github.EncryptedSecret{Name: "KEY", KeyID: key.GetKeyID(),
		EncryptedValue: base64.StdEncoding.EncodeToString(sealed), Visibility: "selected"})
	must(t, err)
	_, err = c.Actions.SetSelectedReposForOrgSecret(ctx, "acme", "KEY", github.SelectedRepoIDs{app.GetID()})
	must(t, err)
	selected, _, err := c.Actions.ListSelectedReposForOrgSecret(ctx, "acme", "KEY", nil)
	must(t, err)
	if selected.GetTotalCount() != 1 || selected.Repositories[0].GetFullName() != "acme/app" {
		t.Errorf("selected = %v", selected)
	}
	secrets, _, err := c.Actions.ListOrgSecrets(ctx, "acme", nil)
	must(t, err)
	if secrets.TotalCount != 1 || secrets.Secrets[0].Visibility != "selected" || secrets.Secrets[0].SelectedRepositoriesURL == "" {
		t.Errorf("secrets = %v", secrets)
	}
	_, err = c.Actions.CreateOrgVariable(ctx, "acme", &github.ActionsVariable{Name: "REGION", Value: "eu", Visibility: github.Ptr("private")})
	must(t, err)
	_, err = c.Actions.UpdateOrgVariable(ctx, "acme", &github.ActionsVariable{Name: "REGION", Value: "us", Visibility: github.Ptr("selected"),
		SelectedRepositoryIDs: &github.SelectedRepoIDs{}})
	must(t, err)
	_, err = c.Actions.AddSelectedRepoToOrgVariable(ctx, "acme", "REGION", app)
	must(t, err)
	shared, _, err := c.Actions.ListRepoOrgVariables(ctx, "acme", "app", nil)
	must(t, err)
	if shared.TotalCount != 1 || shared.Variables[0].Value != "us" {
		t.Errorf("shared = %v", shared)
	}
	got, err := f.Admin().Secrets("acme/app")
	must(t, err)
	vars, err := f.Admin().Variables("acme/app")
	must(t, err)
	if !cmp.Equal(got, map[string]string{"KEY": "hunter2"}) || !cmp.Equal(vars, map[string]string{"REGION": "us"}) {
		t.Errorf("secrets = %v, variables = %v", got, vars)
	}
}
