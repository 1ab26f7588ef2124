package forge_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/internal/journal"
)

// undescribed is the actor with a client that takes whatever comes, also what GitHub describes nowhere.
func (a actor) undescribed() actor {
	w := *a.w
	w.http = &http.Client{Transport: a.w.tcp}
	return actor{&w, a.token}
}

func (w *world) inject(texts ...string) {
	w.t.Helper()
	for _, text := range texts {
		f, err := forge.ParseFault(text)
		must(w.t, err)
		_, err = w.admin.Inject(f)
		must(w.t, err)
	}
}

// TestFaultsOfAnswers: what the client gets, and whether the change was made all the same.
func TestFaultsOfAnswers(t *testing.T) {
	const at = "@POST /repos/*/*/labels"
	for _, tt := range []struct {
		fault   string
		status  int
		message string
		made    bool
	}{
		{"api.5xx" + at, 502, "Server Error", false},
		{"api.5xx=500,when:after" + at, 500, "Server Error", true},
		{"api.5xx=503" + at, 503, "Service unavailable", false},
		{"api.5xx=504,when:after" + at, 504, "We couldn't respond to your request in time.", true},
		{"api.5xx=by:ada" + at, 502, "Server Error", false},
		{"api.5xx=by:eve" + at, 201, "", true},
		{"api.5xx=from:2" + at, 201, "", true},
		{"api.5xx@GET /repos/*/*/labels", 201, "", true},
		{"api.rate-limit" + at, 403, "API rate limit exceeded for user ID ", false},
		{"api.rate-limit=secondary,status:429,wait:60" + at, 429, "You have exceeded a secondary rate limit.", false},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			w := newWorld(t)
			w.inject(tt.fault)
			r := w.ada.undescribed().want(tt.status, "POST", "/repos/acme/app/labels", map[string]any{"name": "odd"})
			if tt.message != "" {
				if got, _ := r.at("message").(string); !strings.HasPrefix(got, tt.message) {
					t.Errorf("message %q", got)
				}
				e := w.lastEntry("request")
				if e.Detail["fault"] == "" || e.Detail["status"] != strconv.Itoa(tt.status) || (e.Kind == journal.Change) != tt.made {
					t.Errorf("journalled as %+v", e)
				}
				w.lastEntry("fault.struck")
			}
			w.admin.ClearFaults()
			made := strings.Contains(string(w.ada.want(200, "GET", "/repos/acme/app/labels?per_page=100", nil).body), `"odd"`)
			if made != tt.made {
				t.Errorf("the label was made: %t", made)
			}
			for _, e := range w.admin.Journal().Entries(0) {
				if e.Type == "internal-error" {
					t.Errorf("the forge is blamed: %+v", e)
				}
			}
		})
	}
}

// TestRateLimitHeaders: a client finds when to come again where GitHub says it.
func TestRateLimitHeaders(t *testing.T) {
	w := newWorld(t)
	w.inject("api.rate-limit=wait:60", "api.rate-limit=secondary,wait:1")
	got := w.ada.undescribed().want(403, "GET", "/repos/acme/app", nil).header
	reset, err := strconv.ParseInt(got.Get("X-RateLimit-Reset"), 10, 64)
	must(t, err)
	if left := time.Until(time.Unix(reset, 0)); got.Get("X-RateLimit-Remaining") != "0" || got.Get("X-RateLimit-Used") != "5000" || left < 50*time.Second || left > 65*time.Second {
		t.Errorf("primary: %v", got)
	}
	if got.Get("Retry-After") != "" {
		t.Error("the primary limit has retry-after")
	}
	got = w.ada.undescribed().want(403, "GET", "/repos/acme/app", nil).header
	if got.Get("Retry-After") != "1" || got.Get("X-RateLimit-Remaining") == "0" {
		t.Errorf("secondary: %v", got)
	}
	w.ada.want(200, "GET", "/repos/acme/app", nil)
	w.inject("api.rate-limit=times:always")
	w.ada.want(200, "GET", "/rate_limit", nil)
	actor{w, ""}.undescribed().want(403, "GET", "/repos/acme/app", nil)
}

// TestCutAnswers: the connection ends, and the change was made or not.
func TestCutAnswers(t *testing.T) {
	for when, made := range map[string]bool{"before": false, "after": true, "body": true} {
		t.Run(when, func(t *testing.T) {
			w := newWorld(t)
			w.inject("api.cut=" + when + "@POST /repos/acme/app/labels")
			req, err := http.NewRequest("POST", w.forge.URL()+"/repos/acme/app/labels", strings.NewReader(`{"name":"odd"}`))
			must(t, err)
			req.Header.Set("Authorization", "Bearer "+w.ada.token)
			res, err := w.tcp.RoundTrip(req)
			if when == "body" {
				must(t, err)
				defer res.Body.Close()
				var part []byte
				if part, err = io.ReadAll(res.Body); len(part) == 0 || res.StatusCode != 201 {
					t.Errorf("%d %q", res.StatusCode, part)
				}
			}
			if err == nil {
				t.Error("the answer is whole")
			}
			if got := strings.Contains(string(w.ada.want(200, "GET", "/repos/acme/app/labels?per_page=100", nil).body), `"odd"`); got != made {
				t.Errorf("the label was made: %t", got)
			}
			w.quiet()
		})
	}
}
