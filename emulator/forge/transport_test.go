package forge_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/internal/journal"
)

// noPort is a forge that listens nowhere, with the ordinary set-up of these tests around it.
func noPort(t *testing.T) *world {
	t.Helper()
	w := newForgeIn(t, forge.Options{NoPort: true})
	w.http = w.forge.Client()
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	return w
}

func TestClientNeedsNoPort(t *testing.T) {
	w := noPort(t)
	u, err := url.Parse(w.forge.URL())
	must(t, err)
	if c, err := net.Dial("tcp", u.Host+":80"); err == nil {
		c.Close()
		t.Errorf("somebody answers at %s", u)
	}
	w.ada.want(201, "POST", "/api/v3/repos/acme/app/issues", map[string]any{"title": "A title"})
	res, err := w.forge.Client().Head(w.admin.APIURL() + "/repos/acme/app")
	must(t, err)
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || len(body) > 0 || res.StatusCode != 200 {
		t.Errorf("HEAD: got %d, %q, %v", res.StatusCode, body, err)
	}
	// A redirect is followed to the same forge; what is no API is refused as over TCP.
	w.ada.want(501, "GET", "/api/v3/no/such/route", nil)
}

func TestClientReachesNothingElse(t *testing.T) {
	w := noPort(t)
	for address, want := range map[string]string{
		"http://127.0.0.1:1/x":                    "http://127.0.0.1:1 is not this forge, whose client reaches " + w.forge.URL() + " only",
		"https://api.github.com/user":             "https://api.github.com is not this forge",
		w.forge.URL() + "/acme/app.git/info/refs": "git needs a port, and this forge was made with NoPort",
	} {
		if res, err := w.forge.Client().Get(address); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v; want %q", address, res, err, want)
		}
	}
	out, err := exec.Command("git", "ls-remote", w.forge.URL()+"/acme/app.git").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "forge-without-port.invalid") {
		t.Errorf("git: got %v, %s", err, out)
	}
	if _, err := forge.New(forge.Options{NoPort: true, Port: 8080}); err == nil || !strings.Contains(err.Error(), "port 8080 and no port") {
		t.Errorf("a port and none: %v", err)
	}
}

// TestClientIsGitHubItself: a client that knows api.github.com alone needs no other address.
func TestClientIsGitHubItself(t *testing.T) {
	w := newForgeIn(t, forge.Options{NoPort: true, PublicURL: "https://github.com"})
	w.http = w.forge.Client()
	w.ada.want(201, "POST", "https://api.github.com/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	w.ada.want(200, "GET", "https://raw.githubusercontent.com/acme/app/main/README.md", nil)
	if _, err := w.forge.Client().Get("https://gist.github.com/x"); err == nil || !strings.Contains(err.Error(), "is not this forge") {
		t.Errorf("got %v", err)
	}
}

func TestClientKnowsCancelledAndBrokenRequests(t *testing.T) {
	w := newForgeIn(t, forge.Options{})
	entered := make(chan struct{})
	w.forge.Handle("GET /slow", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
	}))
	w.forge.Handle("GET /broken", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a defect") }))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", w.forge.URL()+"/slow", nil)
	must(t, err)
	go func() { <-entered; cancel() }()
	if _, err := w.forge.Client().Do(req); err == nil || !strings.Contains(err.Error(), "context canceled") {
		t.Errorf("cancelled: got %v", err)
	}
	if _, err := w.forge.Client().Get(w.forge.URL() + "/broken"); err == nil || !strings.Contains(err.Error(), "a defect") {
		t.Errorf("broken: got %v", err)
	}
	if left := w.admin.Ledger().Pending(); len(left) > 0 {
		t.Errorf("still open: %q", left)
	}
}

func TestSeedAs(t *testing.T) {
	w := newWorld(t)
	c, err := w.admin.SeedAs("ada")
	must(t, err)
	res, err := c.Post(w.admin.APIURL()+"/repos/acme/app/issues", "application/json", strings.NewReader(`{"title": "A title"}`))
	must(t, err)
	res.Body.Close()
	entries := w.admin.Journal().Entries(0)
	last := entries[len(entries)-2]
	if got := fmt.Sprint(last.Type, " ", last.Actor, " ", last.Cause, " ", last.Kind); got != "issues.opened ada seed change" {
		t.Errorf("got %s", got)
	}
	if last.Kind != journal.Change || res.StatusCode != 201 {
		t.Errorf("got %d", res.StatusCode)
	}
	if _, err := w.admin.SeedAs("nobody"); err == nil {
		t.Error("nobody has no account, and no client")
	}
}
