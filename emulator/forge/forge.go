// Package forge is a code host of the GitHub dialect on the loopback interface: REST, webhook
// events in a journal, and real git over smart HTTP. It is usable alone, like net/http/httptest,
// and holds one world's repositories in a temporary directory.
//
// It delivers webhooks to receivers on this machine: signed, in order, and each pending delivery
// holds back quiet. It does not run workflows: a subscriber reads the journal, runs what it has to,
// and hands runs, jobs, logs and artifacts back through Admin. What the dialect
// here does not speak answers 501 and is journalled as "unknown-route"; nothing is ignored.
//
// # In a test
//
// Start a forge, make an account, give the code under test an address and a token, and look at what
// it did:
//
//	f, err := forge.New(forge.Options{})
//	if err != nil { t.Fatal(err) }
//	defer f.Close(ctx)
//	err = f.Admin().AddUser(forge.User{Login: "ada"})
//	sha, err := f.Admin().Seed("ada/app", "ada", os.DirFS("testdata/app"))
//	token, err := f.Admin().MintToken(forge.TokenSpec{Login: "ada"})
//
//	run(f.APIURL(), token)                           // what GITHUB_API_URL and GITHUB_TOKEN are elsewhere
//	clone("http://x:" + token + "@127.0.0.1:…/ada/app.git") // real git
//
//	err = f.Until(ctx, func(ctx context.Context) error { … }) // tried at each change, decided when nothing goes on
//	for _, e := range f.Admin().Journal().Entries(0) { … }    // what happened, in order, with its cause
//
// Nothing is shared between two forges, so tests may run in parallel, each with its own. Close removes
// everything. The token's user name does not matter to git; a request without a token is anonymous.
package forge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/api"
	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/hook"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/clock"
	"github.com/understudy-dev/understudy/internal/fault"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
	"github.com/understudy-dev/understudy/internal/order"
	"github.com/understudy-dev/understudy/internal/schedule"
)

// Options configures a forge. The zero value works.
type Options struct {
	Ledger  *Ledger          // nil: its own
	Journal *Journal         // nil: its own
	Now     func() time.Time // shown times; rounded up to whole seconds, never decreasing. nil: the wall clock
	Clock   *Clock           // shown times, shared with others; nil: one over Now
	Dir     string           // where repositories and artifacts live; "" is a temporary directory, removed by Close
	Port    int              // of the loopback interface; 0: a free one
	NoPort  bool             // listen nowhere: only Server.Client reaches the forge, and git does not
	// PublicURL is the address that bodies, webhook payloads and the headers Link and Location are
	// made of, whatever host a request names. "" is URL(). https://github.com has its API at
	// https://api.github.com, raw files at https://raw.githubusercontent.com and uploads at https://uploads.github.com, and requests for
	// these hosts find them there; any other scheme://host[:port] has its API at /api/v3. That the
	// address leads to URL() is the affair of who sets it.
	PublicURL string
	From      *Snapshot    // what the forge starts with; the journal must be unused and Dir without repositories. nil: nothing
	Log       *slog.Logger // nil: discarded

	// Faults are in force from the start, see Fault; Admin.Inject adds to them. FaultSeed decides where one
	// has a chance.
	Faults    []Fault
	FaultSeed int64
	// Decider says in which order deliveries to webhooks go on, and with a workflow engine that shares
	// Server.Order those to workflows and the starts of jobs as well. nil takes them as they come.
	Decider *schedule.Decider
	// Unattended says that nobody waits in the ledger: a late delivery comes when nothing else goes on.
	Unattended bool

	// HookDial connects to the receivers of webhooks. nil connects to loopback addresses only: an
	// address elsewhere can be given to a hook, but each delivery to it fails with that reason. With
	// HookDial whoever sets it decides where names lead.
	HookDial    func(ctx context.Context, network, address string) (net.Conn, error)
	HookTimeout time.Duration // of a delivery. 0: 10 s, as at GitHub

	// Keep makes Dir outlive the forge: what an earlier one left there is opened, and a change is answered
	// when it is stored, so that none is lost when the process is killed. Runs that were under way are
	// cancelled then. A power cut may take the last seconds. Only one forge may use Dir at a time, which
	// is the affair of the caller. Secrets are stored in the clear, tokens as digests. Not with From.
	Keep bool
}

// Server is a running forge. Its methods may be called from any goroutine.
type Server struct {
	url   string
	base  wire.Base
	admin *Admin
	api   *api.API
	mux   *http.ServeMux // what others mounted
	hooks *hook.Deliverer
	order *order.Order
	http  *http.Server // nil with NoPort
	temp  string       // directory to remove

	keeper   *keeper // nil without Options.Keep
	reopened bool

	serving sync.WaitGroup
	served  error

	gate    sync.Mutex // orders the end of the forge after the start of requests
	closed  bool
	running sync.WaitGroup
}

// New starts a forge on the loopback interface. The caller closes it. It needs a
// git binary on the PATH.
func New(o Options) (*Server, error) {
	s, err := start(o)
	if err != nil {
		return nil, fmt.Errorf("start forge: %w", err)
	}
	return s, nil
}

func start(o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Ledger == nil {
		o.Ledger = ledger.New()
	}
	if o.Clock == nil {
		o.Clock = clock.New(o.Now)
	}
	now := o.Clock.Now
	if o.Journal == nil {
		o.Journal = journal.New(o.Ledger, now)
	}
	s := &Server{mux: http.NewServeMux()}
	if o.PublicURL != "" {
		var err error
		if s.base, err = wire.ParseBase(o.PublicURL); err != nil {
			return nil, err
		}
	}
	if o.Dir == "" {
		dir, err := os.MkdirTemp("", "understudy-forge-")
		if err != nil {
			return nil, err
		}
		o.Dir, s.temp = dir, dir
	}
	if err := s.assemble(o, now); err != nil {
		return nil, errors.Join(err, s.removeTemp())
	}
	return s, nil
}

func (s *Server) assemble(o Options, now func() time.Time) error {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return err
	}
	for _, d := range []string{"artifacts", "caches", "assets"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return err
		}
	}
	git, err := gitstore.New(dir)
	if err != nil {
		return err
	}
	l, err := s.listen(o)
	if err != nil {
		return err
	}
	if o.PublicURL == "" {
		if s.base, err = wire.ParseBase(s.url); err != nil {
			return errors.Join(err, unlisten(l))
		}
	}
	st, err := s.initial(o, git, dir, state.Options{Base: s.base, Now: now, Clock: o.Clock, Ledger: o.Ledger, Journal: o.Journal, Commit: git.SimpleCommit})
	if err != nil {
		return errors.Join(err, unlisten(l))
	}
	faults := fault.NewSet(fault.Options{Journal: o.Journal, Seed: o.FaultSeed})
	if _, err := faults.Inject(o.Faults...); err != nil {
		return errors.Join(err, unlisten(l))
	}
	s.order = order.New(order.Options{Ledger: o.Ledger, Journal: o.Journal, Decider: o.Decider, Faults: faults, Unattended: o.Unattended})
	s.hooks = hook.New(hook.Options{Book: st, Dial: o.HookDial, Timeout: o.HookTimeout, Log: o.Log})
	st.DeliverTo(s.deliver)
	s.admin = &Admin{server: s, ledger: o.Ledger, journal: o.Journal, state: st, git: git, now: now, clock: o.Clock, dir: dir}
	s.api = api.New(api.Options{
		Base: s.base, Now: now, State: st, Git: git, Ledger: o.Ledger, Journal: o.Journal, Log: o.Log, Faults: faults,
		OpenArtifact: s.admin.OpenArtifact, DropArtifact: s.admin.removeArtifact, DropCache: s.admin.removeCache,
		PutAsset: s.admin.putAsset, DropAsset: s.admin.removeAsset, OpenAsset: s.admin.openAsset,
	})
	if l != nil {
		s.http = &http.Server{
			Handler: s, ReadHeaderTimeout: 10 * time.Second,
			ErrorLog: slog.NewLogLogger(o.Log.With("part", "forge").Handler(), slog.LevelWarn),
		}
		s.serving.Go(func() { s.served = s.http.Serve(l) })
	}
	o.Log.Info("forge started", "part", "forge", "url", s.url)
	return nil
}

// listen sets the forge's address, and listens there if there is to be a port.
func (s *Server) listen(o Options) (net.Listener, error) {
	if o.NoPort {
		if o.Port != 0 {
			return nil, fmt.Errorf("port %d and no port: choose one", o.Port)
		}
		s.url = noPortURL
		return nil, nil
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port)))
	if err != nil {
		return nil, err
	}
	s.url = "http://" + l.Addr().String()
	return l, nil
}

func unlisten(l net.Listener) error {
	if l == nil {
		return nil
	}
	return l.Close()
}

// initial is the state that a forge starts with.
func (s *Server) initial(o Options, git *gitstore.Store, dir string, so state.Options) (st *state.State, err error) {
	switch {
	case o.Keep && (o.From != nil || s.temp != ""):
		return nil, errors.New("a directory that is kept needs a name, and starts from what is in it")
	case o.Keep:
		st, s.keeper, err = s.keep(dir, git, so)
		return st, err
	case o.From == nil:
		return state.New(so), nil
	}
	if err := so.Journal.Restore(o.From.entries); err != nil {
		return nil, err
	}
	if st, err = state.FromImage(so, o.From.image); err != nil {
		return nil, err
	}
	return st, o.From.adopt(git, dir)
}

// Reopened reports whether the forge found in its directory what an earlier one kept there.
func (s *Server) Reopened() bool { return s.reopened }

// URL returns scheme and authority of the loopback address, without a slash at the end: git
// repositories are at URL()/owner/name, the API at URL()/api/v3 and at URL() itself.
func (s *Server) URL() string { return s.url }

// PublicURL returns the address that bodies are made of: Options.PublicURL, or URL().
func (s *Server) PublicURL() string { return s.base.String() }

// APIURL returns the root of the REST API as bodies name it: https://api.github.com for
// https://github.com, else PublicURL()/api/v3. It can be reached only where the public address can.
func (s *Server) APIURL() string { return s.base.API("") }

// Admin returns the door for whoever set the forge up.
func (s *Server) Admin() *Admin { return s.admin }

// Handle mounts a foreign service under the forge's URL. The pattern is one of http.ServeMux; what
// it matches does not reach the forge. A request to it holds an obligation; an answer of 501 or of
// another 5xx is journalled as the forge's own would be. Call it before the first request.
func (s *Server) Handle(pattern string, h http.Handler) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		subject := r.Method + " " + r.URL.EscapedPath()
		ob := s.admin.ledger.Open("request " + subject)
		defer ob.Close()
		noted := &noted{ResponseWriter: w}
		h.ServeHTTP(noted, r)
		switch {
		case noted.status == http.StatusNotImplemented:
			s.note("unknown-route", subject, noted.status, "")
		case noted.status >= http.StatusInternalServerError:
			s.note("internal-error", subject, noted.status, "")
		}
	})
}

// noted knows the status of an answer.
type noted struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (n *noted) WriteHeader(status int) {
	n.status = status
	n.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the writer below.
func (n *noted) Unwrap() http.ResponseWriter { return n.ResponseWriter }

func (s *Server) note(kind, subject string, status int, message string) {
	detail := map[string]string{"status": strconv.Itoa(status)}
	if message != "" {
		detail["message"] = message
	}
	s.admin.journal.Append(journal.Entry{Kind: journal.Read, Type: kind, Subject: subject, Detail: detail})
}

// recovered journals a panic of a handler: the connection is lost, but not the reason.
func (s *Server) recovered(r *http.Request) {
	why := recover()
	if why == nil {
		return
	}
	if why != http.ErrAbortHandler {
		s.note("internal-error", r.Method+" "+r.URL.EscapedPath(), http.StatusInternalServerError, fmt.Sprint("panic: ", why))
	}
	panic(why)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		http.Error(w, "forge is closed", http.StatusServiceUnavailable)
		return
	}
	defer s.running.Done()
	defer s.recovered(r)
	if s.keeper != nil {
		s.serveKept(w, r)
		return
	}
	s.route(w, r)
}

func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	if h, pattern := s.mux.Handler(r); pattern != "" {
		h.ServeHTTP(w, r)
		return
	}
	s.api.ServeHTTP(w, r)
}

func (s *Server) enter() bool {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.closed {
		return false
	}
	s.running.Add(1)
	return true
}

// Close breaks off webhook deliveries, lets running requests end until ctx ends, then cuts them off,
// and removes the temporary directory. When it returns no goroutine and no process of the forge is
// left. A second call does nothing more.
func (s *Server) Close(ctx context.Context) error {
	s.order.Close()
	s.hooks.Close()
	s.api.Release()
	var err error
	if s.http != nil {
		if err = s.http.Shutdown(ctx); err != nil {
			err = errors.Join(err, s.http.Close())
		}
	}
	s.gate.Lock()
	first := !s.closed
	s.closed = true
	s.gate.Unlock()
	s.running.Wait()
	s.serving.Wait()
	if s.http != nil && !errors.Is(s.served, http.ErrServerClosed) {
		err = errors.Join(err, s.served)
	}
	if s.keeper != nil && first {
		err = errors.Join(err, s.keeper.close())
	}
	if err = errors.Join(err, s.removeTemp()); err != nil {
		return fmt.Errorf("close forge: %w", err)
	}
	return nil
}

func (s *Server) removeTemp() error {
	if s.temp == "" {
		return nil
	}
	return os.RemoveAll(s.temp)
}
