package state

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
)

// keptDeliveries is how many deliveries of one hook are kept; older ones are forgotten.
const keptDeliveries = 1000

// Delivery is one attempt that is to be made. Its obligation is open until it is settled.
type Delivery struct {
	ID         int64
	HookID     int64
	GUID       string // the same for all attempts
	Event      string
	Action     string
	Payload    json.RawMessage
	TargetType string // repository, organization: what has the hook
	TargetID   int64
	Redelivery bool
	Cause      string // of the attempt, "event:41"
	Obligation *ledger.Obligation

	hook *hook
	repo int64 // that the event is about; 0 is none
}

// Outcome is how an attempt went.
type Outcome struct {
	At             time.Time
	Duration       time.Duration
	Status         string // "OK", or why not
	Code           int    // of the answer; 502 and 504 where there is none, as at GitHub
	Result         Result
	RequestHeader  map[string]string
	ResponseHeader map[string]string // nil: there was no answer
	ResponseBody   string
}

// Result is the kind of an outcome, as a hook's last_response names it.
type Result string

// The kinds of outcomes.
const (
	Delivered     Result = "active"
	Misconfigured Result = "misconfigured" // an answer that is no 2xx
	TimedOut      Result = "timeout"
	Unreachable   Result = "connection_error"
)

// response is an outcome as a hook shows its last one.
func (o Outcome) response() *wire.HookResponse {
	return &wire.HookResponse{Code: &o.Code, Status: string(o.Result), Message: &o.Status}
}

// delivery is a settled attempt.
type delivery struct {
	id         int64
	guid       string
	event      string
	action     string
	payload    json.RawMessage
	repo       int64
	redelivery bool
	url        string
	Outcome
}

// DeliverTo says who makes deliveries from now on. deliver is called with the state locked, in the
// journal's order; it must not block and must not call the state.
func (s *State) DeliverTo(deliver func(Delivery)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deliver = deliver
}

// announce plans the deliveries of an event to all hooks that listen. The caller holds the lock and
// an obligation. r is nil for an event of the organisation alone.
func (s *State) announce(seq uint64, org *account, r *repo, event, action string, payload json.RawMessage) {
	about := int64(0)
	if r != nil {
		about = r.id
	}
	for _, h := range listening(org, r, event, action) {
		s.plan(Delivery{hook: h, repo: about, Event: event, Action: action, Payload: payload, GUID: newGUID(), Cause: fmt.Sprintf("event:%d", seq)})
	}
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
	d.TargetType, d.TargetID = "organization", 0
	if d.hook.repo != nil {
		d.TargetType, d.TargetID = "repository", d.hook.repo.id
	} else {
		d.TargetID = d.hook.org.id
	}
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
	if h.repo != nil {
		body.Repository, about = s.eventRepo(h.repo), h.repo.id
	} else {
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
		Detail: map[string]string{"webhook": d.webhook(), "guid": d.GUID, "on": h.on()},
	})
	d.hook, d.Cause = h, fmt.Sprintf("event:%d", seq)
	s.plan(d)
}

// on names whose hook it is.
func (h *hook) on() string {
	if h.repo != nil {
		return h.repo.fullName()
	}
	return h.org.login
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
	for _, e := range slices.Backward(s.jour.Entries(0)) {
		if e.Type == "push" && e.Detail["repo"] == r.fullName() {
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

func (h *hook) delivery(id int64) *delivery {
	i, ok := slices.BinarySearchFunc(h.past, id, func(d *delivery, id int64) int { return cmp.Compare(d.id, id) })
	if !ok {
		return nil
	}
	return h.past[i]
}

// Deliveries lists the deliveries of a hook from one on, newest first. from 0 is the newest.
// redelivery selects, where it is given.
func (s *State) Deliveries(who Identity, o HookOwner, id, from int64, redelivery *bool) ([]wire.Delivery, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.hook(who, o, id, "read")
	if err != nil {
		return nil, err
	}
	out := []wire.Delivery{}
	for _, d := range slices.Backward(h.past) {
		if (from == 0 || d.id <= from) && (redelivery == nil || *redelivery == d.redelivery) {
			out = append(out, d.view())
		}
	}
	return out, nil
}

// Delivery returns one delivery, with request and response.
func (s *State) Delivery(who Identity, o HookOwner, id, delivery int64) (wire.Delivery, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.hook(who, o, id, "read")
	if err != nil {
		return wire.Delivery{}, err
	}
	d := h.delivery(delivery)
	if d == nil {
		return wire.Delivery{}, wire.NotFound()
	}
	v := d.view()
	v.URL = d.url
	v.Request = &wire.DeliveryRequest{Headers: d.RequestHeader, Payload: d.payload}
	v.Response = &wire.DeliveryResponse{Headers: d.ResponseHeader}
	if d.ResponseHeader != nil {
		v.Response.Payload = &d.ResponseBody
	}
	return v, nil
}

func (d *delivery) view() wire.Delivery {
	v := wire.Delivery{
		ID: d.id, GUID: d.guid, DeliveredAt: wire.Time{Time: d.At}, Redelivery: d.redelivery, Duration: d.Duration.Round(time.Millisecond).Seconds(),
		Status: d.Status, StatusCode: d.Code, Event: d.event, Action: optional(d.action),
	}
	if d.repo != 0 {
		v.RepositoryID = &d.repo
	}
	return v
}

// Target returns where a delivery goes now; ok is false when the hook was deleted meanwhile.
func (s *State) Target(d Delivery) (c HookConfig, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return d.hook.config, !d.hook.gone
}

// Settle records how an attempt went, journals it and ends its obligation.
func (s *State) Settle(d Delivery, to HookConfig, out Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer d.Obligation.Close()
	out.At = s.now()
	d.hook.past = append(d.hook.past, &delivery{id: d.ID, guid: d.GUID, event: d.Event, action: d.Action, payload: d.Payload,
		repo: d.repo, redelivery: d.Redelivery, url: to.URL, Outcome: out})
	if n := len(d.hook.past) - keptDeliveries; n > 0 {
		d.hook.past = slices.Delete(d.hook.past, 0, n)
	}
	s.settled(d, map[string]string{"status": out.Status, "status_code": strconv.Itoa(out.Code), "to": hostOf(to.URL)})
}

// Drop journals that an attempt is not made any more, and ends its obligation.
func (s *State) Drop(d Delivery, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer d.Obligation.Close()
	s.settled(d, map[string]string{"status": why})
}

func (s *State) settled(d Delivery, detail map[string]string) {
	detail["webhook"], detail["guid"], detail["hook"], detail["on"] = d.webhook(), d.GUID, strconv.FormatInt(d.HookID, 10), d.hook.on()
	if d.Redelivery {
		detail["redelivery"] = "true"
	}
	s.jour.Append(journal.Entry{
		Time: s.now(), Kind: journal.Change, Type: "delivery.completed", Cause: d.Cause, Subject: fmt.Sprintf("delivery:%d", d.ID), Detail: detail,
	})
}

// hostOf returns the part of an address that holds no secrets.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

func newGUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails: it ends the program instead
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
