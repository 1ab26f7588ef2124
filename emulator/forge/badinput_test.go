package forge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// post sends a body as it is.
func (a actor) post(method, path string, body io.Reader) reply {
	a.w.t.Helper()
	req, err := http.NewRequest(method, a.w.forge.URL()+path, body)
	must(a.w.t, err)
	if a.token != "" {
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
	res, err := a.w.http.Do(req)
	must(a.w.t, err)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	must(a.w.t, err)
	return reply{a.w.t, res.StatusCode, res.Header, data}
}

// unchanged fails when something has changed since, and says what last was asked.
func (w *world) unchanged(since []byte, what string) {
	w.t.Helper()
	now, err := w.forge.Image()
	must(w.t, err)
	if !bytes.Equal(since, now) {
		at := 0
		for at < min(len(since), len(now)) && since[at] == now[at] {
			at++
		}
		w.t.Fatalf("%s: changed near %s", what, now[max(0, at-80):min(len(now), at+80)])
	}
}

// TestBadBodies sends to each served route that takes a body what is no JSON, what is JSON of another type, and
// too much of it: nothing is done, and GitHub's word for it is said.
func TestBadBodies(t *testing.T) {
	w, names := newFull(t, forge.Options{})
	_, changes := visits(t, names)
	w.ada.want(200, "GET", actions+"/workflows", nil) // a workflow gets its id when it is first asked for
	since, err := w.forge.Image()
	must(t, err)
	n := 0
	for _, v := range changes {
		text, _ := v.body.(json.RawMessage)
		if len(text) == 0 || strings.HasSuffix(v.route.Pattern, "/assets") { // an asset is whatever bytes
			continue
		}
		n++
		who, name := v.by(w.ada), v.route.Method+" "+v.route.Pattern
		refused := func(status int, message, body string) {
			t.Helper()
			r := who.post(v.route.Method, v.path, strings.NewReader(body))
			if said, _ := r.at("message").(string); r.status != status || !strings.HasPrefix(said, message) {
				t.Errorf("%s with %.60s = %d, want %d %s: %s", name, body, r.status, status, message, r.body)
			}
			w.unchanged(since, name+" with "+body)
		}
		for _, broken := range []string{`{`, `{"`, string(text[:len(text)-1]), string(text) + `x`, string(text) + string(text), "\x00", `{"a" 1}`, `{'a': 1}`} {
			refused(http.StatusBadRequest, "Problems parsing JSON", broken)
		}
		for _, other := range []string{`7`, `"x"`, `true`, `[[]]`} {
			r := who.post(v.route.Method, v.path, strings.NewReader(other))
			if r.status != http.StatusBadRequest && r.status != http.StatusUnprocessableEntity || strings.Contains(string(r.body), "api.") {
				t.Errorf("%s with %s = %d: %s", name, other, r.status, r.body)
			}
			w.unchanged(since, name+" with "+other)
		}
		for field, body := range mistyped(t, text) {
			r := who.post(v.route.Method, v.path, strings.NewReader(body))
			if said, _ := r.at("message").(string); r.status != http.StatusUnprocessableEntity || strings.Contains(said, "api.") {
				t.Errorf("%s with another %s, %s = %d: %s", name, field, body, r.status, r.body)
			}
			w.unchanged(since, name+" with another "+field)
		}
		for _, long := range []int64{-1, 1 << 40} {
			tooLarge(t, w, who, v, long)
		}
		w.unchanged(since, name+" with too much")
	}
	if n < 60 {
		t.Errorf("%d routes take a body: the walk is cut short", n)
	}
}

// mistyped is a body once for each of its fields, with a value of another type there.
func mistyped(t *testing.T, text json.RawMessage) map[string]string {
	t.Helper()
	var fields map[string]any
	must(t, json.Unmarshal(text, &fields))
	all := map[string]string{}
	for name, value := range fields {
		other := maps.Clone(fields)
		switch value.(type) {
		case map[string]any, []any:
			other[name] = 7
		case nil:
			continue // what may be null may be much
		default:
			other[name] = map[string]any{"x": 1}
		}
		body, err := json.Marshal(other)
		must(t, err)
		all[name] = string(body)
	}
	return all
}

// tooLarge sends a body that says how long it is and stops early, or, for -1, as many bytes as no route takes.
func tooLarge(t *testing.T, w *world, who actor, v visit, long int64) {
	t.Helper()
	large := slices.Contains([]string{"/contents/{path...}", "/git/blobs", "/git/trees"}, strings.TrimPrefix(v.route.Pattern, "/repos/{owner}/{repo}"))
	if long < 0 && large {
		return // a hundred megabytes of it say nothing more
	}
	req := httptest.NewRequest(v.route.Method, v.path, io.MultiReader(strings.NewReader(`{"x": "`), io.LimitReader(ones{}, 8<<20)))
	req.Header.Set("Authorization", "Bearer "+who.token)
	req.ContentLength = long
	rec := httptest.NewRecorder()
	w.forge.ServeHTTP(rec, req)
	if rec.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("%s %s with %d bytes = %d: %s", v.route.Method, v.route.Pattern, long, rec.Code, rec.Body)
	}
}

// ones is 1 without end.
type ones struct{}

func (ones) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '1'
	}
	return len(p), nil
}

// TestBadPaths asks for files and refs by names that would lead elsewhere: no read succeeds by them but of what is
// meant, no write at all.
func TestBadPaths(t *testing.T) {
	w := newWorld(t)
	sha := w.ada.want(200, "GET", "/repos/acme/app/git/ref/heads/main", nil).at("object.sha").(string)
	since, err := w.forge.Image()
	must(t, err)
	long := strings.Repeat("a", 5000)
	for _, p := range []string{"..", "../..", "../../../../etc/passwd", "%2e%2e", "%2e%2e%2f%2e%2e%2fconfig", "a/../../b", "a/%2e%2e/b", ".", "./a", "a//b", "%2fetc%2fpasswd", "a/",
		"%00", "a%00b", ".git/config", ".GIT/config", "a/.git/b", "%2egit/config", "..%5c..%5cconfig", "a%5cb/../c", long, "%ff%fe", "a%0ab", "%20", "-x", "@{1}", "refs/heads/main.lock", "~", "^"} {
		for _, root := range []string{contents, "/repos/acme/app/git/ref/", "/repos/acme/app/commits/", "/repos/acme/app/git/trees/", "/repos/acme/app/branches/", "/repos/acme/app/git/matching-refs/", "/acme/app/raw/main/", "/raw/acme/app/main/"} {
			r := w.ada.post("GET", root+p, nil)
			if r.status >= 500 && r.status != http.StatusNotImplemented || strings.Contains(string(r.body), "root:") || strings.Contains(string(r.body), "[core]") {
				t.Errorf("GET %s%.60s = %d: %.200s", root, p, r.status, r.body)
			}
		}
		for _, x := range []struct{ method, path, body string }{
			{"PATCH", "/repos/acme/app/git/refs/" + p, fmt.Sprintf(`{"sha": %q}`, sha)},
			{"DELETE", "/repos/acme/app/git/refs/" + p, ``},
			{"POST", "/repos/acme/app/merges", fmt.Sprintf(`{"base": "main", "head": %q}`, p)},
			{"PUT", "/repos/acme/app/branches/" + p + "/protection", `{"enforce_admins": true, "restrictions": null, "required_status_checks": null, "required_pull_request_reviews": null}`},
		} {
			r := w.ada.post(x.method, x.path, strings.NewReader(x.body))
			if r.status < 400 || r.status >= 500 && r.status != http.StatusNotImplemented {
				t.Errorf("%s %.80s %s = %d: %.200s", x.method, x.path, x.body, r.status, r.body)
			}
		}
		w.unchanged(since, p)
	}
	for _, p := range []string{"..", "../x", "a/../b", "a//b", "/a", ".git/config", "a/.GIT/b", "a\x00b", "./a", long, "\xff"} {
		name, err := json.Marshal(p)
		must(t, err)
		if p == "\xff" {
			name = []byte("\"\xff\"") // as it is: Marshal would repair it
		}
		for _, x := range []struct{ method, path, body string }{
			{"POST", "/repos/acme/app/git/trees", fmt.Sprintf(`{"tree": [{"path": %s, "mode": "100644", "type": "blob", "content": "x"}]}`, name)},
			{"POST", "/repos/acme/app/git/refs", fmt.Sprintf(`{"ref": "refs/heads/%s, "sha": %q}`, name[1:], sha)},
			{"POST", "/repos/acme/app/git/tags", fmt.Sprintf(`{"tag": %s, "message": "m", "object": "x", "type": "commit"}`, name)},
			{"POST", "/repos/acme/app/branches/main/rename", fmt.Sprintf(`{"new_name": %s}`, name)},
		} {
			r := w.ada.post(x.method, x.path, strings.NewReader(x.body))
			if r.status < 400 || r.status >= 500 {
				t.Errorf("%s %s %.80q = %d: %.200s", x.method, x.path, x.body, r.status, r.body)
			}
		}
		w.unchanged(since, p)
	}
}
