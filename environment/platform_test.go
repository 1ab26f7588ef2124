package environment_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
stages: [triage]
door:
  allowed.test: {status: 200, body: hi}
`

func read(t *testing.T, text string) (environment.Platform, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "platform.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := environment.ReadPlatform(file)
	if err != nil {
		err = errorText(strings.ReplaceAll(err.Error(), file, "platform.yaml"))
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
		{"no stages", "stages: [triage]", "", "platform.yaml:1: stages is missing"},
		{"path given", "gives: crew", "gives: a/crew", `platform.yaml:3: get.gives is a file name`},
		{"door key", "body: hi", "text: hi", `platform.yaml:14: unknown key "text"`},
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
