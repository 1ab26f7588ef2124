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
places: {script: s.yaml, results: r.json, policy: p.json}
names: {artifact: "a-{stage}", workflow: w.yml, job: "run ({stage})", failure: "failed"}
stages:
  triage: {label: ready, result: output/r.json, schema: s.json, checks: [{path: head_sha, matches: '^[0-9a-f]{40}$', when: {path: action, equals: approve}}]}
  code: {}
door:
  allowed.test: {status: 200, body: hi}
capabilities: {slow-model: false, new-labels: true}
`

const schema = `{"type": "object"}`

func read(t *testing.T, text string) (environment.Platform, error) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "platform.yaml")
	for name, text := range map[string]string{"s.json": schema, "bad.json": `{"type": "objekt"}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := environment.ReadPlatform(file)
	if err != nil {
		err = errorText(strings.ReplaceAll(err.Error(), dir+"/", ""))
	}
	return p, err
}

type errorText string

func (e errorText) Error() string { return string(e) }

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
	for i := range p.Stages {
		p.Stages[i].Schema.File = filepath.Base(p.Stages[i].Schema.File)
	}
	stages := []driver.Stage{
		{Name: "triage", Label: "ready", Result: "output/r.json", Schema: driver.Schema{File: "s.json", Text: []byte(schema)},
			Checks: []driver.Check{{Path: "head_sha", Matches: "^[0-9a-f]{40}$", When: driver.Condition{Path: "action", Equals: "approve"}}}},
		{Name: "code", Schema: driver.Schema{File: "."}},
	}
	if diff := cmp.Diff(stages, p.Stages); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[driver.Capability]bool{"slow-model": false, "new-labels": true}, p.Capabilities); diff != "" {
		t.Errorf("capabilities (-want +got):\n%s", diff)
	}
	if len(p.Door) != 1 || p.Door[0] != (environment.Opening{Host: "allowed.test", Status: 200, Body: "hi"}) {
		t.Errorf("door: got %+v", p.Door)
	}
}

func TestReadPlatformRefuses(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"unknown key", "name: crew", "name: crew\nnmae: x", `platform.yaml:3: unknown key "nmae"`},
		{"unknown actor key", "{role: admin}", "{rolle: admin}", `platform.yaml:7: unknown key "rolle"`},
		{"unknown role", "{role: admin}", "{role: boss}", `platform.yaml:7: actor "admin" has role "boss"`},
		{"observer", "  bot:", "  observer:", `platform.yaml:9: actor "observer" is built in`},
		{"no write actor", "  write:", "  writer:", `platform.yaml:7: actors lacks "write"`},
		{"stages a list", good[strings.Index(good, "stages:"):strings.Index(good, "door:")], "stages: [triage]\n", "platform.yaml:12: stages is a mapping"},
		{"stages missing", good[strings.Index(good, "stages:"):strings.Index(good, "door:")], "", "platform.yaml:1: stages is missing"},
		{"stages empty", good[strings.Index(good, "stages:"):strings.Index(good, "door:")], "stages: {}\n", "platform.yaml:12: stages is a mapping"},
		{"unknown stage key", "label: ready", "lable: ready", `platform.yaml:13: unknown key "lable"`},
		{"unknown check key", "when: {", "if: {", `platform.yaml:13: unknown key "if"`},
		{"no result", "result: output/r.json, ", "", `platform.yaml:13: stage "triage" has a schema or checks, but no result`},
		{"result outside", "output/r.json", "../r.json", `platform.yaml:13: stage "triage" has the result "../r.json"`},
		{"no schema file", "schema: s.json", "schema: t.json", `platform.yaml:13: stage "triage" open t.json: no such file`},
		{"bad schema", "schema: s.json", "schema: bad.json", `platform.yaml:13: stage "triage" schema bad.json: `},
		{"bad expression", "^[0-9a-f]{40}$", "(", `platform.yaml:13: stage "triage" has a check whose expression does not compile`},
		{"condition", ", equals: approve", "", `platform.yaml:13: stage "triage" has a check whose condition lacks`},
		{"bad stage name", "  code: {}", "  a code: {}", `platform.yaml:14: stage "a code" has a name`},
		{"capability as text", "slow-model: false", "slow-model: maybe", `platform.yaml:17: capability "slow-model" is true`},
		{"capability name", "slow-model", "Slow", `platform.yaml:17: capability "Slow": a name is`},
		{"capabilities a list", "{slow-model: false, new-labels: true}", "[a]", "platform.yaml:17: capabilities is a mapping"},
		{"path given", "gives: crew", "gives: a/crew", `platform.yaml:3: get.gives is a file name`},
		{"door status", "status: 200", "status: 2000", "host allowed.test answers 2000"},
		{"placeholder in names", "a-{stage}", "a-{stag}", "unknown placeholder {stag} in names; there are: {stage}"},
		{"placeholder in install", "run: [crew, setup]", `run: [crew, "{tokn:admin}"]`, "platform.yaml:4: unknown placeholder {tokn:admin} in install"},
		{"one name for many stages", `job: "run ({stage})"`, `job: "run"`, `names.job is "run" for every stage; put {stage} into it`},
		{"other case in names", "a-{stage}", "a-{Stage}", "unknown placeholder {Stage} in names"},
		{"one beside another", "a-{stage}", "a-{stage}{bogus}", "unknown placeholder {bogus} in names"},
		{"token of nobody", "env: {A: b}", `env: {A: "{token:adminn}"}`, "platform.yaml:4: {token:adminn} names no actor"},
		{"door key", "body: hi", "text: hi", `platform.yaml:16: unknown key "text"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(good, tt.old) {
				t.Fatalf("the good file has no %q", tt.old)
			}
			_, err := read(t, strings.Replace(good, tt.old, tt.new, 1))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}
