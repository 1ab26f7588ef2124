package forge_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge"
)

// app is an app of acme's with the key that it signs with.
type app struct {
	w    *world
	info forge.AppInfo
	key  *rsa.PrivateKey
}

// appKey is what all apps here sign with: to make one takes a while.
var appKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func (w *world) newApp(spec forge.App) app {
	w.t.Helper()
	spec.Owner = "acme"
	spec.PrivateKey = string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(appKey())}))
	info, err := w.admin.AddApp(spec)
	must(w.t, err)
	return app{w, info, appKey()}
}

// sign makes a JSON Web Token; changes replace its claims, null takes one out.
func (a app) sign(key *rsa.PrivateKey, alg string, changes map[string]any) actor {
	a.w.t.Helper()
	now := time.Now()
	claims := map[string]any{"iss": a.info.ClientID, "iat": now.Add(-time.Minute).Unix(), "exp": now.Add(9 * time.Minute).Unix()}
	for name, v := range changes {
		if claims[name] = v; v == nil {
			delete(claims, name)
		}
	}
	head, err := json.Marshal(map[string]string{"alg": alg, "typ": "JWT"})
	must(a.w.t, err)
	body, err := json.Marshal(claims)
	must(a.w.t, err)
	text := base64.RawURLEncoding.EncodeToString(head) + "." + base64.RawURLEncoding.EncodeToString(body)
	sum := sha256.Sum256([]byte(text))
	sig, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	must(a.w.t, err)
	return actor{a.w, text + "." + base64.RawURLEncoding.EncodeToString(sig)}
}

func (a app) jwt() actor { return a.sign(a.key, "RS256", nil) }

// token asks for a token of an installation.
func (a app) token(id int64, body any) actor {
	a.w.t.Helper()
	r := a.jwt().want(201, "POST", fmt.Sprintf("/app/installations/%d/access_tokens", id), body)
	value, _ := r.at("token").(string)
	return actor{a.w, value}
}

func TestAppProvesItselfWithAToken(t *testing.T) {
	w := newWorld(t)
	a := w.newApp(forge.App{Slug: "triage", Permissions: map[string]string{"issues": "write"}})
	me := a.jwt().want(200, "GET", "/app", nil)
	me.is("slug", "triage")
	me.is("owner.login", "acme")
	me.is("client_id", a.info.ClientID)
	me.is("installations_count", 0.0)
	me.is("permissions.issues", "write")
	me.is("permissions.metadata", "read")
	for _, iss := range []any{a.info.ID, strconv.FormatInt(a.info.ID, 10)} {
		a.sign(a.key, "RS256", map[string]any{"iss": iss}).want(200, "GET", "/app", nil)
	}
	actor{w, ""}.want(200, "GET", "/apps/triage", nil).is("name", "triage")
	w.ada.want(404, "GET", "/apps/nobody", nil)

	other, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	const undecodable = "A JSON web token could not be decoded"
	now := time.Now()
	for name, c := range map[string]struct {
		who     actor
		status  int
		message string
	}{
		"another's key":     {a.sign(other, "RS256", nil), 401, undecodable},
		"another algorithm": {a.sign(a.key, "none", nil), 401, undecodable},
		"no token":          {actor{w, ""}, 401, undecodable},
		"a person's token":  {w.ada, 401, undecodable},
		"half":              {actor{w, "eyJhbGciOiJSUzI1NiJ9.e30"}, 401, undecodable},
		"unknown app":       {a.sign(a.key, "RS256", map[string]any{"iss": 99}), 404, "Integration not found"},
		"no issuer":         {a.sign(a.key, "RS256", map[string]any{"iss": nil}), 404, "Integration not found"},
		"expired": {a.sign(a.key, "RS256", map[string]any{"exp": now.Add(-time.Minute).Unix()}), 401,
			"'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"},
		"no end":   {a.sign(a.key, "RS256", map[string]any{"exp": nil}), 401, "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"},
		"too long": {a.sign(a.key, "RS256", map[string]any{"exp": now.Add(time.Hour).Unix()}), 401, "'Expiration time' claim ('exp') is too far in the future"},
		"not issued yet": {a.sign(a.key, "RS256", map[string]any{"iat": now.Add(5 * time.Minute).Unix()}), 401,
			"'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"},
	} {
		if got := c.who.send("GET", "/app", nil); got.status != c.status || got.at("message") != c.message {
			t.Errorf("%s: %d %s, want %d %s", name, got.status, got.body, c.status, c.message)
		}
	}
	a.jwt().want(401, "GET", "/repos/acme/app", nil).is("message", "Bad credentials") // good for /app alone
}

// TestInstallationToken holds what an installation's token reaches, and for how long.
func TestInstallationToken(t *testing.T) {
	now := time.Now()
	w := newForgeIn(t, forge.Options{Now: func() time.Time { return now }})
	for _, name := range []string{"app", "other", "third"} {
		w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": name, "private": true, "auto_init": true})
	}
	a := w.newApp(forge.App{Slug: "triage", Permissions: map[string]string{"issues": "write", "contents": "read", "administration": "write"}})
	id, err := w.admin.Install("triage", "acme", "acme/app", "acme/other")
	must(t, err)
	at := fmt.Sprintf("/app/installations/%d", id)

	r := a.jwt().want(201, "POST", at+"/access_tokens", nil)
	r.is("repository_selection", "selected")
	r.is("permissions.issues", "write")
	r.is("repositories", nil)
	r.is("expires_at", now.Add(time.Hour).Add(time.Second).Truncate(time.Second).UTC().Format(time.RFC3339))
	bot := a.token(id, nil)
	all := bot.want(200, "GET", "/installation/repositories", nil)
	if got := all.names("repositories", "name"); !slices.Equal(got, []string{"app", "other"}) {
		t.Errorf("repositories: %v", got)
	}
	all.is("total_count", 2.0)
	bot.want(201, "POST", "/repos/acme/app/issues", map[string]any{"title": "It breaks"}).is("user.login", "triage[bot]")
	bot.want(404, "GET", "/repos/acme/third", nil)
	bot.want(403, "PUT", "/repos/acme/app/contents/x", map[string]any{"message": "m", "content": ""}).is("message", "Resource not accessible by integration")
	bot.want(403, "GET", "/user", nil)

	narrow := a.token(id, map[string]any{"repositories": []string{"Other"}, "permissions": map[string]string{"issues": "read"}})
	narrow.want(200, "GET", "/repos/acme/other/issues", nil)
	narrow.want(403, "POST", "/repos/acme/other/issues", map[string]any{"title": "x"})
	narrow.want(404, "GET", "/repos/acme/app", nil)
	for _, body := range []map[string]any{
		{"repositories": []string{"third"}}, {"repository_ids": []int{99}}, {"permissions": map[string]string{"contents": "write"}},
		{"permissions": map[string]string{"nonsense": "read"}},
	} {
		a.jwt().want(422, "POST", at+"/access_tokens", body)
	}
	w.ada.want(401, "POST", at+"/access_tokens", nil)
	a.jwt().want(404, "POST", "/app/installations/99/access_tokens", nil)

	bot.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "made", "private": true})
	bot.want(200, "GET", "/repos/acme/made", nil) // what an app made is in its selection
	narrow.want(204, "DELETE", "/installation/token", nil)
	narrow.want(401, "GET", "/repos/acme/other", nil)
	w.ada.want(403, "DELETE", "/installation/token", nil)
	now = now.Add(time.Hour + 2*time.Second)
	bot.want(401, "GET", "/repos/acme/app", nil)
}

// TestInstallation goes through what can happen to an installation, and what the app hears of it.
func TestInstallation(t *testing.T) {
	w := newWorld(t)
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "other", "auto_init": true})
	to := receive(t, nil)
	a := w.newApp(forge.App{Slug: "triage", Permissions: map[string]string{"issues": "write", "members": "read"}, Events: []string{"issues"}, WebhookURL: to.URL, Secret: "s3cret"})
	id, err := w.admin.Install("triage", "acme", "acme/app")
	must(t, err)
	bot := a.token(id, nil)
	for path, who := range map[string]actor{"/orgs/acme/installation": a.jwt(), "/users/acme/installation": a.jwt(), "/repos/acme/app/installation": a.jwt(),
		fmt.Sprintf("/app/installations/%d", id): a.jwt()} {
		r := who.want(200, "GET", path, nil)
		r.is("id", float64(id))
		r.is("account.login", "acme")
		r.is("target_type", "Organization")
	}
	a.jwt().want(404, "GET", "/repos/acme/other/installation", nil)
	w.ada.want(200, "GET", "/orgs/acme/installations", nil).is("installations.0.app_slug", "triage")
	w.user("out", "").want(404, "GET", "/orgs/acme/installations", nil)
	bot.want(403, "GET", "/orgs/acme/installations", nil)
	if got := bot.want(200, "GET", "/orgs/acme/members", nil).names("", "login"); !slices.Equal(got, []string{"ada"}) {
		t.Errorf("members: %v", got) // who is none says so to those inside only
	}

	w.ada.want(201, "POST", "/repos/acme/app/issues", map[string]any{"title": "Heard"})
	w.ada.want(201, "POST", "/repos/acme/other/issues", map[string]any{"title": "Not installed there"})
	w.ada.want(201, "POST", "/repos/acme/app/labels", map[string]any{"name": "not asked for"})
	_, err = w.admin.Install("triage", "acme")
	must(t, err)
	w.ada.want(201, "POST", "/repos/acme/other/issues", map[string]any{"title": "Heard, too"})
	at := fmt.Sprintf("/app/installations/%d", id)
	a.jwt().want(204, "PUT", at+"/suspended", nil)
	w.ada.want(201, "POST", "/repos/acme/app/issues", map[string]any{"title": "Not while suspended"})
	bot.want(401, "GET", "/repos/acme/app", nil)
	a.jwt().want(403, "POST", at+"/access_tokens", nil).is("message", "This installation has been suspended")
	a.jwt().want(200, "GET", at, nil).is("suspended_by.login", "triage[bot]")
	a.jwt().want(204, "DELETE", at+"/suspended", nil)
	bot.want(200, "GET", "/repos/acme/app", nil)
	a.jwt().want(204, "DELETE", at, nil)
	bot.want(401, "GET", "/repos/acme/app", nil)
	a.jwt().want(404, "GET", at, nil)
	must(t, w.forge.Quiet(t.Context()))

	want := []string{"installation created", "issues opened acme/app", "installation_repositories added", "issues opened acme/other",
		"installation suspend", "installation unsuspend", "installation deleted"}
	if diff := cmp.Diff(want, to.heard(id)); diff != "" {
		t.Error(diff)
	}
	hook := a.jwt().want(200, "GET", "/app/hook/config", nil)
	hook.is("content_type", "json")
	hook.is("secret", "********")
	last := a.jwt().want(200, "GET", "/app/hook/deliveries?per_page=1", nil)
	last.is("0.action", "deleted")
	a.jwt().want(202, "POST", fmt.Sprintf("/app/hook/deliveries/%v/attempts", last.at("0.id")), nil)
	a.jwt().want(200, "PATCH", "/app/hook/config", map[string]any{"url": "http://127.0.0.1:1/"}).is("url", "http://127.0.0.1:1/")
	w.ada.want(401, "GET", "/app/hook/config", nil)
}

// heard lists what an app's receiver got; each body must name the installation.
func (r *receiver) heard(id int64) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, g := range r.got {
		var body struct {
			Action       string
			Installation struct{ ID int64 }
			Repository   struct {
				FullName string `json:"full_name"`
			}
		}
		line := ""
		if err := json.Unmarshal(g.body, &body); err != nil || body.Installation.ID != id {
			line = fmt.Sprintf("not for installation %d: ", id)
		}
		if g.header.Get("X-Github-Hook-Installation-Target-Type") != "integration" {
			line += "not for an integration: "
		}
		line += g.header.Get("X-Github-Event") + " " + body.Action
		if body.Repository.FullName != "" {
			line += " " + body.Repository.FullName
		}
		out = append(out, line)
	}
	return out
}

// TestAppClones uses an installation's token with git, as a platform does.
func TestAppClones(t *testing.T) {
	w := newWorld(t)
	a := w.newApp(forge.App{Slug: "coder", Permissions: map[string]string{"contents": "write"}})
	id, err := w.admin.Install("coder", "acme")
	must(t, err)
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote(a.token(id, nil).token, "acme/app"), "app")
	in := filepath.Join(dir, "app")
	must(t, os.WriteFile(filepath.Join(in, "new.txt"), []byte("new"), 0o600))
	mustGit(t, in, "add", ".")
	mustGit(t, in, "commit", "-qm", "new")
	mustGit(t, in, "push", "-q", "origin", "HEAD:refs/heads/new")
	if e := w.lastEntry("push"); e.Actor != "coder[bot]" {
		t.Errorf("pushed by %q", e.Actor)
	}
	reader := a.token(id, map[string]any{"permissions": map[string]string{"contents": "read"}})
	if out, err := git(t, in, "push", "-q", w.remote(reader.token, "acme/app"), "HEAD:refs/heads/denied"); err == nil {
		t.Errorf("a token that reads pushed: %s", out)
	}
}

func TestAppsThatCannotBe(t *testing.T) {
	w := newWorld(t)
	w.newApp(forge.App{Slug: "triage"})
	made, err := w.admin.AddApp(forge.App{Slug: "own-key", Owner: "acme"})
	must(t, err)
	block, _ := pem.Decode([]byte(made.PrivateKey))
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	must(t, err)
	app{w, made, key}.jwt().want(200, "GET", "/app", nil).is("slug", "own-key")
	for name, in := range map[string]forge.App{
		"slug": {Slug: "Triage!"}, "owner": {Slug: "a", Owner: "nobody"}, "key": {Slug: "a", Owner: "acme", PrivateKey: "not PEM"},
		"permission": {Slug: "a", Owner: "acme", Permissions: map[string]string{"everything": "write"}}, "event": {Slug: "a", Owner: "acme", Events: []string{"*"}},
		"webhook": {Slug: "a", Owner: "acme", WebhookURL: "nowhere"},
	} {
		if _, err := w.admin.AddApp(in); err == nil || errors.Is(err, driver.ErrConflict) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := w.admin.AddApp(forge.App{Slug: "triage", Owner: "acme"}); !errors.Is(err, driver.ErrConflict) {
		t.Errorf("the same again: %v", err)
	}
	for _, args := range [][]string{{"nobody", "acme"}, {"triage", "nobody"}, {"triage", "acme", "acme/none"}, {"triage", "ada", "acme/app"}} {
		if _, err := w.admin.Install(args[0], args[1], args[2:]...); err == nil {
			t.Errorf("installed %v", args)
		}
	}
}
