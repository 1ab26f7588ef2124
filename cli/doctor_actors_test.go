package cli_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/emulator/forge"
)

const actorsPlatform = `
name: crew
get: {run: [go, build, -o, "{gives}"], gives: crew}
install: {run: [crew, setup]}
actors:
  admin: {role: admin, login: fs-admin}
  write: {role: write, login: fs-write}
places: {script: s.yaml, results: r.json}
names: {artifact: a, workflow: w.yml, job: run}
stages: {triage: {label: ready}}
`

// actorsSuite makes a forge with accounts for tests, and a suite whose reach file is about them.
func actorsSuite(t *testing.T) (a *forge.Admin, dir string, env []string) {
	t.Helper()
	f, err := forge.New(forge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close(context.WithoutCancel(t.Context())) })
	a, dir = f.Admin(), t.TempDir()
	files := map[string]string{"understudy.yaml": "platform: platform.yaml\nfeatures: .\n", "platform.yaml": actorsPlatform,
		"reach.yaml": "api: " + f.APIURL() + "\ntest: [acme-test]\nproduction: [acme]\ntokens: {admin: T_ADMIN, write: T_WRITE}\n"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, login := range []string{"boss", "fs-admin", "fs-write"} {
		if err := a.AddUser(forge.User{Login: login}); err != nil {
			t.Fatal(err)
		}
	}
	for _, org := range []string{"acme", "acme-test"} {
		if err := a.AddOrg(org, "boss"); err != nil {
			t.Fatal(err)
		}
	}
	for login, role := range map[string]string{"fs-admin": "owner", "fs-write": "write"} {
		if err := a.SetOrgRole("acme-test", login, role); err != nil {
			t.Fatal(err)
		}
	}
	makeRepo(t, a, f.APIURL()+"/orgs/acme-test/repos")
	env = []string{"USER=ada"}
	for variable, login := range map[string]string{"T_ADMIN": "fs-admin", "T_WRITE": "fs-write"} {
		token, err := a.MintToken(forge.TokenSpec{Login: login, Scopes: []string{"repo", "read:org"}})
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, variable+"="+token)
	}
	return a, dir, env
}

// makeRepo makes a repository as boss.
func makeRepo(t *testing.T, a *forge.Admin, url string) {
	t.Helper()
	token, err := a.MintToken(forge.TokenSpec{Login: "boss"})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"name": "test-repo-01"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		t.Fatal(resp.Status)
	}
}

var (
	anyAddress = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	anyTime    = regexp.MustCompile(`\d{4}-\d\d-\d\d( \d\d:\d\d UTC)?`)
)

// TestDoctorActors looks at a forge over HTTP, and reads its own record.
func TestDoctorActors(t *testing.T) {
	a, dir, env := actorsSuite(t)
	_, bin := machine(t, map[string]string{"go": "go version go1.26.1 linux/amd64", "git": "git version 2.51.0", "bash": "GNU bash, version 5.2.37(1)-release"})
	env = append(env, bin...)
	doctor := func(want int, args ...string) string {
		t.Helper()
		code, out := run(t, cli.Options{Env: env}, append([]string{"doctor", "--suite", dir}, args...)...)
		if code != want {
			t.Errorf("doctor %s: exit code %d, want %d\n%s", strings.Join(args, " "), code, want, out)
		}
		for _, kv := range env {
			if name, token, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "T_") && token != "" && strings.Contains(out, token) {
				t.Errorf("doctor tells the token of %s", name)
			}
		}
		return anyTime.ReplaceAllString(anyAddress.ReplaceAllString(strings.ReplaceAll(out, dir, "$DIR"), "http://$$FORGE"), "$$TIME")
	}
	says := func(out, want string) {
		t.Helper()
		if !strings.Contains(out, want) {
			t.Errorf("want %q in\n%s", want, out)
		}
	}
	says(doctor(0), "✗ due again: never looked at\n  to look: understudy doctor --actors\n")
	golden(t, "doctor_actors", doctor(0, "--actors"))
	out := doctor(0)
	says(out, "  looked at $TIME by ada: $DIR/reach.record.json\n")
	if strings.Contains(out, "due again") {
		t.Errorf("due at once:\n%s", out)
	}

	if err := a.SetOrgRole("acme", "fs-write", "read"); err != nil {
		t.Fatal(err)
	}
	golden(t, "doctor_actors_far", doctor(1, "--actors", "--by", "bob"))
	says(doctor(0), "✗ due again: it did not pass\n")

	changed := strings.Replace(actorsPlatform, "role: write", "role: triage", 1)
	if err := os.WriteFile(filepath.Join(dir, "platform.yaml"), []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	says(doctor(0), "✗ due again: grants changed, it did not pass\n")
	env = append(env, "T_WRITE=")
	says(doctor(2, "--actors"), "T_WRITE is not set")
	if err := os.Remove(filepath.Join(dir, "reach.yaml")); err != nil {
		t.Fatal(err)
	}
	says(doctor(2, "--actors"), "hint: docs/guide/actors.md says what stands in reach.yaml")
	if err := os.Remove(filepath.Join(dir, "understudy.yaml")); err != nil {
		t.Fatal(err)
	}
	out = doctor(2, "--actors")
	says(out, "has no understudy.yaml that names a platform")
	says(out, "hint: --suite is the directory of the suite whose actors are meant")
}
