package network_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/network"
)

// refused collects what a door refused.
type refused struct {
	mu   sync.Mutex
	all  []string
	came chan struct{} // gets one for each, where there is one
}

func (r *refused) add(f network.Refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line := f.What
	if f.By != "" {
		line += " (" + f.By + ")"
	}
	r.all = append(r.all, line)
	if r.came != nil {
		r.came <- struct{}{}
	}
}

func (r *refused) list() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.all...)
}

// echo tells what a host saw of a request.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	fmt.Fprintf(w, "%s %s host=%s auth=%s proxy=%s body=%d", r.Method, r.RequestURI, r.Host, r.Header.Get("Authorization"), r.Header.Get("Proxy-Authorization"), len(body))
})

func secureDoor(t *testing.T, r *refused) (*network.Door, *x509.CertPool) {
	t.Helper()
	ca, err := network.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	d, err := network.New(network.Options{Authority: ca, Refused: r.add, Openings: []network.Opening{
		{Host: "api.github.com", Handler: echo, Token: "t0ken"}, {Host: "raw.test", Handler: echo},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM(ca.PEM()) {
		t.Fatalf("no certificate in %s", ca.PEM())
	}
	return d, trusted
}

func ask(t *testing.T, client *http.Client, req *http.Request) (int, string) {
	t.Helper()
	resp, err := client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestHostsSpeakTLSBehindTheProxy(t *testing.T) {
	var r refused
	d, trusted := secureDoor(t, &r)
	proxy, err := url.Parse(strings.Replace(d.URL(), "http://", "http://me:secret@", 1))
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: &tls.Config{RootCAs: trusted}}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: tr}
	for _, tt := range []struct{ url, auth, body, want string }{
		{"https://api.github.com/user?a=b", "", "", "GET /user?a=b host=api.github.com auth=Bearer t0ken proxy= body=0"},
		{"http://API.github.com/user", "", "", "GET /user host=API.github.com auth=Bearer t0ken proxy= body=0"},
		{"https://api.github.com/user", "token mine", "", "GET /user host=api.github.com auth=token mine proxy= body=0"},
		{"https://raw.test/x", "", strings.Repeat("x", 3<<20), "POST /x host=raw.test auth= proxy= body=3145728"},
		{"https://example.com/", "", "", "Forbidden"},
		{"https://api.github.com:8443/", "", "", "Forbidden"},
	} {
		req, err := http.NewRequest("GET", tt.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if tt.body != "" {
			req, _ = http.NewRequest("POST", tt.url, strings.NewReader(tt.body))
		}
		if tt.auth != "" {
			req.Header.Set("Authorization", tt.auth)
		}
		if _, got := ask(t, client, req); !strings.HasSuffix(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.url, got, tt.want)
		}
	}
	want := []string{"CONNECT example.com:443 (Go-http-client)", "CONNECT api.github.com:8443 (Go-http-client)"}
	if diff := cmp.Diff(want, r.list()); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
}

// TestATunnelHoldsOnlyHosts asks, within a tunnel to one host, for another: by name, by certificate, in
// plain text.
func TestATunnelHoldsOnlyHosts(t *testing.T) {
	var r refused
	d, trusted := secureDoor(t, &r)
	tunnel := func() net.Conn {
		c, err := net.Dial("tcp", strings.TrimPrefix(d.URL(), "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		fmt.Fprintf(c, "CONNECT api.github.com:443 HTTP/1.1\r\nHost: api.github.com:443\r\nUser-Agent: curl/8.1\r\n\r\n")
		const yes = "HTTP/1.1 200 Connection established\r\n\r\n"
		got := make([]byte, len(yes))
		if _, err := io.ReadFull(c, got); err != nil || string(got) != yes {
			t.Fatalf("%q, %v", got, err)
		}
		return c
	}
	c := tunnel()
	if err := tls.Client(c, &tls.Config{ServerName: "example.com", RootCAs: trusted}).Handshake(); err == nil || !strings.Contains(err.Error(), "unrecognized name") {
		t.Errorf("a certificate for example.com: %v", err)
	}
	if err := tls.Client(tunnel(), &tls.Config{ServerName: "api.github.com", RootCAs: x509.NewCertPool()}).Handshake(); err == nil {
		t.Error("a client without the authority was content")
	}
	late := tls.Client(tunnel(), &tls.Config{ServerName: "api.github.com", RootCAs: trusted}) // as GnuTLS does
	if err := late.Handshake(); err != nil {
		t.Fatal(err)
	}
	if err := late.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(late); err != nil { // the door hangs up too, after it has said why
		t.Fatal(err)
	}
	in := tls.Client(tunnel(), &tls.Config{ServerName: "api.github.com", RootCAs: trusted})
	fmt.Fprintf(in, "GET / HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n")
	if got, _ := io.ReadAll(in); !strings.Contains(string(got), "no host example.org") {
		t.Errorf("another host within: %s", got)
	}
	plain := tunnel()
	fmt.Fprintf(plain, "GET /plain HTTP/1.1\r\nHost: api.github.com\r\nConnection: close\r\n\r\n")
	if got, _ := io.ReadAll(plain); !strings.Contains(string(got), "GET /plain host=api.github.com auth=Bearer t0ken") {
		t.Errorf("plain HTTP in a tunnel: %s", got)
	}
	want := []string{
		"TLS example.com (curl)", "TLS api.github.com: the client does not accept our certificate (curl)",
		"TLS api.github.com: the client hung up on seeing our certificate (curl)", "GET https://example.org/",
	}
	if diff := cmp.Diff(want, r.list()); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
}

// TestServeDirectly meets the hosts on a listener, as where a namespace leads there.
func TestServeDirectly(t *testing.T) {
	var r refused
	d, trusted := secureDoor(t, &r)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d.Serve(l)
	tr := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trusted},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var dialer net.Dialer
			return dialer.DialContext(ctx, "tcp", l.Addr().String())
		},
	}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: tr}
	for address, want := range map[string]string{
		"https://api.github.com/user": "host=api.github.com auth=Bearer t0ken",
		"http://raw.test/a":           "GET /a host=raw.test auth=",
		"https://example.com/":        "unrecognized name",
		"http://example.com/b?c=d":    "no host example.com",
	} {
		req, err := http.NewRequest("GET", address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, got := ask(t, client, req); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
	for _, want := range []string{"TLS example.com", "GET http://example.com/b (Go-http-client)"} {
		if !strings.Contains(strings.Join(r.list(), "|"), want) {
			t.Errorf("refused %q, want %q in it", r.list(), want)
		}
	}
}
