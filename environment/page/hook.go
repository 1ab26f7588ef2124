package page

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/understudy-dev/understudy/emulator/forge"
)

const shownDeliveries = 50 // of each webhook

func (p *page) hooks(w http.ResponseWriter, r *http.Request) error {
	s, name, err := p.repo(r, "hooks")
	if err != nil {
		return err
	}
	hooks, err := p.view.Hooks(name, shownDeliveries)
	if err != nil {
		return err
	}
	s.Main = struct {
		Repo  string
		Hooks []forge.HookView
	}{name, hooks}
	return p.send(w, r, http.StatusOK, "hooks", s)
}

func (p *page) delivery(w http.ResponseWriter, r *http.Request) error {
	s, name, err := p.repo(r, "hooks")
	if err != nil {
		return err
	}
	d, err := p.view.Delivery(name, number(r.PathValue("id")))
	if err != nil {
		return orMissing(err, "delivery", "webhooks lists the latest ones of each")
	}
	var sent bytes.Buffer
	if json.Indent(&sent, d.Payload, "", "  ") != nil {
		sent.Reset()
		sent.Write(d.Payload) // a form
	}
	main := struct {
		Repo     string
		Delivery forge.DeliveryView
		Sent     string
		Cut      int
	}{Repo: name, Delivery: d, Sent: sent.String()}
	if main.Cut = max(0, len(main.Sent)-longestPayload); main.Cut > 0 {
		main.Sent = main.Sent[:longestPayload]
	}
	s.Title, s.Main = "Delivery · "+s.Title, main
	return p.send(w, r, http.StatusOK, "delivery", s)
}

// receiver is an address without what may be secret in it: user, password, query.
func receiver(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address that cannot be read"
	}
	out := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if u.RawQuery != "" {
		return out.String() + "?…"
	}
	return out.String()
}
