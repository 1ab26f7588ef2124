package state

import (
	"cmp"
	"crypto/rsa"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/scope"
)

// app is a GitHub App: a program that acts, through the tokens of its installations, as an account
// of its own. It proves who it is with a JSON Web Token signed by the private half of key.
type app struct {
	id          int64 // of its account
	slug        string
	name        string
	description string
	owner       *account
	bot         *account
	key         *rsa.PublicKey
	permissions map[string]string
	events      []string
	created     time.Time
	hooks       []*hook // at most one
}

// NewApp describes an app.
type NewApp struct {
	Slug        string
	Name        string
	Description string
	Owner       string // account
	Key         *rsa.PublicKey
	Permissions map[string]string
	Events      []string
	Webhook     HookConfigEdit // without an address the app hears nothing
}

var slugForm = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,32}[a-z0-9])?$`)

// AddApp makes an app and its account, whose login is the slug with "[bot]" behind it.
func (s *State) AddApp(in NewApp) (wire.App, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	owner := s.accounts[key(in.Owner)]
	switch {
	case !slugForm.MatchString(in.Slug):
		return wire.App{}, fmt.Errorf("slug %q: want lower-case letters, digits and hyphens, at most 34", in.Slug)
	case owner == nil || owner.kind == kindBot:
		return wire.App{}, fmt.Errorf("owner %q is no person and no organisation", in.Owner)
	case in.Key == nil || in.Key.N.BitLen() < 2048:
		return wire.App{}, fmt.Errorf("key: want an RSA key of 2048 bits or more")
	}
	permissions, err := parsePermissions(in.Permissions)
	if err != nil {
		return wire.App{}, err
	}
	x := &app{slug: in.Slug, name: cmp.Or(in.Name, in.Slug), description: in.Description, owner: owner, key: in.Key,
		permissions: permissions, events: slices.Clone(in.Events), created: s.now()}
	if err := x.listen(in.Webhook); err != nil {
		return wire.App{}, err
	}
	if err := s.newAccount(in.Slug+"[bot]", x.name, kindBot); err != nil {
		return wire.App{}, err
	}
	x.bot = s.accounts[key(in.Slug+"[bot]")]
	x.id = x.bot.id
	for _, h := range x.hooks {
		h.id, h.created, h.updated = s.nextID(nounHook), x.created, x.created
	}
	s.apps[x.id] = x
	s.led.Changed()
	return s.viewApp(x), nil
}

// listen gives the app its webhook. Events of repositories and organisations, and of installations, are
// what an app can hear; those of its own installations it always does.
func (a *app) listen(to HookConfigEdit) error {
	slices.Sort(a.events)
	a.events = slices.Compact(a.events)
	for _, name := range a.events {
		if name == "*" || !wire.HookEvent(wire.HookOfApp, name) {
			return fmt.Errorf("event %q: no app can hear it", name)
		}
	}
	if to.URL == nil {
		return nil
	}
	h := &hook{app: a, events: append(slices.Clone(a.events), wire.AppEvents()...), active: true}
	if err := h.config.apply(to); err != nil {
		return err
	}
	slices.Sort(h.events)
	a.hooks = []*hook{h}
	return nil
}

// parsePermissions reads a map of scopes to levels, with hyphens or underscores.
func parsePermissions(in map[string]string) (map[string]string, error) {
	out := make(map[string]string, len(in))
	for name, level := range in {
		name = strings.ReplaceAll(name, "-", "_")
		if !slices.Contains(scope.Permissions(), name) {
			return nil, fmt.Errorf("permission %q is unknown", name)
		}
		if !slices.Contains(scope.Levels(), level) {
			return nil, fmt.Errorf("permission %s: %q: want %s", name, level, strings.Join(scope.Levels(), ", "))
		}
		out[name] = level
	}
	return out, nil
}

// clientID is what an app may call itself instead of its number.
func (a *app) clientID() string { return fmt.Sprintf("Iv23li%014d", a.id) }

// asApp returns the app that makes the request, which must have come with a JSON Web Token.
func (s *State) asApp(who Identity) (*app, error) {
	if who.app == nil {
		return nil, undecodable()
	}
	return who.app, nil
}

// ThisApp returns the app that asks.
func (s *State) ThisApp(who Identity) (wire.App, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, err := s.asApp(who)
	if err != nil {
		return wire.App{}, err
	}
	v, n := s.viewApp(a), len(s.installationsOf(a))
	v.Installations = &n
	return v, nil
}

// App returns an app by its slug, to anybody.
func (s *State) App(slug string) (wire.App, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.app(slug)
	if a == nil {
		return wire.App{}, wire.NotFound()
	}
	return s.viewApp(a), nil
}

// app finds an app by its slug, or returns nil. The caller holds the lock.
func (s *State) app(slug string) *app {
	for _, a := range s.apps {
		if a.slug == key(slug) {
			return a
		}
	}
	return nil
}

func (s *State) viewApp(a *app) wire.App {
	v := wire.App{
		ID: a.id, Slug: a.slug, ClientID: a.clientID(), Owner: s.viewAccount(a.owner), Name: a.name, Description: optional(a.description),
		CreatedAt: wire.Time{Time: a.created}, UpdatedAt: wire.Time{Time: a.created}, Permissions: shownPermissions(a.permissions), Events: append([]string{}, a.events...),
	}
	wire.LinkApp(s.base, &v)
	return v
}

// shownPermissions are those that allow something; every app may read metadata.
func shownPermissions(in map[string]string) map[string]string {
	out := map[string]string{"metadata": "read"}
	for scope, level := range in {
		if level != "none" {
			out[scope] = level
		}
	}
	return out
}
