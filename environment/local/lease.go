package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/driver/github"
	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/emulator/network"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/environment/place"
	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/internal/schedule"
)

// What the repository under test is called. A lease has a forge of its own, so the names may repeat, and
// an installation in one is as good as in another.
const (
	org        = "acme"
	repository = "test-repo-01"
)

// Lease starts a forge, an engine, a door and a launcher for one scenario.
func (s *site) Lease(ctx context.Context, scenario string) (*environment.Lease, error) {
	return s.LeaseInOrder(ctx, scenario, nil)
}

// LeaseInOrder is Lease for a place where d decides which delivery to the workflows and which job comes
// next; nil takes them as they come.
func (s *site) LeaseInOrder(ctx context.Context, scenario string, d *schedule.Decider) (*environment.Lease, error) {
	h, err := s.pool.acquire(ctx, scenario)
	if err != nil {
		return nil, err
	}
	p, err := s.place(scenario, d)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lease %s: %w", h.name, err), h.release(context.WithoutCancel(ctx)))
	}
	h.give = p.close
	return &environment.Lease{Drivers: p.set(), Release: h.release}, nil
}

// leased is the place of one lease.
type leased struct {
	*place.Place
	s        *site
	scenario string
	dir      string
	client   *github.Forge
	tickets  *ticketing
}

func (s *site) place(scenario string, d *schedule.Decider) (*leased, error) {
	dir, err := os.MkdirTemp(s.scope.Dir, "lease-")
	if err != nil {
		return nil, err
	}
	openings := make([]network.Opening, len(s.scope.Platform.Door))
	for i, o := range s.scope.Platform.Door {
		openings[i] = network.Opening{Host: o.Host, Status: o.Status, Body: o.Body}
	}
	p, err := place.New(place.Options{
		Dir: dir, Org: org, People: s.people(), JobRunner: s.o.JobRunner, Tools: s.tools, Path: s.o.Path, Namespaces: s.o.Namespaces,
		Openings: openings, Decider: d, Faults: s.faults, FaultSeed: faultSeed(s.scope.Seed, scenario), Hide: s.hide, Log: s.scope.Log.With("scenario", scenario),
	})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	client := github.New(github.Options{APIURL: p.APIURL(), Tokens: p.Tokens})
	l := &leased{Place: p, s: s, scenario: scenario, dir: dir, client: client}
	l.tickets = &ticketing{p: l}
	return l, nil
}

// people are the platform file's actors and the observer.
func (s *site) people() []place.Person {
	actors := map[string]driver.Actor{
		environment.ActorObserver: {Name: environment.ActorObserver, Login: "understudy-observer", Role: "admin"},
	}
	for name, a := range s.scope.Platform.Actors {
		actors[name] = a
	}
	var out []place.Person
	for _, name := range slices.Sorted(maps.Keys(actors)) { // so that accounts have the same ids everywhere
		a := actors[name]
		out = append(out, place.Person{Name: name, Login: a.Login, Role: a.Role, Bot: a.Bot, Kit: true, Quiet: name == environment.ActorObserver,
			Scopes: a.Scopes, App: a.App, AppKey: s.appKey(a.App != nil)})
	}
	return out
}

// appKey is the private key of an actor who is an app; "" lets his forge make one.
func (s *site) appKey(app bool) string {
	if !app {
		return ""
	}
	s.makeKey.Do(func() {
		var err error
		if s.key, err = forge.NewPrivateKey(); err != nil {
			s.scope.Log.Warn("each lease makes keys of its own", "err", err)
		}
	})
	return s.key
}

// hide keeps a secret out of everything that is written about this run.
func (s *site) hide(value, label string) error {
	if s.scope.Scrubber == nil {
		return nil
	}
	err := s.scope.Scrubber.Hide(value, label)
	if errors.Is(err, evidence.ErrTooShort) {
		return nil // masking it would tear every text apart; GitHub does not protect such secrets either
	}
	return err
}

// close takes the lease down and removes its directory, also when a part fails.
func (p *leased) close(ctx context.Context) error {
	p.client.Close()
	return errors.Join(p.tickets.close(ctx), p.Close(ctx), os.RemoveAll(p.dir))
}

// set gives the scenario its drivers.
func (p *leased) set() *driver.Set {
	set := driver.Unassigned()
	set.Forge = p.client
	set.Ledger = p.Ledger
	set.Journal = journalView{p.Journal}
	set.Marker = marker{p}
	set.Keeper = keeper{p.Forge.Admin().Keeper(), p.s}
	set.Faults = faults{p.Forge.Admin()}
	set.Clock = clock{p.Forge.Admin()}
	set.Tracker, set.Poller = p.tickets, p.tickets
	set.Launcher = p.Launcher
	set.Installer = installer{p}
	set.Platform = p.s.scope.Platform.Platform
	set.Place = driver.Place{Org: org, Repo: repository, Dir: p.dir}
	if p.s.scope.Fixtures != nil {
		set.Fixtures = p.s.scope.Fixtures
	}
	return set
}
