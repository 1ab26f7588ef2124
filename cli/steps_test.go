package cli_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/suite"
)

// TestReference: what docs/reference says is what the commands say.
func TestReference(t *testing.T) {
	for file, args := range map[string][]string{"steps.md": {"steps", "--markdown"}, "cli.md": {"reference"}, "environment.md": {"reference", "--environment"}, "faults.md": {"faults", "--markdown"}} {
		code, got := run(t, cli.Options{}, args...)
		if code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, code, got)
		}
		path := filepath.Join("../docs/reference", file)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got); go test ./cli -run TestReference -update writes it\n%s", path, diff)
		}
	}
}

func TestSteps(t *testing.T) {
	for _, tt := range []struct {
		args      []string
		code      int
		has, lack string
	}{
		{[]string{"steps"}, 0, "issue\n  an issue\n      Opens an issue as the write actor.\n      e.g. an issue\n", "strict"},
		{[]string{"steps", "LABEL", "does not"}, 0, `the issue does not have label`, "is labeled"},
		{[]string{"steps", "dummy", "table"}, 2, "no step holds dummy and table", ""},
		{[]string{"steps", "a dummy agent"}, 0, "  a dummy agent that would:  + a table\n", "an issue\n"},
		{[]string{"steps", "--snippet", "When it rains 3 times"}, 0, "Pattern: `it rains (\\d+) times`, Do: itRainsTimes,", ""},
		{[]string{"steps", "--snippet", "it rains:\n  | a |"}, 0, "func itRains(ctx context.Context, t *suite.Table) error {", ""},
		{[]string{"steps", "--snippet", "it rains:\n\"\"\"\nx\n\"\"\""}, 0, "d *suite.DocString) error {", ""},
		{[]string{"steps", "--snippet", "And an issue"}, 0, "an issue is defined already:\n\nissue\n", "func"},
		{[]string{"steps", "--snippet", "it rains\nand pours"}, 2, "neither a table nor a docstring", ""},
		{[]string{"steps", "--snippet", " "}, 2, "there is no step", ""},
		{[]string{"steps", "--snippet", "it", "rains"}, 2, "put it in quotes", ""},
		{[]string{"steps", "--json", "--markdown"}, 2, "none of the others can be", ""},
	} {
		code, out := run(t, cli.Options{}, tt.args...)
		if code != tt.code || !strings.Contains(out, tt.has) || tt.lack != "" && strings.Contains(out, tt.lack) {
			t.Errorf("%q: exit code %d\n%s", tt.args, code, out)
		}
	}
	code, out := run(t, cli.Options{Packs: []suite.Pack{strictPack}}, "steps", "strict", "--json")
	var words []suite.Word
	if err := json.Unmarshal([]byte(out), &words); err != nil || code != 0 || len(words) < 3 || words[0].Pack != "strict" || words[0].Values == nil {
		t.Errorf("exit code %d, %v\n%s", code, err, out)
	}
	if code, out := run(t, cli.Options{}, "steps", "nothing of the kind", "--json"); code != 0 || out != "[]\n" {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

func TestStepsForEditors(t *testing.T) {
	t.Chdir(t.TempDir())
	odd := suite.Pack{Name: "odd", Steps: []suite.Step{
		{Pattern: `a/b|c`, Do: func(context.Context) error { return nil }, Doc: "d", Example: "c"},
		{Pattern: `(?i)loud`, Do: func(context.Context) error { return nil }, Doc: "d", Example: "LOUD"},
	}}
	code, out := run(t, cli.Options{Packs: []suite.Pack{odd}}, "steps", "--editor", ".vscode")
	if code != 0 || out != "wrote .vscode/steps.js\nwrote .vscode/steps.feature\nwrote .vscode/settings.json\n" {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	js, err := os.ReadFile(".vscode/steps.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Given(/^the issue has label \"([^\"]+)\"$/, () => {}) // Holds", `Given(/^(?:a\/b|c)$/, () => {}) // d`, "// left out, as JavaScript has no (?i: (?i)loud\n"} {
		if !strings.Contains(string(js), want) {
			t.Errorf("steps.js lacks %s\n%s", want, js)
		}
	}
	// What the editor is shown as a feature can be read, and holds steps that are defined.
	if err := os.WriteFile("understudy.yaml", []byte("features: .vscode\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, out := run(t, cli.Options{Packs: []suite.Pack{odd}}, "lint", "."); strings.Contains(out, "undefined") || strings.Contains(out, "gherkin") || strings.Contains(out, "unfit") {
		t.Errorf("steps.feature: %s", out)
	}
	// Again, beside settings of one's own.
	if err := os.WriteFile(".vscode/settings.json", []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out = run(t, cli.Options{}, "steps", "--editor", ".vscode")
	if again, _ := os.ReadFile(".vscode/settings.json"); code != 0 || string(again) != "{}" || !strings.Contains(out, "left as it is. It needs:\n\n{\n") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if again, _ := os.ReadFile(".vscode/steps.js"); strings.Contains(string(again), "loud") {
		t.Error("steps.js was not written again")
	}
	if err := os.WriteFile(".vscode/steps.feature", []byte("Feature: mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, out := run(t, cli.Options{}, "steps", "--editor", ".vscode"); code != 2 || !strings.Contains(out, "written by somebody else; nothing was written") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}
