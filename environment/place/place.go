// Package place puts one place on this machine together: a forge, an engine for its workflows, a door
// out and a launcher, with accounts that have tokens. It is the only package where the forge and the
// engine meet.
//
//	p, err := place.New(place.Options{Dir: dir, Org: "acme", JobRunner: job, Path: "/usr/bin:/bin", Tools: tools,
//		People: []place.Person{{Name: "write", Login: "wanda", Role: "write"}}})
//	defer p.Close(ctx)
//	// git clone http://x:TOKEN@…/acme/app.git, with p.Tokens["write"] as TOKEN
package place

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"time"

	"github.com/understudy-dev/understudy/driver/process"
	"github.com/understudy-dev/understudy/emulator/actions"
	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/emulator/network"
	"github.com/understudy-dev/understudy/internal/clock"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
	"github.com/understudy-dev/understudy/internal/schedule"
)

// maxOutput bounds what one program may print. A job's events are several times its log, which has a
// bound of its own (64 MiB).
const maxOutput = 512 << 20

// Options say what a place is made of. Dir, JobRunner and Path are needed.
type Options struct {
	Dir  string // exists; the caller removes it after Close
	Port int    // of the forge; 0 is a free one
	Keep string // directory in which the forge stays, as for forge.Options.Keep; "" is none
	// Tokens are those of a forge that stayed in Keep, by the person's name: organisation and people
	// are in it already. nil makes them.
	Tokens     map[string]string
	Org        string // made first, when there is one
	People     []Person
	JobRunner  string // path of understudy-job
	Tools      string // directory that is first on every program's PATH; "" is none
	Path       string // PATH of the programs: where git and bash are
	Namespaces bool   // programs get PID and mount namespaces of their own
	Openings   []network.Opening
	Refused    func(network.Refusal)           // told what programs here tried to reach and could not, one at a time; may be nil
	Decider    *schedule.Decider               // of deliveries and of the starts of jobs; nil is as they come
	Faults     []forge.Fault                   // in force from the start, as for forge.Options
	FaultSeed  int64                           // decides where one has a chance
	Unattended bool                            // nobody waits in the ledger, as for forge.Options
	GitHub     bool                            // the forge is https://github.com: bodies say so, and jobs reach it there through the door
	Hide       func(value, label string) error // told each secret; nil is not
	Log        *slog.Logger                    // nil is silent
}

// Place is a running place. Its fields are not to be changed.
type Place struct {
	Ledger   *ledger.Ledger
	Journal  *journal.Journal
	Forge    *forge.Server
	Launcher *process.Launcher
	Tokens   map[string]string // by the person's name

	Authority     *network.Authority // of github.com's certificates, with Options.GitHub
	AuthorityFile string             // its certificate, PEM

	o       Options
	clock   *clock.Clock // of shown time
	door    *network.Door
	closers []func(context.Context) error
}

// New starts a place. The caller closes it.
func New(o Options) (*Place, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Hide == nil {
		o.Hide = func(string, string) error { return nil }
	}
	l := ledger.New()
	shown := clock.New(time.Now)
	p := &Place{o: o, Ledger: l, Journal: journal.New(l, shown.Now), clock: shown, Tokens: map[string]string{}}
	if err := p.start(); err != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		return nil, errors.Join(err, p.Close(ctx))
	}
	return p, nil
}

// start makes the parts, each after those it needs.
func (p *Place) start() (err error) {
	o, log := p.o, p.o.Log
	public := ""
	if o.GitHub {
		public = siteURL
		if err := p.becomeGitHub(); err != nil {
			return err
		}
	}
	p.Forge, err = forge.New(forge.Options{
		Ledger: p.Ledger, Journal: p.Journal, Clock: p.clock, Dir: cmp.Or(o.Keep, filepath.Join(o.Dir, "forge")), Keep: o.Keep != "",
		Port: o.Port, PublicURL: public, Faults: o.Faults, FaultSeed: o.FaultSeed, Decider: o.Decider, Unattended: o.Unattended, Log: log.With("part", "forge"),
	})
	if err != nil {
		return err
	}
	p.closers = append(p.closers, p.Forge.Close)
	if err := p.people(); err != nil {
		return err
	}
	openings := o.Openings
	if o.GitHub {
		openings = append(openings[:len(openings):len(openings)], p.GitHub("")...)
	}
	p.door, err = network.New(network.Options{
		Openings: openings, Authority: p.Authority, Refused: o.Refused, Journal: p.Journal, Ledger: p.Ledger, Log: log.With("part", "door"),
	})
	if err != nil {
		return err
	}
	p.closers = append(p.closers, p.door.Close)
	p.Launcher = process.New(process.Options{
		Holder: o.JobRunner, Namespaces: o.Namespaces, Ledger: p.Ledger, MaxOutput: maxOutput, Log: log.With("part", "process"),
	})
	p.closers = append(p.closers, p.Launcher.Close)
	return p.startEngine()
}

func (p *Place) startEngine() error {
	h := host{p.Forge.Admin(), p}
	engine, err := actions.New(actions.Options{
		Ledger: p.Ledger, Journal: p.Journal, Host: h, Store: h, Caches: h, Launcher: p.Launcher, Runner: p.o.JobRunner,
		Dir: filepath.Join(p.o.Dir, "jobs"), Env: p.ProgramEnv(), ServerURL: p.Forge.PublicURL(), APIURL: p.Forge.APIURL(),
		Now: p.clock.Now, Wall: p.clock.Wall, Order: p.Forge.Order(), Secret: p.o.Hide, Log: p.o.Log.With("part", "actions"),
	})
	if err != nil {
		return err
	}
	p.closers = append(p.closers, engine.Close)
	p.Forge.Admin().ScheduleBy(func(ctx context.Context, repos []string, from, to time.Time) ([]forge.Due, error) {
		due, err := engine.Due(ctx, repos, from, to)
		out := make([]forge.Due, len(due))
		for i, x := range due {
			out[i] = forge.Due(x)
		}
		return out, err
	})
	p.Forge.Handle(actions.IdentityPattern, engine.IdentityService())
	for _, pattern := range actions.ArtifactPatterns {
		p.Forge.Handle(pattern, engine.ArtifactService())
	}
	return nil
}

// people makes the organisation and the accounts, each with a token.
func (p *Place) people() error {
	if p.o.Tokens != nil {
		for name, token := range p.o.Tokens {
			p.Tokens[name] = token
			if err := p.o.Hide(token, "token:"+name); err != nil {
				return err
			}
		}
		return nil
	}
	if p.o.Org != "" {
		if err := p.Forge.Admin().AddOrg(p.o.Org); err != nil {
			return err
		}
	}
	for _, a := range p.o.People {
		token, err := Enlist(p.Forge.Admin(), p.o.Org, a)
		if err != nil {
			return fmt.Errorf("actor %s: %w", a.Name, err)
		}
		p.Tokens[a.Name] = token
		if err := p.o.Hide(token, "token:"+a.Name); err != nil {
			return err
		}
	}
	return nil
}

// APIURL is the root of the forge's REST API at its loopback address.
func (p *Place) APIURL() string { return p.Forge.URL() + "/api/v3" }

// ProgramEnv is the environment of everything that runs here: built from empty.
func (p *Place) ProgramEnv() map[string]string {
	path := p.o.Path
	if p.o.Tools != "" {
		path = p.o.Tools + ":" + path
	}
	env := map[string]string{
		"PATH": path,
		"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat",
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "CI": "true",
		"HTTP_PROXY": p.door.URL(), "http_proxy": p.door.URL(), "HTTPS_PROXY": p.door.URL(), "https_proxy": p.door.URL(),
		"NO_PROXY": "127.0.0.1,localhost,::1", "no_proxy": "127.0.0.1,localhost,::1",
	}
	if p.Authority != nil {
		maps.Copy(env, network.Trust(p.AuthorityFile))
		env["NODE_USE_ENV_PROXY"] = "1"
	}
	return env
}

// Close takes the place down, last part first. All parts are closed even when one fails.
func (p *Place) Close(ctx context.Context) error {
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
	p.closers = nil
	return errors.Join(errs...)
}
