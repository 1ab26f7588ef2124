package forge_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// TestChecksAreRequestedAgain has apps ask for checks again: their own, once more queued until they do something about it.
func TestChecksAreRequestedAgain(t *testing.T) {
	w := newWorld(t)
	seedRun(t, w)
	w.ada.want(201, "PUT", contents+"next", map[string]any{"message": "m", "content": encode("x")})
	head := w.head("acme/app", "main")
	lint, other := w.app("lint[bot]"), w.app("other[bot]")
	made := lint.want(201, "POST", checkRuns, map[string]any{"name": "lint", "head_sha": head, "conclusion": "failure"})
	suite := "/repos/acme/app/check-suites/" + fmt.Sprint(made.at("check_suite.id"))
	run := checkRuns + "/" + fmt.Sprint(made.at("id"))
	for _, at := range []string{run, suite} {
		lint.want(200, "PATCH", run, map[string]any{"conclusion": "failure"})
		lint.want(201, "POST", at+"/rerequest", nil)
		again := w.ada.want(200, "GET", suite, nil)
		again.is("status", "queued")
		again.is("conclusion", nil)
		w.ada.want(200, "GET", run, nil).is("conclusion", "failure")
		lint.want(200, "PATCH", run, map[string]any{"conclusion": "success"})
		w.ada.want(200, "GET", suite, nil).is("conclusion", "success")
		for _, who := range []actor{w.ada, other} {
			who.want(403, "POST", at+"/rerequest", nil)
		}
	}
	for _, typ := range []string{"check_run.rerequested", "check_suite.rerequested"} {
		if e := w.lastEntry(typ); e.Actor != "lint[bot]" || e.Detail["action"] != "rerequested" {
			t.Errorf("%s: %+v", typ, e)
		}
	}
	lint.want(403, "POST", checkRuns+"/1/rerequest", nil) // a job
	lint.want(403, "POST", "/repos/acme/app/check-suites/1/rerequest", nil)
	lint.want(404, "POST", checkRuns+"/99/rerequest", nil)
	lint.want(404, "POST", "/repos/acme/app/check-suites/99/rerequest", nil)
}

// TestOnlyTheAppHearsOfRequests has an app and a repository listen to the same event.
func TestOnlyTheAppHearsOfRequests(t *testing.T) {
	w := newWorld(t)
	w.forge.Handle("POST /receiver/", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	at := w.forge.PublicURL() + "/receiver/"
	checker := w.newApp(forge.App{Slug: "checker", Permissions: map[string]string{"checks": "write"}, Events: []string{"check_run"}, WebhookURL: at + "app"})
	idle := w.newApp(forge.App{Slug: "idle", Permissions: map[string]string{"checks": "write"}, Events: []string{"check_run"}, WebhookURL: at + "idle"})
	for _, slug := range []string{"checker", "idle"} {
		_, err := w.admin.Install(slug, "acme")
		must(t, err)
	}
	hook := w.ada.want(201, "POST", "/repos/acme/app/hooks", map[string]any{"name": "web", "config": map[string]any{"url": at + "repo"}, "events": []string{"check_run"}})
	bot := checker.token(1, nil)
	made := bot.want(201, "POST", checkRuns, map[string]any{"name": "lint", "head_sha": w.head("acme/app", "main"), "conclusion": "failure"})
	bot.want(201, "POST", checkRuns+"/"+fmt.Sprint(made.at("id"))+"/rerequest", nil)
	w.quiet()
	for _, of := range []struct {
		name  string
		list  reply
		hears bool
	}{
		{"its app", checker.jwt().want(200, "GET", "/app/hook/deliveries", nil), true},
		{"another app", idle.jwt().want(200, "GET", "/app/hook/deliveries", nil), false},
		{"the repository", w.ada.want(200, "GET", "/repos/acme/app/hooks/"+fmt.Sprint(hook.at("id"))+"/deliveries", nil), false},
	} {
		actions := of.list.names("", "action")
		if !slices.Contains(actions, "completed") || slices.Contains(actions, "rerequested") != of.hears {
			t.Errorf("%s hears %v", of.name, actions)
		}
	}
}
