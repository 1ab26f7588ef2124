package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/cli"
)

// withPlatform is a directory with what `understudy init` writes, its platform alone.
func withPlatform(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if code, out := run(t, cli.Options{}, "init", filepath.Join(dir, "whole")); code != 0 {
		t.Fatalf("init: %s", out)
	}
	for _, name := range []string{"platform.yaml", "platform.sh", "result.schema.json"} {
		if err := os.Rename(filepath.Join(dir, "whole", name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "whole")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestInitForAPlatformPassesAtOnce(t *testing.T) {
	t.Chdir(withPlatform(t))
	code, out := run(t, cli.Options{}, "init", "e2e", "--platform", "platform.yaml")
	command := toRun.FindStringSubmatch(out)
	if code != 0 || command == nil || !strings.Contains(out, "understudy lint: 1 scenario, nothing found\n") {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	want := []string{".gitignore", "features/first.feature", "fixtures/fixtures.yaml", "fixtures/triage/minimal.json", "understudy.yaml"}
	if diff := cmp.Diff(want, tree(t, "e2e")); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if code, out := run(t, cli.Options{}, command[1:]...); code != 0 || !strings.Contains(out, "1 passed") {
		t.Errorf("%q: exit code %d\n%s", command[0], code, out)
	}
	// Here, beside the platform, with all that can be added, into directories that are there.
	if err := os.MkdirAll(".github/workflows", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(".gitignore", []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, out := run(t, cli.Options{}, "init", "--platform", "platform.yaml", "--ci", "github"); code != 0 || !strings.Contains(out, "The CI job is read at the repository's root alone") {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	if text, _ := os.ReadFile(".gitignore"); string(text) != "mine\n" {
		t.Errorf(".gitignore is now %s", text)
	}
	if code, out := run(t, cli.Options{}, "plan", "."); code != 0 {
		t.Errorf("plan: exit code %d\n%s", code, out)
	}
}

func TestInitForAPlatformSaysWhatItLeavesOut(t *testing.T) {
	stages := `stages:
  one: {label: a, result: out/a.json, schema: any.json}
  two: {label: b}
  three: {}
  four: {label: d, result: out/d.txt, checks: [{matches: x}]}
  five: {label: "e\"e"}
  six: {label: f, result: "out/f|f.json", schema: odd.json}
runtimes: {dummy: , pi: }
metrics: {file: metrics.json, runtime: runtime}
capabilities: {runtime-pi: true, slow: false}
`
	dir := t.TempDir()
	for name, text := range map[string]string{
		"platform.yaml": strings.Replace(strings.Replace(platformYAML, "stages: {triage: {}}\n", stages, 1), "run: [noop]}", "run: [noop], validate: [.github/w.yml, .noop/config]}", 1),
		"any.json":      `{"required": ["x"]}`, "odd.json": `{"type": "string", "pattern": "^z+$"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, out := run(t, cli.Options{}, "init", filepath.Join(dir, "s"), "--platform", filepath.Join(dir, "platform.yaml"))
	if code != 0 || !strings.Contains(out, "3 scenarios, nothing found\n") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "s/features/first.feature"))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "init_platform", string(text))
	if text, err = os.ReadFile(filepath.Join(dir, "s/understudy.yaml")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\n  - what: [\"stage three\"]\n    reason: \"the platform file names no label that starts it\"\n    since: ",
		`["runtime dummy", "runtime pi", "stage-runtime one", "stage-runtime two"]`, `["capability runtime-pi", "capability slow"]`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the suite's holes lack %s:\n%s", want, text)
		}
	}
}

func TestInitForAPlatformRefuses(t *testing.T) {
	dir := withPlatform(t)
	for name, text := range map[string]string{
		"wrong.yaml":    "name: x\nextra: 1\n",
		"silent.yaml":   platformYAML,
		"full/mine":     "mine",
		"full/features": "mine",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before := tree(t, dir)
	for _, tt := range []struct {
		want string
		args []string
	}{
		{`wrong.yaml:2: unknown key "extra"`, []string{"$D/new", "--platform", "$D/wrong.yaml"}},
		{"no such file", []string{"$D/new", "--platform", "$D/none.yaml"}},
		{"nothing can be asked of none", []string{"$D/new", "--platform", "$D/silent.yaml"}},
		{"in the way: $D/full/features; nothing was written", []string{"$D/full", "--platform", "$D/platform.yaml"}},
		{"--go: $D/new is in no Go module", []string{"$D/new", "--platform", "$D/platform.yaml", "--go"}},
		{`--ci "travis"`, []string{"$D/new", "--platform", "$D/platform.yaml", "--ci", "travis"}},
	} {
		args := []string{"init"}
		for _, a := range tt.args {
			args = append(args, strings.ReplaceAll(a, "$D", dir))
		}
		if code, out := run(t, cli.Options{}, args...); code != 2 || !strings.Contains(out, strings.ReplaceAll(tt.want, "$D", dir)) {
			t.Errorf("%v: exit code %d\n%s\nwant %s", tt.args, code, out, tt.want)
		}
		if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
			t.Errorf("%v: something was written: %s", tt.args, diff)
		}
	}
}
