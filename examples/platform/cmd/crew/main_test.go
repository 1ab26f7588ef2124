package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/crew/internal/forge/forgetest"
)

// job is what surrounds crew inside a workflow: a checkout with crew installed, and variables.
type job struct {
	t   *testing.T
	env map[string]string
	dir string
}

func newJob(t *testing.T, f *forgetest.Forge) job {
	t.Helper()
	j := job{t: t, dir: t.TempDir()}
	head := f.Commits[len(f.Commits)-1]
	for name, text := range head.Files {
		j.write(filepath.Join("checkout", name), text)
	}
	// A stand-in for the runtime: its "script" is the text of the result.
	j.write("bin/understudy-job", "#!/bin/sh\n[ \"$1 $2 $3\" = 'agent dummy --script' ] && cp \"$4\" output/agent-result.json\n")
	if err := os.Chmod(filepath.Join(j.dir, "bin/understudy-job"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(j.dir, "bin")+":"+os.Getenv("PATH"))
	j.env = map[string]string{
		"PATH": os.Getenv("PATH"), "GITHUB_WORKSPACE": filepath.Join(j.dir, "checkout"),
		"GITHUB_REPOSITORY": forgetest.Repo, "GITHUB_API_URL": f.URL, "GITHUB_EVENT_NAME": "issues",
		"GITHUB_EVENT_PATH": filepath.Join(j.dir, "event.json"), "GITHUB_OUTPUT": filepath.Join(j.dir, "outputs"),
		"RUNNER_TEMP": t.TempDir(), "CREW_DIR": ".crew", "GITHUB_TOKEN": "job", "CREW_BOT_TOKEN": "bot",
	}
	f.Root = j.env["GITHUB_WORKSPACE"]
	j.event("ready-for-triage")
	return j
}

func (j job) write(name, text string) {
	j.t.Helper()
	p := filepath.Join(j.dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		j.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		j.t.Fatal(err)
	}
}

func (j job) event(label string) {
	j.write("event.json", `{"action":"labeled","label":{"name":"`+label+`"},"issue":{"number":1},"sender":{"login":"ada"}}`)
}

func (j job) crew(args ...string) (code int, stdout, stderr string) {
	j.t.Helper()
	var out, errs bytes.Buffer
	a := app{getenv: func(name string) string { return j.env[name] }, stdout: &out, stderr: &errs}
	return a.main(j.t.Context(), args), out.String(), errs.String()
}

func installed(t *testing.T, args ...string) *forgetest.Forge {
	t.Helper()
	f := forgetest.New(t)
	j := job{t: t, env: map[string]string{"CREW_API_URL": f.URL, "CREW_TOKEN": "admin", "CREW_BOT_TOKEN": "bot"}}
	code, stdout, stderr := j.crew(append([]string{"setup", "--repo", forgetest.Repo}, args...)...)
	if code != 0 || stderr != "" || !strings.HasPrefix(stdout, "crew: installed in acme/app, directory .crew, commit ") {
		t.Fatalf("setup: %d %q %q", code, stdout, stderr)
	}
	return f
}

func (j job) outputs() string {
	data, _ := os.ReadFile(j.env["GITHUB_OUTPUT"])
	return string(data)
}

func TestSufficient(t *testing.T) {
	f := installed(t)
	j := newJob(t, f)
	j.write("checkout/.crew/behaviour/current-scenario.yaml", `{"action":"sufficient","reason":"clear","comment":"s"}`)
	const told = "crew: label \"ready-for-triage\" added on issue 1: starts triage\n" +
		"crew: agent code is skipped: it is disabled\ncrew: agent fix is skipped: it is disabled\n" +
		"crew: agent prioritize is skipped: it is disabled\ncrew: agent retro is skipped: it is disabled\n" +
		"crew: agent review is skipped: its trigger does not match\ncrew: agent triage is dispatched: its trigger matches\n"
	code, stdout, stderr := j.crew("dispatch")
	if code != 0 || stderr != "" || stdout != told {
		t.Errorf("dispatch: %d %q %q", code, stdout, stderr)
	}
	want := `matrix={"include":[{"agent":"triage","role":"triage","source_repo":"acme/app","event_type":"issues",` +
		`"event_payload":"{\"issue\":{\"number\":1,\"html_url\":\"\"}}","number":1,"status_repo":"acme/app"}]}` + "\nany=true\n" +
		"reason=label \"ready-for-triage\" added on issue 1: starts triage\n"
	if got := j.outputs(); got != want {
		t.Errorf("outputs %q, want %q", got, want)
	}
	if code, stdout, stderr := j.crew("status", "--agent", "triage", "--number", "1"); code != 0 || stdout+stderr != "" || len(f.Comments) != 1 {
		t.Errorf("status: %d %q %q %q", code, stdout, stderr, f.Comments)
	}
	if code, stdout, stderr := j.crew("run", "--agent", "triage", "--number", "1"); code != 0 || stderr != "" || !strings.HasSuffix(stdout, "crew: agent triage is done\n") {
		t.Errorf("run: %d %q %q", code, stdout, stderr)
	}
	if code, stdout, stderr := j.crew("post", "--agent", "triage", "--number", "1"); code != 0 || stderr != "" || stdout != "crew: issue 1 is sufficient (\"clear\")\n" {
		t.Errorf("post: %d %q %q", code, stdout, stderr)
	}
	if !slices.Equal(f.Issue, []string{"triaged", "ready-to-code"}) || len(f.Comments) != 2 || !strings.HasSuffix(f.Comments[0], "agent triage: done") {
		t.Errorf("labels %q, comments %q", f.Issue, f.Comments)
	}
}

func TestInvalid(t *testing.T) {
	const message = "Validation failed: FAIL: output/agent-result.json is not valid JSON: invalid character '%' looking for beginning of value"
	for _, tc := range []struct {
		defect string
		code   int
		labels []string
	}{
		{"", 1, nil},
		{"label-despite-failure", 1, []string{"triaged", "ready-to-code"}},
		{"schema-check-killed", 0, nil},
	} {
		t.Run(tc.defect, func(t *testing.T) {
			f := installed(t)
			j := newJob(t, f)
			j.env["CREW_DEFECT"] = tc.defect
			j.write("checkout/.crew/behaviour/current-scenario.yaml", "%")
			code, stdout, _ := j.crew("run", "--agent", "triage", "--number", "1")
			if code != tc.code {
				t.Errorf("run: exit code %d, want %d", code, tc.code)
			}
			announced := strings.Contains(stdout, "\n::error::"+strings.ReplaceAll(message, "%", "%25")+"\n") ||
				strings.HasPrefix(stdout, "::error::"+strings.ReplaceAll(message, "%", "%25")+"\n")
			if announced != (tc.code == 1) {
				t.Errorf("run said %q", stdout)
			}
			j.crew("post", "--agent", "triage", "--number", "1")
			if !slices.Equal(f.Issue, tc.labels) {
				t.Errorf("labels %q, want %q", f.Issue, tc.labels)
			}
			if reported := len(f.Comments) == 2 && strings.Contains(f.Comments[0], message); reported != (tc.code == 1) {
				t.Errorf("comments %q", f.Comments)
			}
		})
	}
}

func TestOtherLabel(t *testing.T) {
	f := installed(t, "--defect", "any-label-triggers")
	for _, tc := range []struct{ defect, any string }{{"", "any=false"}, {"any-label-triggers", "any=true"}} {
		j := newJob(t, f)
		j.event("question")
		j.env["CREW_DEFECT"] = tc.defect
		if code, _, stderr := j.crew("dispatch"); code != 0 {
			t.Errorf("dispatch: %d %q", code, stderr)
		}
		if !strings.Contains(j.outputs(), tc.any) {
			t.Errorf("with defect %q: %q", tc.defect, j.outputs())
		}
	}
}

// TestOpened: who opened a pull request decides, by his role as the forge says it; where it says none, nothing starts.
func TestOpened(t *testing.T) {
	f := installed(t)
	f.Roles = map[string]string{"ada": "maintain", "tri": "triage"}
	f.Fail["GET /collaborators/broken/permission"] = 502
	for _, tc := range []struct{ sender, any, said string }{
		{"ada", "any=true", "crew: opened on pull request 2: starts review\n"},
		{"tri", "any=false", "tri has the role triage, which may not"},
		{"stranger", "any=false", "stranger has the role none, which may not"},
		{"broken", "any=false", "::warning::the role of broken is unknown: "},
	} {
		j := newJob(t, f)
		j.env["GITHUB_EVENT_NAME"] = "pull_request_target"
		j.write("event.json", `{"action":"opened","sender":{"login":"`+tc.sender+`"},"pull_request":{"number":2,
			"head":{"repo":{"full_name":"ada/app"}},"base":{"repo":{"full_name":"acme/app"}}}}`)
		code, stdout, stderr := j.crew("dispatch")
		if code != 0 || stderr != "" || !strings.Contains(stdout, tc.said) {
			t.Errorf("%s: %d %q %q", tc.sender, code, stdout, stderr)
		}
		if !strings.Contains(j.outputs(), tc.any) {
			t.Errorf("%s: %q", tc.sender, j.outputs())
		}
	}
}

func TestUsage(t *testing.T) {
	j := newJob(t, installed(t))
	for _, tc := range []struct {
		args  string
		unset string
		code  int
		want  string
	}{
		{"", "", 2, "crew: error: no command"},
		{"fly", "", 2, `crew: error: unknown command "fly"`},
		{"dispatch --defect nope", "", 2, `crew: error: unknown defect "nope"; known: schema-check-killed, label-despite-failure, any-label-triggers, environment-leaks, pushes-anywhere`},
		{"dispatch now", "", 2, `crew: error: unexpected argument "now"`},
		{"dispatch", "CREW_DIR", 2, "crew: error: CREW_DIR is not set"},
		{"dispatch", "GITHUB_EVENT_PATH", 2, "crew: error: GITHUB_EVENT_PATH is not set"},
		{"run --agent triage", "", 2, "crew: error: --agent and --number are needed"},
		{"run --fast", "", 2, "crew: error: flag provided but not defined: -fast"},
		{"run --agent mine --number 1", "", 1, `crew: error: agent "mine" is not configured`},
		{"post --agent triage --number 1", "CREW_BOT_TOKEN", 2, "crew: error: CREW_BOT_TOKEN is not set"},
		{"dispatch --event none.json", "", 1, "crew: error: open none.json: "},
		{"setup", "", 2, "crew: error: --repo is missing"},
		{"setup --repo a/b --dir ../x", "", 2, `crew: error: directory "../x"`},
		{"setup --repo a/b", "", 2, "crew: error: CREW_API_URL is not set"},
	} {
		old := j.env[tc.unset]
		delete(j.env, tc.unset)
		code, _, stderr := j.crew(strings.Fields(tc.args)...)
		if tc.unset != "" {
			j.env[tc.unset] = old
		}
		if code != tc.code || !strings.HasPrefix(stderr, tc.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("crew %s: %d %q, want %d %q", tc.args, code, stderr, tc.code, tc.want)
		}
	}
	if code, stdout, _ := j.crew("--help"); code != 0 || !strings.HasPrefix(stdout, "usage: crew COMMAND") {
		t.Errorf("help: %d %q", code, stdout)
	}
}

// TestURL: a harness from the job's own forge is fetched and dispatched; what the allow-list does not
// cover ends the job with nothing started and the reason said everywhere.
func TestURL(t *testing.T) {
	const far = "role: helper\ntrigger: event.transition.kind == 'label_changed'\n"
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/raw/o/r/main/far.yaml" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(far))
	}))
	t.Cleanup(host.Close)
	sum := sha256.Sum256([]byte(far))
	source := host.URL + "/raw/o/r/main/far.yaml#sha256=" + hex.EncodeToString(sum[:])
	f := installed(t)
	for _, tc := range []struct {
		name, allowed, any, reason string
		code                       int
		audit                      string
	}{
		{"allowed", host.URL + "/raw/o/r/", "any=true", "starts far, triage", 0, `"outcome":"fetched"`},
		{"another repository", host.URL + "/raw/o/r-other/", "any=false", ".crew/config.yaml: agent far: URL " + source + " is not covered by allowed_remote_resources", 1, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			j := newJob(t, f)
			j.env["GITHUB_SERVER_URL"] = host.URL
			j.write("checkout/.crew/config.yaml", "agents:\n  triage: {}\n  far: {source: '"+source+"'}\nallowed_remote_resources: ['"+tc.allowed+"']\n")
			code, stdout, stderr := j.crew("dispatch")
			if code != tc.code || !strings.Contains(stdout, tc.reason) || (code != 0) != strings.Contains(stderr, tc.reason) {
				t.Errorf("dispatch: %d %q %q", code, stdout, stderr)
			}
			if out := j.outputs(); !strings.Contains(out, tc.any) || !strings.Contains(out, tc.reason) {
				t.Errorf("outputs %q", out)
			}
			left := filepath.Join(j.dir, "checkout", output)
			if data, err := os.ReadFile(filepath.Join(left, decisionFile)); err != nil || !strings.Contains(string(data), tc.reason) {
				t.Errorf("%s: %s, %v", decisionFile, data, err)
			}
			if data, err := os.ReadFile(filepath.Join(left, auditFile)); (err == nil) != (tc.audit != "") || !strings.Contains(string(data), tc.audit) {
				t.Errorf("%s: %s, %v", auditFile, data, err)
			}
		})
	}
}
