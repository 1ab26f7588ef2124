package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/driver/github"
	"github.com/understudy-dev/understudy/driver/process"
	"github.com/understudy-dev/understudy/emulator/actions"
	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/emulator/network"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/internal/clock"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
)

// org owns every repository of a lease. A lease has a forge of its own, so the name may repeat.
const org = "acme"

// maxOutput bounds what one program may print. A job's events are several times its log, which has a
// bound of its own (64 MiB).
const maxOutput = 512 << 20

// Lease starts a forge, an engine, a door and a launcher for one scenario.
func (s *site) Lease(ctx context.Context, scenario string) (*environment.Lease, error) {
	h, err := s.pool.acquire(ctx, scenario)
	if err != nil {
		return nil, err
	}
	p, err := s.place(scenario, h.name)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lease %s: %w", h.name, err), h.release(context.WithoutCancel(ctx)))
	}
	h.give = p.close
	return &environment.Lease{Drivers: p.set(), Release: h.release}, nil
}

// place is what one lease is made of. Parts are closed in reverse order of their making.
type place struct {
	s        *site
	name     string
	dir      string
	ledger   *ledger.Ledger
	journal  *journal.Journal
	forge    *forge.Server
	engine   *actions.Engine
	door     *network.Door
	launcher *process.Launcher
	client   *github.Forge
	now      func() time.Time  // the lease's shown time
	tokens   map[string]string // actor → token
	closers  []func(context.Context) error
}

func (s *site) place(scenario, name string) (p *place, err error) {
	dir, err := os.MkdirTemp(s.scope.Dir, "lease-")
	if err != nil {
		return nil, err
	}
	l := ledger.New()
	shown := clock.New(time.Now)
	p = &place{s: s, name: name, dir: dir, ledger: l, journal: journal.New(l, shown.Now), now: shown.Now, tokens: map[string]string{}}
	p.closers = append(p.closers, func(context.Context) error { return os.RemoveAll(dir) })
	defer func() {
		if err != nil {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			err = errors.Join(err, p.close(ctx))
		}
	}()
	log := s.scope.Log.With("scenario", scenario)
	p.forge, err = forge.New(forge.Options{Ledger: l, Journal: p.journal, Now: shown.Now, Dir: filepath.Join(dir, "forge"), Log: log.With("part", "forge")})
	if err != nil {
		return p, err
	}
	p.closers = append(p.closers, p.forge.Close)
	if err := p.people(); err != nil {
		return p, err
	}
	openings := make([]network.Opening, len(s.scope.Platform.Door))
	for i, o := range s.scope.Platform.Door {
		openings[i] = network.Opening(o)
	}
	p.door, err = network.New(network.Options{Openings: openings, Journal: p.journal, Ledger: l, Log: log.With("part", "door")})
	if err != nil {
		return p, err
	}
	p.closers = append(p.closers, p.door.Close)
	p.launcher = process.New(process.Options{Holder: s.o.JobRunner, Namespaces: s.o.Namespaces, Ledger: l, MaxOutput: maxOutput, Log: log.With("part", "process")})
	p.closers = append(p.closers, p.launcher.Close)
	if err := p.startEngine(log); err != nil {
		return p, err
	}
	p.client = github.New(github.Options{APIURL: p.apiURL(), Tokens: p.tokens})
	p.closers = append(p.closers, func(context.Context) error { p.client.Close(); return nil })
	return p, nil
}

func (p *place) apiURL() string { return p.forge.URL() + "/api/v3" }

// people makes the organisation, the platform file's actors and the observer, each with a token.
func (p *place) people() error {
	admin := p.forge.Admin()
	if err := admin.AddOrg(org); err != nil {
		return err
	}
	actors := map[string]driver.Actor{
		environment.ActorObserver: {Name: environment.ActorObserver, Login: "understudy-observer", Role: "admin"},
	}
	for name, a := range p.s.scope.Platform.Actors {
		actors[name] = a
	}
	for name, a := range actors {
		if err := admin.AddUser(forge.User{Login: a.Login, Name: name, Bot: a.Bot}); err != nil {
			return fmt.Errorf("actor %s: %w", name, err)
		}
		if a.Role != "none" {
			if err := admin.SetOrgRole(org, a.Login, a.Role); err != nil {
				return fmt.Errorf("actor %s: %w", name, err)
			}
		}
		token, err := admin.MintToken(forge.TokenSpec{Login: a.Login, Kit: true, Quiet: name == environment.ActorObserver, Name: name})
		if err != nil {
			return fmt.Errorf("actor %s: %w", name, err)
		}
		p.tokens[name] = token
		if err := p.hide(token, "token:"+name); err != nil {
			return err
		}
	}
	return nil
}

// hide keeps a secret out of everything that is written about this run.
func (p *place) hide(value, label string) error {
	if p.s.scope.Scrubber == nil {
		return nil
	}
	err := p.s.scope.Scrubber.Hide(value, label)
	if errors.Is(err, evidence.ErrTooShort) {
		return nil // masking it would tear every text apart; GitHub does not protect such secrets either
	}
	return err
}

// close takes the place down, last part first. All parts are closed even when one fails.
func (p *place) close(ctx context.Context) error {
	var errs []error
	for i := len(p.closers) - 1; i >= 0; i-- {
		if err := p.closers[i](ctx); err != nil {
			errs = append(errs, err)
		}
		if ctx.Err() != nil {
			// One part took all the time there was; the others still have to go.
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
		}
	}
	return errors.Join(errs...)
}

// set gives the scenario its drivers.
func (p *place) set() *driver.Set {
	set := driver.Unassigned()
	set.Forge = p.client
	set.Ledger = p.ledger
	set.Journal = journalView{p.journal}
	set.Marker = marker{p}
	set.Launcher = p.launcher
	set.Installer = installer{p}
	set.Platform = p.s.scope.Platform.Platform
	set.Place = driver.Place{Org: org, Repo: p.name, Dir: p.dir}
	if p.s.scope.Fixtures != nil {
		set.Fixtures = p.s.scope.Fixtures
	}
	return set
}
