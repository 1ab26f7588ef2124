package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// events lists the webhooks that are described: "push", "issues labeled". Their schemas are added
// under these names.
func (d *description) events(s *schemas) map[string]bool {
	all := map[string]bool{}
	for _, item := range d.Webhooks {
		for _, op := range item {
			name := strings.ReplaceAll(strings.Replace(op.ID, "/", " ", 1), "-", "_")
			if op.Body != nil {
				all[name] = true
				s.add(name, op.Body.Content[jsonKind])
			}
		}
	}
	return all
}

const dispatched = "repository_dispatch"

// Events returns the webhooks that are described, as event and action: "push", "issues labeled".
func (c *Checker) Events() []string { return slices.Sorted(maps.Keys(c.events)) }

// CheckEvent checks a webhook's body. That some schemas require an installation is not held against it:
// bodies have it when they are sent to an app.
// See https://docs.github.com/en/webhooks/webhook-events-and-payloads.
//
// It returns what of a webhook's body GitHub does not describe, less the exceptions. Name is the
// header X-GitHub-Event.
func (c *Checker) CheckEvent(name string, payload []byte) ([]Finding, error) {
	var head struct {
		Action string `json:"action"`
	}
	if err := json.Unmarshal(payload, &head); err != nil {
		return nil, fmt.Errorf("webhook %s: %w", name, err)
	}
	any := false
	if name == dispatched {
		// Its action is whatever a client called it; upstream describes one such name.
		head.Action, any = "sample.collected", true
	}
	if !c.events[name] {
		if id := name + " " + head.Action; c.events[id] {
			name = id
		} else {
			return c.except([]Finding{{Operation: "webhook " + id, Part: "payload", Says: "the event is described nowhere"}}), nil
		}
	}
	c.mu.Lock()
	c.seen["webhook "+name] = map[int]bool{200: true}
	c.mu.Unlock()
	places, err := c.hooks.check(name, payload)
	var all []Finding
	for _, p := range places {
		if (!any || p.at != "/action") && p.says != "missing property 'installation'" {
			all = append(all, Finding{"webhook " + name, "payload", p.at, p.says})
		}
	}
	return c.except(all), err
}
