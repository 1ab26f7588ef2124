package forge_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// TestAddresses walks every route: whatever host a request names, each address in a body, in a
// header and in a webhook payload is made of the public URL.
func TestAddresses(t *testing.T) {
	for public, want := range map[string][]string{
		"":                             nil,
		"http://forge.localhost:8080/": {"http://forge.localhost:8080"},
		"https://github.com":           {"https://github.com", "https://api.github.com", "https://raw.githubusercontent.com", "https://uploads.github.com", "https://avatars.githubusercontent.com"},
	} {
		t.Run(public, func(t *testing.T) {
			w, names := newFull(t, forge.Options{PublicURL: public})
			if want == nil {
				want = []string{w.forge.URL()}
			}
			reads, changes := visits(t, names)
			ada := w.ada.unredirected()
			seen := 0
			for _, v := range append(reads, changes...) {
				path := v.path
				if v.route.List {
					path += "?per_page=1&page=2" // for the Link header
				}
				r := v.by(ada).send(v.route.Method, path, v.body)
				if r.status >= 400 {
					t.Errorf("%s %s = %d: %s", v.route.Method, path, r.status, r.body)
				}
				seen += checkAddresses(t, v.route.Method+" "+path, want, r.body)
				for _, h := range []string{"Link", "Location"} {
					for _, u := range regexp.MustCompile(`https?://[^>]*`).FindAllString(r.header.Get(h), -1) {
						seen += checkAddress(t, v.route.Method+" "+path+": "+h, want, u)
					}
				}
			}
			for _, e := range w.admin.Journal().Entries(0) {
				seen += checkAddresses(t, e.Type, want, e.Payload)
			}
			if seen < 500 {
				t.Errorf("%d addresses seen", seen)
			}
		})
	}
}

// checkAddresses checks each string of a JSON body that looks like an address.
func checkAddresses(t *testing.T, where string, want []string, body []byte) (seen int) {
	t.Helper()
	var v any
	if json.Unmarshal(body, &v) != nil {
		return 0
	}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch x := v.(type) {
		case map[string]any:
			for k, v := range x {
				walk(at+"."+k, v)
			}
		case []any:
			for _, v := range x {
				walk(at+"[]", v)
			}
		case string:
			if strings.Contains(x, "://") || strings.HasSuffix(at, "url") && x != "" {
				seen += checkAddress(t, where+at, want, x)
			}
		}
	}
	walk("", v)
	return seen
}

func checkAddress(t *testing.T, where string, want []string, address string) int {
	t.Helper()
	if !slices.ContainsFunc(want, func(base string) bool { return strings.HasPrefix(address, base+"/") }) {
		t.Errorf("%s is %s", where, address)
	}
	return 1
}

func TestHosts(t *testing.T) {
	w, _ := newFull(t, forge.Options{PublicURL: "https://github.com"})
	if w.forge.APIURL() != "https://api.github.com" || w.forge.PublicURL() != "https://github.com" || !strings.HasPrefix(w.forge.URL(), "http://127.0.0.1:") {
		t.Errorf("URL %s, PublicURL %s, APIURL %s", w.forge.URL(), w.forge.PublicURL(), w.forge.APIURL())
	}
	for _, c := range []struct {
		host, path string
		want       int
	}{
		{"api.github.com", "/repos/acme/app", 200},
		{"API.GitHub.com:443", "/repos/acme/app", 200},
		{"api.github.com", "/api/v3/repos/acme/app", 501},
		{"api.github.com", "/acme/app.git/info/refs?service=git-upload-pack", 501},
		{"raw.githubusercontent.com", "/acme/app/main/README.md", 200},
		{"raw.githubusercontent.com", "/repos/acme/app", 404},
		{"github.com", "/acme/app.git/info/refs?service=git-upload-pack", 200},
		{"github.com", "/repos/acme/app", 501},
		{"forge.localhost", "/api/v3/repos/acme/app", 200},
	} {
		req, err := http.NewRequest("GET", w.forge.URL()+c.path, nil)
		must(t, err)
		req.Host = c.host
		req.Header.Set("Authorization", "Bearer "+w.ada.token)
		res, err := w.http.Do(req)
		must(t, err)
		res.Body.Close()
		if res.StatusCode != c.want {
			t.Errorf("%s%s = %d, want %d", c.host, c.path, res.StatusCode, c.want)
		}
	}
}

func TestBadPublicURL(t *testing.T) {
	for _, bad := range []string{"github.com", "//github.com", "ftp://x", "http://", "http://a b", "http://x:0", "http://x:99999", "http://x:", "http://x/y",
		"http://x?y", "http://x?", "http://x#", "http://user:secret@x", "https://api.github.com", "http://github.com", "https://github.com:8443", "https://raw.githubusercontent.com", "http://x\n"} {
		f, err := forge.New(forge.Options{PublicURL: bad})
		if err == nil {
			t.Errorf("%q is taken", bad)
			must(t, f.Close(t.Context()))
			continue
		}
		if !strings.Contains(err.Error(), "public URL") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
