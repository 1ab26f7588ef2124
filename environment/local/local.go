// Package local is the environment in which everything runs on this machine: a forge, an engine
// for its workflows and a door out for each lease, in the kit's own process; programs beside it.
//
//	env := local.New(local.Options{JobRunner: path, Path: "/usr/bin:/bin"})
//	site, err := env.Open(ctx, scope)
//	lease, err := site.Lease(ctx, "triage.feature:6")
//	defer lease.Release(ctx)
package local

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/driver/process"
	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/environment"
)

// Options says what the environment is made of.
type Options struct {
	JobRunner  string   // path of understudy-job
	Path       string   // PATH of the platform's programs: where git and bash are
	CallerEnv  []string // the caller's environment, in which the platform is built
	Namespaces bool     // programs get PID and mount namespaces of their own
	Capacity   int      // leases at once; 0 is two for each core
	Fresh      bool     // every scenario installs the platform itself
}

// Environment is the local environment.
type Environment struct {
	o Options
}

// New returns the environment. Nothing is started before Open.
func New(o Options) *Environment {
	if o.Capacity == 0 {
		o.Capacity = 2 * runtime.NumCPU()
	}
	return &Environment{o: o}
}

// Name is "local".
func (e *Environment) Name() string { return "local" }

// Capabilities lists what scenarios may require here.
func (e *Environment) Capabilities() []driver.Capability {
	return []driver.Capability{"ledger", "journal", "forge.admin", "forge.fork", driver.FaultsCapability, driver.ClockCapability, driver.TrackerCapability}
}

// Open builds the platform and returns a site for its scenarios.
func (e *Environment) Open(ctx context.Context, s environment.Scope) (environment.Site, error) {
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	if s.Progress == nil {
		s.Progress = func(string) {}
	}
	faults, err := readFaults(s.Faults)
	if err != nil {
		return nil, fmt.Errorf("open local environment: %w", err)
	}
	site := &site{o: e.o, faults: faults, scope: s, tools: filepath.Join(s.Dir, "tools"), pool: newPool(e.o.Capacity),
		copies: copies{dir: filepath.Join(s.Dir, "copies")}}
	if err := os.MkdirAll(site.tools, 0o755); err != nil {
		return nil, fmt.Errorf("open local environment: %w", err)
	}
	if err := os.Symlink(e.o.JobRunner, filepath.Join(site.tools, "understudy-job")); err != nil {
		return nil, fmt.Errorf("open local environment: %w", err)
	}
	if err := site.build(ctx); err != nil {
		return nil, fmt.Errorf("build platform %s: %w", s.Platform.Name, err)
	}
	return site, nil
}

type site struct {
	o      Options
	scope  environment.Scope
	faults []forge.Fault
	tools  string // first on the PATH of everything that runs here
	pool   *pool
	copies copies
	digest string // of the platform's executable

	makeKey sync.Once
	key     string // of all apps in all leases, which would not be alike otherwise
}

// Capacity is how many leases can be out at once.
func (s *site) Capacity() int { return s.o.Capacity }

// Digest is "sha256:…" of the platform's executable.
func (s *site) Digest() map[string]string {
	return map[string]string{s.scope.Platform.Get.Gives: s.digest}
}

// Close gives the site back. A lease that is still out is an error that names its scenario.
func (s *site) Close(ctx context.Context) error {
	var errs []string
	for _, l := range s.pool.outstanding() {
		errs = append(errs, l.scenario)
		if err := l.release(ctx); err != nil {
			s.scope.Log.Error("reclaim lease", "scenario", l.scenario, "err", err)
		}
	}
	if err := os.RemoveAll(s.copies.dir); err != nil {
		return fmt.Errorf("close local environment: %w", err)
	}
	if len(errs) > 0 {
		return fmt.Errorf("close local environment: leases were not released and have been reclaimed: %s", strings.Join(errs, ", "))
	}
	return nil
}

// build makes the platform's executable in the caller's own environment.
func (s *site) build(ctx context.Context) error {
	get := s.scope.Platform.Get
	gives := filepath.Join(s.tools, get.Gives)
	argv := make([]string, len(get.Run))
	for i, a := range get.Run {
		argv[i] = strings.ReplaceAll(a, "{gives}", gives)
	}
	s.scope.Progress("building " + s.scope.Platform.Name)
	if err := s.command(ctx, argv); err != nil {
		return fmt.Errorf("(cd %s && %s): %w", get.Dir, strings.Join(argv, " "), err)
	}
	f, err := os.Open(gives)
	if err != nil {
		return fmt.Errorf("%s ended well but made no %s: %w", strings.Join(get.Run, " "), get.Gives, err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	s.digest = "sha256:" + hex.EncodeToString(h.Sum(nil))
	return nil
}

// command runs a program of the caller's own, in his environment. It is held on a lifeline, but not in
// namespaces: a build may need what they take away.
func (s *site) command(ctx context.Context, argv []string) (err error) {
	l := process.New(process.Options{Holder: s.o.JobRunner, Log: s.scope.Log.With("part", "build")})
	defer func() { err = errors.Join(err, l.Close(context.WithoutCancel(ctx))) }()
	// The go command's temporary files go with the run, also when it is killed.
	temp := filepath.Join(s.scope.Dir, "build")
	if err := os.MkdirAll(temp, 0o755); err != nil {
		return err
	}
	env := append(slices.Clone(s.o.CallerEnv), "GOTMPDIR="+temp)
	var out bytes.Buffer
	p, err := l.Start(ctx, driver.Spec{Argv: argv, Dir: s.scope.Platform.Get.Dir, Env: env, Stdout: &out, Stderr: &out})
	if err != nil {
		return err
	}
	exit, err := p.Wait(ctx)
	if err != nil {
		return err
	}
	if !exit.OK() {
		return fmt.Errorf("%s\n%s", exit, tail(out.Bytes(), 4000))
	}
	return nil
}

func tail(b []byte, n int) string {
	if len(b) > n {
		b = b[len(b)-n:]
	}
	return strings.ToValidUTF8(strings.TrimSpace(string(b)), "?")
}
