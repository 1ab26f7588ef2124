package forge_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
)

func TestCauseGoesWithTheToken(t *testing.T) {
	w := newWorld(t)
	fixed := w.mint(forge.TokenSpec{Login: "ada", Cause: "job:3"})
	w.admin.Mark("step:2")
	alias, ok := w.admin.Alias(w.ada.token, "job:9")
	if !ok || alias == w.ada.token {
		t.Fatalf("Alias = %q, %v", alias, ok)
	}
	if _, ok := w.admin.Alias("ghp_nothing", "job:9"); ok {
		t.Error("what is no token has an alias")
	}
	for _, c := range []struct {
		who  actor
		want string
	}{{w.ada, "step:2"}, {fixed, "job:3"}, {actor{w, alias}, "job:9"}} {
		c.who.want(201, "POST", issues, map[string]any{"title": "x"})
		if e := w.lastEntry("issues.opened"); e.Cause != c.want || e.Actor != "ada" {
			t.Errorf("event has cause %q by %q, want %q", e.Cause, e.Actor, c.want)
		}
		if e := w.lastEntry("request"); e.Cause != c.want || e.Kind != journal.Change || e.Subject != "POST "+issues || e.Detail["status"] != "201" {
			t.Errorf("request entry = %+v", e)
		}
	}
	w.admin.RevokeToken(w.ada.token)
	w.ada.want(401, "GET", "/user", nil)
	actor{w, alias}.want(401, "GET", "/user", nil)
	fixed.want(200, "GET", "/user", nil)
}

func TestJobToken(t *testing.T) {
	w := newForge(t)
	for _, name := range []string{"app", "other"} {
		w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": name, "private": true, "auto_init": true})
	}
	job := w.mint(forge.TokenSpec{Login: forge.ActionsLogin, Repo: "acme/app", Permissions: map[string]string{"contents": "read", "issues": "write"}, Cause: "job:1", StartsNoRuns: true})
	plain := w.mint(forge.TokenSpec{Login: forge.ActionsLogin, Repo: "acme/app"})
	if !strings.HasPrefix(job.token, "ghs_") {
		t.Errorf("token = %.4s…", job.token)
	}
	job.want(201, "POST", issues, map[string]any{"title": "from a job"}).is("user.type", "Bot")
	if e := w.lastEntry("issues.opened"); e.Detail["starts_runs"] != "no" || e.Detail["sha"] != "" || e.Detail["ref"] != "" || e.Actor != "github-actions[bot]" {
		t.Errorf("entry = %+v", e)
	}
	job.want(200, "POST", issues+"/1/labels", []string{"bug"})
	job.want(200, "GET", contents+"README.md", nil)
	job.want(403, "PUT", contents+"x", map[string]any{"message": "m", "content": ""}).is("message", "Resource not accessible by integration")
	job.want(403, "GET", actions+"/secrets", nil)
	job.want(403, "DELETE", "/repos/acme/app", nil)
	job.want(404, "GET", "/repos/acme/other", nil)
	job.want(403, "GET", "/user", nil)
	plain.want(200, "GET", contents+"README.md", nil)
	plain.want(403, "POST", issues, map[string]any{"title": "x"})
	w.ada.want(201, "POST", issues, map[string]any{"title": "x"})
	if e := w.lastEntry("issues.opened"); e.Detail["starts_runs"] != "" || e.Detail["sha"] == "" {
		t.Errorf("entry = %+v", e)
	}
	for name, spec := range map[string]forge.TokenSpec{
		"unknown login": {Login: "ghost"}, "organisation": {Login: "acme"},
		"unknown scope": {Login: "ada", Permissions: map[string]string{"kontents": "read"}},
		"unknown level": {Login: "ada", Permissions: map[string]string{"contents": "all"}},
	} {
		if _, err := w.admin.MintToken(spec); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// slowBody is a request body whose reader tells when it is read, and goes on when told.
type slowBody struct {
	read chan struct{}
	rest io.Reader
	more chan struct{}
}

func (b *slowBody) Read(p []byte) (int, error) {
	if b.read != nil {
		close(b.read)
		b.read = nil
		<-b.more
	}
	return b.rest.Read(p)
}

func TestRequestIsOpenWorkUntilItIsAnswered(t *testing.T) {
	w := newWorld(t)
	b := &slowBody{read: make(chan struct{}), more: make(chan struct{}), rest: bytes.NewReader([]byte(`{"title":"slow"}`))}
	reading := b.read
	req, err := http.NewRequest("POST", w.forge.URL()+issues, b)
	must(t, err)
	req.Header.Set("Authorization", "token "+w.ada.token)
	req.Header.Set("Expect", "100-continue") // the body is asked for once the handler reads it
	w.tcp.ExpectContinueTimeout = time.Hour
	done := make(chan int)
	go func() {
		res, err := w.http.Do(req)
		if err != nil {
			done <- 0
			return
		}
		res.Body.Close()
		done <- res.StatusCode
	}()
	<-reading
	pending := w.admin.Ledger().Pending()
	close(b.more)
	if status := <-done; status != 201 {
		t.Errorf("status = %d", status)
	}
	if !slices.Contains(pending, "request POST "+issues) {
		t.Errorf("pending while the request ran = %v", pending)
	}
	if _, quiet, err := w.admin.Ledger().Wait(t.Context(), w.admin.Ledger().Seq()); !quiet || err != nil {
		t.Errorf("quiet = %v, %v", quiet, err)
	}
}

func TestQuietReadsAreNoWork(t *testing.T) {
	// The forge asks for the time while it answers, so the clock sees which work is open then.
	l := ledger.New()
	var mu sync.Mutex
	open := map[string]bool{}
	w := newForgeIn(t, forge.Options{Ledger: l, Now: func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		for _, what := range l.Pending() {
			open[what] = true
		}
		return time.Now()
	}})
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	observer := w.mint(forge.TokenSpec{Login: "ada", Kit: true, Quiet: true})
	observer.want(200, "GET", "/users/ada", nil)
	const refs = ".git/info/refs?service=git-upload-pack"
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "other"})
	observer.want(200, "GET", "/acme/app"+refs, nil)
	w.ada.want(200, "GET", "/acme/other"+refs, nil)
	observer.want(201, "POST", issues, map[string]any{"title": "x"})
	w.ada.want(200, "GET", "/users/acme", nil)
	mu.Lock()
	defer mu.Unlock()
	for what, want := range map[string]bool{
		"request GET /users/ada": false, "request POST " + issues: true, "request GET /users/acme": true,
		"request GET /acme/app.git/info/refs": false, "request GET /acme/other.git/info/refs": true,
	} {
		if open[what] != want {
			t.Errorf("%s was open work: %v, want %v", what, open[what], want)
		}
	}
}
