package forge_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// FuzzHeaders holds that no header of a read makes the forge break, or say that nothing changed
// without a body's tag or time being named.
func FuzzHeaders(f *testing.F) {
	w := newWorld(f)
	w.ada.want(201, "POST", issues, map[string]any{"title": "x"})
	for _, s := range [][5]string{
		{"application/vnd.github.v3.raw+json", `W/"x"`, "Mon, 02 Jan 2006 15:04:05 GMT", "2022-11-28", "per_page=2&page=1"},
		{"text/html;q=0.5, */*", `"a", "b`, "yesterday", "v3", "per_page=-1"},
		{"application/vnd.github.", "*x", "", "", "page=99999999999999999999"},
		{"application/vnd.github.diff", ",", "0", "2026-03-10", "%zz"},
	} {
		f.Add(s[0], s[1], s[2], s[3], s[4])
	}
	f.Fuzz(func(t *testing.T, accept, tag, since, version, query string) {
		for _, path := range []string{issues + "/1", issues, "/repos/acme/app/commits/main"} {
			req := httptest.NewRequest("GET", path, nil)
			req.URL.RawQuery = query
			for name, value := range map[string]string{"Accept": accept, "If-None-Match": tag, "If-Modified-Since": since, "X-Github-Api-Version": version} {
				if value != "" {
					req.Header[name] = []string{value}
				}
			}
			rec := httptest.NewRecorder()
			w.forge.ServeHTTP(rec, req)
			switch {
			case rec.Code >= 500 && rec.Code != http.StatusNotImplemented:
				t.Errorf("%s = %d: %s", path, rec.Code, rec.Body)
			case rec.Code == http.StatusNotModified && (rec.Body.Len() > 0 || tag == "" && since == ""):
				t.Errorf("%s = 304, for tag %q and time %q: %s", path, tag, since, rec.Body)
			}
		}
	})
}
