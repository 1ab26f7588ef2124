// Package process starts programs in a sealed environment: their environment is complete, nothing
// of the kit's own gets in, and no program outlives the kit, however the kit ends.
//
// Each program runs under "understudy-job hold" (the holder), which reads a pipe whose write end
// only this process has. When that end closes, by Close, by a context or because this process is
// gone, the holder ends the program and everything it started.
//
//	l := process.New(process.Options{Holder: path, Namespaces: process.Namespaces(ctx, path) == nil})
//	defer l.Close(ctx)
//	p, err := l.Start(ctx, driver.Spec{Argv: []string{"git", "--version"}, Env: []string{"PATH=/usr/bin"}})
//	if err != nil {
//		return err
//	}
//	exit, err := p.Wait(ctx)
//
// It is not a security boundary.
package process

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/ledger"
)

// Options says how programs are started.
type Options struct {
	// Holder is the path of understudy-job.
	Holder string
	// Namespaces gives each program a PID and a mount namespace of its own; the kernel then ends
	// all it leaves. Without it the holder sweeps. Ask Namespaces, the function, first.
	Namespaces bool
	// Ledger gets an obligation per program, from before its start to the end of its output. A
	// daemon's is parked. May be nil.
	Ledger *ledger.Ledger
	// Log gets starts and exits. Nil discards.
	Log *slog.Logger
	// MaxOutput bounds each of standard output and standard error, in bytes; what comes after is
	// replaced by one line that says so. Zero is 64 MiB.
	MaxOutput int64
}

const defaultMaxOutput = 64 << 20

// ErrClosed says that the launcher was closed.
var ErrClosed = errors.New("the launcher is closed")

// Launcher starts programs. It is a driver.Launcher and safe for concurrent use.
type Launcher struct {
	opts Options

	mu      sync.Mutex
	closed  bool
	running map[*program]struct{}
}

var _ driver.Launcher = (*Launcher)(nil)

// New returns a Launcher. Close ends what it started.
func New(opts Options) *Launcher {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.MaxOutput <= 0 {
		opts.MaxOutput = defaultMaxOutput
	}
	return &Launcher{opts: opts, running: map[*program]struct{}{}}
}

// Start starts a program. ctx bounds the start alone; the time the program may take is Wait's. A
// program that cannot be started is not an error here: Wait then returns an Exit that says
// NotStarted and why. Errors are misuse: no command, a malformed environment, no holder, a closed
// launcher.
func (l *Launcher) Start(ctx context.Context, s driver.Spec) (driver.Process, error) {
	if err := l.check(ctx, s); err != nil {
		return nil, err
	}
	name := filepath.Base(s.Argv[0])
	p := &program{l: l, name: name, up: make(chan struct{}), done: make(chan struct{})}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil, fmt.Errorf("start %s: %w", name, ErrClosed)
	}
	if l.opts.Ledger != nil {
		p.obligation = l.opts.Ledger.Open("process " + name)
		if s.Daemon {
			p.obligation.Park()
		}
	}
	l.running[p] = struct{}{}
	l.mu.Unlock()

	if err := p.start(s); err != nil {
		l.forget(p)
		close(p.done) // Close may wait for it already
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return p, nil
}

// Running is how many programs there are now, daemons included.
func (l *Launcher) Running() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.running)
}

func (l *Launcher) check(ctx context.Context, s driver.Spec) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("start a program: %w", err)
	}
	if len(s.Argv) == 0 || s.Argv[0] == "" {
		return errors.New("start a program: no command")
	}
	for _, kv := range s.Env {
		if name, _, ok := strings.Cut(kv, "="); !ok || name == "" || strings.ContainsRune(kv, 0) {
			return fmt.Errorf("start %s: malformed environment variable %q", s.Argv[0], name)
		}
	}
	info, err := os.Stat(l.opts.Holder)
	if err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("start %s: no understudy-job at %q", s.Argv[0], l.opts.Holder)
	}
	return nil
}

// Close ends all programs by force and waits until they are gone. Later starts return ErrClosed.
// When ctx ends first it returns ctx's error and names what is still there.
func (l *Launcher) Close(ctx context.Context) error {
	l.mu.Lock()
	l.closed = true
	var all []*program
	for p := range l.running {
		all = append(all, p)
	}
	l.mu.Unlock()
	for _, p := range all {
		p.cut()
	}
	for _, p := range all {
		select {
		case <-p.done:
		case <-ctx.Done():
			return fmt.Errorf("end program %s: %w", p.name, ctx.Err())
		}
	}
	return nil
}

func (l *Launcher) forget(p *program) {
	l.mu.Lock()
	delete(l.running, p)
	l.mu.Unlock()
	if p.obligation != nil {
		p.obligation.Close()
	}
}

// Namespaces tries whether programs can get namespaces of their own on this machine. Nil means yes.
func Namespaces(ctx context.Context, holder string) error {
	l := New(Options{Holder: holder, Namespaces: true})
	defer l.Close(context.WithoutCancel(ctx))
	var complaint strings.Builder
	p, err := l.Start(ctx, driver.Spec{Argv: []string{holder, "version"}, Stderr: &complaint})
	if err != nil {
		return fmt.Errorf("try namespaces: %w", err)
	}
	exit, err := p.Wait(ctx)
	if err != nil {
		return fmt.Errorf("try namespaces: %w", err)
	}
	if !exit.OK() {
		return fmt.Errorf("try namespaces: %v %s", exit, strings.TrimSpace(complaint.String()))
	}
	return nil
}
