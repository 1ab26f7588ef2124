// Package tracker is an issue tracker of the Jira Cloud dialect on the loopback interface: issues with
// labels, comments, changelog and entity properties, searches, project roles backed by groups, accounts
// with tokens. It is usable alone, like net/http/httptest, and holds one world's issues in memory.
//
//	t, err := tracker.New(tracker.Options{})
//	if err != nil { … }
//	defer t.Close(ctx)
//	err = t.Admin().AddAccount(tracker.Account{ID: "ada", Email: "ada@example.test", Admin: true})
//	token, err := t.Admin().MintToken(tracker.TokenSpec{Account: "ada"})
//	run(t.URL(), "ada@example.test", token) // basic authentication, or the token as a bearer
//
// Versions 2 and 3 of the REST API differ as they do at Atlassian: 2 has plain text where 3 has documents.
// What the dialect here does not speak (a route, a query parameter, a JQL clause) answers 501 with what it
// is, and is journalled as "unknown-route"; nothing is ignored.
//
// Each request is an obligation in the ledger until it is answered, unless an observer's token reads. Each change is an
// entry of the journal under the name that Jira's webhooks give it, with the cause of its token.
//
// Permissions are those of Jira's default scheme: who has an account may see, make, edit and comment on the issues of every project that is
// not private. A private project's issues are there for the accounts and groups of its roles only; to everybody else
// they do not exist. Projects, roles, groups and accounts are an administrator's.
package tracker

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/understudy-dev/understudy/internal/clock"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
)

// Ledger knows what is still going on.
type Ledger = ledger.Ledger

// Journal holds what happened.
type Journal = journal.Journal

// Clock gives the times that are shown.
type Clock = clock.Clock

// Options configures a tracker. The zero value works.
type Options struct {
	Ledger  *Ledger      // nil: its own
	Journal *Journal     // nil: its own
	Clock   *Clock       // shown times; nil: the wall clock
	Port    int          // of the loopback interface; 0: a free one
	Log     *slog.Logger // nil: discarded
}

// Server is a running tracker. Its methods may be called from any goroutine.
type Server struct {
	url     string
	ledger  *ledger.Ledger
	journal *journal.Journal
	log     *slog.Logger
	store   *store
	routes  *http.ServeMux
	http    *http.Server

	serving sync.WaitGroup
	served  error

	gate   sync.Mutex
	closed bool
}

// New starts a tracker on the loopback interface. The caller closes it.
func New(o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Ledger == nil {
		o.Ledger = ledger.New()
	}
	if o.Clock == nil {
		o.Clock = clock.New(nil)
	}
	if o.Journal == nil {
		o.Journal = journal.New(o.Ledger, o.Clock.Now)
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port)))
	if err != nil {
		return nil, fmt.Errorf("start tracker: %w", err)
	}
	s := &Server{url: "http://" + l.Addr().String(), ledger: o.Ledger, journal: o.Journal, log: o.Log}
	s.store = newStore(s.url, o.Clock.Now)
	s.routes = s.newRoutes()
	s.http = &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second,
		ErrorLog: slog.NewLogLogger(o.Log.With("part", "tracker").Handler(), slog.LevelWarn),
	}
	s.serving.Go(func() { s.served = s.http.Serve(l) })
	o.Log.Info("tracker started", "part", "tracker", "url", s.url)
	return s, nil
}

// URL is the address of the site, such as http://127.0.0.1:4321: what https://example.atlassian.net is elsewhere.
func (s *Server) URL() string { return s.url }

// Admin is the tracker from behind.
func (s *Server) Admin() *Admin { return &Admin{s} }

// Close waits for requests that are under way, until ctx ends, and then for everything that the tracker started.
func (s *Server) Close(ctx context.Context) error {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	err := s.http.Shutdown(ctx)
	if err != nil {
		_ = s.http.Close()
	}
	s.serving.Wait()
	if s.served != http.ErrServerClosed {
		return fmt.Errorf("close tracker: %w", s.served)
	}
	if err != nil {
		return fmt.Errorf("close tracker: %w", err)
	}
	return nil
}
