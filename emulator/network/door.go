// Package network is the one door out of a place: it answers for the hosts it was given and refuses
// everything else, by name, in the journal.
//
//	d, err := network.New(network.Options{Openings: []network.Opening{{Host: "allowed.test", Status: 200, Body: "ok"}}})
//	defer d.Close(ctx)
//	env = append(env, "HTTP_PROXY="+d.URL())
//
// With an Authority the hosts answer over TLS too, and a program that trusts it sees them under their
// own names:
//
//	ca, err := network.NewAuthority()
//	d, err := network.New(network.Options{Authority: ca, Openings: []network.Opening{{Host: "api.github.com", Handler: f}}})
//	env = append(env, "HTTPS_PROXY="+d.URL(), "SSL_CERT_FILE="+fileWith(ca.PEM()))
//
// A door is met as an HTTP proxy, or, where a network namespace leads every name to it, directly:
// see Serve, AnswerNames and Watch.
package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
)

// Opening is a host that answers behind the door.
type Opening struct {
	Host   string // "allowed.test", without port
	Status int    // 0 is 200
	Body   string
	// Handler answers in place of Status and Body. Its requests are in its own journal, not in the door's.
	Handler http.Handler
	// Token is the credential that requests without any are given on their way to Handler.
	Token string
}

// Options says what is behind the door. The zero value refuses everything.
type Options struct {
	Openings  []Opening
	Authority *Authority    // nil: hosts do not speak TLS, and CONNECT is refused
	Refused   func(Refusal) // told each refused attempt, one at a time; may be nil
	Journal   *journal.Journal
	Ledger    *ledger.Ledger
	Log       *slog.Logger
}

// Door is a running door. It is safe for concurrent use.
type Door struct {
	o       Options
	hosts   map[string]Opening
	proxy   *http.Server // of the proxy's port
	host    *http.Server // of the hosts themselves
	ln      net.Listener
	tunnels *tunnels
	done    sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	closers []io.Closer // what Serve, AnswerNames and Watch were given

	telling sync.Mutex // one refusal at a time
}

const maxBody = 1 << 20

// New starts a door on a loopback port.
func New(o Options) (*Door, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d := &Door{o: o, hosts: map[string]Opening{}}
	for _, op := range o.Openings {
		if err := d.open(op); err != nil {
			return nil, fmt.Errorf("open door: %w", err)
		}
	}
	var err error
	if d.ln, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("open door: %w", err)
	}
	d.tunnels = newTunnels(d.ln.Addr())
	d.proxy, d.host = d.server(d.serveProxy), d.server(d.serveHost)
	d.host.ConnContext = func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, spokenKey{}, c) }
	d.run(d.proxy, d.ln)
	d.run(d.host, d.tunnels)
	return d, nil
}

func (d *Door) open(op Opening) error {
	name := strings.ToLower(op.Host)
	if name == "" || strings.ContainsAny(name, ":/ ") {
		return fmt.Errorf("%q is not a host name", op.Host)
	}
	if _, twice := d.hosts[name]; twice {
		return fmt.Errorf("host %q is given twice", op.Host)
	}
	if op.Status == 0 {
		op.Status = http.StatusOK
	}
	if op.Status < 200 || op.Status > 599 {
		return fmt.Errorf("host %s answers %d; a status is 200 to 599", op.Host, op.Status)
	}
	d.hosts[name] = op
	return nil
}

func (d *Door) server(h http.HandlerFunc) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second,
		ErrorLog: slog.NewLogLogger(d.o.Log.Handler(), slog.LevelWarn),
	}
}

func (d *Door) run(srv *http.Server, l net.Listener) {
	d.done.Go(func() {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			d.o.Log.Error("door stopped", "err", err)
		}
	})
}

// URL is what HTTP_PROXY and HTTPS_PROXY should be set to.
func (d *Door) URL() string { return "http://" + d.ln.Addr().String() }

// Close stops the door; requests that are under way may finish until ctx ends.
func (d *Door) Close(ctx context.Context) error {
	d.mu.Lock()
	d.closed = true
	closers := d.closers
	d.mu.Unlock()
	var errs []error
	for _, c := range closers {
		if err := c.Close(); !errors.Is(err, net.ErrClosed) && !errors.Is(err, os.ErrClosed) {
			errs = append(errs, err)
		}
	}
	for _, srv := range []*http.Server{d.proxy, d.host} {
		if err := srv.Shutdown(ctx); err != nil {
			errs = append(errs, srv.Close())
		}
	}
	d.done.Wait()
	return errors.Join(errs...)
}

// serveProxy answers on the proxy's own port.
func (d *Door) serveProxy(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect:
		d.connect(w, r)
	case !r.URL.IsAbs():
		d.refuse(w, r, http.StatusBadRequest, "this is a proxy: ask with an absolute URL")
	default:
		d.answer(w, r, r.URL.Hostname())
	}
}

// spokenKey finds the connection of a request to a host.
type spokenKey struct{}

// serveHost answers on a connection that a client believes to be one to the host.
func (d *Door) serveHost(w http.ResponseWriter, r *http.Request) {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	r.URL.Scheme, r.URL.Host = "http", r.Host
	if c, ok := r.Context().Value(spokenKey{}).(*spoken); ok && c.secure() {
		r.URL.Scheme = "https"
	}
	d.answer(w, r, host)
}

// answer lets a host answer. The request's URL is absolute.
func (d *Door) answer(w http.ResponseWriter, r *http.Request, host string) {
	op, ok := d.hosts[strings.ToLower(host)]
	switch {
	case !ok:
		d.refuse(w, r, http.StatusForbidden, "no host "+host+" behind this door")
	case op.Handler != nil:
		d.pass(w, r, op)
	default:
		d.canned(w, r, op)
	}
}

// pass hands a request to an opening's handler as the host itself would see it.
func (d *Door) pass(w http.ResponseWriter, r *http.Request, op Opening) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.URL.User = "", "", nil
	r.RequestURI = r.URL.RequestURI()
	r.Header.Del("Proxy-Authorization")
	r.Header.Del("Proxy-Connection")
	if op.Token != "" && r.Header.Get("Authorization") == "" {
		r.Header.Set("Authorization", "Bearer "+op.Token)
	}
	op.Handler.ServeHTTP(w, r)
}

func (d *Door) canned(w http.ResponseWriter, r *http.Request, op Opening) {
	if d.o.Ledger != nil {
		ob := d.o.Ledger.Open("door request " + r.Host)
		defer ob.Close()
	}
	if _, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
		d.refuse(w, r, http.StatusRequestEntityTooLarge, "the body is larger than 1 MiB")
		return
	}
	d.record(subject(r), r.URL.Hostname(), "answered", op.Status)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(op.Status)
	fmt.Fprintln(w, op.Body)
}
