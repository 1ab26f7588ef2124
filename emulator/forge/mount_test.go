package forge_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// TestWhatBreaksIsJournalled holds that neither an endpoint nobody serves nor a fault of ours passes
// in silence, whoever serves it.
func TestWhatBreaksIsJournalled(t *testing.T) {
	f, err := forge.New(forge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pending := ""
	f.Handle("/mounted/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pending = strings.Join(f.Admin().Ledger().Pending(), ", ")
		switch strings.TrimPrefix(r.URL.Path, "/mounted/") {
		case "unknown":
			w.WriteHeader(http.StatusNotImplemented)
		case "broken":
			w.WriteHeader(http.StatusInternalServerError)
		case "panic":
			panic("oh no")
		}
	}))
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	post := func(path, body string) int {
		resp, err := client.Post(f.URL()+path, "application/x-git-upload-pack-request", strings.NewReader(body))
		if err != nil {
			return 0
		}
		defer resp.Body.Close()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Error(err)
		}
		return resp.StatusCode
	}
	post("/mounted/fine", "")
	if pending != "request POST /mounted/fine" {
		t.Errorf("pending during a mounted request: %q", pending)
	}
	post("/mounted/unknown", "")
	post("/mounted/broken", "")
	post("/mounted/panic", "")
	var got []string
	for _, e := range f.Admin().Journal().Entries(0) {
		got = append(got, e.Type+" "+e.Subject+" "+e.Detail["message"])
	}
	want := "unknown-route POST /mounted/unknown |internal-error POST /mounted/broken |internal-error POST /mounted/panic panic: oh no"
	if strings.Join(got, "|") != want {
		t.Errorf("journal:\n got %q\nwant %q", strings.Join(got, "|"), want)
	}
	if left := f.Admin().Ledger().Pending(); len(left) > 0 {
		t.Errorf("still pending: %q", left)
	}
	if err := f.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
