package state

import (
	"fmt"
	"maps"
	"slices"

	"github.com/understudy-dev/understudy/driver"
)

// HookView is a webhook of a repository or of its organisation, without its secret.
type HookView struct {
	ID         int64
	On         string // the repository or the organisation
	URL        string
	Events     []string
	Active     bool
	Signed     bool
	Deliveries []DeliveryView // latest first
}

// DeliveryView is one attempt that was made. Payload, headers and body are those of DeliveryView only,
// not of a list.
type DeliveryView struct {
	ID         int64
	HookID     int64
	GUID       string
	Event      string
	Action     string
	URL        string
	Redelivery bool
	Payload    []byte
	Outcome
}

// HookViews lists the hooks that hear of a repository: its own, then its organisation's, each with at
// most limit deliveries about it.
func (s *State) HookViews(full string, limit int) ([]HookView, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.known(full)
	if err != nil {
		return nil, err
	}
	var out []HookView
	for _, h := range r.hearing() {
		v := HookView{ID: h.id, On: h.on(), URL: h.config.URL, Events: slices.Clone(h.events), Active: h.active, Signed: h.config.Secret != ""}
		for _, d := range slices.Backward(h.past) {
			if (h.repo != nil || d.repo == r.id) && len(v.Deliveries) < limit {
				v.Deliveries = append(v.Deliveries, h.overview(d))
			}
		}
		out = append(out, v)
	}
	return out, nil
}

// hearing are the hooks that hear of a repository.
func (r *repo) hearing() []*hook {
	return append(slices.Clone(r.hooks), r.owner.hooks...)
}

func (h *hook) overview(d *delivery) DeliveryView {
	v := DeliveryView{ID: d.id, HookID: h.id, GUID: d.guid, Event: d.event, Action: d.action, URL: d.url, Redelivery: d.redelivery, Outcome: d.Outcome}
	v.RequestHeader, v.ResponseHeader, v.ResponseBody = nil, nil, ""
	return v
}

// DeliveryView returns one delivery to a hook that hears of a repository, whole.
func (s *State) DeliveryView(full string, id int64) (DeliveryView, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.known(full)
	if err != nil {
		return DeliveryView{}, err
	}
	for _, h := range r.hearing() {
		if d := h.delivery(id); d != nil {
			v := h.overview(d)
			v.Payload, v.ResponseBody = d.payload, d.ResponseBody
			v.RequestHeader, v.ResponseHeader = maps.Clone(d.RequestHeader), maps.Clone(d.ResponseHeader)
			return v, nil
		}
	}
	return DeliveryView{}, fmt.Errorf("delivery %d: %w", id, driver.ErrNotFound)
}
