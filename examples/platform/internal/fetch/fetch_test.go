package fetch_test

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/crew/internal/defect"
	"example.com/crew/internal/fetch"
)

const text = "agent: agents/far.md\n"

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// forge is a server with one file below /raw/, and options that fetch from it as from the job's own.
func forge(t *testing.T) (string, *atomic.Int64, fetch.Options) {
	t.Helper()
	asked := &atomic.Int64{}
	mux := http.NewServeMux()
	mux.HandleFunc("/raw/o/r/main/x.yaml", func(w http.ResponseWriter, _ *http.Request) { asked.Add(1); _, _ = w.Write([]byte(text)) })
	mux.HandleFunc("/raw/o/r/main/large", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 101)) })
	mux.HandleFunc("/raw/o/r/main/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/raw/o/r/main/x.yaml", http.StatusFound)
	})
	mux.HandleFunc("/raw/o/r/main/slow", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("a"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL + "/raw/o/r/main/", asked, fetch.Options{Policy: fetch.Policy{Hosts: fetch.Hosts(), Forge: s.URL}, Max: 100}
}

func TestFetch(t *testing.T) {
	root, asked, o := forge(t)
	o.Cache = filepath.Join(t.TempDir(), "cache")
	var audit strings.Builder
	o.Audit = &audit
	f := fetch.New(o)
	for range 2 {
		if data, err := f.Fetch(t.Context(), root+"x.yaml#sha256="+sum(text)); err != nil || string(data) != text {
			t.Fatalf("%q, %v", data, err)
		}
	}
	if asked.Load() != 1 {
		t.Errorf("the host was asked %d times; the second time the file is in the cache", asked.Load())
	}
	if data, err := f.Fetch(t.Context(), root+"x.yaml"); err != nil || string(data) != text || asked.Load() != 2 {
		t.Errorf("without a hash: %q, %v", data, err)
	}
	var outcomes []string
	for line := range strings.Lines(audit.String()) {
		var e fetch.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.SHA256 != sum(text) || e.Bytes != len(text) || !strings.HasPrefix(e.URL, root) || (e.Address == "") != (e.Outcome == fetch.Cached) {
			t.Errorf("%+v", e)
		}
		outcomes = append(outcomes, e.Outcome)
	}
	if got := strings.Join(outcomes, " "); got != "fetched cached fetched" {
		t.Errorf("audit: %s", got)
	}
}

func TestFetchRefuses(t *testing.T) {
	root, _, o := forge(t)
	o.Timeout = 300 * time.Millisecond
	wrong := strings.Repeat("0", 64)
	for _, tc := range []struct {
		name, url, want, outcome string
		change                   func(*fetch.Options)
	}{
		{"wrong hash", root + "x.yaml#sha256=" + wrong, "integrity check failed: expected sha256 " + wrong + ", got " + sum(text), fetch.Refused, nil},
		{"redirect", root + "away", "the host answers 302 Found; redirects are not followed", fetch.Refused, nil},
		{"oversized", root + "large", "the file is larger than 100 bytes", fetch.Refused, nil},
		{"slow", root + "slow", "deadline exceeded", fetch.Failed, nil},
		{"not there", root + "none.yaml", "the host answers 404 Not Found", fetch.Failed, nil},
		{"not covered", root + "x.yaml", root + "x.yaml is not covered by allowed_remote_resources", fetch.Refused,
			func(o *fetch.Options) { o.Covers = func(string) bool { return false } }},
		{"no forge of ours", root + "x.yaml", `its scheme is "http"; only https is allowed`, fetch.Refused, func(o *fetch.Options) { o.Policy.Forge = "" }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := o
			var audit strings.Builder
			o.Audit, o.Cache = &audit, t.TempDir()
			if tc.change != nil {
				tc.change(&o)
			}
			data, err := fetch.New(o).Fetch(t.Context(), tc.url)
			if err == nil || data != nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%q, %v, want %q", data, err, tc.want)
			}
			var e fetch.Entry
			if err := json.Unmarshal([]byte(audit.String()), &e); err != nil || e.Outcome != tc.outcome || !strings.Contains(e.Reason, tc.want) {
				t.Errorf("audit %s, want %s", audit.String(), tc.outcome)
			}
			if kept, _ := filepath.Glob(filepath.Join(o.Cache, "*", "*")); len(kept) > 0 {
				t.Errorf("kept %q", kept)
			}
		})
	}
}

// TestPinned: a public host is reached by https at an address that was looked at, and under its name.
func TestPinned(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.Host)) }))
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	var dialed []string
	o := fetch.Options{
		Policy: fetch.Policy{Hosts: []string{"example.com"}}, Roots: roots,
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.215.14"), netip.MustParseAddr("2606:2800:21f::1")}, nil
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			dialed = append(dialed, address)
			if len(dialed) == 1 {
				return nil, errors.New("unreachable")
			}
			return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
		},
	}
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	data, err := fetch.New(o).Fetch(t.Context(), "https://example.com/x.yaml")
	if err != nil || string(data) != "example.com" || strings.Join(dialed, " ") != "93.184.215.14:443 [2606:2800:21f::1]:443" {
		t.Errorf("%q, %v, dialed %q", data, err, dialed)
	}
}

// TestPrivate: one address inside is enough to refuse a name, before anything is dialed.
func TestPrivate(t *testing.T) {
	for _, address := range []string{
		"127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9",
		"0.0.0.0", "255.255.255.255", "224.0.0.1", "::1", "::", "fe80::1", "fc00::1", "2001:db8::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "ff02::1",
	} {
		o := fetch.Options{
			Policy: fetch.Policy{Hosts: fetch.Hosts()},
			Resolve: func(context.Context, string) ([]netip.Addr, error) {
				return []netip.Addr{netip.MustParseAddr("140.82.112.3"), netip.MustParseAddr(address)}, nil
			},
			Dial: func(context.Context, string, string) (net.Conn, error) {
				t.Errorf("%s: dialed", address)
				return nil, errors.New("no")
			},
		}
		_, err := fetch.New(o).Fetch(t.Context(), "https://github.com/o/r/x.yaml")
		if err == nil || !strings.Contains(err.Error(), "is not a public one") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestCacheIsVerified(t *testing.T) {
	root, asked, o := forge(t)
	o.Cache = t.TempDir()
	poison := func() {
		if err := os.MkdirAll(filepath.Join(o.Cache, "sha256"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(o.Cache, "sha256", sum(text)), []byte("evil"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	poison()
	if data, err := fetch.New(o).Fetch(t.Context(), root+"x.yaml#sha256="+sum(text)); err != nil || string(data) != text || asked.Load() != 1 {
		t.Errorf("%q, %v", data, err)
	}
	if data, _ := os.ReadFile(filepath.Join(o.Cache, "sha256", sum(text))); string(data) != text {
		t.Errorf("the cache holds %q", data)
	}
	poison()
	o.Defect = defect.CachePoisoned
	if data, err := fetch.New(o).Fetch(t.Context(), root+"x.yaml#sha256="+sum(text)); err != nil || string(data) != "evil" {
		t.Errorf("with the defect: %q, %v", data, err)
	}
	// A link in the cache's place leads nowhere.
	o.Defect, o.Cache = defect.None, t.TempDir()
	if err := os.Symlink("/etc", filepath.Join(o.Cache, "sha256")); err != nil {
		t.Fatal(err)
	}
	if data, err := fetch.New(o).Fetch(t.Context(), root+"x.yaml#sha256="+sum(text)); err != nil || string(data) != text {
		t.Errorf("with a link: %q, %v", data, err)
	}
}

func TestHashUnchecked(t *testing.T) {
	root, _, o := forge(t)
	o.Defect = defect.HashUnchecked
	if data, err := fetch.New(o).Fetch(t.Context(), root+"x.yaml#sha256="+strings.Repeat("0", 64)); err != nil || string(data) != text {
		t.Errorf("%q, %v", data, err)
	}
}

func refused() []string {
	return []string{
		"", "x", "http://github.com/x", "ftp://github.com/x", "https://evil.test/x", "https://github.com.evil.test/x", "https://github.com@evil.test/x",
		"https://evil.test#@github.com/x", "https://github.com:444/x", "https://github.com:/x", "https://github.com:80/x", "https://github.com/a/../b",
		"https://github.com/a/%2e%2e/b", "https://github.com/a%25b", "https://[::1%25eth0]/x", "https://github.com/", "https://github.com", "https://github.com//x",
		"https://github.com/x?y", "https://github.com/x#y", "https://github.com/x#sha256=12", `https://github.com\@evil.test/x`, "https://github.com/x y",
		"https://github.com/x\n", "https://127.0.0.1/x", "https://0x7f.1/x", "https://gıthub.com/x", "https://user@github.com/x", "https://github.com./x",
		"http://127.0.0.1:9/raw/x", "http://127.0.0.1:8/etc/x", "http://127.0.0.1:8/raw/../x", "http://127.0.0.1:8/%72aw/x", "https://127.0.0.1:8/raw/x", "http://localhost:8/raw/x",
	}
}

func policy() fetch.Policy { return fetch.Policy{Hosts: fetch.Hosts(), Forge: "http://127.0.0.1:8"} }

func TestURLs(t *testing.T) {
	o := fetch.Options{Policy: policy(), Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("dialed") },
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("140.82.112.3")}, nil
		}}
	for _, u := range refused() {
		if _, err := fetch.New(o).Fetch(t.Context(), u); err == nil || !strings.Contains(err.Error(), "is refused: ") {
			t.Errorf("%q: %v", u, err)
		}
	}
	for _, u := range []string{"https://github.com/x", "https://GitHub.com:443/x", "https://raw.githubusercontent.com/o/r/main/x.yaml#sha256=" + sum(text), "http://127.0.0.1:8/raw/x"} {
		if _, err := fetch.New(o).Fetch(t.Context(), u); err == nil || !strings.Contains(err.Error(), "dialed") {
			t.Errorf("%q: %v", u, err)
		}
	}
	// Only a loopback address is trusted over plain http.
	o.Policy.Forge = "http://forge.test"
	if _, err := fetch.New(o).Fetch(t.Context(), "http://forge.test/raw/x"); err == nil || !strings.Contains(err.Error(), "only https") {
		t.Errorf("plain http: %v", err)
	}
}

// FuzzURL: whatever the URL, nothing but an allowed host at an allowed port and a public address is dialed,
// or the forge.
func FuzzURL(f *testing.F) {
	for _, u := range refused() {
		f.Add(u)
	}
	f.Add("https://raw.githubusercontent.com/o/r/main/x.yaml#sha256=" + sum(text))
	f.Add("http://127.0.0.1:8/raw/x")
	f.Fuzz(func(t *testing.T, text string) {
		host := ""
		o := fetch.Options{
			Policy: policy(),
			Resolve: func(_ context.Context, h string) ([]netip.Addr, error) {
				host = strings.ToLower(h)
				return []netip.Addr{netip.MustParseAddr("140.82.112.3")}, nil
			},
			Dial: func(_ context.Context, _, address string) (net.Conn, error) {
				own := address == "127.0.0.1:8" && strings.HasPrefix(text, "http://127.0.0.1:8/raw/")
				if !own && (address != "140.82.112.3:443" || host != "github.com" && host != "raw.githubusercontent.com") {
					t.Errorf("%q: dialed %s for host %q", text, address, host)
				}
				return nil, errors.New("dialed")
			},
		}
		_, err := fetch.New(o).Fetch(t.Context(), text)
		if err == nil {
			t.Errorf("%q: fetched from nowhere", text)
		}
		if u, bad := url.Parse(text); strings.Contains(err.Error(), "dialed") && (bad != nil || u.User != nil || u.RawQuery != "") {
			t.Errorf("%q: was asked for", text)
		}
	})
}
