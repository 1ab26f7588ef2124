package state

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// hook is a webhook of a repository, an organisation or an app: one of the three is not nil.
type hook struct {
	id      int64
	repo    *repo
	org     *account
	app     *app
	config  HookConfig
	events  []string
	active  bool
	created time.Time
	updated time.Time
	gone    bool        // deleted; what is still to be delivered is not
	past    []*delivery // oldest first, at most keptDeliveries
}

// HookOwner names whose hooks are meant: a repository's, an organisation's, or those of the app that asks.
type HookOwner struct {
	Repo string // "owner/name"
	Org  string
	App  bool
}

// HookEdit creates or changes a hook; what is nil stays as it is, or is GitHub's default.
type HookEdit struct {
	Config       *HookConfigEdit
	Events       *[]string
	AddEvents    []string
	RemoveEvents []string
	Active       *bool
}

// The most hooks that may be subscribed to one event of one owner.
const maxHooksPerEvent = 20

// hookOwner is a HookOwner found.
type hookOwner struct {
	repo *repo
	org  *account
	app  *app
}

func (o hookOwner) hooks() *[]*hook {
	switch {
	case o.repo != nil:
		return &o.repo.hooks
	case o.org != nil:
		return &o.org.hooks
	}
	return &o.app.hooks
}

func (o hookOwner) kind() string {
	switch {
	case o.repo != nil:
		return wire.HookOfRepository
	case o.org != nil:
		return wire.HookOfOrganization
	}
	return wire.HookOfApp
}

// target is what deliveries say of the owner.
func (o hookOwner) target() (kind string, id int64) {
	switch {
	case o.repo != nil:
		return "repository", o.repo.id
	case o.org != nil:
		return "organization", o.org.id
	}
	return "integration", o.app.id
}

func (h *hook) owner() hookOwner { return hookOwner{h.repo, h.org, h.app} }

// hookOwner finds whose hooks are asked for, if who may see or change them: an administrator of the
// repository, an owner of the organisation. To others they are not there.
func (s *State) hookOwner(who Identity, o HookOwner, level string) (hookOwner, error) {
	if o.App {
		a, err := s.asApp(who)
		return hookOwner{app: a}, err
	}
	if who.Anonymous() {
		return hookOwner{}, wire.NotFound()
	}
	if o.Repo != "" {
		need := ReadHooks
		if level == "write" {
			need = WriteHooks
		}
		r, err := s.open(who, o.Repo, need)
		return hookOwner{repo: r}, err
	}
	org := s.accounts[key(o.Org)]
	if org == nil || org.kind != kindOrg {
		return hookOwner{}, wire.NotFound()
	}
	if !who.tok.grants("organization_hooks", level) || who.tok.narrow() && !who.tok.installedOn(org) || !who.tok.ownedBy(org) {
		return hookOwner{}, who.refused()
	}
	if !who.tok.app && !who.scoped("admin:org_hook") {
		return hookOwner{}, wire.NotFound()
	}
	if !who.tok.app && !org.members[key(who.Login)].owner && !org.grants(who.Login, orgPermission("organization_hooks", level)) {
		return hookOwner{}, wire.NotFound()
	}
	return hookOwner{org: org}, nil
}

func (s *State) hook(who Identity, o HookOwner, id int64, level string) (*hook, error) {
	owner, err := s.hookOwner(who, o, level)
	if err != nil {
		return nil, err
	}
	for _, h := range *owner.hooks() {
		if h.id == id || o.App {
			return h, nil
		}
	}
	return nil, wire.NotFound()
}

// Hooks lists the hooks of a repository or an organisation, oldest first.
func (s *State) Hooks(who Identity, o HookOwner) ([]wire.Hook, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	owner, err := s.hookOwner(who, o, "read")
	if err != nil {
		return nil, err
	}
	out := []wire.Hook{}
	for _, h := range *owner.hooks() {
		out = append(out, s.viewHook(h))
	}
	return out, nil
}

// Hook returns one hook.
func (s *State) Hook(who Identity, o HookOwner, id int64) (wire.Hook, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.hook(who, o, id, "read")
	if err != nil {
		return wire.Hook{}, err
	}
	return s.viewHook(h), nil
}

// CreateHook adds a hook and, when it is active, pings it.
func (s *State) CreateHook(who Identity, o HookOwner, e HookEdit) (wire.Hook, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	owner, err := s.hookOwner(who, o, "write")
	if err != nil {
		return wire.Hook{}, err
	}
	h := &hook{
		repo: owner.repo, org: owner.org, events: []string{"push"}, active: true, created: s.now(),
	}
	if e.Config == nil {
		e.Config = &HookConfigEdit{}
	}
	if err := h.apply(e); err != nil {
		return wire.Hook{}, err
	}
	if err := owner.admit(h); err != nil {
		return wire.Hook{}, err
	}
	h.id, h.updated = s.nextID(nounHook), h.created
	*owner.hooks() = append(*owner.hooks(), h)
	s.led.Changed()
	view := s.viewHook(h)
	if h.active {
		s.ping(who, h)
	}
	return view, nil
}

// EditHook changes a hook. A new config replaces the old one whole: without a secret in it the hook
// has none.
func (s *State) EditHook(who Identity, o HookOwner, id int64, e HookEdit) (wire.Hook, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.hook(who, o, id, "write")
	if err != nil {
		return wire.Hook{}, err
	}
	return s.changeHook(h, func(c *hook) error {
		if e.Config != nil {
			c.config = HookConfig{}
		}
		return c.apply(e)
	})
}

// EditHookConfig changes the named parts of a hook's config.
func (s *State) EditHookConfig(who Identity, o HookOwner, id int64, e HookConfigEdit) (wire.HookConfig, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.hook(who, o, id, "write")
	if err != nil {
		return wire.HookConfig{}, err
	}
	v, err := s.changeHook(h, func(c *hook) error { return c.config.apply(e) })
	return v.Config, err
}

// changeHook makes a change whole or not at all.
func (s *State) changeHook(h *hook, change func(*hook) error) (wire.Hook, error) {
	c := *h
	c.events = slices.Clone(h.events)
	if err := change(&c); err != nil {
		return wire.Hook{}, err
	}
	if err := h.owner().admit(&c); err != nil {
		return wire.Hook{}, err
	}
	h.config, h.events, h.active, h.updated = c.config, c.events, c.active, s.now()
	s.led.Changed()
	return s.viewHook(h), nil
}

// DeleteHook removes a hook with its deliveries.
func (s *State) DeleteHook(who Identity, o HookOwner, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.hook(who, o, id, "write")
	if err != nil {
		return err
	}
	h.gone = true
	list := h.owner().hooks()
	*list = slices.DeleteFunc(*list, func(x *hook) bool { return x == h })
	s.led.Changed()
	return nil
}

// admit checks a hook against its neighbours.
func (o hookOwner) admit(h *hook) error {
	count := map[string]int{}
	for _, x := range *o.hooks() {
		if x.id == h.id {
			continue
		}
		if x.config.URL == h.config.URL && x.config.ContentType == h.config.ContentType && slices.Equal(x.events, h.events) {
			return wire.Invalid(wire.FieldError{Resource: "Hook", Code: "custom",
				Message: "Hook already exists on this " + strings.ToLower(o.kind())})
		}
		for _, e := range x.events {
			count[e]++
		}
	}
	for _, e := range h.events {
		if count[e] >= maxHooksPerEvent {
			return wire.Invalid(wire.FieldError{Resource: "Hook", Code: "custom",
				Message: fmt.Sprintf("The %q event cannot have more than %d hooks", e, maxHooksPerEvent)})
		}
	}
	return nil
}

func (h *hook) apply(e HookEdit) error {
	if e.Config != nil {
		if err := h.config.apply(*e.Config); err != nil {
			return err
		}
	}
	if e.Events != nil {
		h.events = slices.Clone(*e.Events)
	}
	h.events = append(h.events, e.AddEvents...)
	h.events = slices.DeleteFunc(h.events, func(name string) bool { return slices.Contains(e.RemoveEvents, name) })
	slices.Sort(h.events)
	h.events = slices.Compact(h.events)
	for _, name := range slices.Concat(h.events, e.RemoveEvents) {
		if !wire.HookEvent(h.owner().kind(), name) {
			return wire.Invalid(wire.FieldError{Resource: "Hook", Field: "events", Code: "custom",
				Message: fmt.Sprintf("%q is no event of a hook of this kind", name)})
		}
	}
	if len(h.events) == 0 {
		return wire.Invalid(wire.FieldError{Resource: "Hook", Field: "events", Code: "custom", Message: "events must not be empty"})
	}
	if e.Active != nil {
		h.active = *e.Active
	}
	return nil
}

func (s *State) viewHook(h *hook) wire.Hook {
	v := wire.Hook{
		Type: h.owner().kind(), ID: h.id, Name: "web", Active: h.active, Events: slices.Clone(h.events), Config: h.config.view(),
		UpdatedAt: wire.Time{Time: h.updated}, CreatedAt: wire.Time{Time: h.created},
	}
	switch {
	case h.repo != nil:
		v.LastResponse = &wire.HookResponse{Status: "unused"}
		if n := len(h.past); n > 0 {
			v.LastResponse = h.past[n-1].response()
		}
		wire.LinkHook(s.base, "/repos/"+wire.EscapePath(h.repo.fullName()), &v)
	case h.org != nil:
		wire.LinkHook(s.base, "/orgs/"+wire.EscapePath(h.org.login), &v)
	}
	return v
}
