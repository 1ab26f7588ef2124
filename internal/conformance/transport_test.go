package conformance_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// told keeps what a transport reports.
type told []string

func (r *told) Helper() {}

func (r *told) Errorf(format string, args ...any) { *r = append(*r, fmt.Sprintf(format, args...)) }

// always answers every request alike.
type always struct {
	status     int
	kind, body string
}

func (a always) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r.Body.Close()
	}
	h := http.Header{"Content-Type": {a.kind}}
	return &http.Response{StatusCode: a.status, Header: h, Body: io.NopCloser(strings.NewReader(a.body)), Request: r}, nil
}

// TestTransport: what goes through is looked at on both ways, and reaches the client whole.
func TestTransport(t *testing.T) {
	c := newChecker(t)
	const kind = "application/json; charset=utf-8"
	for name, x := range map[string]struct {
		method, url, sent string
		answer            always
		want              string // in the only report; "" is none
	}{
		"as described":      {"GET", "http://h/api/v3" + labels, "", always{200, kind, "[" + label + "]"}, ""},
		"an invented field": {"GET", "http://h/api/v3" + labels, "", always{401, kind, `{"message": "x", "hint": "y"}`}, "/hint"},
		"a query":           {"GET", "http://h/api/v3" + labels + "?sort=name", "", always{200, kind, "[]"}, "query /sort"},
		"what was sent":     {"POST", "http://h/api/v3" + labels, `{"name": 1}`, always{201, kind, label}, "body /name"},
		"below no prefix":   {"GET", "http://api.github.com" + labels, "", always{204, "", ""}, "the status is not declared"},
		"the forge's own":   {"GET", "http://h/api/v3/nowhere", "", always{501, kind, `{"hint": "x"}`}, ""},
		"a head":            {"HEAD", "http://h/api/v3/repos/acme/app", "", always{200, kind, ""}, ""},
		"a raw file":        {"GET", "http://h/raw/acme/app/main/f", "", always{200, kind, "{}"}, ""},
		"git":               {"GET", "http://h/acme/app.git/info/refs", "", always{200, "text/plain", ""}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var sent io.Reader
			if x.sent != "" {
				sent = strings.NewReader(x.sent)
			}
			req, err := http.NewRequestWithContext(t.Context(), x.method, x.url, sent)
			if err != nil {
				t.Fatal(err)
			}
			var got told
			res, err := c.Transport(&got, x.answer).RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if body, err := io.ReadAll(res.Body); err != nil || string(body) != x.answer.body {
				t.Errorf("the client got %q, %v", body, err)
			}
			if x.want == "" && len(got) > 0 || x.want != "" && (len(got) != 1 || !strings.Contains(got[0], x.want)) {
				t.Errorf("told %q, want %q", got, x.want)
			}
		})
	}
}
