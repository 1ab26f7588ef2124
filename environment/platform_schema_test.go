package environment_test

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/internal/schema"
	"github.com/understudy-dev/understudy/internal/scope"
)

const schemaFile = "../docs/reference/platform.schema.json"

func compiledSchema(t *testing.T) *schema.Schema {
	t.Helper()
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Compile(schemaFile, text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// accepts is what an editor with the schema says of a YAML text.
func accepts(t *testing.T, s *schema.Schema, text string) error {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	doc, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return s.Check(doc)
}

// TestSchemaSeesWhatTheReaderRefuses: what is wrong in form is wrong by the schema, too, and what is
// right is right.
func TestSchemaSeesWhatTheReaderRefuses(t *testing.T) {
	s := compiledSchema(t)
	for _, file := range []string{"../examples/acceptance/platform.yaml", "../examples/shell/platform.yaml", "../cli/initfiles/platform.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := accepts(t, s, string(text)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	if err := accepts(t, s, good); err != nil {
		t.Errorf("the good file: %v", err)
	}
	for _, m := range mistakes() {
		if !m.beyond && accepts(t, s, m.text(t)) == nil {
			t.Errorf("the schema accepts %s", m.name)
		}
	}
}

// TestSchemaNamesAllScopes: an editor offers the scopes and permissions that the reader takes, written either way.
func TestSchemaNamesAllScopes(t *testing.T) {
	s := compiledSchema(t)
	actor := func(fields string) string { return strings.Replace(good, "{app: {issues: write}}", "{"+fields+"}", 1) }
	if actor("x") == good {
		t.Fatal("no actor was changed")
	}
	for _, name := range scope.Classic() {
		if err := accepts(t, s, actor("role: write, scopes: ['"+name+"']")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range scope.Permissions() {
		for _, written := range []string{name, strings.ReplaceAll(name, "_", "-")} {
			if err := accepts(t, s, actor("app: {"+written+": read}")); err != nil {
				t.Errorf("%s: %v", written, err)
			}
		}
	}
}

// full has every part of a platform file, so that an unknown key can be put into each.
var full = []struct{ at, part string }{
	{"", "name: crew"}, {"properties/get", "get: {"}, {"properties/install", "install: {"}, {"properties/defect", "defect: {"}, {"properties/poller", "poller: {"}, {"properties/preset", "preset: {"},
	{"properties/actors/additionalProperties", "admin: {"}, {"properties/places", "places: {"}, {"properties/names", "names: {"},
	{"properties/stages/additionalProperties", "triage: {"}, {"properties/stages/additionalProperties/properties/checks/items", "checks: [{"},
	{"properties/harness", "harness: {"}, {"properties/harness/properties/hosted", "hosted: {"}, {"properties/edits/additionalProperties", "kill-switch: {"},
	{"properties/metrics", "metrics: {"}, {"properties/runtimes/additionalProperties", "pi: {"}, {"$defs/lines", "transcript: {"},
	{"properties/stages/additionalProperties/properties/checks/items/properties/when", "when: {"}, {"properties/door/additionalProperties", "allowed.test: {"},
}

// TestSchemaHasTheReadersKeys: the reader tells its keys when one is unknown; the schema has the same.
func TestSchemaHasTheReadersKeys(t *testing.T) {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for _, f := range full {
		unknown := strings.Replace(good, f.part, f.part+"zzz: 1, ", 1)
		if f.at == "" {
			unknown = "zzz: 1\n" + good
		}
		_, err := read(t, unknown)
		var h interface{ Hint() string }
		if err == nil || !errors.As(err, &h) {
			t.Fatalf("%s: got %v", f.at, err)
		}
		_, list, _ := strings.Cut(h.Hint(), "the keys are: ")
		want := strings.Split(list, ", ")
		slices.Sort(want)
		part := doc
		for key := range strings.SplitSeq(f.at, "/") {
			if key != "" {
				part, _ = part[key].(map[string]any)
			}
		}
		var got []string
		properties, _ := part["properties"].(map[string]any)
		for key, p := range properties {
			got = append(got, key)
			if d, _ := p.(map[string]any)["description"].(string); d == "" && f.part != "when: {" {
				t.Errorf("%s: %s has no description", f.at, key)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: keys (-reader +schema)\n%s", f.at, diff)
		}
	}
	if n := strings.Count(string(text), `"properties"`); n != len(full) {
		t.Errorf("the schema has %d parts with keys, the test knows %d", n, len(full))
	}
}
