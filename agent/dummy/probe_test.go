package dummy_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/agent/dummy"
)

func TestProbe(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/refused":
			w.Header().Set(dummy.PolicyHeader, dummy.PolicyRefused)
			w.WriteHeader(http.StatusForbidden)
		case "/busy":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/long":
			fmt.Fprint(w, strings.Repeat("x", 1<<16))
			return
		}
		fmt.Fprintf(w, "%s %s %s", r.Method, r.Header.Get("Authorization"), body)
	}))
	t.Cleanup(s.Close)
	proxy, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	o := dummy.Options{Workspace: t.TempDir(), Proxy: proxy, Env: []string{"KEY=sesame", "EMPTY="}}
	for _, tc := range []struct {
		args   string
		status int
		body   string
		err    string
	}{
		{"GET http://a.test/", 200, "GET  ", ""},
		{`POST http://a.test/ KEY {"model": "echo"}`, 200, `POST Bearer sesame {"model": "echo"}`, ""},
		{"PUT http://a.test/busy KEY", 503, "PUT Bearer sesame ", "answered 503 Service Unavailable: PUT http://a.test/busy"},
		{"GET http://a.test/refused", 0, "", "refused by policy: GET http://a.test/refused"},
		{"GET http://a.test/long", 200, strings.Repeat("x", 4<<10), ""},
		{"GET http://a.test/ GONE", 0, "", "GONE is not set, or empty"},
		{"GET http://a.test/ EMPTY", 0, "", "EMPTY is not set, or empty"},
		{"GET", 0, "", "args \"GET\": it takes `METHOD URL`, `METHOD URL NAME` or `METHOD URL NAME BODY`"},
		{"CONNECT http://a.test/", 0, "", `args "CONNECT http://a.test/": "CONNECT" is no method`},
		{"GET ftp://a.test/", 0, "", `"ftp://a.test/": only http and https are fetched`},
	} {
		r := dummy.Run(t.Context(), dummy.Script{Ops: []dummy.Op{{Description: "d", Op: dummy.HTTPProbe, Args: tc.args}}}, o)
		got := r.Operations[0]
		if got.Status != tc.status || got.Body != tc.body || got.Error != tc.err || got.Success != (tc.err == "") {
			t.Errorf("%s: got %+v, want %+v", tc.args, got, tc)
		}
	}
}
