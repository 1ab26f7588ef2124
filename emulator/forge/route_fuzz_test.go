package forge_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// FuzzRouter holds that each method and path is served, refused or told to be outside the dialect, and that an
// answer to what nobody asked for as a change changes nothing.
func FuzzRouter(f *testing.F) {
	w := newWorld(f)
	w.ada.want(201, "POST", issues, map[string]any{"title": "x"})
	for _, s := range [][2]string{
		{"GET", "/repos/acme/app/issues/1"}, {"HEAD", "/api/v3/repos/acme/app/contents/a%2Fb"}, {"DELETE", "/repos/acme/app/git/refs/heads/%2e%2e"},
		{"GET", "/repos/acme/app/compare/main...main"}, {"POST", "/repos/acme/app/merges"}, {"GET", "//repos///acme/app"}, {"GET", "/raw/acme/app/main/%00"},
		{"GET", "/acme/app.git/info/refs?service=git-upload-pack"}, {"GET", "/acme/app/raw/main/../../x"}, {"PATCH", "/"}, {"GET", "/repos/acme/app/commits/main/status/status"},
		{"GET", "/_/api"}, {"GET", "/repos/%ff/%fe"}, {"OPTIONS", "*"}, {"GET", "/repos/acme/app/branches/main/protection/enforce_admins"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, method, path string) {
		at, err := url.ParseRequestURI(path)
		if err != nil || !strings.HasPrefix(path, "/") || at.Host != "" {
			return
		}
		if strings.HasPrefix(at.Path, "/_/") {
			return // not of the dialect: waits, and moves the clock
		}
		req := httptest.NewRequest("GET", "/", nil)
		req.Method, req.URL, req.RequestURI = method, at, path
		req.Header.Set("Authorization", "Bearer "+w.ada.token)
		rec := httptest.NewRecorder()
		w.forge.ServeHTTP(rec, req)
		if rec.Code >= 500 && rec.Code != http.StatusNotImplemented {
			t.Errorf("%s %s = %d: %s", method, path, rec.Code, rec.Body)
		}
	})
}

// FuzzContents writes a file by any path and reads it back by the same, or is refused and has written nothing.
func FuzzContents(f *testing.F) {
	w := newWorld(f)
	for _, p := range []string{"a.txt", "a/b", "..", "%2e%2e/x", "a//b", ".git/config", "%00", "a%5cb", "%ff", "a/", "README.md", "README.md/x", "%20", "a%0ab", "%2f", "?ref=main", ".github/workflows/x.yml"} {
		f.Add(p)
	}
	ask := func(t *testing.T, method, path, body string) *httptest.ResponseRecorder {
		at, err := url.ParseRequestURI(contents + path)
		if err != nil {
			return nil
		}
		req := httptest.NewRequest(method, "/", strings.NewReader(body))
		req.URL, req.RequestURI = at, contents+path
		req.Header.Set("Authorization", "Bearer "+w.ada.token)
		rec := httptest.NewRecorder()
		w.forge.ServeHTTP(rec, req)
		if rec.Code >= 500 && rec.Code != http.StatusNotImplemented {
			t.Errorf("%s %q = %d: %s", method, path, rec.Code, rec.Body)
		}
		return rec
	}
	f.Fuzz(func(t *testing.T, path string) {
		if strings.ContainsAny(path, "?#") {
			return
		}
		before := ask(t, "GET", "", "").Body.String()
		put := ask(t, "PUT", path, `{"message": "m", "content": "eA=="}`)
		if put == nil {
			return
		}
		if put.Code != http.StatusCreated {
			if after := ask(t, "GET", "", "").Body.String(); after != before {
				t.Errorf("PUT %q = %d, and yet the files are %s", path, put.Code, after)
			}
			return
		}
		got := ask(t, "GET", path, "")
		sha, _ := reply{t: t, body: got.Body.Bytes()}.at("sha").(string)
		if want := (reply{t: t, body: put.Body.Bytes()}).at("content.sha"); got.Code != http.StatusOK || sha != want {
			t.Errorf("GET %q = %d: %s", path, got.Code, got.Body)
		}
		if gone := ask(t, "DELETE", path, `{"message": "m", "sha": "`+sha+`"}`); gone.Code != http.StatusOK {
			t.Errorf("DELETE %q = %d: %s", path, gone.Code, gone.Body)
		}
	})
}

// FuzzPush sends any body as a push: refs move only by a whole one, and nothing breaks.
func FuzzPush(f *testing.F) {
	w := newWorld(f)
	dir := f.TempDir()
	mustGit(f, dir, "clone", "-q", w.remote(w.ada.token, "acme/app"), ".")
	from := mustGit(f, dir, "rev-parse", "HEAD")
	mustGit(f, dir, "commit", "-q", "--allow-empty", "-m", "x")
	whole := string(pushBody(f, dir, "refs/heads/dev", from, mustGit(f, dir, "rev-parse", "HEAD")))
	for _, s := range []string{"", "0000", "0003", "zzzz", "ffff", whole[:100], whole[:len(whole)-1], "0008abcd0000", whole + "x", strings.Replace(whole, "dev", "../", 1)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		after := w.seq()
		req := httptest.NewRequest("POST", "/acme/app.git/git-receive-pack", strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer "+w.ada.token)
		rec := httptest.NewRecorder()
		w.forge.ServeHTTP(rec, req)
		if rec.Code >= 500 {
			t.Errorf("%q = %d: %s", body, rec.Code, rec.Body)
		}
		if moved := w.changes(after); len(moved) > 0 && !strings.Contains(rec.Body.String(), "ok refs/") {
			t.Errorf("%q = %s, and yet %v", body, rec.Body, moved)
		}
	})
}
