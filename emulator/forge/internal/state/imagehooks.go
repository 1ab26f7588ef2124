package state

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// HookImage is a webhook of the repository Repo, the organisation Org or the app App, with its secret in the clear.
type HookImage struct {
	Repo    int64 // 0 is none
	Org     int64 // account; 0 is none
	App     int64 `json:",omitempty"` // 0 is none
	ID      int64
	Config  HookConfig
	Events  []string
	Active  bool
	Created time.Time
	Updated time.Time
}

// DeliveryImage is a delivery of the hook Hook that was made. What is still to be delivered is in no
// image: the forge that an image is taken of delivers it.
type DeliveryImage struct {
	Hook       int64
	ID         int64
	GUID       string
	Event      string
	Action     string
	Payload    json.RawMessage
	Repo       int64 // 0 is none
	Redelivery bool
	URL        string
	Outcome    Outcome
}

func (im *Image) addHooks(hooks []*hook) {
	for _, h := range hooks {
		out := HookImage{ID: h.id, Config: h.config, Events: slices.Clone(h.events), Active: h.active, Created: h.created, Updated: h.updated}
		switch {
		case h.repo != nil:
			out.Repo = h.repo.id
		case h.org != nil:
			out.Org = h.org.id
		default:
			out.App = h.app.id
		}
		im.Hooks = append(im.Hooks, out)
		for _, d := range h.past {
			im.Deliveries = append(im.Deliveries, DeliveryImage{Hook: h.id, ID: d.id, GUID: d.guid, Event: d.event, Action: d.action, Payload: d.payload,
				Repo: d.repo, Redelivery: d.redelivery, URL: d.url, Outcome: d.Outcome.clone()})
		}
	}
}

func (o Outcome) clone() Outcome {
	o.RequestHeader, o.ResponseHeader = maps.Clone(o.RequestHeader), maps.Clone(o.ResponseHeader)
	return o
}

func (r reader) readHooks(im Image) error {
	hooks := map[int64]*hook{}
	for _, in := range im.Hooks {
		owner, err := r.s.hookOwnerOf(r, in)
		if err != nil {
			return err
		}
		x := &hook{id: in.ID, repo: owner.repo, org: owner.org, app: owner.app, config: in.Config, events: slices.Clone(in.Events), active: in.Active,
			created: in.Created, updated: in.Updated}
		if err := x.config.apply(HookConfigEdit{}); err != nil || x.config != in.Config {
			return fmt.Errorf("hook %d delivers %q to %q", in.ID, in.Config.ContentType, in.Config.URL)
		}
		for _, name := range x.events {
			if !wire.HookEvent(owner.kind(), name) {
				return fmt.Errorf("hook %d waits for %q, which is no event", in.ID, name)
			}
		}
		if err := put(r, nounHook, hooks, in.ID, x); err != nil {
			return err
		}
		*owner.hooks() = append(*owner.hooks(), x)
	}
	seen := map[int64]*delivery{}
	for _, in := range im.Deliveries {
		of := hooks[in.Hook]
		if of == nil {
			return fmt.Errorf("delivery %d is of hook %d, which is not there", in.ID, in.Hook)
		}
		if n := len(of.past); n > 0 && of.past[n-1].id >= in.ID || n == keptDeliveries {
			return fmt.Errorf("delivery %d of hook %d is out of order, or one too many", in.ID, in.Hook)
		}
		x := &delivery{id: in.ID, guid: in.GUID, event: in.Event, action: in.Action, payload: in.Payload, repo: in.Repo,
			redelivery: in.Redelivery, url: in.URL, Outcome: in.Outcome.clone()}
		if err := put(r, nounDelivery, seen, in.ID, x); err != nil {
			return err
		}
		of.past = append(of.past, x)
	}
	return nil
}
