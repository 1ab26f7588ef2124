package forge_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// TestEveryAnswerIsDescribed walks every route: each answer has a request id of its own, which the
// journal knows, and each read can be asked for again under the condition that it changed.
func TestEveryAnswerIsDescribed(t *testing.T) {
	w, names := newFull(t, forge.Options{})
	ada := w.ada.unredirected()
	ids := map[string]bool{}
	seen := func(r reply, what string) {
		t.Helper()
		id := r.header.Get("X-GitHub-Request-Id")
		if id == "" || ids[id] {
			t.Errorf("%s: request id %q is none, or not new", what, id)
		}
		ids[id] = true
		if e := w.lastEntry("request"); e.Detail["request_id"] != id {
			t.Errorf("%s: request id %s, in the journal %+v", what, id, e.Detail)
		}
		for name, want := range map[string]string{"X-GitHub-Media-Type": "github.v3; format=json", "X-GitHub-Api-Version-Selected": "2022-11-28",
			"X-RateLimit-Limit": "5000", "X-RateLimit-Resource": "core"} {
			if got := r.header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", what, name, got, want)
			}
		}
	}
	reads, changes := visits(t, names)
	for _, v := range reads {
		r := v.by(ada).send("GET", v.path, nil)
		seen(r, v.path)
		if r.status != 200 {
			continue
		}
		tag := r.header.Get("ETag")
		if !strings.HasPrefix(tag, `W/"`) || r.header.Get("Vary") == "" || !strings.HasPrefix(r.header.Get("Cache-Control"), "private") {
			t.Errorf("GET %s: %v", v.path, r.header)
		}
		head := v.by(ada).send("HEAD", v.path, nil)
		seen(head, "HEAD "+v.path)
		if v.path == "/rate_limit" {
			continue // it says how much was used meanwhile
		}
		if head.status != 200 || head.header.Get("ETag") != tag || len(head.body) > 0 || head.header.Get("Content-Length") != strconv.Itoa(len(r.body)) {
			t.Errorf("HEAD %s = %d with %d bytes: %v", v.path, head.status, len(head.body), head.header)
		}
		again := v.by(ada).send("GET", v.path, nil, "If-None-Match", `"x", `+tag)
		seen(again, "again "+v.path)
		if again.status != 304 || again.header.Get("ETag") != tag || len(again.body) > 0 || again.header.Get("Content-Type") != "" {
			t.Errorf("GET %s again = %d with %q: %v", v.path, again.status, again.body, again.header)
		}
		if other := v.by(ada).send("GET", v.path, nil, "If-None-Match", `W/"x"`); other.status != 200 {
			t.Errorf("GET %s with another tag = %d", v.path, other.status)
		}
	}
	for _, v := range changes {
		r := v.by(ada).send(v.route.Method, v.path, v.body, "If-None-Match", "*")
		seen(r, v.route.Method+" "+v.path)
		if r.status == 304 || r.header.Get("ETag") != "" {
			t.Errorf("%s %s = %d: %v", v.route.Method, v.path, r.status, r.header)
		}
	}
	seen(w.ada.want(404, "GET", "/repos/acme/none", nil), "absent")
}

func TestTagsTellBodiesActorsAndFormsApart(t *testing.T) {
	w := newWorld(t)
	w.ada.want(201, "POST", issues, map[string]any{"title": "x"})
	bob := w.user("bob", "read")
	tags := map[string]string{}
	note := func(what string, r reply) {
		t.Helper()
		for other, tag := range tags {
			if tag == r.header.Get("ETag") {
				t.Errorf("%s has the tag of %s", what, other)
			}
		}
		tags[what] = r.header.Get("ETag")
	}
	note("ada", w.ada.want(200, "GET", issues+"/1", nil))
	note("bob", bob.want(200, "GET", issues+"/1", nil))
	note("nobody", actor{w, ""}.want(200, "GET", issues+"/1", nil))
	note("preview", w.ada.want(200, "GET", issues+"/1", nil, "Accept", "application/vnd.github.squirrel-girl-preview+json"))
	w.ada.want(200, "PATCH", issues+"/1", map[string]any{"title": "y"})
	note("changed", w.ada.want(200, "GET", issues+"/1", nil))
	if w.ada.want(200, "GET", issues+"/1", nil).header.Get("ETag") != tags["changed"] {
		t.Error("one body has two tags")
	}
}

func TestModifiedSince(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	w := newForgeIn(t, forge.Options{Now: func() time.Time { return now }})
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	w.ada.want(201, "POST", issues, map[string]any{"title": "x"})
	made := w.ada.want(200, "GET", issues+"/1", nil).header.Get("Last-Modified")
	if made != "Wed, 02 Jan 2030 03:04:05 GMT" {
		t.Errorf("Last-Modified = %q", made)
	}
	for _, at := range []string{"/user", "/users/acme", "/repos/acme/app", "/repos/acme/app/commits/main", issues + "/1"} {
		now = now.Add(time.Minute)
		w.ada.want(304, "GET", at, nil, "If-Modified-Since", made).header.Get("ETag")
		w.ada.want(200, "GET", at, nil, "If-Modified-Since", "Wed, 02 Jan 2030 03:04:04 GMT")
		w.ada.want(200, "GET", at, nil, "If-Modified-Since", made, "If-None-Match", `"x"`)
		w.ada.want(200, "GET", at, nil, "If-Modified-Since", "yesterday")
	}
	w.ada.want(200, "PATCH", issues+"/1", map[string]any{"title": "y"})
	w.ada.want(200, "GET", issues+"/1", nil, "If-Modified-Since", made)
	w.ada.want(200, "GET", issues+"/1", nil, "If-Modified-Since", now.Format(http.TimeFormat)) // it may change again in this second
	now = now.Add(time.Second)
	w.ada.want(304, "GET", issues+"/1", nil, "If-Modified-Since", now.Format(http.TimeFormat))
}

func TestUsageIsCounted(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "")
	used := func(r reply) int {
		t.Helper()
		n, err := strconv.Atoi(r.header.Get("X-RateLimit-Used"))
		must(t, err)
		left, err := strconv.Atoi(r.header.Get("X-RateLimit-Remaining"))
		must(t, err)
		limit, err := strconv.Atoi(r.header.Get("X-RateLimit-Limit"))
		must(t, err)
		if n+left != limit {
			t.Errorf("%d used and %d left are not %d", n, left, limit)
		}
		return n
	}
	one := bob.want(200, "GET", "/user", nil)
	if n := used(one); n != 1 {
		t.Errorf("used = %d", n)
	}
	same := bob.want(304, "GET", "/user", nil, "If-None-Match", one.header.Get("ETag"))
	if n := used(same); n != 1 {
		t.Errorf("used after a 304 = %d", n)
	}
	if n := used(bob.want(404, "GET", "/repos/acme/none", nil)); n != 2 {
		t.Errorf("used after a 404 = %d", n)
	}
	bob.want(200, "GET", "/rate_limit", nil).is("rate.used", 2.0)
	nobody := actor{w, ""}
	for range 70 { // GitHub gives 60; here nobody is stopped, and nobody is told to stop himself
		if left := nobody.want(200, "GET", "/repos/acme/app", nil).header.Get("X-RateLimit-Remaining"); left == "0" {
			t.Fatal("nothing remains")
		}
	}
}

func TestVersionsAndForms(t *testing.T) {
	w := newWorld(t)
	w.ada.want(200, "GET", "/user", nil, "X-GitHub-Api-Version", "2022-11-28")
	m := w.ada.want(400, "GET", "/user", nil, "X-GitHub-Api-Version", "v3").at("message").(string)
	if !strings.HasPrefix(m, `The version you specified in the "X-GitHub-API-Version" request header, "v3", is not a supported version.`) {
		t.Error(m)
	}
	w.ada.want(501, "GET", "/user", nil, "X-GitHub-Api-Version", "2026-03-10")
	for _, c := range []struct {
		accept, path, shown string
		status              int
	}{
		{"", "/user", "github.v3; format=json", 200},
		{"*/*", "/user", "github.v3; format=json", 200},
		{"text/html, application/json;q=0.5", "/user", "github.v3; format=json", 200},
		{"application/vnd.github.v3+json", "/user", "github.v3; format=json", 200},
		{"application/vnd.github.raw+json", contents + "README.md", "github.v3; param=raw; format=json", 200},
		{"application/vnd.github.v3.raw", contents + "README.md", "github.v3; param=raw", 200},
		{"application/vnd.github.v3.sha", "/repos/acme/app/commits/main", "github.v3; param=sha", 200},
		{"application/vnd.github.mercy-preview+json", "/user", "github.v3; param=mercy-preview; format=json", 200},
		{"text/html", "/user", "github.v3; format=json", 415},
		{"application/vnd.heroku+json; version=3", "/user", "github.v3; format=json", 415},
		{"application/vnd.github.html+json", contents + "README.md", "github.v3; param=html; format=json", 501},
	} {
		if r := w.ada.want(c.status, "GET", c.path, nil, "Accept", c.accept); r.header.Get("X-GitHub-Media-Type") != c.shown {
			t.Errorf("%s: %v", c.accept, r.header)
		}
	}
}
