package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/crew/internal/forge/forgetest"
)

// TestSetupConfig: a preset comes from a file or from a URL of the forge, and is refused before anything is changed.
func TestSetupConfig(t *testing.T) {
	f := forgetest.New(t)
	api, err := url.Parse(f.URL)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", httputil.NewSingleHostReverseProxy(api))
	mux.HandleFunc("/raw/o/r/main/p.yaml", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "effort: low\n") })
	mux.Handle("/raw/o/r/main/moved.yaml", http.RedirectHandler("/raw/o/r/main/p.yaml", http.StatusFound))
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	file := filepath.Join(t.TempDir(), "p.yaml")
	if err := os.WriteFile(file, []byte("effort: high\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	j := job{t: t, env: map[string]string{"CREW_API_URL": s.URL, "CREW_TOKEN": "admin", "CREW_BOT_TOKEN": "bot"}}
	for _, tt := range []struct{ from, want, refused string }{
		{from: file, want: "effort: high\n"},
		{from: s.URL + "/raw/o/r/main/p.yaml", want: "effort: low\n"},
		{from: s.URL + "/raw/o/r/main/moved.yaml", refused: "read preset: "},
		{from: "http://forge.test/p.yaml", refused: `read preset: URL "http://forge.test/p.yaml" is refused: its scheme is "http"`},
		{from: "https://127.0.0.1/p.yaml", refused: "read preset: "},
		{from: filepath.Dir(file), refused: "read preset: "},
		{from: file + ".not", refused: "read preset: stat "},
	} {
		calls := len(f.Calls)
		code, _, stderr := j.crew("setup", "--repo", forgetest.Repo, "--config", tt.from)
		if tt.refused != "" {
			if code != 1 || !strings.HasPrefix(stderr, "crew: error: "+tt.refused) || len(f.Calls) > calls {
				t.Errorf("%s: exit code %d, %q, %d calls", tt.from, code, stderr, len(f.Calls)-calls)
			}
			continue
		}
		if got := f.Commits[len(f.Commits)-1].Files[".crew/config.base.yaml"]; code != 0 || got != tt.want {
			t.Errorf("%s: exit code %d, %q, preset %q", tt.from, code, stderr, got)
		}
	}
}
