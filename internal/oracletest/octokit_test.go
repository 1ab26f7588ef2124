package oracletest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/internal/conformance"
)

// TestForgeWithOctokit lets octokit be a person and an app, and holds each answer to GitHub's description.
// OCTOKIT names the node_modules that it stands in.
func TestForgeWithOctokit(t *testing.T) {
	modules := os.Getenv("OCTOKIT")
	if modules == "" {
		t.Skip("skipped: OCTOKIT is not set, so octokit asked nothing; .ci/run installs it")
	}
	f, at := checkedForge(t)
	a := f.Admin()
	check(t, a.AddUser(forge.User{Login: "ada"}))
	check(t, a.AddOrg("acme", "ada"))
	token, err := a.MintToken(forge.TokenSpec{Login: "ada"})
	check(t, err)
	const secret = "it's a secret"
	// The address is the script's to change, once it knows its own.
	app, err := a.AddApp(forge.App{Slug: "bot", Owner: "acme", Permissions: map[string]string{"issues": "write", "checks": "write", "contents": "read"},
		Events: []string{"issues"}, WebhookURL: f.URL() + "/receiver", Secret: secret})
	check(t, err)
	_, err = a.Install("bot", "acme")
	check(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "octokit.mjs", modules)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "FORGE=" + at, "TOKEN=" + token, fmt.Sprint("APP_ID=", app.ID),
		"PRIVATE_KEY=" + app.PrivateKey, "SECRET=" + secret}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "requests were answered") {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Log(strings.TrimSpace(string(out)))
	for _, e := range a.Journal().Entries(0) {
		if e.Type == "unknown-route" || e.Type == "internal-error" {
			t.Errorf("%s %s: %v", e.Type, e.Subject, e.Detail)
		}
	}
}

// checkedForge is a forge behind an address that looks at each answer on its way.
func checkedForge(t *testing.T) (f *forge.Server, at string) {
	t.Helper()
	checker, err := conformance.New()
	check(t, err)
	front := httptest.NewUnstartedServer(nil)
	at = "http://" + front.Listener.Addr().String()
	f, err = forge.New(forge.Options{PublicURL: at})
	check(t, err)
	f.Handle("POST /receiver", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	behind, err := url.Parse(f.URL())
	check(t, err)
	below := &http.Transport{}
	proxy := httputil.NewSingleHostReverseProxy(behind)
	proxy.Transport = checker.Transport(t, below)
	front.Config.Handler = proxy
	front.Start()
	t.Cleanup(func() {
		front.Close()
		below.CloseIdleConnections()
		check(t, f.Close(context.WithoutCancel(t.Context())))
	})
	return f, at
}
