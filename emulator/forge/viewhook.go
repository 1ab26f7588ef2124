package forge

import (
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
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

// DeliveryView is one attempt at a delivery. In a list it has neither headers nor bodies.
type DeliveryView struct {
	ID             int64
	HookID         int64
	GUID           string // the same for all attempts
	Event          string
	Action         string
	URL            string
	Redelivery     bool
	At             time.Time
	Duration       time.Duration
	Status         string // "OK", or why not
	Code           int    // of the answer; 502 and 504 where there is none
	OK             bool
	RequestHeader  map[string]string
	Payload        []byte
	ResponseHeader map[string]string // nil: there was no answer
	ResponseBody   string
}

// Hooks lists the webhooks that hear of a repository: its own, then its organisation's, each with at most
// limit deliveries about it.
func (v View) Hooks(repo string, limit int) ([]HookView, error) {
	list, err := v.a.state.HookViews(repo, limit)
	var out []HookView
	for _, h := range list {
		x := HookView{ID: h.ID, On: h.On, URL: h.URL, Events: h.Events, Active: h.Active, Signed: h.Signed}
		for _, d := range h.Deliveries {
			x.Deliveries = append(x.Deliveries, viewDelivery(d))
		}
		out = append(out, x)
	}
	return out, wrap("see webhooks", err)
}

// Delivery returns one delivery to a webhook that hears of a repository, with request and answer.
func (v View) Delivery(repo string, id int64) (DeliveryView, error) {
	d, err := v.a.state.DeliveryView(repo, id)
	return viewDelivery(d), wrap("see delivery", err)
}

func viewDelivery(d state.DeliveryView) DeliveryView {
	return DeliveryView{
		ID: d.ID, HookID: d.HookID, GUID: d.GUID, Event: d.Event, Action: d.Action, URL: d.URL, Redelivery: d.Redelivery, At: d.At,
		Duration: d.Duration, Status: d.Status, Code: d.Code, OK: d.Result == state.Delivered,
		RequestHeader: d.RequestHeader, Payload: d.Payload, ResponseHeader: d.ResponseHeader, ResponseBody: d.ResponseBody,
	}
}
