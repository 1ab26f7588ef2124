package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/driver/job"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if binDir != "" {
		os.RemoveAll(binDir)
	}
	// The runtime's own signal goroutine stays once signals were asked for.
	err := goleak.Find(goleak.IgnoreTopFunction("os/signal.signal_recv"), goleak.IgnoreTopFunction("os/signal.loop"))
	if err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

var (
	binDir string // of the built command; "" until it is needed
	runner string // the job runner, once the command is built
)

// build builds the command once for all tests: to link it takes seconds. The job runner is built with it,
// because some tests run the command where nothing can be built.
var build = sync.OnceValues(func() (string, error) {
	var err error
	if binDir, err = os.MkdirTemp("", "cli-test-"); err != nil {
		return "", err
	}
	bin := filepath.Join(binDir, "understudy")
	if out, err := exec.Command("go", "build", "-o", bin, "../cmd/understudy").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	runner, err = job.Find(context.Background(), job.Options{Explicit: os.Getenv("UNDERSTUDY_JOB")})
	return bin, err
})

// understudy is the path of the command.
func understudy(t *testing.T) string {
	t.Helper()
	bin, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// run is the command line with its output.
func run(t *testing.T, o cli.Options, args ...string) (code int, out string) {
	t.Helper()
	var b bytes.Buffer
	o.Args, o.Stdout, o.Stderr = args, &b, &b
	if o.Env == nil {
		// On GitHub Actions the suites of these tests are nobody's business but theirs.
		o.Env = slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "GITHUB_") })
	}
	code = cli.Main(o)
	return code, b.String()
}

const platformYAML = `
name: none
get: {dir: ., run: [bash, -c, "printf '#!/bin/sh\n' > {gives}; chmod +x {gives}"], gives: noop}
install: {run: [noop]}
actors: {admin: {role: admin}, write: {role: write}}
places: {script: script.yaml, results: results.json}
names: {artifact: "a-{stage}", workflow: w.yml, job: "{stage}"}
stages: {triage: {}}
`

const someFeature = "Feature: F\n\n  @slow\n  Scenario: S\n    Given an issue\n"

// writeSuite makes a suite on disk; files replace or add to its own.
func writeSuite(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{
		"understudy.yaml":    "platform: platform.yaml\nfeatures: features\n",
		"platform.yaml":      platformYAML,
		"features/f.feature": someFeature,
	}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// table is a feature whose only step is a dummy agent's table with one operation.
func table(op, args string) string {
	return "Feature: F\n\n  Scenario: S\n    Given a dummy agent that would:\n      | description | op | args |\n      | Emit | " + op + " | " + args + " |\n"
}

// TestUsage holds what is known before anything starts: exit code 2, the place, nothing written.
func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		args  []string // $S is the suite's directory
		want  string
	}{
		{"no path", nil, []string{"run"}, "requires at least 1 arg"},
		{"unknown command", nil, []string{"rnu"}, `unknown command "rnu"`},
		{"nearest command", nil, []string{"rnu"}, "hint: did you mean understudy run?"},
		{"form of a command", nil, []string{"diff"}, "hint: understudy diff A B"},
		{"form, for a flag", nil, []string{"plan", "--job"}, "hint: understudy plan PATH…"},
		{"unknown flag", nil, []string{"run", "$S", "--job", "2"}, "unknown flag: --job"},
		{"no number", nil, []string{"run", "$S", "--jobs", "many"}, `invalid argument "many" for "--jobs" flag: it is a number` + "\n"},
		{"neither true nor false", nil, []string{"serve", "--journal=maybe"}, "it is true or false\n"},
		{"negative jobs", nil, []string{"run", "$S", "--jobs", "-1"}, "--jobs is 0 (capacity) or more"},
		{"no repeat", nil, []string{"run", "$S", "--repeat", "0"}, "--repeat 1 or more"},
		{"no suite", nil, []string{"run", "/"}, "there is no understudy.yaml"},
		{"no such directory", nil, []string{"run", "$S/nowhere"}, "there is no $S/nowhere"},
		{"line past the end", nil, []string{"run", "$S/features/f.feature:99"}, "no scenario at this line"},
		{"not text", map[string]string{"features/f.feature": "Feature: F\n\xff\x1b[2J\n"}, []string{"run", "$S"}, "f.feature:1: this is no text in UTF-8"},
		{"missing features", map[string]string{"understudy.yaml": "platform: platform.yaml\n\nfeatures: gone\n"},
			[]string{"run", "$S"}, "understudy.yaml:3: features: there is no gone"},
		{"unknown defect", map[string]string{"platform.yaml": platformYAML + "defect: {install: [--defect, \"{name}\"]}\n",
			"understudy.yaml": "platform: platform.yaml\nfeatures: features\ndefects: defects.txt\n", "defects.txt": "one f.feature:4\n"},
			[]string{"run", "$S", "--defect", "two"}, "there are: one"},
		{"out is a file", nil, []string{"run", "$S", "--out", "$S/platform.yaml"}, "name another directory with --out"},
		{"out is empty", nil, []string{"run", "$S", "--out", ""}, "--out names a directory"},
		{"no such path", nil, []string{"run", "$S/features/g.feature"}, "there is no"},
		{"line selects nothing", nil, []string{"run", "$S/features/f.feature:1"}, "f.feature:1"},
		{"outside the suite", nil, []string{"run", "$S/features", "/etc"}, "outside"},
		{"tags select nothing", nil, []string{"run", "$S", "--tags", "@fast"}, "no scenario is selected"},
		{"bad tags", nil, []string{"run", "$S", "--tags", "@a and"}, "tag"},
		{"unknown key", map[string]string{"understudy.yaml": "platform: platform.yaml\nfeatures: features\nfixture: x\n"},
			[]string{"run", "$S"}, `understudy.yaml:3: unknown key "fixture"`},
		{"missing key", map[string]string{"understudy.yaml": "platform: platform.yaml\n"}, []string{"run", "$S"}, "features is missing"},
		{"missing platform", map[string]string{"understudy.yaml": "platform: p.yaml\nfeatures: features\n"},
			[]string{"run", "$S"}, "understudy.yaml:1: platform: there is no p.yaml"},
		{"bad platform", map[string]string{"platform.yaml": platformYAML + "extra: 1\n"}, []string{"run", "$S"}, `platform.yaml:9: unknown key "extra"`},
		{"bad feature", map[string]string{"features/f.feature": "Feature: F\n  Scenario: S\n    Given an issue\n    garbage\n"}, []string{"run", "$S"}, "f.feature:4"},
		{"no features", map[string]string{"features/f.feature": "Feature: F\n"}, []string{"run", "$S"}, "f.feature"},
		{"unknown capability", map[string]string{"features/f.feature": "Feature: F\n  @requires:capability:magic\n  Scenario: S\n    Given an issue\n"},
			[]string{"run", "$S"}, "magic"},
		{"hole in the capabilities", nil, []string{"run", "$S", "--capabilities", "a,,b"}, `--capabilities "a,,b": "" is not a name`},
		{"a tag as a capability", nil, []string{"run", "$S", "--capabilities", "@a"}, `"@a" is not a name`},
		{"unknown capability declared", nil, []string{"run", "$S", "--capabilities", "magic"}, `capability "magic" is declared, but unknown`},
		{"unknown operation", map[string]string{"features/f.feature": table("shell", "rm")}, []string{"run", "$S"},
			`f.feature:4: operation "Emit": unknown operation "shell"`},
		{"missing fixture", map[string]string{"features/f.feature": table("write_fixture", "a, fixtures/b")}, []string{"run", "$S"},
			`f.feature:4: operation "Emit": fixture fixtures/b`},
		{"invalid fixture", map[string]string{
			"features/f.feature": table("write_fixture", "out/r.json, b.json"), "b.json": `{"a": 1}`, "s.json": `{"properties": {"a": {"type": "string"}}}`,
			"platform.yaml": strings.Replace(platformYAML, "triage: {}", "triage: {result: out/r.json, schema: s.json}", 1),
		}, []string{"run", "$S"}, `f.feature:4: operation "Emit": fixture b.json is no valid result of stage triage: /a: got number, want string`},
		{"no defects listed", nil, []string{"run", "$S", "--defects"}, "lists no defects"},
		{"defect without a way in", nil, []string{"run", "$S", "--defect", "x"}, "defect.install is missing"},
		{"how much with each defect", nil, []string{"run", "$S", "--defects=half"}, "it is sample or full"},
		{"a track record of a sample", nil, []string{"run", "$S", "--defects", "--track-record", "x"}, "--defects=full"},
		{"a shard without a seed", nil, []string{"run", "$S", "--shard", "1/2"}, "--shard needs --seed"},
		{"no shard", nil, []string{"run", "$S", "--shard", "3/2", "--seed", "1"}, "the form is NUMBER/OF"},
		{"two defect flags", nil, []string{"run", "$S", "--defect", "x", "--defects"}, "give one of the two"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := writeSuite(t, tt.files)
			out := filepath.Join(t.TempDir(), "out")
			args := append([]string(nil), tt.args...)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "$S", dir)
			}
			want := strings.ReplaceAll(tt.want, "$S", dir)
			if args[0] == "run" && len(args) > 1 && !slices.Contains(args, "--out") {
				args = append(args, "--out", out)
			}
			code, text := run(t, cli.Options{}, args...)
			if code != 2 || !strings.Contains(text, want) || !strings.Contains(text, "understudy: error: ") {
				t.Errorf("exit code %d, want 2; output\n%s\nwant it to contain %q", code, text, want)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("something was written")
			}
		})
	}
}

func TestStepsAreDocumented(t *testing.T) {
	code, out := run(t, cli.Options{}, "steps")
	if code != 0 || !strings.Contains(out, `the issue has label "bug"`) || !strings.Contains(out, "at quiet it is decided") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}
