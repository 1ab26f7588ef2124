package forge_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/internal/journal"
)

// install is what a platform's installer does: labels, a variable, a secret with a token in it, files.
func install(w *world) {
	w.t.Helper()
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	w.ada.want(201, "POST", "/repos/acme/app/labels", map[string]any{"name": "ready", "color": "0e8a16"})
	w.ada.want(201, "POST", "/repos/acme/app/actions/variables", map[string]any{"name": "API", "value": w.forge.URL() + "/api/v3"})
	w.secret("BOX", `{"token":"`+w.ada.token+`"}`)
	w.ada.want(200, "PUT", "/repos/acme/app/environments/production", nil)
	w.ada.want(201, "POST", "/repos/acme/app/environments/production/variables", map[string]any{"name": "WHERE", "value": "here"})
	w.ada.want(201, "PUT", "/repos/acme/app/contents/.github/workflows/w.yml", map[string]any{
		"message": "Add workflow", "content": base64.StdEncoding.EncodeToString([]byte("on: push\njobs: {}\n"))})
}

func (w *world) secret(name, value string) {
	w.t.Helper()
	const secrets = "/repos/acme/app/actions/secrets"
	id := w.ada.want(200, "GET", secrets+"/public-key", nil).at("key_id")
	w.ada.want(201, "PUT", secrets+"/"+name, map[string]any{"encrypted_value": seal(w.t, w.ada, secrets, value), "key_id": id})
}

// addition does something in a new forge and takes what it added.
func addition(t *testing.T, do func(*world)) (*world, *forge.Addition, error) {
	t.Helper()
	w := newForge(t)
	w.admin.Mark("step:1")
	base, err := w.admin.Base()
	must(t, err)
	do(w)
	w.quiet()
	x, err := w.forge.Addition(t.Context(), base, forge.AdditionOptions{
		Dir: t.TempDir(), Tokens: []string{w.ada.token}, Own: []string{"/a/place"},
	})
	return w, x, err
}

// TestAdditionAnswersTheSame adds to two forges, at once, what was installed in a third, and asks all
// three. Only the second makes an issue: the others must not have it.
func TestAdditionAnswersTheSame(t *testing.T) {
	origin, x, err := addition(t, install)
	must(t, err)
	copies := []*world{newForge(t), newForge(t)}
	var all sync.WaitGroup
	for i, w := range copies {
		w.admin.Mark(fmt.Sprintf("step:%d", i+2))
		all.Go(func() {
			if err := w.admin.Add(x, map[string]string{origin.ada.token: w.ada.token}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i, w := range copies {
		for _, path := range []string{"/repos/acme/app", "/repos/acme/app/labels", "/repos/acme/app/actions/variables", "/repos/acme/app/actions/secrets",
			"/repos/acme/app/environments", "/repos/acme/app/environments/production/variables",
			"/repos/acme/app/git/trees/main?recursive=1", "/repos/acme/app/commits", "/repos/acme/app/actions/workflows", "/orgs/acme/repos",
			"/repos/acme/app/issues", "/user/repos"} {
			want := address.ReplaceAllString(string(origin.ada.want(200, "GET", path, nil).body), "URL")
			if diff := cmp.Diff(want, address.ReplaceAllString(string(w.ada.want(200, "GET", path, nil).body), "URL")); diff != "" {
				t.Errorf("GET %s: %s", path, diff)
			}
		}
		secrets, err := w.admin.Secrets("acme/app")
		must(t, err)
		if got, want := secrets["BOX"], `{"token":"`+w.ada.token+`"}`; got != want {
			t.Errorf("the secret is %q, want %q", got, want)
		}
		w.ada.want(200, "GET", "/repos/acme/app/actions/variables/API", nil).is("value", w.forge.URL()+"/api/v3")
		dir := t.TempDir()
		mustGit(t, dir, "clone", "-q", w.remote(w.ada.token, "acme/app"), ".")
		mustGit(t, dir, "fsck", "--strict")
		installed := w.admin.Journal().Entries(0)
		for _, e := range installed {
			if e.Seq > w.lastEntry("push").Seq {
				break
			}
			if want := fmt.Sprintf("step:%d", i+2); e.Cause != want {
				t.Errorf("%s has cause %q, want %q", e.Type, e.Cause, want)
			}
			if strings.Contains(string(e.Payload), origin.forge.URL()) {
				t.Errorf("the payload of %s has the address of the other forge", e.Type)
			}
		}
		push := w.lastEntry("push").Seq
		if diff := cmp.Diff(shapes(origin.admin.Journal().Entries(0)[:push]), shapes(installed[:push])); diff != "" {
			t.Errorf("journal: %s", diff)
		}
		if i == 1 {
			w.ada.want(201, "POST", "/repos/acme/app/issues", map[string]any{"title": "new"}).is("number", 1.0)
			mustGit(t, dir, "commit", "-q", "--allow-empty", "-m", "more")
			mustGit(t, dir, "push", "-q", "origin", "HEAD:main")
		}
	}
	for _, w := range []*world{origin, copies[0]} {
		if n := len(w.ada.want(200, "GET", "/repos/acme/app/commits", nil).at("").([]any)); n != 2 {
			t.Errorf("a push to one copy is seen in another: %d commits", n)
		}
	}
	if err := copies[0].admin.Add(x, nil); !errors.Is(err, forge.ErrUnlike) {
		t.Errorf("a second addition to one forge: got %v, want ErrUnlike", err)
	}
}

// shapes are entries without what is another one each time.
func shapes(entries []journal.Entry) (out []string) {
	for _, e := range entries {
		out = append(out, fmt.Sprintln(e.Seq, e.Kind, e.Type, e.Actor, e.Subject, e.Detail["sha"], e.Detail["status"], address.ReplaceAllString(string(e.Payload), "URL")))
	}
	return out
}

// TestAdditionIsUnlike adds to forges with other accounts: ids would be given twice.
func TestAdditionIsUnlike(t *testing.T) {
	_, x, err := addition(t, install)
	must(t, err)
	w := newForge(t)
	must(t, w.admin.AddUser(forge.User{Login: "bob"}))
	if err := w.admin.Add(x, nil); !errors.Is(err, forge.ErrUnlike) {
		t.Errorf("got %v, want ErrUnlike", err)
	}
	install(w) // nothing is left of it
}

// TestAdditionRefuses installs what a copy could not hold as the original does.
func TestAdditionRefuses(t *testing.T) {
	file := func(w *world, text string) {
		w.ada.want(201, "PUT", "/repos/acme/app/contents/more", map[string]any{
			"message": "more", "content": base64.StdEncoding.EncodeToString([]byte(text))})
	}
	for name, tt := range map[string]struct {
		do   func(w *world)
		want string
	}{
		"token in a file":     {func(w *world) { file(w, "token: "+w.ada.token) }, "holds what belongs to its place"},
		"address in a file":   {func(w *world) { file(w, "api = "+w.forge.URL()+"/") }, "holds what belongs to its place"},
		"path in a file":      {func(w *world) { file(w, "cd /a/place") }, "holds what belongs to its place"},
		"coded token in file": {func(w *world) { file(w, basic(w)) }, "holds what belongs to its place"},
		"coded token":         {func(w *world) { w.secret("BASIC", basic(w)) }, "encoded"},
		"path in a secret":    {func(w *world) { w.secret("HOME", "/a/place/x") }, "stands in it"},
		"webhook":             {func(w *world) { w.ada.hook("http://127.0.0.1:9/x", nil, "push") }, "made or changed hooks"},
		"account":             {func(w *world) { must(w.t, w.admin.AddUser(forge.User{Login: "bob"})) }, "made or changed accounts"},
		"token":               {func(w *world) { w.mint(forge.TokenSpec{Login: "ada"}) }, "made or changed tokens"},
		"two repositories":    {func(w *world) { w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "b"}) }, "2 repositories"},
		"organisation's": {func(w *world) {
			w.ada.want(201, "POST", "/orgs/acme/actions/variables", map[string]any{"name": "A", "value": "b", "visibility": "all"})
		}, "made or changed accounts"},
		"something else's":     {func(w *world) { w.admin.Mark("step:2"); file(w, "x") }, "not caused by it"},
		"a run":                {func(w *world) { w.run() }, "made or changed runs"},
		"deleted after it was": {func(w *world) { w.ada.want(204, "DELETE", "/repos/acme/app", nil) }, "0 repositories"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := addition(t, func(w *world) { install(w); tt.do(w) })
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want it to contain %q", err, tt.want)
			}
		})
	}
}

// basic is a credential as HTTP has it.
func basic(w *world) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+w.ada.token))
}

// run makes a run of the installed workflow.
func (w *world) run() {
	w.t.Helper()
	_, err := w.admin.SaveRun(forge.Run{Repo: "acme/app", HeadSHA: w.head("acme/app", "main"), Workflow: ".github/workflows/w.yml", Event: "push", Status: "queued"})
	must(w.t, err)
}
