// Package policy is the agent's egress policy: a forward proxy on loopback that lets requests to
// allowed hosts through, refuses the rest, and records what it decided.
//
// It is a policy for programs that use their proxy, not a wall: nothing keeps an agent from opening
// a connection of its own.
package policy

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/crew/internal/defect"
)

// Header tells a refused client that it was the policy that refused: its value is then "refused",
// the status 403.
const Header = "X-Policy-Decision"

// The two decisions.
const (
	Allowed = "allowed"
	Refused = "refused"
)

// Options configure a proxy. An entry of Hosts is "host", which means its ports 80 and 443, or
// "host:port". HTTP and HTTPS are the proxies that allowed requests leave through; nil is direct.
type Options struct {
	Hosts []string
	HTTP  *url.URL
	HTTPS *url.URL

	Defect defect.Name
}

// Record is what a proxy decided, in the order the requests came in.
type Record struct {
	Decisions []Decision `json:"decisions"`
}

// Decision is about one request. Status is what the client was answered: 200 for a tunnel, 502 when
// the host could not be reached, 0 when the proxy was closed before there was an answer.
type Decision struct {
	Host     string `json:"host"`
	URL      string `json:"url"`
	Decision string `json:"decision"`
	Status   int    `json:"status"`
}

// Proxy is a running proxy.
type Proxy struct {
	o       Options
	server  *http.Server
	address string
	forward *httputil.ReverseProxy
	ctx     context.Context
	end     context.CancelFunc
	running sync.WaitGroup

	mu        sync.Mutex
	closed    bool
	decisions []Decision
}

// Start listens on a free loopback port. The caller closes the proxy.
func Start(o Options) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{o: o, address: l.Addr().String()}
	p.ctx, p.end = context.WithCancel(context.Background())
	quiet := log.New(io.Discard, "", 0)
	p.forward = &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.Out.Host = r.In.Host },
		Transport: &http.Transport{Proxy: p.upstream, DisableCompression: true, DisableKeepAlives: true},
		ModifyResponse: func(res *http.Response) error {
			res.Header.Del(Header) // only the policy says what the policy decided
			if o.Defect == defect.ProxyHidesFailures {
				res.StatusCode = http.StatusOK
			}
			p.answered(res.Request.Context(), res.StatusCode)
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			p.answered(r.Context(), http.StatusBadGateway)
			http.Error(w, "the host did not answer: "+err.Error(), http.StatusBadGateway)
		},
		ErrorLog: quiet,
	}
	p.server = &http.Server{
		Handler: http.HandlerFunc(p.serve), ErrorLog: quiet, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return p.ctx },
	}
	p.running.Go(func() { _ = p.server.Serve(l) }) // ends with ErrServerClosed
	return p, nil
}

// URL is what programs take as their HTTP_PROXY.
func (p *Proxy) URL() string { return "http://" + p.address }

// Close cuts everything that is still open and returns when nothing runs any more.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.end()
	err := p.server.Close()
	p.running.Wait()
	return err
}

// Record returns what was decided so far.
func (p *Proxy) Record() Record {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Record{Decisions: append([]Decision{}, p.decisions...)}
}

func (p *Proxy) upstream(r *http.Request) (*url.URL, error) {
	if r.URL.Scheme == "https" {
		return p.o.HTTPS, nil
	}
	return p.o.HTTP, nil
}

type decisionKey struct{}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	target := *r.URL
	if r.Method == http.MethodConnect {
		target = url.URL{Scheme: "https", Host: strings.TrimSuffix(r.Host, ":443")}
	}
	if target.Host == "" || r.Method != http.MethodConnect && target.Scheme != "http" {
		http.Error(w, "this is a proxy: send it an absolute http URL, or CONNECT", http.StatusBadRequest)
		return
	}
	target.User = nil
	d := Decision{Host: strings.ToLower(target.Hostname()), URL: target.String(), Decision: Refused, Status: http.StatusForbidden}
	if p.allows(target) {
		d.Decision, d.Status = Allowed, 0
	}
	index, ok := p.begin(d)
	if !ok {
		return // closing; the connection is being cut
	}
	defer p.running.Done()
	if d.Decision == Refused {
		w.Header().Set(Header, Refused)
		http.Error(w, "host "+d.Host+" is not allowed", http.StatusForbidden)
		return
	}
	r = r.WithContext(context.WithValue(r.Context(), decisionKey{}, index))
	if r.Method == http.MethodConnect {
		p.tunnel(w, r)
		return
	}
	p.forward.ServeHTTP(w, r)
}

// begin records d and makes Close wait for its request.
func (p *Proxy) begin(d Decision) (index int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return 0, false
	}
	p.running.Add(1)
	p.decisions = append(p.decisions, d)
	return len(p.decisions) - 1, true
}

func (p *Proxy) allows(u url.URL) bool {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	switch p.o.Defect {
	case defect.EgressUnrestricted:
		return true
	case defect.EgressSuffixMatch:
		return slices.ContainsFunc(p.o.Hosts, func(h string) bool { return strings.HasSuffix(u.Host, h) })
	}
	plain := port == "" || port == "80" && u.Scheme == "http" || port == "443" && u.Scheme == "https"
	return plain && slices.Contains(p.o.Hosts, host) ||
		port != "" && slices.Contains(p.o.Hosts, net.JoinHostPort(host, port))
}

func (p *Proxy) answered(ctx context.Context, status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if index, ok := ctx.Value(decisionKey{}).(int); ok {
		p.decisions[index].Status = status
	}
}

// tunnel connects the client with the host and copies until either side ends.
func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	remote, err := p.dial(r.Context(), r.Host)
	if err != nil {
		p.answered(r.Context(), http.StatusBadGateway)
		http.Error(w, "the host did not answer: "+err.Error(), http.StatusBadGateway)
		return
	}
	defer remote.Close()
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		p.answered(r.Context(), http.StatusInternalServerError)
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer client.Close()
	p.answered(r.Context(), http.StatusOK)
	// The server forgets hijacked connections: Close reaches this one through the context.
	stop := context.AfterFunc(p.ctx, func() { client.Close(); remote.Close() })
	defer stop()
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	var up sync.WaitGroup
	up.Go(func() {
		_, _ = io.Copy(remote, buffered)
		if half, ok := remote.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite() // the answer may still be on its way
		}
	})
	_, _ = io.Copy(client, remote)
	client.Close()
	up.Wait()
}

func (p *Proxy) dial(ctx context.Context, target string) (net.Conn, error) {
	var d net.Dialer
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if p.o.HTTPS == nil {
		return d.DialContext(ctx, "tcp", target)
	}
	conn, err := d.DialContext(ctx, "tcp", p.o.HTTPS.Host)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if err := connect(conn, target); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// connect asks the proxy at the other end of conn for a tunnel. It reads the answer byte by byte:
// what follows the head belongs to the tunnel.
func connect(conn net.Conn, target string) error {
	if _, err := io.WriteString(conn, "CONNECT "+target+" HTTP/1.1\r\nHost: "+target+"\r\n\r\n"); err != nil {
		return err
	}
	var head []byte
	one := make([]byte, 1)
	for !strings.HasSuffix(string(head), "\r\n\r\n") {
		if len(head) > 16<<10 {
			return errors.New("the upstream proxy's answer has no end")
		}
		if _, err := io.ReadFull(conn, one); err != nil {
			return err
		}
		head = append(head, one[0])
	}
	status, _, _ := strings.Cut(string(head), "\r\n")
	if fields := strings.Fields(status); len(fields) < 2 || fields[1] != "200" {
		return errors.New("the upstream proxy answered: " + status)
	}
	return nil
}
