package forge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/internal/journal"
)

// receiver is a server that keeps what it is sent.
type receiver struct {
	*httptest.Server
	mu  sync.Mutex
	got []received
}

type received struct {
	header http.Header
	body   []byte
}

// receive starts a receiver; answer may be nil.
func receive(t testing.TB, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return // the sender broke off
		}
		r.mu.Lock()
		r.got = append(r.got, received{q.Header.Clone(), body})
		r.mu.Unlock()
		if answer != nil {
			answer(w, q)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) events() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []string
	for _, g := range r.got {
		var body struct{ Action string }
		if json.Unmarshal(g.body, &body) == nil && body.Action != "" {
			body.Action = "." + body.Action
		}
		names = append(names, g.header.Get("X-GitHub-Event")+body.Action)
	}
	return names
}

func (r *receiver) only(t testing.TB, event string) received {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []received
	for _, g := range r.got {
		if g.header.Get("X-GitHub-Event") == event {
			found = append(found, g)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d deliveries of %s, want 1", len(found), event)
	}
	return found[0]
}

// quiet waits until nothing is going on any more.
func (w *world) quiet() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	must(w.t, w.forge.Quiet(ctx))
}

// hook creates a hook of acme/app and returns its path.
func (a actor) hook(url string, more map[string]any, events ...string) string {
	a.w.t.Helper()
	config := map[string]any{"url": url, "content_type": "json", "secret": "s3cret"}
	for k, v := range more {
		config[k] = v
	}
	r := a.want(201, "POST", "/repos/acme/app/hooks", map[string]any{"config": config, "events": events})
	return fmt.Sprintf("/repos/acme/app/hooks/%v", r.at("id"))
}

// last returns the newest delivery of a hook, asked for alone.
func (a actor) last(hook string) reply {
	a.w.t.Helper()
	a.w.quiet()
	id := a.want(200, "GET", hook+"/deliveries", nil).at("0.id")
	return a.want(200, "GET", fmt.Sprintf("%s/deliveries/%v", hook, id), nil)
}

func TestHookIsPingedAndDelivers(t *testing.T) {
	w := newWorld(t)
	got := receive(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Seen", "yes")
		io.WriteString(w, "thanks")
	})
	hook := w.ada.hook(got.URL+"/in?x=1", nil, "issues")
	w.ada.want(201, "POST", "/repos/acme/app/issues", map[string]any{"title": "one"})
	w.ada.want(201, "POST", "/repos/acme/app/labels", map[string]any{"name": "two"}) // not subscribed to
	w.quiet()
	if diff := cmp.Diff([]string{"ping", "issues.opened"}, got.events()); diff != "" {
		t.Fatal(diff)
	}
	g := got.only(t, "issues")
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Accept": "*/*", "X-GitHub-Hook-ID": "1",
		"X-GitHub-Hook-Installation-Target-Type": "repository", "X-GitHub-Hook-Installation-Target-ID": "1",
	} {
		if g.header.Get(name) != want {
			t.Errorf("%s = %q, want %q", name, g.header.Get(name), want)
		}
	}
	if !strings.HasPrefix(g.header.Get("User-Agent"), "GitHub-Hookshot/") {
		t.Errorf("User-Agent = %q", g.header.Get("User-Agent"))
	}
	all := w.ada.want(200, "GET", hook+"/deliveries", nil)
	if all.at("0.event") != "issues" || all.at("0.action") != "opened" || all.at("0.guid") != g.header.Get("X-GitHub-Delivery") ||
		all.at("0.status") != "OK" || all.at("1.event") != "ping" || all.at("1.action") != nil || all.at("1.repository_id") != 1.0 {
		t.Errorf("deliveries = %s", all.body)
	}
	one := w.ada.last(hook)
	if one.at("request.payload.issue.title") != "one" || one.at("response.payload") != "thanks" || one.at("response.headers.X-Seen") != "yes" ||
		one.at("request.headers.X-Hub-Signature-256") != g.header.Get("X-Hub-Signature-256") || one.at("url") != got.URL+"/in?x=1" {
		t.Errorf("delivery = %s", one.body)
	}
	if v := w.ada.want(200, "GET", hook, nil); v.at("last_response.status") != "active" || v.at("last_response.code") != 200.0 || v.at("config.secret") != "********" {
		t.Errorf("hook = %s", v.body)
	}
}

func TestHookDeliveryHasItsCause(t *testing.T) {
	w := newWorld(t)
	got := receive(t, nil)
	w.ada.hook(got.URL, nil, "issues")
	w.ada.want(201, "POST", "/repos/acme/app/issues", map[string]any{"title": "one"})
	w.quiet()
	var opened, delivered *journal.Entry
	for _, e := range w.admin.Journal().Entries(0) {
		switch {
		case e.Type == "issues.opened":
			opened = &e
		case e.Type == "delivery.completed" && e.Detail["webhook"] == "issues.opened":
			delivered = &e
		}
	}
	if delivered == nil || delivered.Cause != "event:"+strconv.FormatUint(opened.Seq, 10) || delivered.Kind != journal.Change ||
		delivered.Detail["status"] != "OK" || delivered.Detail["on"] != "acme/app" || "http://"+delivered.Detail["to"] != got.URL {
		t.Fatalf("delivery = %+v", delivered)
	}
}

func TestHookOfOrganisation(t *testing.T) {
	w := newForge(t)
	got := receive(t, nil)
	made := w.ada.want(201, "POST", "/orgs/acme/hooks", map[string]any{"name": "web", "events": []string{"*"}, "config": map[string]any{"url": got.URL, "content_type": "json", "insecure_ssl": 0}})
	if made.at("type") != "Organization" || made.at("ping_url") != w.forge.URL()+"/api/v3/orgs/acme/hooks/1/pings" {
		t.Errorf("hook = %s", made.body)
	}
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app"})
	w.ada.want(201, "POST", "/repos/acme/app/labels", map[string]any{"name": "x"})
	w.ada.hook(receive(t, nil).URL, nil, "*") // its own hook hears nothing of the end of the repository
	w.quiet()
	w.ada.want(204, "DELETE", "/repos/acme/app", nil)
	w.quiet()
	if diff := cmp.Diff([]string{"ping", "repository.created", "label.created", "repository.deleted"}, got.events()); diff != "" {
		t.Fatal(diff)
	}
	for _, e := range w.admin.Journal().Entries(0) {
		if e.Type == "delivery.completed" && e.Detail["status"] != "OK" {
			t.Errorf("%+v", e)
		}
	}
	g := got.only(t, "label")
	if g.header.Get("X-GitHub-Hook-Installation-Target-Type") != "organization" || g.header.Get("X-Hub-Signature-256") != "" {
		t.Errorf("header = %v", g.header)
	}
}

func TestHookPingTestAndRedelivery(t *testing.T) {
	w := newWorld(t)
	status := make(chan int, 8)
	got := receive(t, func(w http.ResponseWriter, _ *http.Request) {
		select {
		case code := <-status:
			w.WriteHeader(code)
		default:
		}
	})
	hook := w.ada.hook(got.URL, nil, "push")
	w.ada.want(204, "POST", hook+"/pings", nil)
	w.quiet()
	status <- 500
	w.ada.want(204, "POST", hook+"/tests", nil)
	failed := w.ada.last(hook)
	if failed.at("event") != "push" || failed.at("status_code") != 500.0 || failed.at("status") != "Invalid HTTP Response: 500" || failed.at("redelivery") != false {
		t.Errorf("test = %s", failed.body)
	}
	w.ada.want(202, "POST", fmt.Sprintf("%s/deliveries/%v/attempts", hook, failed.at("id")), nil)
	again := w.ada.last(hook)
	if again.at("redelivery") != true || again.at("guid") != failed.at("guid") || again.at("id") == failed.at("id") || again.at("status") != "OK" {
		t.Errorf("redelivery = %s", again.body)
	}
	if diff := cmp.Diff([]string{"ping", "ping", "push", "push"}, got.events()); diff != "" {
		t.Error(diff)
	}
	only := w.ada.want(200, "GET", hook+"/deliveries?status=failure", nil)
	if only.at("0.id") != failed.at("id") || only.at("1") != nil {
		t.Errorf("failures = %s", only.body)
	}
	if n := len(w.ada.want(200, "GET", hook+"/deliveries?status=success", nil).names("", "guid")); n != 3 {
		t.Errorf("%d successes", n)
	}
	w.ada.want(404, "POST", hook+"/deliveries/999/attempts", nil)
	w.ada.want(404, "GET", hook+"/deliveries/999", nil)
}

func TestHookDeliveriesHavePages(t *testing.T) {
	w := newWorld(t)
	hook := w.ada.hook(receive(t, nil).URL, nil, "issues")
	for range 4 {
		w.ada.want(204, "POST", hook+"/pings", nil)
	}
	w.quiet()
	var ids []any
	for path := hook + "/deliveries?per_page=2"; path != ""; {
		r := w.ada.want(200, "GET", path, nil)
		for i := 0; r.at(strconv.Itoa(i)) != nil; i++ {
			ids = append(ids, r.at(strconv.Itoa(i)+".id"))
		}
		link, _, found := strings.Cut(r.header.Get("Link"), ">; rel=\"next\"")
		path = strings.TrimPrefix(link, "<")
		if !found {
			path = ""
		}
	}
	if diff := cmp.Diff([]any{5.0, 4.0, 3.0, 2.0, 1.0}, ids); diff != "" {
		t.Error(diff)
	}
	w.ada.want(400, "GET", hook+"/deliveries?cursor=v1_x", nil)
	w.ada.want(501, "GET", hook+"/deliveries?page=2", nil)
	w.ada.want(422, "GET", hook+"/deliveries?status=maybe", nil)
}

func TestHookIsEdited(t *testing.T) {
	w := newWorld(t)
	got := receive(t, nil)
	hook := w.ada.hook(got.URL, nil, "push")
	r := w.ada.want(200, "PATCH", hook, map[string]any{"add_events": []string{"issues"}, "remove_events": []string{"push"}, "active": false})
	if r.at("events.0") != "issues" || r.at("events.1") != nil || r.at("active") != false || r.at("config.secret") != "********" {
		t.Errorf("hook = %s", r.body)
	}
	w.ada.want(201, "POST", "/repos/acme/app/issues", map[string]any{"title": "not heard"})
	w.ada.want(200, "PATCH", hook, map[string]any{"active": true})
	w.ada.want(200, "PATCH", hook+"/config", map[string]any{"content_type": "form"})
	w.ada.want(201, "POST", "/repos/acme/app/issues", map[string]any{"title": "a & b"})
	w.quiet()
	g := got.only(t, "issues")
	if g.header.Get("Content-Type") != "application/x-www-form-urlencoded" || !strings.HasPrefix(string(g.body), "payload=%7B") || g.header.Get("X-Hub-Signature") == "" {
		t.Errorf("form: %v %s", g.header, g.body)
	}
	r = w.ada.want(200, "PATCH", hook, map[string]any{"config": map[string]any{"url": got.URL, "insecure_ssl": "1"}})
	if r.at("config.secret") != nil || r.at("config.insecure_ssl") != "1" || r.at("config.content_type") != "form" {
		t.Errorf("a new config replaces the old one: %s", r.body)
	}
	if r := w.ada.want(200, "GET", hook+"/config", nil); r.at("url") != got.URL {
		t.Errorf("config = %s", r.body)
	}
	w.ada.want(204, "DELETE", hook, nil)
	w.ada.want(404, "GET", hook, nil)
	w.ada.want(404, "DELETE", hook, nil)
}
