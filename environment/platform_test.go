package environment_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/environment"
)

const good = `
name: crew
get: {dir: ../platform, run: [go, build, -o, "{gives}"], gives: crew}
install: {run: [crew, setup], env: {A: b}, validate: [x]}
defect: {install: [--defect, "{name}"]}
actors:
  admin: {role: admin}
  write: {role: write, login: jane}
  bot: {role: write, bot: true}
  narrow: {role: triage, scopes: [public_repo]}
  robot: {app: {issues: write}}
places: {script: s.yaml, results: r.json, policy: p.json, harness: "h/{name}.yaml", agent-file: "a/{name}.md", raw: "http://raw.test/{repo}/{ref}/{path}"}
names: {artifact: "a-{stage}", workflow: w.yml, job: "run ({stage})", failure: "failed"}
stages:
  triage: {label: ready, result: output/r.json, schema: s.json, checks: [{path: head_sha, matches: '^[0-9a-f]{40}$', when: {path: action, equals: approve}}]}
  code: {}
harness: {source: "h/{name}.yaml", base: "{name}.yaml", root: h, pinned: "{url}#sha256={digest}", hosted: {file: "h/{name}.yaml", root: h}, files: {agent: "{name} {file}"}}
metrics: {file: m.json, runtime: r, runtime-source: rs, requested-model: q, model-source: s, model: m, turns: n, tokens: [t.a, t.b]}
runtimes:
  dummy:
  pi: {transcript: {file: "t/*.jsonl", path: a.b, is: [x]}}
edits:
  kill-switch: {file: c.yaml, path: kill_switch, value: true}
  agent: {file: c.yaml, path: "agents.{name}.source", value: "{source}"}
  disable: {file: c, format: ini, path: "{name}.on", value: "no"}
  allow: {file: c.yaml, path: allowed, append: "{prefix}"}
door:
  allowed.test: {status: 200, body: hi}
capabilities: {slow-model: false, new-labels: true}
words: {stage: triage}
preset: {install: [--config, "{preset}"]}
poller: {run: [crew, poll, "{tracker}", "{project}", "{repo}"], env: {E: "{email}", T: "{token}"}}
`

const anyObject = `{"type": "object"}`

func read(t *testing.T, text string) (environment.Platform, error) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "platform.yaml")
	for name, text := range map[string]string{"s.json": anyObject, "bad.json": `{"type": "objekt"}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := environment.ReadPlatform(file)
	if err != nil {
		err = below{err, dir}
	}
	return p, err
}

// below is an error whose text names files from dir.
type below struct {
	error
	dir string
}

func (e below) Error() string {
	return strings.ReplaceAll(strings.ReplaceAll(e.error.Error(), e.dir+"/", ""), e.dir, ".")
}
func (e below) Unwrap() error { return e.error }

func TestReadPlatform(t *testing.T) {
	p, err := read(t, good)
	if err != nil {
		t.Fatal(err)
	}
	if !filepath.IsAbs(p.Get.Dir) || filepath.Base(p.Get.Dir) != "platform" {
		t.Errorf("get.dir: got %q, want it absolute, beside the file", p.Get.Dir)
	}
	if a := p.Actors["write"]; a.Login != "jane" || a.Role != "write" || a.Bot {
		t.Errorf("actor write: got %+v", a)
	}
	if a := p.Actors["bot"]; a.Login != "bot" || !a.Bot {
		t.Errorf("actor bot: got %+v", a)
	}
	if a := p.Actors["narrow"]; a.Role != "triage" || !cmp.Equal(a.Scopes, []string{"public_repo"}) {
		t.Errorf("actor narrow: got %+v", a)
	}
	if a := p.Actors["robot"]; a.Role != "none" || !a.Bot || a.App["issues"] != "write" {
		t.Errorf("actor robot: got %+v", a)
	}
	for i := range p.Stages {
		p.Stages[i].Schema.File = filepath.Base(p.Stages[i].Schema.File)
	}
	stages := []driver.Stage{
		{Name: "triage", Label: "ready", Result: "output/r.json", Schema: driver.Schema{File: "s.json", Text: []byte(anyObject)},
			Checks: []driver.Check{{Path: "head_sha", Matches: "^[0-9a-f]{40}$", When: driver.Condition{Path: "action", Equals: "approve"}}}},
		{Name: "code", Schema: driver.Schema{File: "."}},
	}
	if diff := cmp.Diff(stages, p.Stages); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[driver.Capability]bool{"slow-model": false, "new-labels": true}, p.Capabilities); diff != "" {
		t.Errorf("capabilities (-want +got):\n%s", diff)
	}
	edits := map[string]driver.Edit{
		"kill-switch": {File: "c.yaml", Format: "yaml", Path: "kill_switch", Value: true},
		"agent":       {File: "c.yaml", Format: "yaml", Path: "agents.{name}.source", Value: "{source}"},
		"disable":     {File: "c", Format: "ini", Path: "{name}.on", Value: "no"},
		"allow":       {File: "c.yaml", Format: "yaml", Path: "allowed", Value: "{prefix}", Append: true},
	}
	if diff := cmp.Diff(edits, p.Edits); diff != "" {
		t.Errorf("edits (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(driver.Metrics{File: "m.json", Runtime: "r", RuntimeSource: "rs", RequestedModel: "q", ModelSource: "s", Model: "m", Turns: "n",
		Tokens: []string{"t.a", "t.b"}}, p.Metrics); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
	runtimes := []driver.Runtime{{Name: "dummy"}, {Name: "pi", Transcript: driver.Lines{File: "t/*.jsonl", Path: "a.b", Is: []string{"x"}}}}
	if diff := cmp.Diff(runtimes, p.Runtimes); diff != "" {
		t.Errorf("runtimes (-want +got):\n%s", diff)
	}
	harness := driver.Harness{File: "h/{name}.yaml", Source: "h/{name}.yaml", Base: "{name}.yaml", Root: "h", Pinned: "{url}#sha256={digest}",
		HostedFile: "h/{name}.yaml", HostedRoot: "h", Files: map[string]string{"agent": "{name} {file}"}}
	if diff := cmp.Diff(harness, p.Harness); diff != "" || p.AgentFile != "a/{name}.md" || p.RawURL != "http://raw.test/{repo}/{ref}/{path}" {
		t.Errorf("harness (-want +got):\n%s; %s, %s", diff, p.AgentFile, p.RawURL)
	}
	if len(p.Door) != 1 || p.Door[0] != (environment.Opening{Host: "allowed.test", Status: 200, Body: "hi"}) {
		t.Errorf("door: got %+v", p.Door)
	}
}
