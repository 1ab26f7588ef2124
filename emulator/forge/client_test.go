package forge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/internal/journal"
)

// world is a forge with an organisation acme, owned by ada, and a repository acme/app.
type world struct {
	t     testing.TB
	forge *forge.Server
	admin *forge.Admin
	http  *http.Client
	tcp   *http.Transport // below http
	ada   actor
}

// actor makes requests with one token.
type actor struct {
	w     *world
	token string
}

func newForge(t testing.TB) *world {
	t.Helper()
	return newForgeIn(t, forge.Options{})
}

func newForgeIn(t testing.TB, o forge.Options) *world {
	t.Helper()
	f, err := forge.New(o)
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{}
	t.Cleanup(func() {
		describedEvents(t, f)
		tr.CloseIdleConnections()
		if err := f.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	w := &world{t: t, forge: f, admin: f.Admin(), tcp: tr, http: &http.Client{Transport: described(t, tr)}}
	must(t, w.admin.AddUser(forge.User{Login: "ada", Name: "Ada L."}))
	must(t, w.admin.AddOrg("acme", "ada"))
	w.ada = w.mint(forge.TokenSpec{Login: "ada", Kit: true})
	return w
}

// described reports answers that are not as GitHub describes them; a benchmark does without.
func described(t testing.TB, tr http.RoundTripper) http.RoundTripper {
	t.Helper()
	if _, bench := t.(*testing.B); bench {
		return tr
	}
	c, err := checker()
	must(t, err)
	return c.Transport(t, tr)
}

// describedEvents does the same for all webhooks of a forge's life.
func describedEvents(t testing.TB, f *forge.Server) {
	t.Helper()
	if _, bench := t.(*testing.B); bench {
		return
	}
	c, err := checker()
	must(t, err)
	for _, e := range f.Admin().Journal().Entries(0) {
		if e.Kind != journal.Change || e.Detail["event"] == "" || len(e.Payload) == 0 {
			continue
		}
		findings, err := c.CheckEvent(e.Detail["event"], e.Payload)
		must(t, err)
		for _, found := range findings {
			t.Errorf("not as GitHub describes it: %s", found)
		}
	}
}

// unredirected is the actor with a client that follows no redirect.
func (a actor) unredirected() actor {
	w := *a.w
	w.http = &http.Client{Transport: a.w.http.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return actor{&w, a.token}
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := newForge(t)
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	return w
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) mint(spec forge.TokenSpec) actor {
	w.t.Helper()
	token, err := w.admin.MintToken(spec)
	must(w.t, err)
	return actor{w, token}
}

// user adds a user with a role in acme/app, and a token.
func (w *world) user(login, role string) actor {
	w.t.Helper()
	must(w.t, w.admin.AddUser(forge.User{Login: login}))
	if role != "" {
		w.ada.want(204, "PUT", "/repos/acme/app/collaborators/"+login, map[string]any{"permission": role})
	}
	return w.mint(forge.TokenSpec{Login: login})
}

type reply struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
}

func (a actor) send(method, path string, body any, header ...string) reply {
	a.w.t.Helper()
	var in io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		must(a.w.t, err)
		in = bytes.NewReader(data)
	}
	if !strings.HasPrefix(path, "http") {
		path = a.w.forge.URL() + path
	}
	req, err := http.NewRequest(method, path, in)
	must(a.w.t, err)
	if a.token != "" {
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := a.w.http.Do(req)
	must(a.w.t, err)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	must(a.w.t, err)
	return reply{a.w.t, res.StatusCode, res.Header, data}
}

// want is send, and fails unless the status is the one given.
func (a actor) want(status int, method, path string, body any, header ...string) reply {
	a.w.t.Helper()
	r := a.send(method, path, body, header...)
	if r.status != status {
		a.w.t.Fatalf("%s %s = %d, want %d: %s", method, path, r.status, status, r.body)
	}
	return r
}

// at digs a value out of the JSON body: "user.login", "0.name".
func (r reply) at(path string) any {
	r.t.Helper()
	var v any
	if err := json.Unmarshal(r.body, &v); err != nil {
		r.t.Fatalf("body is no JSON: %v: %s", err, r.body)
	}
	return dig(v, path)
}

func dig(v any, path string) any {
	if path == "" {
		return v
	}
	for seg := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[seg]
		case []any:
			n := int(json.Number(seg).String()[0] - '0')
			if n >= len(x) {
				return nil
			}
			v = x[n]
		default:
			return nil
		}
	}
	return v
}

// is fails unless the value at path is the one given.
func (r reply) is(path string, want any) {
	r.t.Helper()
	if got := r.at(path); got != want {
		r.t.Errorf("%s = %v (%T), want %v in %s", path, got, got, want, r.body)
	}
}

// names lists field of each element of a list.
func (r reply) names(list, field string) []string {
	r.t.Helper()
	var out []string
	v, _ := r.at(list).([]any)
	for _, x := range v {
		s, _ := dig(x, field).(string)
		out = append(out, s)
	}
	return out
}

// changes lists the types of the change entries after a sequence number, without requests.
func (w *world) changes(after uint64) []string {
	var out []string
	for _, e := range w.admin.Journal().Entries(after) {
		if e.Kind == journal.Change && e.Type != "request" {
			out = append(out, e.Type)
		}
	}
	return out
}

// seq is the sequence number of the last entry.
func (w *world) seq() uint64 { return uint64(len(w.admin.Journal().Entries(0))) }

// lastEntry returns the newest entry of a type.
func (w *world) lastEntry(typ string) journal.Entry {
	w.t.Helper()
	all := w.admin.Journal().Entries(0)
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Type == typ {
			return all[i]
		}
	}
	w.t.Fatalf("journal has no %s", typ)
	return journal.Entry{}
}

// payload digs a value out of an entry's body.
func payload(t testing.TB, e journal.Entry, path string) any {
	t.Helper()
	return reply{t: t, body: e.Payload}.at(path)
}

// git runs the real git in dir, sealed off from the configuration of whoever runs the test.
func git(t testing.TB, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "no-home"), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.test", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.test"}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func mustGit(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := git(t, dir, args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(out)
}

// remote is the clone address of a repository with a token in it.
func (w *world) remote(token, repo string) string {
	u := strings.TrimPrefix(w.forge.URL(), "http://")
	if token != "" {
		u = "x-access-token:" + token + "@" + u
	}
	return "http://" + u + "/" + repo + ".git"
}
