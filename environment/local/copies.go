package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/internal/journal"
)

// settling bounds how long others wait, after an installation, for what it may have set going.
const settling = 5 * time.Second

// copies are the installations of a site, by how the forge was before and what was asked for. The first
// scenario to ask installs, in a place like any other; those that ask meanwhile wait for it.
type copies struct {
	dir  string
	mu   sync.Mutex
	made map[string]*original
}

// original is one installation. Its fields are set before done is closed.
type original struct {
	done     chan struct{}
	scenario string
	tokens   map[string]string
	addition *forge.Addition // nil: it cannot be copied, and everybody installs
}

// claim returns the installation for key, and whether the caller is to make it.
func (c *copies) claim(key, scenario string) (o *original, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o := c.made[key]; o != nil {
		return o, false
	}
	if c.made == nil {
		c.made = map[string]*original{}
	}
	o = &original{done: make(chan struct{}), scenario: scenario}
	c.made[key] = o
	return o, true
}

// forget lets the next one try: the installation was given up.
func (c *copies) forget(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.made, key)
}

// Where the platform in a repository comes from, as the journal says.
const (
	fromInstall = "install"
	fromCopy    = "copy"
)

// Enroll creates the repository and installs the platform, or copies what another scenario of the site
// made in the same way. Only an installation into a forge without repositories is copied, and none where a
// fault could strike the installer.
func (i installer) Enroll(ctx context.Context, in driver.Enrollment) error {
	base, err := i.base()
	if err != nil {
		return err
	}
	if in.Fresh || in.Preset != nil || i.p.s.o.Fresh || base.Repositories() || len(i.p.Forge.Admin().InForce()) > 0 {
		return i.itself(ctx, in, base)
	}
	key := fmt.Sprintf("%s %+v", base.Likeness(), in.NewRepo)
	for {
		o, mine := i.p.s.copies.claim(key, i.p.scenario)
		if mine {
			return i.first(ctx, in.NewRepo, base, o, key)
		}
		select {
		case <-o.done:
		case <-ctx.Done():
			return fmt.Errorf("wait for the installation of scenario %s: %w", o.scenario, ctx.Err())
		}
		switch {
		case o.addition != nil:
			return i.copied(o, in.Repo, base)
		case !i.givenUp(key, o):
			return i.itself(ctx, in, base)
		}
	}
}

// before is a forge before an installation.
type before struct {
	forge.Base
	alone bool // no program runs that could do something meanwhile
}

func (i installer) base() (before, error) {
	base, err := i.p.Forge.Admin().Base()
	return before{base, i.p.Launcher.Running() == 0}, err
}

// givenUp reports whether o is no longer the installation for key.
func (i installer) givenUp(key string, o *original) bool {
	c := &i.p.s.copies
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made[key] != o
}

// first installs for the scenario and keeps a copy for the others. What failed is not copied: everybody
// is to see for himself how.
func (i installer) first(ctx context.Context, in driver.NewRepo, base before, o *original, key string) error {
	defer close(o.done)
	if err := i.make(ctx, in, i.p.s.scope.Preset); err != nil {
		if ctx.Err() != nil {
			i.p.s.copies.forget(key) // it was interrupted: that says nothing about others
		}
		return err
	}
	addition, err := i.keep(ctx, base)
	if err != nil {
		i.p.s.scope.Log.Info("the installation is not copied; every scenario installs", "scenario", i.p.scenario, "why", err)
	}
	o.tokens, o.addition = i.p.Tokens, addition
	i.note(in.Repo, base, fromInstall)
	return nil
}

// keep waits until nothing goes on any more, and copies what there is. It brings on nothing that waits for
// its turn: the scenario goes on as one that got a copy, or that installed for itself.
func (i installer) keep(ctx context.Context, base before) (*forge.Addition, error) {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	admin := i.p.Forge.Admin()
	for seq, rest := uint64(0), false; !rest; {
		var err error
		if seq, rest, err = i.p.Ledger.Watch(ctx, seq); err != nil {
			return nil, fmt.Errorf("it is not quiet: %q: %w", i.p.Ledger.Pending(), err)
		}
		now, err := admin.Base()
		if err != nil {
			return nil, err
		}
		if now.Runs() || rest && len(i.p.Ledger.Pending()) > 0 {
			return nil, errors.New("it starts runs of workflows")
		}
	}
	if err := os.MkdirAll(i.p.s.copies.dir, 0o700); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(i.p.s.copies.dir, "installed-")
	if err != nil {
		return nil, err
	}
	door := strings.TrimPrefix(i.p.ProgramEnv()["HTTP_PROXY"], "http://")
	return i.p.Forge.Addition(ctx, base.Base, forge.AdditionOptions{
		Dir: dir, Tokens: slices.Collect(maps.Values(i.p.Tokens)), Own: []string{i.p.dir, door}, Alone: base.alone,
	})
}

// copied gives the lease's forge what another's got, with tokens of this lease for those of the other. The
// files of it that an installation must leave are looked for without a request: the journal is as of one.
func (i installer) copied(o *original, r driver.Repo, base before) error {
	tokens := map[string]string{}
	for actor, token := range o.tokens {
		tokens[token] = i.p.Tokens[actor]
	}
	if err := i.p.Forge.Admin().Add(o.addition, tokens); err != nil {
		return err
	}
	for _, path := range i.p.s.scope.Platform.Install.Validate {
		if _, _, err := i.p.Forge.Admin().View().Entry(r.String(), "", path); err != nil {
			return fmt.Errorf("the copy of what scenario %s installed lacks %s: %w", o.scenario, path, err)
		}
	}
	i.note(r, base, fromCopy)
	return nil
}

// itself installs for this scenario alone.
func (i installer) itself(ctx context.Context, in driver.Enrollment, base before) error {
	preset := in.Preset
	if preset == nil {
		preset = i.p.s.scope.Preset
	}
	if err := i.make(ctx, in.NewRepo, preset); err != nil {
		return err
	}
	i.note(in.Repo, base, fromInstall)
	return nil
}

func (i installer) make(ctx context.Context, in driver.NewRepo, preset *driver.Preset) error {
	admin, err := i.p.client.As(environment.ActorAdmin)
	if err != nil {
		return err
	}
	if err := admin.Repos.Create(ctx, in); err != nil {
		return err
	}
	return i.install(ctx, in.Repo, preset)
}

// note journals what was installed.
func (i installer) note(r driver.Repo, base before, from string) {
	s := i.p.s
	detail := map[string]string{"from": from, "platform": s.scope.Platform.Name, "digest": s.digest}
	if s.scope.Defect != "" {
		detail["defect"] = s.scope.Defect
	}
	i.p.Journal.Append(journal.Entry{Kind: journal.Read, Type: "platform.installed", Cause: base.Cause(), Subject: r.String(), Detail: detail})
}
