package network_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/understudy-dev/understudy/emulator/network"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestDoorAnswersForItsHostsOnly(t *testing.T) {
	l := ledger.New()
	j := journal.New(l, time.Now)
	d, err := network.New(network.Options{
		Openings: []network.Opening{{Host: "Allowed.test", Body: "hello"}, {Host: "teapot.test", Status: 418}},
		Journal:  j, Ledger: l,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close(context.Background())
	proxy, err := url.Parse(d.URL())
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{Proxy: http.ProxyURL(proxy)}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: tr}

	for _, tt := range []struct {
		url, body string
		status    int
	}{
		{"http://allowed.test/x?secret=1", "hello", 200},
		{"http://teapot.test/", "", 418},
		{"http://blocked.test/", "no host blocked.test", 403},
	} {
		resp, err := client.Get(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != tt.status || !strings.Contains(string(body), tt.body) {
			t.Errorf("GET %s: got %d %q, want %d and %q", tt.url, resp.StatusCode, body, tt.status, tt.body)
		}
	}
	if _, err := client.Get("https://allowed.test/"); err == nil {
		t.Error("CONNECT was let through")
	}
	var got []string
	for _, e := range j.Entries(0) {
		got = append(got, e.Subject+" "+e.Detail["decision"])
	}
	want := "GET http://allowed.test/x answered|GET http://teapot.test/ answered|GET http://blocked.test/ refused|CONNECT allowed.test:443 refused"
	if strings.Join(got, "|") != want {
		t.Errorf("journal:\n got %s\nwant %s", strings.Join(got, "|"), want)
	}
}

func TestDoorRefusesBadOpenings(t *testing.T) {
	for _, hosts := range [][]network.Opening{{{Host: ""}}, {{Host: "a:80"}}, {{Host: "a.test"}, {Host: "A.test"}}} {
		if d, err := network.New(network.Options{Openings: hosts}); err == nil {
			d.Close(context.Background())
			t.Errorf("%v was accepted", hosts)
		}
	}
}
