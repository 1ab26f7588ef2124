package policy_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"example.com/crew/internal/policy"
)

func start(t *testing.T, o policy.Options) (*policy.Proxy, *http.Client) {
	t.Helper()
	p, err := policy.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return p, through(t, p.URL())
}

func through(t *testing.T, proxy string) *http.Client {
	t.Helper()
	u, err := url.Parse(proxy)
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{Proxy: http.ProxyURL(u), DisableKeepAlives: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// get returns the status, the policy header and the body.
func get(t *testing.T, c *http.Client, target string) (int, string, string) {
	t.Helper()
	res, err := c.Get(target)
	if err != nil {
		t.Fatalf("get %s: %v", target, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header.Get(policy.Header), string(body)
}

func want(t *testing.T, p *policy.Proxy, decisions ...policy.Decision) {
	t.Helper()
	if got := p.Record().Decisions; !slices.Equal(got, decisions) {
		t.Errorf("decisions\n%+v\nwant\n%+v", got, decisions)
	}
}

func TestDirect(t *testing.T) {
	var seen []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Host+r.URL.String()+r.Header.Get("X-Forwarded-For"))
		w.Header().Set(policy.Header, policy.Refused) // a host cannot speak for the policy
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, "hello")
	}))
	defer s.Close()
	host := strings.TrimPrefix(s.URL, "http://")
	p, c := start(t, policy.Options{Hosts: []string{host, "gone.invalid"}})

	if status, header, body := get(t, c, s.URL+"/a?b=c"); status != http.StatusTeapot || header != "" || body != "hello" {
		t.Errorf("allowed: %d %q %q", status, header, body)
	}
	if status, header, body := get(t, c, "http://blocked.test/x"); status != 403 || header != "refused" || body != "host blocked.test is not allowed\n" {
		t.Errorf("refused: %d %q %q", status, header, body)
	}
	if status, header, _ := get(t, c, "http://gone.invalid/"); status != 502 || header != "" {
		t.Errorf("unreachable: %d %q", status, header)
	}
	if len(seen) != 1 || seen[0] != host+"/a?b=c" {
		t.Errorf("the host saw %q", seen)
	}
	want(t, p,
		policy.Decision{Host: "127.0.0.1", URL: s.URL + "/a?b=c", Decision: "allowed", Status: 418},
		policy.Decision{Host: "blocked.test", URL: "http://blocked.test/x", Decision: "refused", Status: 403},
		policy.Decision{Host: "gone.invalid", URL: "http://gone.invalid/", Decision: "allowed", Status: 502},
	)
}

// A name such as allowed.test exists only behind the job's own proxy.
func TestThroughTheJobsProxy(t *testing.T) {
	var seen []string
	door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.URL.String())
		fmt.Fprint(w, "behind the door")
	}))
	defer door.Close()
	u, err := url.Parse(door.URL)
	if err != nil {
		t.Fatal(err)
	}
	p, c := start(t, policy.Options{Hosts: []string{"allowed.test"}, HTTP: u})
	if status, _, body := get(t, c, "http://Allowed.test/ok"); status != 200 || body != "behind the door" {
		t.Errorf("allowed: %d %q", status, body)
	}
	for _, other := range []string{"http://blocked.test/", "http://allowed.test.evil.test/", "http://allowed.test:8080/", "http://allowed.test@blocked.test/"} {
		if status, header, _ := get(t, c, other); status != 403 || header != "refused" {
			t.Errorf("%s: %d %q", other, status, header)
		}
	}
	if !slices.Equal(seen, []string{"http://Allowed.test/ok"}) {
		t.Errorf("the door saw %q", seen)
	}
	if d := p.Record().Decisions; len(d) != 5 || d[4].URL != "http://blocked.test/" {
		t.Errorf("decisions %+v", d)
	}
}

func TestTunnel(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "sealed") }))
	defer s.Close()
	host := strings.TrimPrefix(s.URL, "https://")
	direct, _ := start(t, policy.Options{Hosts: []string{host}})
	u, err := url.Parse(direct.URL())
	if err != nil {
		t.Fatal(err)
	}
	// The second proxy leaves through the first.
	chained, _ := start(t, policy.Options{Hosts: []string{host, "other.test"}, HTTPS: u})
	for _, p := range []*policy.Proxy{direct, chained} {
		c := through(t, p.URL())
		c.Transport.(*http.Transport).TLSClientConfig = s.Client().Transport.(*http.Transport).TLSClientConfig
		if status, _, body := get(t, c, s.URL+"/"); status != 200 || body != "sealed" {
			t.Errorf("%d %q", status, body)
		}
		if _, err := c.Get("https://blocked.test/"); err == nil || !strings.Contains(err.Error(), "Forbidden") {
			t.Errorf("blocked: %v", err)
		}
	}
	if _, err := through(t, chained.URL()).Get("https://other.test/"); err == nil || !strings.Contains(err.Error(), "Bad Gateway") {
		t.Errorf("refused by the upstream: %v", err)
	}
	// Its own request, the chained one, and what only the chained proxy allows.
	if d := direct.Record().Decisions; len(d) != 4 || d[2].URL != s.URL || d[3].URL != "https://other.test" || d[3].Decision != "refused" {
		t.Errorf("the first proxy decided %+v", d)
	}
	want(t, chained,
		policy.Decision{Host: "127.0.0.1", URL: s.URL, Decision: "allowed", Status: 200},
		policy.Decision{Host: "blocked.test", URL: "https://blocked.test", Decision: "refused", Status: 403},
		policy.Decision{Host: "other.test", URL: "https://other.test", Decision: "allowed", Status: 502},
	)
}

func TestCloseCutsTunnels(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p, err := policy.Start(policy.Options{Hosts: []string{l.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: x\r\n\r\n", l.Addr())
	in := bufio.NewReader(conn)
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Fatalf("%q, %v", line, err)
	}
	if err := p.Close(); err != nil { // returns only when the tunnel is gone
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, in); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("after close: %v", err)
	}
}

func TestCredentialsAreNotRecorded(t *testing.T) {
	p, _ := start(t, policy.Options{})
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET http://me:s3cret@blocked.test/ HTTP/1.0\r\n\r\n")
	if _, err := io.Copy(io.Discard, conn); err != nil {
		t.Fatal(err)
	}
	want(t, p, policy.Decision{Host: "blocked.test", URL: "http://blocked.test/", Decision: "refused", Status: 403})
}

func TestNotAProxyRequest(t *testing.T) {
	p, _ := start(t, policy.Options{})
	res, err := http.Get(p.URL() + "/")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != 400 {
		t.Errorf("status %d", res.StatusCode)
	}
	want(t, p)
}
