package state

import (
	"cmp"
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
	ID         int64 // 0, of a second attempt that nobody asked for, is given when it is settled
	HookID     int64
	GUID       string // the same for all attempts
	Event      string
	Action     string
	Payload    json.RawMessage
	TargetType string // repository, organization, integration: what has the hook
	TargetID   int64
	Redelivery bool
	Cause      string // of the attempt, "event:41"
	Seq        uint64 // of that event in the journal
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

func (h *hook) delivery(id int64) *delivery {
	i, ok := slices.BinarySearchFunc(h.past, id, func(d *delivery, id int64) int { return cmp.Compare(d.id, id) })
	if !ok {
		return nil
	}
	return h.past[i]
}

// Deliveries lists the deliveries of a hook from one on, newest first. from 0 is the newest.
// status, success or failure, selects where it is not "".
func (s *State) Deliveries(who Identity, o HookOwner, id, from int64, status string) ([]wire.Delivery, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, err := s.hook(who, o, id, "read")
	if err != nil {
		return nil, err
	}
	out := []wire.Delivery{}
	for _, d := range slices.Backward(h.past) {
		if (from == 0 || d.id <= from) && (status == "" || (status == "success") == d.delivered()) {
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

// delivered reports whether the receiver took it.
func (d *delivery) delivered() bool { return d.Code >= 200 && d.Code < 300 }

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
	s.numbered(&d)
	// One that was late stands where its number is, not where its end is.
	at, _ := slices.BinarySearchFunc(d.hook.past, d.ID, func(p *delivery, id int64) int { return cmp.Compare(p.id, id) })
	d.hook.past = slices.Insert(d.hook.past, at, &delivery{id: d.ID, guid: d.GUID, event: d.Event, action: d.Action, payload: d.Payload,
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
	s.numbered(&d)
	s.settled(d, map[string]string{"status": why})
}

func (s *State) numbered(d *Delivery) {
	if d.ID == 0 {
		d.ID = s.nextID(nounDelivery)
	}
}

func (s *State) settled(d Delivery, detail map[string]string) {
	detail["webhook"], detail["hook"], detail["on"] = d.webhook(), strconv.FormatInt(d.HookID, 10), d.hook.on()
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
