package state

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/journal"
)

// DeliverTo says who makes deliveries from now on. deliver is called with the state locked, in the
// journal's order; it must not block and must not call the state.
func (s *State) DeliverTo(deliver func(Delivery)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deliver = deliver
}

// announce plans the deliveries of an event to all hooks that listen, of apps too. The caller holds the lock and
// an obligation. r is nil for an event of the organisation alone.
func (s *State) announce(seq uint64, org *account, r *repo, event, action string, payload json.RawMessage) {
	about := int64(0)
	if r != nil {
		about = r.id
	}
	for _, h := range listening(org, r, event, action) {
		s.plan(Delivery{hook: h, repo: about, Event: event, Action: action, Payload: payload, GUID: newGUID(), Cause: fmt.Sprintf("event:%d", seq), Seq: seq})
	}
	on := org
	if r != nil {
		on = r.owner
	}
	s.announceToApps(seq, on, r, event, action, payload)
}

// listening returns the hooks that an event goes to: the repository's, then its organisation's.
func listening(org *account, r *repo, event, action string) []*hook {
	var hooks []*hook
	if r != nil && !(event == "repository" && action == "deleted") { // its own hooks went with it
		hooks = append(hooks, r.hooks...)
	}
	if org != nil {
		hooks = append(hooks, org.hooks...)
	}
	return slices.DeleteFunc(hooks, func(h *hook) bool {
		return !h.active || !h.hears(event)
	})
}

// hears reports whether a hook is subscribed to an event. "*" is all events that a hook can have.
func (h *hook) hears(event string) bool {
	return slices.Contains(h.events, event) || slices.Contains(h.events, "*") && wire.HookEvent(h.owner().kind(), event)
}

func (s *State) plan(d Delivery) {
	if s.deliver == nil {
		return
	}
	d.ID, d.HookID = s.nextID(nounDelivery), d.hook.id
	d.TargetType, d.TargetID = d.hook.owner().target()
	d.Obligation = s.led.Open(fmt.Sprintf("delivery %d of %s to hook %d", d.ID, d.webhook(), d.HookID))
	s.deliver(d)
}

func (d Delivery) webhook() string {
	if d.Action == "" {
		return d.Event
	}
	return d.Event + "." + d.Action
}

// ping sends a hook the event that tells it who it is.
func (s *State) ping(who Identity, h *hook) {
	about := int64(0)
	body := wire.Ping{
		Zen: "Mind your words, they are important.", HookID: h.id, Hook: s.viewHook(h), Sender: s.eventSender(who),
	}
	switch {
	case h.repo != nil:
		body.Repository, about = s.eventRepo(h.repo), h.repo.id
	case h.org != nil:
		body.Organization = wire.NewOrganization(s.base, h.org.id, h.org.login)
	}
	payload, err := json.Marshal(body)
	if err != nil {
		panic("state: webhook body cannot be written: " + err.Error()) // only strings, numbers and times
	}
	s.request(who, h, "ping", Delivery{Event: "ping", Payload: payload, GUID: newGUID(), repo: about})
}

// request journals that somebody asked for a delivery to one hook, and plans it.
func (s *State) request(who Identity, h *hook, typ string, d Delivery) {
	seq := s.jour.Append(journal.Entry{
		Time: s.now(), Kind: journal.Change, Type: typ, Cause: who.Cause, Actor: who.Login, Subject: fmt.Sprintf("hook:%d", h.id),
		Detail: map[string]string{"webhook": d.webhook(), "on": h.on()},
	})
	d.hook, d.Cause, d.Seq = h, fmt.Sprintf("event:%d", seq), seq
	s.plan(d)
}

// on names whose hook it is.
func (h *hook) on() string {
	switch {
	case h.repo != nil:
		return h.repo.fullName()
	case h.org != nil:
		return h.org.login
	}
	return h.app.slug
}

// PingHook sends a ping, whether the hook is active or not.
func (s *State) PingHook(who Identity, o HookOwner, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.hook(who, o, id, "write")
	if err != nil {
		return err
	}
	s.ping(who, h)
	return nil
}

// TestHook sends the latest push again, if the hook listens to pushes and there was one.
func (s *State) TestHook(who Identity, o HookOwner, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.hook(who, o, id, "write")
	if err != nil {
		return err
	}
	if h.repo == nil {
		return wire.NotFound()
	}
	if body := s.lastPush(h.repo); body != nil && h.hears("push") {
		s.request(who, h, "delivery.requested", Delivery{Event: "push", Payload: body, GUID: newGUID(), repo: h.repo.id})
	}
	return nil
}

// lastPush returns the body of the latest push to a repository, or nil.
func (s *State) lastPush(r *repo) json.RawMessage {
	for _, e := range slices.Backward(s.jour.Facts(0)) {
		if e.Type == "push" && e.Detail["repo"] == r.fullName() {
			e, _ = s.jour.Entry(e.Seq)
			return e.Payload
		}
	}
	return nil
}

// Redeliver makes another attempt at a delivery: another id, the same guid.
func (s *State) Redeliver(who Identity, o HookOwner, id, of int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.hook(who, o, id, "write")
	if err != nil {
		return err
	}
	d := h.delivery(of)
	if d == nil {
		return wire.NotFound()
	}
	s.request(who, h, "delivery.requested", Delivery{
		Event: d.event, Action: d.action, Payload: d.payload, GUID: d.guid, Redelivery: true, repo: d.repo,
	})
	return nil
}

func newGUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails: it ends the program instead
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
