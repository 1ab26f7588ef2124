package forge_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

// FuzzSearch holds that every search is answered, refused by name, or told what is wrong with it.
func FuzzSearch(f *testing.F) {
	w := newWorld(f)
	w.ada.want(201, "POST", issues, map[string]any{"title": "It breaks", "labels": []string{"bug"}})
	for _, q := range []string{
		`repo:acme/app is:issue label:"bug" -author:bob breaks`, `created:>=2026-01-01 closed:*..2026-01-02`, `"two words" in:title,body`,
		`updated:..`, `-`, `:`, `""`, `is:`, `no:label,x`, `(a OR b)`, `created:>`, "\x00\"", `milestone:"`, `-in:title`,
		`user:acme topic:go language:"c++" -language:go fork:only app in:name,description`, `language:`, `pushed:..*`, `is:public,private`,
	} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		for _, path := range []string{"/search/issues", "/search/repositories"} {
			req := httptest.NewRequest("GET", path, nil)
			req.URL.RawQuery = url.Values{"q": {q}}.Encode()
			rec := httptest.NewRecorder()
			w.forge.ServeHTTP(rec, req)
			if rec.Code != http.StatusOK && rec.Code != http.StatusUnprocessableEntity && rec.Code != http.StatusNotImplemented {
				t.Errorf("%s of %q = %d: %s", path, q, rec.Code, rec.Body)
			}
		}
	})
}
