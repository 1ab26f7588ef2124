// Package network is the one door out of a lease: an HTTP proxy that answers for the hosts it was
// given and refuses everything else, by name, in the journal.
//
//	d, err := network.New(network.Options{Openings: []network.Opening{{Host: "allowed.test", Status: 200, Body: "ok"}}})
//	defer d.Close(ctx)
//	env = append(env, "HTTP_PROXY="+d.URL())
//
// It speaks plain HTTP only; a CONNECT is refused, because nothing behind this door has TLS yet.
package network

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
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
}

// Options says what is behind the door. Journal and Ledger may be nil.
type Options struct {
	Openings []Opening
	Journal  *journal.Journal
	Ledger   *ledger.Ledger
	Log      *slog.Logger
}

// Door is a running proxy. It is safe for concurrent use.
type Door struct {
	o     Options
	hosts map[string]Opening
	srv   *http.Server
	ln    net.Listener
	done  sync.WaitGroup
}

const maxBody = 1 << 20

// New starts a door on a loopback port.
func New(o Options) (*Door, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	hosts := map[string]Opening{}
	for _, op := range o.Openings {
		name := strings.ToLower(op.Host)
		if name == "" || strings.ContainsAny(name, ":/ ") {
			return nil, fmt.Errorf("open door: %q is not a host name", op.Host)
		}
		if _, twice := hosts[name]; twice {
			return nil, fmt.Errorf("open door: host %q is given twice", op.Host)
		}
		if op.Status == 0 {
			op.Status = http.StatusOK
		}
		if op.Status < 200 || op.Status > 599 {
			return nil, fmt.Errorf("open door: host %s answers %d; a status is 200 to 599", op.Host, op.Status)
		}
		hosts[name] = op
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open door: %w", err)
	}
	d := &Door{o: o, hosts: hosts, ln: ln}
	d.srv = &http.Server{
		Handler: http.HandlerFunc(d.serve), ReadHeaderTimeout: 10 * time.Second,
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn),
	}
	d.done.Go(func() {
		if err := d.srv.Serve(ln); err != http.ErrServerClosed {
			o.Log.Error("door stopped", "err", err)
		}
	})
	return d, nil
}

// URL is what HTTP_PROXY should be set to.
func (d *Door) URL() string { return "http://" + d.ln.Addr().String() }

// Close stops the door; requests that are under way may finish until ctx ends.
func (d *Door) Close(ctx context.Context) error {
	err := d.srv.Shutdown(ctx)
	if err != nil {
		err = d.srv.Close()
	}
	d.done.Wait()
	return err
}

func (d *Door) serve(w http.ResponseWriter, r *http.Request) {
	if d.o.Ledger != nil {
		ob := d.o.Ledger.Open("door request " + r.Host)
		defer ob.Close()
	}
	if _, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
		d.refuse(w, r, http.StatusRequestEntityTooLarge, "the body is larger than 1 MiB")
		return
	}
	switch {
	case r.Method == http.MethodConnect:
		d.refuse(w, r, http.StatusForbidden, "CONNECT to "+r.Host+" is refused: nothing behind this door speaks TLS")
	case !r.URL.IsAbs():
		d.refuse(w, r, http.StatusBadRequest, "this is a proxy: ask with an absolute URL")
	default:
		op, ok := d.hosts[strings.ToLower(r.URL.Hostname())]
		if !ok {
			d.refuse(w, r, http.StatusForbidden, "no host "+r.URL.Hostname()+" behind this door")
			return
		}
		d.record(r, "answered", op.Status)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(op.Status)
		fmt.Fprintln(w, op.Body)
	}
}

func (d *Door) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	d.record(r, "refused", status)
	http.Error(w, "understudy: "+why, status)
}

// record keeps the URL without user and query: both may carry secrets.
func (d *Door) record(r *http.Request, decision string, status int) {
	if d.o.Journal == nil {
		return
	}
	subject := r.Method + " " + r.Host
	if r.URL.IsAbs() {
		subject = r.Method + " " + r.URL.Scheme + "://" + r.URL.Host + r.URL.EscapedPath()
	}
	d.o.Journal.Append(journal.Entry{
		Kind: journal.Change, Type: "door.request", Subject: subject,
		Detail: map[string]string{"decision": decision, "status": strconv.Itoa(status), "host": r.URL.Hostname()},
	})
}
