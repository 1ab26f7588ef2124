package forge_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
)

func TestHookFailuresAreRecorded(t *testing.T) {
	w := newWorld(t)
	closed := httptest.NewServer(nil)
	closed.Close()
	safe := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	safe.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of the certificate check that is asked for here
	safe.StartTLS()
	t.Cleanup(safe.Close)
	elsewhere := receive(t, nil)
	for name, c := range map[string]struct {
		url    string
		config map[string]any
		answer http.HandlerFunc
		code   float64
		status string
		last   string
	}{
		"redirect is not followed": {answer: func(w http.ResponseWriter, q *http.Request) { http.Redirect(w, q, elsewhere.URL, 302) }, code: 302, status: "Invalid HTTP Response: 302", last: "misconfigured"},
		"server error":             {answer: func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", 503) }, code: 503, status: "Invalid HTTP Response: 503", last: "misconfigured"},
		"broken off":               {answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, code: 502, status: "server aborted the connection", last: "connection_error"},
		"half an answer": {answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "half")
		}, code: 502, status: "server aborted the connection", last: "connection_error"},
		"huge answer":               {answer: func(w http.ResponseWriter, _ *http.Request) { w.Write(bytes.Repeat([]byte("x"), 8<<20)) }, code: 200, status: "OK", last: "active"},
		"refused":                   {url: closed.URL, code: 502, status: "failed to connect to network", last: "connection_error"},
		"unknown certificate":       {url: safe.URL, code: 502, status: "Peer certificate cannot be authenticated with given CA certificates", last: "connection_error"},
		"certificate not checked":   {url: safe.URL, config: map[string]any{"insecure_ssl": "1"}, code: 200, status: "OK", last: "active"},
		"another machine":           {url: "http://example.com/hook", code: 502, status: "understudy: not delivered: example.com is not a loopback address, and deliveries do not leave this machine", last: "connection_error"},
		"another machine's address": {url: "http://192.0.2.1/", code: 502, status: "understudy: not delivered: 192.0.2.1 is not a loopback address, and deliveries do not leave this machine", last: "connection_error"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.answer != nil {
				c.url = receive(t, c.answer).URL
			}
			hook := w.ada.hook(c.url, c.config, "status")
			r := w.ada.last(hook)
			if r.at("status_code") != c.code || r.at("status") != c.status {
				t.Errorf("delivery = %v %v, want %v %v", r.at("status_code"), r.at("status"), c.code, c.status)
			}
			if v := w.ada.want(200, "GET", hook, nil); v.at("last_response.status") != c.last || v.at("last_response.message") != c.status {
				t.Errorf("hook = %s", v.body)
			}
			if body, _ := r.at("response.payload").(string); len(body) > 64<<10 || name == "huge answer" && len(body) != 64<<10 {
				t.Errorf("%d bytes of the answer were kept", len(body))
			}
			told := false
			for _, e := range w.admin.Journal().Entries(0) {
				told = told || e.Type == "delivery.completed" && e.Subject == fmt.Sprintf("delivery:%v", r.at("id")) && e.Detail["status"] == c.status
			}
			if !told {
				t.Error("the journal does not say so")
			}
			w.ada.want(204, "DELETE", hook, nil)
		})
	}
	if len(elsewhere.events()) != 0 {
		t.Error("a redirect was followed")
	}
}

func TestHookTimesOut(t *testing.T) {
	w := newForgeIn(t, forge.Options{HookTimeout: 50 * time.Millisecond})
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app"})
	silent := receive(t, func(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() })
	slow := receive(t, func(w http.ResponseWriter, q *http.Request) {
		io.WriteString(w, "beginning")
		http.NewResponseController(w).Flush()
		<-q.Context().Done()
	})
	for _, url := range []string{silent.URL, slow.URL} {
		hook := w.ada.hook(url, nil, "push")
		if r := w.ada.last(hook); r.at("status") != "timed out" || r.at("status_code") != 504.0 || r.at("duration").(float64) < 0.05 {
			t.Errorf("delivery = %s", r.body)
		}
	}
}

// A receiver that answers late and calls the API before it does holds back quiet until all that is done.
func TestQuietWaitsForReceivers(t *testing.T) {
	w := newWorld(t)
	entered, let := make(chan struct{}), make(chan struct{})
	bob := w.user("bob", "write")
	got := receive(t, func(_ http.ResponseWriter, q *http.Request) {
		if q.Header.Get("X-GitHub-Event") != "issues" {
			return
		}
		close(entered)
		<-let
		bob.send("POST", "/repos/acme/app/issues/1/comments", map[string]any{"body": "seen"})
	})
	w.ada.hook(got.URL, nil, "issues")
	w.ada.want(201, "POST", "/repos/acme/app/issues", map[string]any{"title": "one"})
	<-entered
	seq := w.admin.Ledger().Seq()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, quiet, err := w.admin.Ledger().Wait(ctx, seq); quiet || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("quiet = %v, %v while a receiver works; pending %v", quiet, err, w.admin.Ledger().Pending())
	}
	if diff := cmp.Diff([]string{"delivery 2 of issues.opened to hook 1"}, w.admin.Ledger().Pending()); diff != "" {
		t.Error(diff)
	}
	close(let)
	w.quiet()
	if r := w.ada.want(200, "GET", "/repos/acme/app/issues/1/comments", nil); r.at("0.body") != "seen" {
		t.Errorf("quiet, but the receiver's comment is not there: %s", r.body)
	}
}

// One hook hears things one at a time and in order, however many happen at once, and a receiver that
// hangs holds nobody else up.
func TestHookOrderUnderLoad(t *testing.T) {
	w := newWorld(t)
	held := make(chan struct{})
	hanging := receive(t, func(http.ResponseWriter, *http.Request) { <-held })
	w.ada.hook(hanging.URL, nil, "issues")
	var receivers []*receiver
	for range 4 {
		var busy sync.Mutex
		r := receive(t, func(http.ResponseWriter, *http.Request) {
			if !busy.TryLock() {
				t.Error("two deliveries to one hook at once")
				return
			}
			defer busy.Unlock()
		})
		w.ada.hook(r.URL, nil, "issues")
		receivers = append(receivers, r)
	}
	const senders, each = 4, 25
	var done sync.WaitGroup
	for range senders {
		done.Go(func() {
			for range each {
				w.ada.send("POST", "/repos/acme/app/issues", map[string]any{"title": "x"})
			}
		})
	}
	done.Wait()
	close(held)
	w.quiet()
	for _, r := range append(receivers, hanging) {
		r.mu.Lock()
		if len(r.got) != 1+senders*each {
			t.Fatalf("%d deliveries, want %d", len(r.got), 1+senders*each)
		}
		for i, g := range r.got[1:] {
			if want := fmt.Sprintf(`"number":%d,`, i+1); !strings.Contains(string(g.body), want) {
				t.Fatalf("delivery %d has not %s", i, want)
			}
		}
		r.mu.Unlock()
	}
}

func TestCloseBreaksOffDeliveries(t *testing.T) {
	f, err := forge.New(forge.Options{HookTimeout: time.Hour})
	must(t, err)
	must(t, f.Admin().AddUser(forge.User{Login: "ada"}))
	must(t, f.Admin().AddOrg("acme", "ada"))
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	w := &world{t: t, forge: f, admin: f.Admin(), http: &http.Client{Transport: tr}}
	w.ada = w.mint(forge.TokenSpec{Login: "ada"})
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app"})
	entered, left := make(chan struct{}), make(chan struct{})
	got := receive(t, func(_ http.ResponseWriter, q *http.Request) {
		close(entered)
		<-q.Context().Done() // until the forge hangs up
		close(left)
	})
	w.ada.hook(got.URL, nil, "issues")
	w.ada.want(201, "POST", "/repos/acme/app/issues", map[string]any{"title": "waits"})
	<-entered
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	must(t, f.Close(ctx))
	<-left
	if pending := f.Admin().Ledger().Pending(); len(pending) != 0 {
		t.Errorf("pending after Close: %v", pending)
	}
	if diff := cmp.Diff([]string{"ping"}, got.events()); diff != "" {
		t.Error(diff)
	}
}

func TestHookDialMapsNames(t *testing.T) {
	got := receive(t, nil)
	w := newForgeIn(t, forge.Options{HookDial: func(ctx context.Context, network, address string) (net.Conn, error) {
		if address != "bot.test:80" {
			return nil, errors.New("unknown " + address)
		}
		return new(net.Dialer).DialContext(ctx, network, strings.TrimPrefix(got.URL, "http://"))
	}})
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app"})
	if r := w.ada.last(w.ada.hook("http://bot.test/hook", nil, "push")); r.at("status") != "OK" {
		t.Errorf("delivery = %s", r.body)
	}
}

// What waits for a hook that is deleted is not delivered, and the journal says so.
func TestHookDeletedMeanwhile(t *testing.T) {
	w := newWorld(t)
	entered, let := make(chan struct{}), make(chan struct{})
	got := receive(t, func(http.ResponseWriter, *http.Request) { close(entered); <-let })
	hook := w.ada.hook(got.URL, nil, "issues")
	w.ada.want(201, "POST", "/repos/acme/app/issues", map[string]any{"title": "one"})
	<-entered
	w.ada.want(204, "DELETE", hook, nil)
	close(let)
	w.quiet()
	if diff := cmp.Diff([]string{"ping"}, got.events()); diff != "" {
		t.Error(diff)
	}
	entries := w.admin.Journal().Entries(0)
	if last := entries[len(entries)-1]; last.Type != "delivery.completed" || last.Detail["status"] != "not delivered: the hook was deleted" {
		t.Errorf("last entry = %+v", last)
	}
}

func TestHookKeepsLastThousandDeliveries(t *testing.T) {
	w := newWorld(t)
	hook := w.ada.hook(receive(t, nil).URL, nil, "push")
	for range 1001 {
		w.ada.want(204, "POST", hook+"/pings", nil)
	}
	w.quiet()
	w.ada.want(404, "GET", hook+"/deliveries/2", nil)
	w.ada.want(200, "GET", hook+"/deliveries/3", nil)
}

// A copy of a forge has its hooks and what they delivered, and delivers its own events itself.
func TestHookInSnapshot(t *testing.T) {
	w := newWorld(t)
	got := receive(t, nil)
	hook := w.ada.hook(got.URL, nil, "issues")
	w.quiet()
	c := w.newFrom(forge.Options{From: w.snapshot()})
	c.ada.want(201, "POST", "/repos/acme/app/issues", map[string]any{"title": "in the copy"})
	c.quiet()
	if diff := cmp.Diff([]string{"ping", "issues.opened"}, got.events()); diff != "" {
		t.Error(diff)
	}
	if g := got.only(t, "issues"); !strings.Contains(string(g.body), c.forge.URL()) || g.header.Get("X-Hub-Signature-256") == "" {
		t.Errorf("from the copy: %v", g.header)
	}
	was, is := w.ada.want(200, "GET", hook+"/deliveries", nil), c.ada.want(200, "GET", hook+"/deliveries", nil)
	if is.at("1.guid") != was.at("0.guid") || is.at("0.id") != 2.0 || was.at("1") != nil {
		t.Errorf("deliveries: %s, in the copy %s", was.body, is.body)
	}
	// The latest push was before the snapshot.
	c.ada.want(200, "PATCH", hook, map[string]any{"events": []string{"push"}})
	c.ada.want(204, "POST", hook+"/tests", nil)
	c.quiet()
	got.only(t, "push")
}
