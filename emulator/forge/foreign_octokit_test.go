package forge_test

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
)

// octokit is a person and an app. OCTOKIT names the node_modules that it stands in.
func octokit(t *testing.T, n *tally) {
	modules := os.Getenv("OCTOKIT")
	if modules == "" {
		n.asked = false
		t.Skip("octokit: skipped: OCTOKIT is not set, so octokit asked nothing; .ci/run installs it")
	}
	w, at := openFront(t, n)
	w.forge.Handle("POST /receiver", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	const secret = "it's a secret"
	// The address is the script's to change, once it knows its own.
	app, err := w.admin.AddApp(forge.App{Slug: "bot", Owner: "acme", Permissions: map[string]string{"issues": "write", "checks": "write", "contents": "read"},
		Events: []string{"issues"}, WebhookURL: w.forge.URL() + "/receiver", Secret: secret})
	must(t, err)
	_, err = w.admin.Install("bot", "acme")
	must(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "testdata/octokit.mjs", modules)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "FORGE=" + at, "TOKEN=" + w.mint(forge.TokenSpec{Login: "ada"}).token, fmt.Sprint("APP_ID=", app.ID),
		"PRIVATE_KEY=" + app.PrivateKey, "SECRET=" + secret}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "requests were answered") {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Log(strings.TrimSpace(string(out)))
	for _, e := range w.admin.Journal().Entries(0) {
		if e.Type == "unknown-route" || e.Type == "internal-error" {
			t.Errorf("%s %s: %v", e.Type, e.Subject, e.Detail)
		}
	}
}

// openFront is a forge behind an address that looks at each answer on its way.
func openFront(t *testing.T, n *tally) (w *world, at string) {
	t.Helper()
	front := httptest.NewUnstartedServer(nil)
	at = "http://" + front.Listener.Addr().String()
	w = newForgeIn(t, forge.Options{PublicURL: at})
	behind, err := url.Parse(w.forge.URL())
	must(t, err)
	below := &http.Transport{}
	proxy := httputil.NewSingleHostReverseProxy(behind)
	proxy.Transport = n.over(t, below)
	front.Config.Handler = proxy
	front.Start()
	t.Cleanup(func() {
		front.Close()
		below.CloseIdleConnections()
	})
	return w, at
}
