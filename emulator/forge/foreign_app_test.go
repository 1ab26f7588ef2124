package forge_test

import (
	"testing"
	"time"

	"github.com/google/go-github/v88/github"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// foreignApps is a platform's way in: an app proves itself, finds its installation, asks for
// a token and works with it.
func foreignApps(t *testing.T, n *tally) {
	f, c := openForge(t, n)
	ctx := t.Context()
	createApp(t, c)
	a := (&world{t: t, admin: f.Admin()}).newApp(forge.App{Slug: "triage", Permissions: map[string]string{"issues": "write", "metadata": "read"}, Events: []string{"issues"}})
	id, err := f.Admin().Install("triage", "acme", "acme/app")
	must(t, err)
	client := func(token string) *github.Client { return n.client(t, f, token) }
	app := client(a.jwt().token)

	me, _, err := app.Apps.Get(ctx, "")
	must(t, err)
	if me.GetID() != a.info.ID || me.GetSlug() != "triage" || me.GetOwner().GetLogin() != "acme" || me.GetPermissions().GetIssues() != "write" || me.GetInstallationsCount() != 1 {
		t.Errorf("app = %v", me)
	}
	all, _, err := app.Apps.ListInstallations(ctx, nil)
	must(t, err)
	there, _, err := app.Apps.GetRepositoryInstallation(ctx, "acme", "app")
	must(t, err)
	if len(all) != 1 || all[0].GetID() != id || there.GetID() != id || there.GetAppSlug() != "triage" || there.GetRepositorySelection() != "selected" || there.GetAccount().GetLogin() != "acme" {
		t.Errorf("installations = %v, %v", all, there)
	}
	token, _, err := app.Apps.CreateInstallationToken(ctx, id, &github.InstallationTokenOptions{Repositories: []string{"app"},
		Permissions: &github.InstallationPermissions{Issues: github.Ptr("write")}})
	must(t, err)
	if left := time.Until(token.GetExpiresAt().Time); left < 59*time.Minute || left > 61*time.Minute || token.GetPermissions().GetIssues() != "write" || len(token.Repositories) != 1 {
		t.Errorf("token = %v", token)
	}
	bot := client(token.GetToken())
	repos, _, err := bot.Apps.ListRepos(ctx, nil)
	must(t, err)
	if repos.GetTotalCount() != 1 || repos.Repositories[0].GetFullName() != "acme/app" {
		t.Errorf("repositories = %v", repos)
	}
	issue, _, err := bot.Issues.Create(ctx, "acme", "app", &github.IssueRequest{Title: github.Ptr("It breaks")})
	must(t, err)
	if u := issue.GetUser(); u.GetLogin() != "triage[bot]" || u.GetType() != "Bot" {
		t.Errorf("opened by %v", u)
	}
	_, err = app.Apps.SuspendInstallation(ctx, id)
	must(t, err)
	if _, res, err := bot.Apps.ListRepos(ctx, nil); err == nil || res.StatusCode != 401 {
		t.Errorf("while suspended: %v", err)
	}
	_, err = app.Apps.UnsuspendInstallation(ctx, id)
	must(t, err)
	_, err = bot.Apps.RevokeInstallationToken(ctx)
	must(t, err)
	_, err = app.Apps.DeleteInstallation(ctx, id)
	must(t, err)
}
