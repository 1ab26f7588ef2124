package reach_test

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/environment/reach"
)

// stage is a forge with an organisation for tests, one of production, and accounts that reach as far as they should.
type stage struct {
	t      *testing.T
	forge  *forge.Server
	admin  *forge.Admin
	env    map[string]string
	file   reach.File
	actors environment.Platform
}

// appKey is the key of the app; to make one takes a while.
var appKey = sync.OnceValues(forge.NewPrivateKey)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func platform() environment.Platform {
	p := environment.Platform{File: "platform.yaml", Order: []string{"admin", "write", "triage", "outsider", "robot"}}
	p.Actors = map[string]driver.Actor{
		"admin":    {Name: "admin", Login: "fs-admin", Role: "admin"},
		"write":    {Name: "write", Login: "fs-write", Role: "write"},
		"triage":   {Name: "triage", Login: "fs-triage", Role: "triage"},
		"outsider": {Name: "outsider", Login: "fs-outsider", Role: "none"},
		"robot":    {Name: "robot", Login: "robot[bot]", Role: "none", Bot: true, App: map[string]string{"issues": "write"}},
	}
	return p
}

const file = `
api: %API
test: [acme-test]
production: [acme]
tokens: {admin: T_ADMIN, write: T_WRITE, triage: T_TRIAGE, outsider: T_OUT, robot: T_ROBOT}
`

func newStage(t *testing.T) *stage {
	t.Helper()
	f, err := forge.New(forge.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, f.Close(context.WithoutCancel(t.Context()))) })
	s := &stage{t: t, forge: f, admin: f.Admin(), env: map[string]string{}, actors: platform()}
	s.file, err = reach.Parse("reach.yaml", []byte(strings.ReplaceAll(file, "%API", f.APIURL())), s.actors)
	must(t, err)
	for _, login := range []string{"boss", "fs-admin", "fs-write", "fs-triage", "fs-outsider"} {
		must(t, s.admin.AddUser(forge.User{Login: login}))
	}
	must(t, s.admin.AddOrg("acme", "boss"))
	must(t, s.admin.AddOrg("acme-test", "boss"))
	must(t, s.admin.SetOrgRole("acme-test", "fs-admin", "owner"))
	must(t, s.admin.SetOrgRole("acme-test", "fs-write", "write"))
	must(t, s.admin.SetOrgRole("acme-test", "fs-triage", "triage"))
	s.as("boss", "POST", "/orgs/acme/repos", `{"name": "product"}`)
	s.as("boss", "POST", "/orgs/acme-test/repos", `{"name": "test-repo-01"}`)
	s.as("fs-outsider", "POST", "/user/repos", `{"name": "own"}`)
	for variable, login := range map[string]string{"T_ADMIN": "fs-admin", "T_WRITE": "fs-write", "T_TRIAGE": "fs-triage", "T_OUT": "fs-outsider"} {
		s.token(variable, forge.TokenSpec{Login: login, Scopes: []string{"repo", "read:org"}})
	}
	key, err := appKey()
	must(t, err)
	_, err = s.admin.AddApp(forge.App{Slug: "robot", Owner: "acme-test", Permissions: map[string]string{"issues": "write"}, PrivateKey: key})
	must(t, err)
	s.install("acme-test")
	return s
}

func (s *stage) install(org string) {
	s.t.Helper()
	id, err := s.admin.Install("robot", org)
	must(s.t, err)
	s.token("T_ROBOT", forge.TokenSpec{Login: "robot[bot]", Installation: id})
}

func (s *stage) token(variable string, spec forge.TokenSpec) {
	s.t.Helper()
	value, err := s.admin.MintToken(spec)
	must(s.t, err)
	s.env[variable] = value
}

// as makes a change as an account that may.
func (s *stage) as(login, method, path, body string) {
	s.t.Helper()
	token, err := s.admin.MintToken(forge.TokenSpec{Login: login})
	must(s.t, err)
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.forge.APIURL()+path, strings.NewReader(body))
	must(s.t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	must(s.t, err)
	resp.Body.Close()
	if resp.StatusCode >= 300 {
		s.t.Fatalf("%s %s: %s", method, path, resp.Status)
	}
}

// look returns what is found and what cannot be told, each with its actor.
func (s *stage) look() (found []reach.Actor, says []string) {
	s.t.Helper()
	found, err := reach.Look(s.t.Context(), s.file, s.actors, reach.Options{Env: func(name string) string { return s.env[name] }})
	must(s.t, err)
	for _, a := range found {
		for _, f := range a.Findings {
			says = append(says, a.Name+" "+f)
		}
		for _, u := range a.Unknown {
			says = append(says, a.Name+" ? "+u)
		}
	}
	return found, says
}

func TestActorsThatReachAsFarAsTheyShould(t *testing.T) {
	s := newStage(t)
	found, says := s.look()
	if len(says) > 0 {
		t.Errorf("found %q", says)
	}
	tests := map[string]string{}
	for _, a := range found {
		tests[a.Name] = a.Tests["acme-test"]
	}
	want := map[string]string{"admin": "admin", "write": "write", "triage": "triage", "outsider": "read", "robot": "installed"}
	if diff := cmp.Diff(want, tests); diff != "" {
		t.Error(diff)
	}
}

// TestActorsThatReachTooFar plants one at a time.
func TestActorsThatReachTooFar(t *testing.T) {
	for name, c := range map[string]struct {
		plant func(s *stage)
		want  string
	}{
		"member of production": {func(s *stage) { must(s.t, s.admin.SetOrgRole("acme", "fs-write", "read")) }, "write is a member of acme, which is not for tests (active)"},
		"invited to production": {func(s *stage) { s.as("boss", "PUT", "/orgs/acme/memberships/fs-write", `{"role": "member"}`) },
			"write is a member of acme, which is not for tests (pending)"},
		"writes in production": {func(s *stage) {
			s.as("boss", "PUT", "/repos/acme/product/collaborators/fs-outsider", `{"permission": "push"}`)
		}, "outsider has role write in acme/product, outside the organisations for tests"},
		"triages in production": {func(s *stage) {
			s.as("boss", "PUT", "/repos/acme/product/collaborators/fs-triage", `{"permission": "triage"}`)
		}, "triage has role triage in acme/product, outside the organisations for tests"},
		"higher role": {func(s *stage) {
			s.as("boss", "PUT", "/repos/acme-test/test-repo-01/collaborators/fs-triage", `{"permission": "maintain"}`)
		}, "triage has role maintain in acme-test/test-repo-01, declared triage"},
		"lower role":      {func(s *stage) { must(s.t, s.admin.SetOrgRole("acme-test", "fs-write", "read")) }, "write has role read in acme-test/test-repo-01, declared write"},
		"another's token": {func(s *stage) { s.env["T_TRIAGE"] = s.env["T_WRITE"] }, "triage the token is of fs-write, the platform file declares fs-triage"},
		"app elsewhere":   {func(s *stage) { s.install("acme") }, "robot is installed on acme/product, outside the organisations for tests"},
		"own list hidden": {func(s *stage) {
			s.token("T_WRITE", forge.TokenSpec{Login: "fs-write", Scopes: []string{"repo"}})
		}, "write ? whether he is a member of acme: his token does not show it; give him a classic one with read:org, or name an auditor who is a member"},
		"of one owner": {func(s *stage) {
			s.token("T_WRITE", forge.TokenSpec{Login: "fs-write", Owner: "acme-test", Permissions: map[string]string{"members": "read"}})
		}, "write ? whether he is a member of acme: his token does not show it; give him a classic one with read:org, or name an auditor who is a member"},
		"seen by the auditor": {func(s *stage) {
			s.token("T_WRITE", forge.TokenSpec{Login: "fs-write", Scopes: []string{"repo"}})
			s.token("T_AUDIT", forge.TokenSpec{Login: "boss", Scopes: []string{"read:org"}})
			s.file.Auditor = "T_AUDIT"
			must(s.t, s.admin.SetOrgRole("acme", "fs-write", "read"))
		}, "write is a member of acme, which is not for tests"},
		"nothing to see": {func(s *stage) { s.as("boss", "DELETE", "/repos/acme-test/test-repo-01", "") },
			"admin ? what he is in acme-test: he sees no repository there; make one, roles show in it"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			c.plant(s)
			if _, says := s.look(); !slices.Contains(says, c.want) {
				t.Errorf("found %q, want %q", says, c.want)
			}
		})
	}
}

func TestLookRefuses(t *testing.T) {
	s := newStage(t)
	env := func(name string) string { return s.env[name] }
	for name, c := range map[string]struct {
		value, want string
	}{
		"dead token":       {"ghp_dead", "look at actor write: the token is not valid (401)"},
		"a program's":      {s.env["T_ROBOT"], "look at actor write: GET /user: 403: it is no person's token"},
		"variable not set": {"", "T_WRITE is not set: it holds the token of write, says reach.yaml"},
	} {
		s.env["T_WRITE"] = c.value
		_, err := reach.Look(t.Context(), s.file, s.actors, reach.Options{Env: env})
		if err == nil || err.Error() != c.want || strings.Contains(err.Error(), "ghp_") {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestLookKnowsItsOrganisations(t *testing.T) {
	s := newStage(t)
	s.file.Production = []string{"acmee"}
	_, err := reach.Look(t.Context(), s.file, s.actors, reach.Options{Env: func(name string) string { return s.env[name] }})
	if want := "look at organisation acmee: GET /orgs/acmee: 404"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestParse(t *testing.T) {
	good := strings.ReplaceAll(file, "%API", "https://api.example.com/")
	f, err := reach.Parse("reach.yaml", []byte(good), platform())
	must(t, err)
	if f.API != "https://api.example.com" || f.Days != 90 {
		t.Errorf("%+v", f)
	}
	for name, c := range map[string]struct{ from, to, want string }{
		"unknown key":         {"test:", "tests:", "tests"},
		"no test":             {"test: [acme-test]", "", "test names no organisation"},
		"both":                {"[acme]", "[Acme-Test]", "Acme-Test is an organisation both of production and for tests"},
		"plain http":          {"https://", "http://", "is no address over https"},
		"password":            {"https://", "https://me:secret@", "is no address over https"},
		"no organisation":     {"[acme]", "[a/b]", `"a/b" is no organisation's name`},
		"actor without token": {"admin: T_ADMIN, ", "", `tokens lacks actor "admin"`},
		"unknown actor":       {"robot: T_ROBOT", "robot: T_ROBOT, wriet: X", `tokens has "wriet", which is no actor of platform.yaml`},
		"days":                {"test: [", "days: -1\ntest: [", "days is -1"},
	} {
		_, err := reach.Parse("reach.yaml", []byte(strings.ReplaceAll(good, c.from, c.to)), platform())
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestDue(t *testing.T) {
	f, err := reach.Parse("reach.yaml", []byte(strings.ReplaceAll(file, "%API", "https://api.example.com")), platform())
	must(t, err)
	at := time.Date(2026, 8, 10, 9, 0, 0, 0, time.UTC)
	record := reach.NewRecord(f, platform(), []reach.Actor{{Name: "write"}}, "ada", at)
	path := reach.RecordFile(filepath.Join(t.TempDir(), "reach.yaml"))
	must(t, record.Write(path))
	record, there, err := reach.ReadRecord(path)
	if err != nil || !there {
		t.Fatal(there, err)
	}
	for name, c := range map[string]struct {
		change func(f *reach.File, p *environment.Platform, now *time.Time)
		want   []string
	}{
		"nothing": {func(*reach.File, *environment.Platform, *time.Time) {}, nil},
		"a new actor": {func(f *reach.File, p *environment.Platform, _ *time.Time) {
			p.Actors["more"] = driver.Actor{Name: "more", Login: "more", Role: "read"}
		}, []string{"actors changed", "grants changed"}},
		"another account": {func(_ *reach.File, p *environment.Platform, _ *time.Time) {
			a := p.Actors["write"]
			a.Login = "other"
			p.Actors["write"] = a
		}, []string{"actors changed"}},
		"another role": {func(_ *reach.File, p *environment.Platform, _ *time.Time) {
			a := p.Actors["write"]
			a.Role = "admin"
			p.Actors["write"] = a
		}, []string{"grants changed"}},
		"another organisation": {func(f *reach.File, _ *environment.Platform, _ *time.Time) { f.Test = append(f.Test, "acme-2") }, []string{"organisations changed"}},
		"the last day":         {func(_ *reach.File, _ *environment.Platform, now *time.Time) { *now = at.AddDate(0, 0, 90) }, nil},
		"too old":              {func(_ *reach.File, _ *environment.Platform, now *time.Time) { *now = at.AddDate(0, 0, 91) }, []string{"older than 90 days"}},
	} {
		f, p, now := f, platform(), at
		f.Test = slices.Clone(f.Test)
		c.change(&f, &p, &now)
		if diff := cmp.Diff(c.want, record.Due(f, p, now)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	record.Actors[0].Findings = []string{"x"}
	if bad := reach.NewRecord(f, platform(), record.Actors, "ada", at); !slices.Equal(bad.Due(f, platform(), at), []string{"it did not pass"}) {
		t.Errorf("due: %q", bad.Due(f, platform(), at))
	}
}

func FuzzParseRecord(f *testing.F) {
	f.Add([]byte(`{"version": 1, "at": "2026-08-10T09:00:00Z", "by": "ada", "api": "x", "passed": true, "digests": {"actors": "a", "grants": "b", "organisations": "c"}, "actors": []}`))
	f.Add([]byte(`{"version": 2}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := reach.ParseRecord(data)
		if err != nil {
			return
		}
		again, err := json.Marshal(r)
		must(t, err)
		if _, err := reach.ParseRecord(again); err != nil {
			t.Errorf("%s: %v", again, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(strings.ReplaceAll(file, "%API", "https://api.example.com")))
	f.Add([]byte("test: [a]\ntokens: {admin: A}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if x, err := reach.Parse("reach.yaml", data, platform()); err == nil && (len(x.Test) == 0 || x.Days <= 0 || len(x.Tokens) != 5) {
			t.Errorf("%+v", x)
		}
	})
}
