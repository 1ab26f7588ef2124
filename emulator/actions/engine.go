// Package actions runs workflows: it turns the events of a journal into workflow runs as GitHub
// decides, and has each job, or cell of a job's matrix, executed by an understudy-job process.
//
// It keeps nothing itself. Files come from a Host, runs and jobs go to it, artifacts to an
// ArtifactStore; both are the forge in practice. What GitHub can do and this package cannot is
// refused before the run, with the file, the line and a hint: the run ends as startup_failure.
//
//	engine, err := actions.New(actions.Options{
//		Ledger: l, Journal: j, Host: forge, Store: forge, Launcher: launcher, Runner: "understudy-job",
//		Dir: dir, Env: map[string]string{"PATH": "/usr/bin:/bin"},
//		ServerURL: "http://127.0.0.1:8080", APIURL: "http://127.0.0.1:8080/api/v3",
//	})
//	defer engine.Close(ctx)
//
// Where it differs from GitHub: a file whose `on:` cannot be understood is refused at every event,
// not only at pushes; a job's deadline ends it as cancelled, as at GitHub, but there is no five
// minute grace.
package actions

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/clock"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
	"github.com/understudy-dev/understudy/internal/order"
)

// Options describe an engine. Ledger, Journal, Host, Launcher, Runner and Dir are needed.
type Options struct {
	Ledger      *ledger.Ledger
	Journal     *journal.Journal
	Host        Host
	Store       ArtifactStore     // behind ArtifactService
	Caches      CacheStore        // likewise; nil keeps none
	Launcher    driver.Launcher   // starts Runner
	Runner      string            // path of understudy-job
	Dir         string            // made when absent; each job gets a directory in it, removed after the job
	Env         map[string]string // base environment of every step; HOME is set per job
	ServerURL   string            // of the forge, without a slash at the end
	APIURL      string
	Concurrency int // jobs at once; 0 is two for each core
	// Order decides when deliveries to workflows and starts of jobs go on, and holds the faults of
	// deliveries. It is closed after the engine. Nil takes everything as it comes.
	Order  *order.Order
	Now    func() time.Time               // nil is a new clock's
	Wall   func() time.Time               // what programs judge by clocks of their own: id-tokens, terms of artifacts; nil is Now
	Secret func(value, name string) error // told each secret that the engine makes; nil is not
	Log    *slog.Logger                   // nil is silent
}

// Engine runs the workflows of all repositories of one journal. It is safe for concurrent use.
type Engine struct {
	o         Options
	ctx       context.Context // ends with Close
	stop      context.CancelFunc
	wg        sync.WaitGroup
	cursor    *journal.Cursor
	slots     chan struct{}
	groups    groups
	tokenKey  []byte
	idKey     []byte // signs what a job asks for id-tokens with
	identity  *identity
	minute    time.Duration // of timeout-minutes; shorter in tests
	logSize   int           // the most bytes of one job's log; smaller in tests
	artifacts http.Handler

	accepting sync.Mutex // held while an event is shown to workflows
	parsed    parsed     // used under accepting
	tools     tools      // likewise

	mu     sync.Mutex
	runs   map[int64]*run  // that have not completed
	depths map[int64]int   // of runs that workflow_run started
	chains map[string]int  // of runs that others caused, and of their jobs, by cause: see happening.chain
	cells  map[int64]*cell // that run now, by job
}

// New returns an engine that sees every entry appended to the journal from now on. The caller
// closes it.
func New(o Options) (*Engine, error) {
	for _, option := range []struct {
		name  string
		given bool
	}{
		{"Ledger", o.Ledger != nil}, {"Journal", o.Journal != nil}, {"Host", o.Host != nil},
		{"Launcher", o.Launcher != nil}, {"Runner", o.Runner != ""}, {"Dir", o.Dir != ""},
	} {
		if !option.given {
			return nil, fmt.Errorf("start actions: option %s is missing", option.name)
		}
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("start actions: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("start actions: %w", err)
	}
	if err := os.RemoveAll(filepath.Join(dir, pastDir)); err != nil { // of an engine before
		return nil, fmt.Errorf("start actions: %w", err)
	}
	o.Dir = dir
	o.ServerURL = strings.TrimSuffix(o.ServerURL, "/")
	if o.Concurrency <= 0 {
		o.Concurrency = 2 * runtime.NumCPU()
	}
	if o.Now == nil {
		o.Now = clock.New(nil).Now
	}
	if o.Wall == nil {
		o.Wall = o.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	e := &Engine{
		o: o, cursor: o.Journal.Subscribe("actions"), slots: make(chan struct{}, o.Concurrency),
		tokenKey: []byte(rand.Text()), minute: time.Minute, logSize: maxLog, runs: map[int64]*run{}, depths: map[int64]int{}, chains: map[string]int{},
		cells: map[int64]*cell{}, idKey: []byte(rand.Text()), parsed: parsed{}, tools: tools{},
	}
	e.ctx, e.stop = context.WithCancel(context.Background())
	e.artifacts = ArtifactService(ArtifactOptions{
		Store: o.Store, Caches: o.Caches, Alive: func(job int64) bool { return e.running(job) != nil }, TokenKey: e.tokenKey, PublicURL: o.ServerURL, Dir: filepath.Join(o.Dir, "uploads"),
		Now: o.Now, Wall: o.Wall, Log: o.Log,
	})
	e.identity = newIdentity(e)
	e.wg.Go(e.read)
	return e, nil
}

// ArtifactService returns the service that this engine's jobs send their artifacts to: always the
// same one. It is mounted under ArtifactPatterns at Options.ServerURL.
func (e *Engine) ArtifactService() http.Handler { return e.artifacts }

// Close stops all jobs and returns when everything the engine started has ended, or with ctx's error.
func (e *Engine) Close(ctx context.Context) error {
	e.stop()
	e.cursor.Close()
	e.accepting.Lock() // what an order shows from now on starts nothing
	e.accepting.Unlock()
	ended := make(chan struct{})
	go func() { e.wg.Wait(); close(ended) }()
	select {
	case <-ended:
		if err := os.RemoveAll(filepath.Join(e.o.Dir, pastDir)); err != nil {
			return fmt.Errorf("close actions: %w", err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close actions: %w", ctx.Err())
	}
}

// Cancel ends a run: running jobs are stopped, those that wait are cancelled, and jobs whose `if:`
// asks for it still run. It reports false when no such run is open.
func (e *Engine) Cancel(run int64) bool {
	e.mu.Lock()
	r := e.runs[run]
	e.mu.Unlock()
	if r != nil {
		r.cancel()
	}
	return r != nil
}

// running returns the cell of a job that runs now, or nil.
func (e *Engine) running(job int64) *cell {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cells[job]
}

// read takes one entry after the other. Runs are created here, in the journal's order, and their
// obligations are open before the next entry is asked for.
func (e *Engine) read() {
	for {
		entry, err := e.cursor.Next(e.ctx)
		if err != nil {
			return // closed
		}
		if err := e.accept(entry); err != nil {
			e.broken(fmt.Errorf("start workflows of entry %d (%s): %w", entry.Seq, entry.Type, err))
		}
	}
}

// broken ends the lease: without its host the engine cannot go on, and nobody should wait for it.
// A repository that was deleted meanwhile is no such case.
func (e *Engine) broken(err error) {
	if errors.Is(err, driver.ErrNotFound) || e.ctx.Err() != nil {
		e.o.Log.Info("workflow not run", "error", err)
		return
	}
	e.o.Log.Error("actions cannot go on", "error", err)
	e.o.Ledger.Fail(err)
}
