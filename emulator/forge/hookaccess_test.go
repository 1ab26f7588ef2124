package forge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
)

func TestHookBadInput(t *testing.T) {
	w := newWorld(t)
	url := map[string]any{"url": "http://127.0.0.1:1"}
	for name, c := range map[string]struct {
		status int
		body   map[string]any
		says   string
	}{
		"no config":        {422, map[string]any{"events": []string{"push"}}, "url"},
		"no url":           {422, map[string]any{"config": map[string]any{"content_type": "json"}}, "missing_field"},
		"scheme":           {422, map[string]any{"config": map[string]any{"url": "file:///etc/passwd"}}, "url is invalid"},
		"no host":          {422, map[string]any{"config": map[string]any{"url": "http://"}}, "url is invalid"},
		"content type":     {422, map[string]any{"config": map[string]any{"url": "http://x", "content_type": "xml"}}, "content_type"},
		"insecure":         {422, map[string]any{"config": map[string]any{"url": "http://x", "insecure_ssl": "yes"}}, "insecure_ssl"},
		"event":            {422, map[string]any{"config": url, "events": []string{"isues"}}, "isues"},
		"organisation's":   {422, map[string]any{"config": url, "events": []string{"membership"}}, "membership"},
		"no events":        {422, map[string]any{"config": url, "events": []string{}}, "events"},
		"name":             {422, map[string]any{"config": url, "name": "email"}, "web"},
		"field":            {501, map[string]any{"config": url, "colour": "red"}, "colour"},
		"field of config":  {501, map[string]any{"config": map[string]any{"url": "http://x", "room": "1"}}, "room"},
		"the shown secret": {501, map[string]any{"config": map[string]any{"url": "http://x", "secret": "********"}}, "secret"},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.ada.send("POST", "/repos/acme/app/hooks", c.body)
			if r.status != c.status || !strings.Contains(string(r.body), c.says) {
				t.Errorf("%d %s, want %d and %q", r.status, r.body, c.status, c.says)
			}
		})
	}
	if r := w.ada.want(200, "GET", "/repos/acme/app/hooks", nil); string(r.body) != "[]" {
		t.Errorf("something was kept: %s", r.body)
	}
	body := map[string]any{"config": url}
	w.ada.want(201, "POST", "/repos/acme/app/hooks", body)
	if r := w.ada.want(422, "POST", "/repos/acme/app/hooks", body); r.at("errors.0.message") != "Hook already exists on this repository" {
		t.Errorf("twice: %s", r.body)
	}
	for i := range 19 {
		w.ada.want(201, "POST", "/repos/acme/app/hooks", map[string]any{"config": map[string]any{"url": fmt.Sprint("http://127.0.0.1:1/", i)}})
	}
	w.ada.want(422, "POST", "/repos/acme/app/hooks", map[string]any{"config": map[string]any{"url": "http://127.0.0.1:1/20"}})
}

func TestHookPermissions(t *testing.T) {
	w := newWorld(t)
	hook := w.ada.hook("http://127.0.0.1:1", nil, "push")
	w.ada.want(201, "POST", "/orgs/acme/hooks", map[string]any{"name": "web", "config": map[string]any{"url": "http://127.0.0.1:1"}})
	maintainer, outsider := w.user("mia", "maintain"), w.user("olaf", "")
	fine := func(p map[string]string) actor {
		return w.mint(forge.TokenSpec{Login: "ada", Owner: "acme", Permissions: p})
	}
	for _, c := range []struct {
		name   string
		who    actor
		status int
		method string
		path   string
	}{
		{"maintainer", maintainer, 404, "GET", hook},
		{"maintainer, create", maintainer, 404, "POST", "/repos/acme/app/hooks"},
		{"outsider", outsider, 404, "GET", "/orgs/acme/hooks/2"},
		{"nobody", actor{w: w}, 404, "GET", hook},
		{"nobody, organisation", actor{w: w}, 404, "GET", "/orgs/acme/hooks"},
		{"no organisation", w.ada, 404, "GET", "/orgs/ada/hooks"},
		{"scope", fine(map[string]string{"repository_hooks": "read"}), 200, "GET", hook},
		{"scope to read only", fine(map[string]string{"repository_hooks": "read"}), 403, "POST", hook + "/pings"},
		{"other scope", fine(map[string]string{"administration": "write"}), 403, "GET", hook},
		{"organisation's scope", fine(map[string]string{"organization-hooks": "write"}), 200, "GET", "/orgs/acme/hooks"},
		{"repository's scope for the organisation", fine(map[string]string{"repository_hooks": "write"}), 403, "GET", "/orgs/acme/hooks"},
		{"another owner's hook", w.ada, 404, "GET", "/orgs/acme/hooks/1"},
		{"no number", w.ada, 404, "GET", "/repos/acme/app/hooks/one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if r := c.who.send(c.method, c.path, nil); r.status != c.status {
				t.Errorf("%s %s = %d, want %d: %s", c.method, c.path, r.status, c.status, r.body)
			}
		})
	}
}
