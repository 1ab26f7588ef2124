package environment_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/environment"
)

var update = flag.Bool("update", false, "write golden files")

// part is a part of the good file, to be replaced whole.
func part(from, to string) string { return good[strings.Index(good, from):strings.Index(good, to)] }

// mistake is the good platform file with one text replaced.
type mistake struct {
	name, old, new string
	beyond         bool // what a JSON Schema of the file cannot see
}

func mistakes() []mistake {
	return []mistake{
		{"unknown key", "name: crew", "name: crew\nnmae: x", false},
		{"unknown key, nothing like any", "name: crew", "name: crew\nremove: [x]", false},
		{"unknown key in a part", "gives: crew", "gives: crew, giving: x", false},
		{"unknown actor key", "{role: admin}", "{rolle: admin}", false},
		{"unknown stage key", "label: ready", "lable: ready", false},
		{"unknown check key", "when: {", "if: {", false},
		{"unknown condition key", "equals: approve", "equal: approve", false},
		{"unknown door key", "body: hi", "text: hi", false},

		{"text for a list", "run: [go, build, -o, \"{gives}\"]", "run: make", false},
		{"a list for text", "script: s.yaml", "script: [s.yaml]", false},
		{"a mapping for text", "name: crew", "name: {is: crew}", false},
		{"a list for a mapping", part("names:", "stages:"), "names: [a]\n", false},
		{"text for a number", "status: 200", "status: fine", false},
		{"text for true or false", "bot: true", "bot: maybe", false},
		{"a null argument", "run: [crew, setup]", "run: [crew, ~]", false},
		{"actors a list", part("actors:", "places:"), "actors: [admin, write]\n", false},
		{"an actor without a role", "{role: admin}", "{}", false},
		{"an app with a role", "{app: {", "{role: write, app: {", false},
		{"a scope that there is not", "{role: admin}", "{role: admin, scopes: [repo, worflow]}", false},
		{"a permission that there is not", "{app: {", "{app: {isues: write, ", false},
		{"a level that there is not", "{app: {", "{app: {contents: admin, ", false},
		{"scopes of a program", "bot: true", "bot: true, scopes: [repo]", true},
		{"an actor as text", "{role: admin}", "admin", false},
		{"door a list", part("door:", "capabilities:"), "door: [allowed.test, blocked.test]\n", false},
		{"stages a list", part("stages:", "door:"), "stages: [triage]\n", false},
		{"stages empty", part("stages:", "door:"), "stages: {}\n", false},
		{"a stage as text", "  code: {}", "  code: go", false},
		{"checks a mapping", "checks: [{path: head_sha, matches: '^[0-9a-f]{40}$', when: {path: action, equals: approve}}]", "checks: {path: a}", false},
		{"capabilities a list", "{slow-model: false, new-labels: true}", "[a]", false},
		{"words a list", "words: {stage: triage}", "words: [stage]", false},
		{"a word without a text", "{stage: triage}", "{stage: }", false},
		{"a word as a list", "{stage: triage}", "{stage: [a]}", false},
		{"a word's name", "{stage: triage}", "{Stage: triage}", false},
		{"a word made of words", "{stage: triage}", "{stage: <platform:other>}", true},
		{"capability as text", "slow-model: false", "slow-model: maybe", false},
		{"capability without a value", "slow-model: false", "slow-model: ", false},

		{"missing name", "name: crew\n", "", false},
		{"missing get.run", `run: [go, build, -o, "{gives}"], `, "", false},
		{"missing places", part("places:", "names:"), "", false},
		{"missing names.job", `, job: "run ({stage})"`, "", false},
		{"missing stages", part("stages:", "door:"), "", false},
		{"missing actors", part("actors:", "places:"), "", false},
		{"no write actor", "  write:", "  writer:", false},
		{"a condition without equals", ", equals: approve", "", false},
		{"a check without path and matches", "path: head_sha, matches: '^[0-9a-f]{40}$', ", "", false},
		{"a schema without a result", "result: output/r.json, ", "", false},

		{"unknown role", "{role: admin}", "{role: boss}", false},
		{"the observer", "  bot:", "  observer:", false},
		{"one login twice", "role: write, bot: true", "role: write, login: Jane", true},
		{"one label twice", "code: {}", "code: {label: ready}", true},
		{"token of nobody", "env: {A: b}", `env: {A: "{token:adminn}"}`, true},
		{"token in a command line", "run: [crew, setup]", `run: [crew, "--token={token:admin}"]`, true},
		{"placeholder in names", "a-{stage}", "a-{stag}", true},
		{"placeholder in names, of another case", "a-{stage}", "a-{Stage}", true},
		{"placeholder beside another", "a-{stage}", "a-{stage}{bogus}", true},
		{"placeholder in install", "run: [crew, setup]", `run: [crew, "{tokn:admin}"]`, true},
		{"token in a poller's command line", `"{tracker}", "{project}"`, `"{token}", "{project}"`, true},
		{"an actor's token for a poller", `T: "{token}"`, `T: "{token:admin}"`, true},
		{"placeholder in poller", `E: "{email}"`, `E: "{emial}"`, true},
		{"placeholder in preset", `"{preset}"`, `"{name}"`, true},
		{"unknown preset key", "preset: {install", "preset: {instal", false},
		{"a poller that runs nothing", `run: [crew, poll, "{tracker}", "{project}", "{repo}"], env`, "env", false},
		{"placeholder in get", "{gives}", "{given}", true},
		{"one name for many stages", `job: "run ({stage})"`, `job: "run"`, true},
		{"bad stage name", "  code: {}", "  a code: {}", false},
		{"capability name", "slow-model", "Slow", false},
		{"bad expression", "^[0-9a-f]{40}$", "(", true},
		{"door status", "status: 200", "status: 2000", false},
		{"door address", "allowed.test", "https://allowed.test/x", false},

		{"script outside", "script: s.yaml", "script: ../s.yaml", true},
		{"script absolute", "script: s.yaml", "script: /etc/s.yaml", false},
		{"validate outside", "validate: [x]", "validate: [x, a/../../y]", true},
		{"result outside", "output/r.json", "../r.json", true},
		{"result absolute", "output/r.json", "/r.json", false},
		{"a path given", "gives: crew", "gives: a/crew", false},
		{"a path as workflow", "workflow: w.yml", "workflow: .github/workflows/w.yml", false},
		{"a path as results", "results: r.json", "results: out/r.json", false},
		{"no schema file", "schema: s.json", "schema: t.json", true},
		{"a directory as schema", "schema: s.json", "schema: .", true},
		{"a device as schema", "schema: s.json", "schema: /dev/zero", true},
		{"a schema that is none", "schema: s.json", "schema: bad.json", true},
		{"a schema that is no JSON", "schema: s.json", "schema: platform.yaml", true},

		{"unknown edit", "kill-switch: {", "kill-swich: {", false},
		{"unknown edit key", "path: kill_switch", "pathe: kill_switch", false},
		{"edits a list", part("edits:", "door:"), "edits: [kill-switch]\n", false},
		{"an edit as text", "{file: c.yaml, path: kill_switch, value: true}", "true", false},
		{"an edit without a file", "{file: c.yaml, path: kill_switch", "{path: kill_switch", false},
		{"an edit without a value", ", value: true}", "}", false},
		{"an edit with both", ", value: true}", ", value: true, append: x}", false},
		{"an edit with nothing as its value", "value: true", "value: ~", false},
		{"an edit with a list as its value", "value: true", "value: [true]", false},
		{"an edit of a file outside", "file: c.yaml, path: kill", "file: ../c.yaml, path: kill", true},
		{"an edit of an absolute file", "file: c.yaml, path: kill", "file: /c.yaml, path: kill", false},
		{"an edit of a format that there is not", "format: ini", "format: toml", false},
		{"an edit of a file without a format", ", format: ini", "", true},
		{"an edit with a path that is none", "path: kill_switch", "path: kill..switch", true},
		{"an edit of an INI file with a long path", `path: "{name}.on"`, `path: "a.{name}.on"`, true},
		{"an edit with a placeholder of another", `path: allowed, append: "{prefix}"`, `path: "allowed.{name}", append: "{prefix}"`, true},
		{"an edit with a placeholder where there is none", "path: kill_switch", `path: "kill_{name}"`, true},
		{"an edit that forgets what it is about", `path: "{name}.on"`, "path: on", true},
		{"a harness of one name", `harness: "h/{name}.yaml"`, "harness: h/a.yaml", true},
		{"a harness outside", `harness: "h/{name}.yaml"`, `harness: "../{name}.yaml"`, true},
		{"a harness that is nowhere", `harness: "h/{name}.yaml", `, "", true},
		{"a hosted harness of one name", `hosted: {file: "h/{name}.yaml"`, `hosted: {file: "h/a.yaml"`, true},
		{"pinned to nothing", "{url}#sha256={digest}", "{url}", true},
		{"placeholder in harness", `source: "h/{name}.yaml"`, `source: "h/{naem}.yaml"`, true},
		{"placeholder in places", `"a/{name}.md"`, `"a/{agent}{name}.md"`, true},
		{"raw files without a path", "{repo}/{ref}/{path}", "{repo}/{ref}", true},
		{"unknown harness key", "harness: {source", "harness: {sauce", false},

		{"unknown metrics key", "metrics: {file", "metrics: {files", false},
		{"a path as metrics", "file: m.json", "file: out/m.json", false},
		{"runtimes a list", part("runtimes:", "edits:"), "runtimes: [dummy]\n", false},
		{"a runtime's name", "  pi: {", "  a pi: {", false},
		{"an unknown key of a runtime", "pi: {transcript", "pi: {transcripts", false},
		{"an unknown key of a transcript", "path: a.b", "paths: a.b", false},
		{"a transcript in which nothing is a call", ", is: [x]", "", false},
		{"a transcript with a bad pattern", "t/*.jsonl", "t/[.jsonl", true},

		{"two documents", "names:", "---\nnames:", true},
		{"duplicate key", "name: crew", "name: crew\nname: crow", true},
		{"duplicate stage", "  code: {}", "  code: {}\n  code: {}", true},
		{"tab", "  admin:", "\tadmin:", true},
		{"anchor and alias", "{role: admin}\n  write: {role: write, login: jane}", "&a {role: admin}\n  write: *a", true},
		{"merge key", "{role: admin}", "{<<: {role: admin}}", true},
		{"colon in text", "name: crew", "name: crew: the platform", true},
		{"open list", "run: [crew, setup]", "run: [crew, setup", true},
		{"open quote", "failure: \"failed\"", "failure: \"failed", true},
		{"indentation", "  write:", " write:", true},
		{"empty", good, "", true},
		{"a comment alone", good, "# nothing\n", true},
		{"text alone", good, "crew\n", true},
		{"a list alone", good, "- name: crew\n", true},
		{"UTF-16", good, "\xff\xfen\x00a\x00", true},
		{"Latin-1", "body: hi", "body: gr\xfc\xdfe", true},
		{"binary", good, "\x7fELF\x02\x01\x01\x00", true},
		{"NUL", "name: crew", "name: cr\x00ew", true},
		{"ten megabytes", "name: crew", "name: " + strings.Repeat("crew", 10<<20/4), true},
		{"deep", "status: 200", "status: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000), true},
		{"deeper", "status: 200", "status: " + strings.Repeat("[", 100000), true},
		{"every line wrong", good, strings.Repeat("a: 1\n", 1000), true},
	}
}

func (m mistake) text(t *testing.T) string {
	t.Helper()
	if !strings.Contains(good, m.old) {
		t.Fatalf("%s: the good file has no %q", m.name, m.old)
	}
	return strings.Replace(good, m.old, m.new, 1)
}

// TestReadPlatformRefuses: what is wrong with a file is told in lines of "file:line: what", and the
// first of them comes with a hint.
func TestReadPlatformRefuses(t *testing.T) {
	var got strings.Builder
	for _, m := range mistakes() {
		_, err := read(t, m.text(t))
		if err == nil {
			t.Errorf("%s: it was accepted", m.name)
			continue
		}
		fmt.Fprintf(&got, "== %s\n%v\n", m.name, err)
		for line := range strings.SplitSeq(err.Error(), "\n") {
			if !strings.HasPrefix(line, "platform.yaml:") {
				t.Errorf("%s: a line without its place: %s", m.name, line)
			}
		}
		var h interface{ Hint() string }
		if errors.As(err, &h) && h.Hint() != "" {
			fmt.Fprintf(&got, "    hint: %s\n", h.Hint())
		}
	}
	const file = "testdata/refused.golden"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got); go test -update writes it\n%s", file, diff)
	}
}

func TestReadPlatformTakesAByteOrderMarkAndOtherLineEnds(t *testing.T) {
	if _, err := read(t, "\ufeff"+strings.ReplaceAll(good, "\n", "\r\n")); err != nil {
		t.Error(err)
	}
}

func FuzzParsePlatform(f *testing.F) {
	f.Add(good)
	for _, m := range mistakes() {
		if text := strings.Replace(good, m.old, m.new, 1); len(text) < 4096 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := environment.ParsePlatform("platform.yaml", []byte(text))
		if err == nil {
			if p.Name == "" || len(p.Stages) == 0 || p.Actors["write"].Role == "" {
				t.Errorf("accepted: %+v", p)
			}
			return
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			if !strings.HasPrefix(line, "platform.yaml:") {
				t.Errorf("an error without its place: %q", err)
			}
		}
	})
}
