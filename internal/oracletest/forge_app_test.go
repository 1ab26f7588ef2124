package oracletest_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-github/v88/github"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// TestForgeAppsWithGoGithub is a platform's way in: an app proves itself, finds its installation, asks for
// a token and works with it.
func TestForgeAppsWithGoGithub(t *testing.T) {
	f, c := openForge(t)
	ctx := t.Context()
	createApp(t, c)
	info, err := f.Admin().AddApp(forge.App{Slug: "triage", Owner: "acme", Permissions: map[string]string{"issues": "write", "metadata": "read"}, Events: []string{"issues"}})
	check(t, err)
	id, err := f.Admin().Install("triage", "acme", "acme/app")
	check(t, err)
	client := func(token string) *github.Client {
		c, err := github.NewClient(github.WithAuthToken(token), github.WithEnterpriseURLs(f.URL(), f.URL()))
		check(t, err)
		return c
	}
	app := client(webToken(t, info))

	me, _, err := app.Apps.Get(ctx, "")
	check(t, err)
	if me.GetID() != info.ID || me.GetSlug() != "triage" || me.GetOwner().GetLogin() != "acme" || me.GetPermissions().GetIssues() != "write" || me.GetInstallationsCount() != 1 {
		t.Errorf("app = %v", me)
	}
	all, _, err := app.Apps.ListInstallations(ctx, nil)
	check(t, err)
	there, _, err := app.Apps.GetRepositoryInstallation(ctx, "acme", "app")
	check(t, err)
	if len(all) != 1 || all[0].GetID() != id || there.GetID() != id || there.GetAppSlug() != "triage" || there.GetRepositorySelection() != "selected" || there.GetAccount().GetLogin() != "acme" {
		t.Errorf("installations = %v, %v", all, there)
	}
	token, _, err := app.Apps.CreateInstallationToken(ctx, id, &github.InstallationTokenOptions{Repositories: []string{"app"},
		Permissions: &github.InstallationPermissions{Issues: github.Ptr("write")}})
	check(t, err)
	if left := time.Until(token.GetExpiresAt().Time); left < 59*time.Minute || left > 61*time.Minute || token.GetPermissions().GetIssues() != "write" || len(token.Repositories) != 1 {
		t.Errorf("token = %v", token)
	}
	bot := client(token.GetToken())
	repos, _, err := bot.Apps.ListRepos(ctx, nil)
	check(t, err)
	if repos.GetTotalCount() != 1 || repos.Repositories[0].GetFullName() != "acme/app" {
		t.Errorf("repositories = %v", repos)
	}
	issue, _, err := bot.Issues.Create(ctx, "acme", "app", &github.IssueRequest{Title: github.Ptr("It breaks")})
	check(t, err)
	if u := issue.GetUser(); u.GetLogin() != "triage[bot]" || u.GetType() != "Bot" {
		t.Errorf("opened by %v", u)
	}
	_, err = app.Apps.SuspendInstallation(ctx, id)
	check(t, err)
	if _, res, err := bot.Apps.ListRepos(ctx, nil); err == nil || res.StatusCode != 401 {
		t.Errorf("while suspended: %v", err)
	}
	_, err = app.Apps.UnsuspendInstallation(ctx, id)
	check(t, err)
	_, err = bot.Apps.RevokeInstallationToken(ctx)
	check(t, err)
	_, err = app.Apps.DeleteInstallation(ctx, id)
	check(t, err)
}

// webToken is what an app proves itself with for ten minutes.
func webToken(t *testing.T, of forge.AppInfo) string {
	t.Helper()
	block, _ := pem.Decode([]byte(of.PrivateKey))
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	check(t, err)
	b64 := base64.RawURLEncoding.EncodeToString
	now := time.Now()
	text := b64([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." +
		b64(fmt.Appendf(nil, `{"iss":%q,"iat":%d,"exp":%d}`, of.ClientID, now.Add(-time.Minute).Unix(), now.Add(9*time.Minute).Unix()))
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	check(t, err)
	return text + "." + b64(signature)
}
