package forge_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-github/v88/github"

	"github.com/understudy-dev/understudy/emulator/forge"
)

const hookSecret = "it is a secret"

// inbox is a receiver as go-github would write it: what is not signed or not understood is refused.
type inbox struct {
	*httptest.Server
	mu     sync.Mutex
	events []any
	bodies map[string][]byte // by event and action
}

func openInbox(t *testing.T) *inbox {
	t.Helper()
	in := &inbox{bodies: map[string][]byte{}}
	in.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Hub-Signature") == "" || github.DeliveryID(r) == "" {
			t.Errorf("header = %v", r.Header)
		}
		body, err := github.ValidatePayload(r, []byte(hookSecret))
		if err != nil {
			t.Errorf("%s: %v", github.WebHookType(r), err)
			w.WriteHeader(http.StatusForbidden)
			return
		}
		event, err := github.ParseWebHook(github.WebHookType(r), body)
		if err != nil {
			t.Errorf("%s: %v", github.WebHookType(r), err)
			return
		}
		var a struct{ Action string }
		json.Unmarshal(body, &a)
		in.mu.Lock()
		defer in.mu.Unlock()
		in.events = append(in.events, event)
		in.bodies[strings.TrimSuffix(github.WebHookType(r)+"."+a.Action, ".")] = body
	}))
	t.Cleanup(in.Close)
	return in
}

func (in *inbox) hook(contentType string, events ...string) *github.Hook {
	return &github.Hook{Events: events, Config: &github.HookConfig{URL: github.Ptr(in.URL), ContentType: github.Ptr(contentType), Secret: github.Ptr(hookSecret)}}
}

func quiet(t *testing.T, f *forge.Server) {
	t.Helper()
	must(t, f.Quiet(t.Context()))
}

func foreignHooks(t *testing.T, n *tally) {
	f, c := openForge(t, n)
	ctx := t.Context()
	createApp(t, c)
	in := openInbox(t)
	h, _, err := c.Repositories.CreateHook(ctx, "acme", "app", in.hook("form", "issues"))
	must(t, err)
	if h.GetType() != "Repository" || h.GetName() != "web" || !h.GetActive() || h.GetConfig().GetSecret() != "********" || h.GetConfig().GetInsecureSSL() != "0" || h.LastResponse["status"] != "unused" {
		t.Errorf("hook = %v", h)
	}
	_, _, err = c.Issues.Create(ctx, "acme", "app", &github.IssueRequest{Title: github.Ptr("a & b = ü")})
	must(t, err)
	quiet(t, f)
	if len(in.events) != 2 {
		t.Fatalf("events = %v", in.events)
	}
	ping, issue := in.events[0].(*github.PingEvent), in.events[1].(*github.IssuesEvent)
	if ping.GetHookID() != h.GetID() || ping.GetHook().GetURL() != h.GetURL() || ping.GetZen() == "" || ping.GetRepo().GetFullName() != "acme/app" ||
		issue.GetAction() != "opened" || issue.GetIssue().GetTitle() != "a & b = ü" || issue.GetSender().GetLogin() != "ada" {
		t.Errorf("ping = %v, issue = %v", ping, issue)
	}
	edited, _, err := c.Repositories.EditHook(ctx, "acme", "app", h.GetID(), &github.Hook{Events: []string{"label", "push"}})
	must(t, err)
	config, _, err := c.Repositories.EditHookConfiguration(ctx, "acme", "app", h.GetID(), &github.HookConfig{ContentType: github.Ptr("json")})
	must(t, err)
	if !slices.Equal(edited.Events, []string{"label", "push"}) || config.GetContentType() != "json" || config.GetSecret() != "********" {
		t.Errorf("edited = %v, config = %v", edited, config)
	}
	_, err = c.Repositories.PingHook(ctx, "acme", "app", h.GetID())
	must(t, err)
	_, err = c.Repositories.TestHook(ctx, "acme", "app", h.GetID())
	must(t, err)
	quiet(t, f)
	if push, ok := in.events[len(in.events)-1].(*github.PushEvent); !ok || push.GetRef() != "refs/heads/main" || push.GetHeadCommit().GetID() == "" {
		t.Errorf("test push = %v", in.events[len(in.events)-1])
	}
	checkDeliveries(t, f, c, h.GetID())
	got, _, err := c.Repositories.GetHook(ctx, "acme", "app", h.GetID())
	must(t, err)
	if got.LastResponse["status"] != "active" || got.LastResponse["code"] != 200.0 {
		t.Errorf("last response = %v", got.LastResponse)
	}
	all, _, err := c.Repositories.ListHooks(ctx, "acme", "app", nil)
	must(t, err)
	_, err = c.Repositories.DeleteHook(ctx, "acme", "app", h.GetID())
	must(t, err)
	if _, res, err := c.Repositories.GetHookConfiguration(ctx, "acme", "app", h.GetID()); err == nil || res.StatusCode != 404 || len(all) != 1 {
		t.Errorf("hooks = %v, after the end: %v", all, err)
	}
}

// checkDeliveries walks the deliveries of a hook, page by page, and makes one again.
func checkDeliveries(t *testing.T, f *forge.Server, c *github.Client, hook int64) {
	t.Helper()
	ctx := t.Context()
	var events []string
	var oldest *github.HookDelivery
	opts := &github.ListCursorOptions{PerPage: 1}
	for {
		page, res, err := c.Repositories.ListHookDeliveries(ctx, "acme", "app", hook, opts)
		must(t, err)
		for _, d := range page {
			events = append(events, d.GetEvent())
			oldest = d
		}
		if opts.Cursor = res.Cursor; res.Cursor == "" {
			break
		}
	}
	if want := []string{"push", "ping", "issues", "ping"}; !slices.Equal(events, want) {
		t.Errorf("deliveries = %v, want %v", events, want)
	}
	one, _, err := c.Repositories.GetHookDelivery(ctx, "acme", "app", hook, oldest.GetID())
	must(t, err)
	parsed, err := one.ParseRequestPayload()
	must(t, err)
	if one.GetStatus() != "OK" || one.GetStatusCode() != 200 || one.Request.GetHeader("x-github-event") != "ping" || parsed.(*github.PingEvent).GetHookID() != hook {
		t.Errorf("delivery = %v", one)
	}
	_, _, err = c.Repositories.RedeliverHookDelivery(ctx, "acme", "app", hook, oldest.GetID())
	var accepted *github.AcceptedError
	if !errors.As(err, &accepted) {
		must(t, err)
	}
	quiet(t, f)
	again, _, err := c.Repositories.ListHookDeliveries(ctx, "acme", "app", hook, &github.ListCursorOptions{PerPage: 1})
	must(t, err)
	if d := again[0]; !d.GetRedelivery() || d.GetGUID() != oldest.GetGUID() || d.GetID() == oldest.GetID() {
		t.Errorf("redelivery = %v of %v", d, oldest)
	}
}

func foreignOrgHooks(t *testing.T, n *tally) {
	f, c := openForge(t, n)
	ctx := t.Context()
	in := openInbox(t)
	h, _, err := c.Organizations.CreateHook(ctx, "acme", in.hook("json", "*"))
	must(t, err)
	createApp(t, c)
	quiet(t, f)
	if len(in.events) != 4 { // ping, repository, create, push
		t.Errorf("events = %v", in.events)
	}
	if p := in.events[0].(*github.PingEvent); p.GetOrg().GetLogin() != "acme" || p.GetRepo() != nil {
		t.Errorf("ping = %v", p)
	}
	_, _, err = c.Organizations.EditHook(ctx, "acme", h.GetID(), &github.Hook{Active: github.Ptr(false)})
	must(t, err)
	_, err = c.Organizations.PingHook(ctx, "acme", h.GetID())
	must(t, err)
	_, _, err = c.Organizations.EditHookConfiguration(ctx, "acme", h.GetID(), &github.HookConfig{InsecureSSL: github.Ptr("1")})
	must(t, err)
	config, _, err := c.Organizations.GetHookConfiguration(ctx, "acme", h.GetID())
	must(t, err)
	quiet(t, f)
	ds, _, err := c.Organizations.ListHookDeliveries(ctx, "acme", h.GetID(), nil)
	must(t, err)
	one, _, err := c.Organizations.GetHookDelivery(ctx, "acme", h.GetID(), ds[1].GetID())
	must(t, err)
	if len(ds) != 5 || one.GetEvent() != "push" || one.GetRepositoryID() == 0 || config.GetInsecureSSL() != "1" {
		t.Errorf("deliveries = %v; one = %v; config = %v", ds, one, config)
	}
	_, _, err = c.Organizations.RedeliverHookDelivery(ctx, "acme", h.GetID(), one.GetID())
	var accepted *github.AcceptedError
	if !errors.As(err, &accepted) {
		must(t, err)
	}
	quiet(t, f) // else the inbox is closed while the delivery is on its way
	hooks, _, err := c.Organizations.ListHooks(ctx, "acme", nil)
	must(t, err)
	got, _, err := c.Organizations.GetHook(ctx, "acme", h.GetID())
	must(t, err)
	if len(hooks) != 1 || got.GetType() != "Organization" || got.GetActive() {
		t.Errorf("hooks = %v, %v", hooks, got)
	}
	_, err = c.Organizations.DeleteHook(ctx, "acme", h.GetID())
	must(t, err)
}
