package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
)

// stageSuite is a suite whose stage triage has a schema, and checks when there are some.
func stageSuite(t *testing.T, schema, checks string) string {
	t.Helper()
	stage := "triage: {result: output/r.json, schema: s.json" + checks + "}, other: {}"
	return writeSuite(t, map[string]string{
		"s.json": schema, "platform.yaml": strings.Replace(platformYAML, "triage: {}", stage, 1),
	})
}

func TestInitFixture(t *testing.T) {
	for _, tt := range []struct{ name, schema, checks, want string }{
		{"required, enum, const", `{"type": "object", "required": ["a", "b"], "properties": {"a": {"enum": ["x", "y"]}, "b": {"const": 7}, "c": {"type": "string"}}}`,
			"", `{"a": "x", "b": 7}`},
		{"types", `{"required": ["s", "n", "i", "l", "b", "z", "o"], "properties": {"s": {"type": "string", "minLength": 6}, "n": {"type": "number", "minimum": 1.5},
			"i": {"type": "integer"}, "l": {"type": "array", "minItems": 2, "items": {"type": "string"}}, "b": {"type": "boolean"}, "z": {"type": "null"},
			"o": {"type": "object"}}}`, "", `{"b": false, "i": 0, "l": ["text", "text"], "n": 1.5, "o": {}, "s": "xxxxxx", "z": null}`},
		{"references and choices", `{"$ref": "#/$defs/t", "$defs": {"t": {"allOf": [{"required": ["a"]}, {"required": ["b"]}],
			"properties": {"a": {"anyOf": [{"const": 1}, {"const": 2}]}, "b": {"oneOf": [{"type": "string"}]}}}}}`, "", `{"a": 1, "b": "text"}`},
		{"checks", `{"properties": {"comment": {"type": "string"}}}`, `, checks: [{path: comment, matches: '\S'}]`, `{"comment": "text"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := stageSuite(t, tt.schema, tt.checks)
			code, out := run(t, cli.Options{}, "init", "fixture", "triage", "--suite", dir)
			if code != 0 || !strings.Contains(out, "\nfixtures/triage/minimal.json:\n  stage: triage\n") {
				t.Fatalf("exit code %d\n%s", code, out)
			}
			got, err := os.ReadFile(filepath.Join(dir, "fixtures/triage/minimal.json"))
			if err != nil {
				t.Fatal(err)
			}
			flat := strings.NewReplacer("{ ", "{", " }", "}", "[ ", "[", " ]", "]").Replace(strings.Join(strings.Fields(string(got)), " "))
			if flat != tt.want {
				t.Errorf("got  %s\nwant %s", flat, tt.want)
			}
		})
	}
}

func TestInitFixtureRefuses(t *testing.T) {
	for _, tt := range []struct{ name, schema, checks, stage, want string }{
		{"unknown stage", `{}`, "", "code", `there is no stage "code"; there are: triage, other`},
		{"no schema", `{}`, "", "other", `stage "other" has no schema`},
		{"pattern", `{"required": ["a"], "properties": {"a": {"type": "string", "pattern": "^\\d+$"}}}`, "", "triage",
			"make a fixture for stage triage: what its schema seems to ask for, { \"a\": \"text\" }, is no valid result of stage triage: /a: "},
		{"check", `{"required": ["a"]}`, `, checks: [{path: a, matches: '^\d+$'}]`, "triage", `a is "text", which does not match`},
		{"endless", `{"required": ["a"], "properties": {"a": {"$ref": "#"}}}`, "", "triage", "refers to itself without an end"},
		{"nothing", `{"required": ["a"], "properties": {"a": false}}`, "", "triage", "/a: its schema accepts nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := stageSuite(t, tt.schema, tt.checks)
			code, out := run(t, cli.Options{}, "init", "fixture", tt.stage, "--suite", dir)
			if code != 2 || !strings.Contains(out, tt.want) {
				t.Errorf("exit code %d\n%s\nwant %q", code, out, tt.want)
			}
			if _, err := os.Stat(filepath.Join(dir, "fixtures")); err == nil {
				t.Error("something was written")
			}
		})
	}
	dir := stageSuite(t, `{}`, "")
	mine := filepath.Join(dir, "mine.json")
	if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, out := run(t, cli.Options{}, "init", "fixture", "triage", "--suite", dir, "--out", mine); code != 2 || !strings.Contains(out, "is there already") {
		t.Errorf("over a file: exit code %d\n%s", code, out)
	}
	if got, _ := os.ReadFile(mine); string(got) != "mine" {
		t.Errorf("the file was overwritten: %s", got)
	}
}
