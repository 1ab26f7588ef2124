package forge_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/internal/journal"
)

func TestWhatIsNotSpokenIsLoud(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{"GET", "/repos/acme/app/traffic/views", nil},
		{"PUT", "/user", nil},
		{"GET", "/api/v3/", nil},
		{"GET", "/", nil},
		{"POST", "/api/graphql", map[string]any{"query": "{viewer{login}}"}},
		{"GET", "/repos/acme/app?expand=all", nil},
		{"POST", issues, map[string]any{"title": "x", "type": "Bug"}},
		{"POST", issues, map[string]any{"title": "x", "projects": []string{"ada"}}},
		{"PATCH", "/repos/acme/app", map[string]any{"name": "renamed"}},
	} {
		r := w.ada.want(501, c.method, c.path, c.body)
		if r.at("documentation_url") == nil || !strings.HasPrefix(r.at("message").(string), "understudy: not supported: ") {
			t.Errorf("%s %s: %s", c.method, c.path, r.body)
		}
		if e := w.lastEntry("unknown-route"); e.Kind != journal.Read || !strings.Contains(c.path, strings.TrimPrefix(e.Subject, c.method+" ")) || e.Detail["status"] != "501" {
			t.Errorf("%s %s: entry %+v", c.method, c.path, e)
		}
	}
	if got := w.ada.want(200, "GET", issues, nil).names("", "title"); len(got) != 0 {
		t.Errorf("a refused request opened %v", got)
	}
}

func TestBodies(t *testing.T) {
	w := newWorld(t)
	w.ada.want(422, "POST", issues, map[string]any{"title": 7})
	big := map[string]any{"title": "x", "body": strings.Repeat("y", 2<<20)}
	w.ada.want(413, "POST", issues, big)
	w.ada.want(201, "POST", "/repos/acme/app/git/blobs", map[string]any{"content": big["body"]})
	req, err := http.NewRequest("POST", w.forge.URL()+issues, strings.NewReader("{"))
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+w.ada.token)
	res, err := w.http.Do(req)
	must(t, err)
	res.Body.Close()
	if res.StatusCode != 400 {
		t.Errorf("broken JSON = %d", res.StatusCode)
	}
	head := w.ada.want(200, "HEAD", "/user", nil)
	if len(head.body) != 0 || head.header.Get("X-OAuth-Scopes") == "" {
		t.Errorf("HEAD = %q, %v", head.body, head.header)
	}
}

func TestForeignService(t *testing.T) {
	w := newForge(t)
	w.forge.Handle("/twirp/", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { rw.WriteHeader(http.StatusTeapot) }))
	w.ada.want(http.StatusTeapot, "POST", "/twirp/x.Y/Z", nil)
}

func TestCloseTwiceAndAfterContext(t *testing.T) {
	f, err := forge.New(forge.Options{})
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Close(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("Close: %v", err)
	}
	if err := f.Close(t.Context()); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if _, err := http.Get(f.URL() + "/user"); err == nil {
		t.Error("a closed forge answers")
	}
}

func TestCloseWaitsForWhatItCutsOff(t *testing.T) {
	f, err := forge.New(forge.Options{})
	must(t, err)
	began, closed, early := make(chan struct{}), make(chan struct{}), make(chan bool, 1)
	f.Handle("/slow", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(began)
		<-r.Context().Done()
		select {
		case <-closed:
			early <- true
		case <-time.After(100 * time.Millisecond): // a Close that does not wait has long returned
			early <- false
		}
	}))
	answered := make(chan error, 1)
	go func() {
		res, err := http.Get(f.URL() + "/slow")
		if err == nil {
			res.Body.Close()
		}
		answered <- err
	}()
	<-began
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Close = %v", err)
	}
	close(closed)
	if err := <-answered; err == nil {
		t.Error("a request that was cut off has an answer")
	}
	if <-early {
		t.Error("Close returned before the request had ended")
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		f, err := forge.New(forge.Options{})
		must(b, err)
		must(b, f.Close(b.Context()))
	}
}

func BenchmarkGetIssue(b *testing.B) {
	w := newWorld(b)
	w.ada.want(201, "POST", issues, map[string]any{"title": "x"})
	for b.Loop() {
		w.ada.want(200, "GET", issues+"/1", nil)
	}
}

func BenchmarkCreateRepository(b *testing.B) {
	w := newForge(b)
	for b.Loop() {
		w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
		w.ada.want(204, "DELETE", "/repos/acme/app", nil)
	}
}
