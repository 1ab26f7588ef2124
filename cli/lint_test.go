package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/suite"
)

// wrong is a suite with every kind of finding, and one of what looks like one but is none.
var wrong = map[string]string{
	"platform.yaml": strings.Replace(platformYAML, "triage: {}", "triage: {result: out/r.json, schema: s.json}", 1) + "capabilities: {slow: false}\n",
	"s.json":        `{"required": ["ok"]}`,
	"features/a.feature": `Feature: A
  Background:
    Given nobody knows "this"

  # GitHub may stand in a comment, as in a tag
  @github @requires:capability:slow
  Scenario: Nothing is expected
    Given an issue
    * an issue

  @requires:capability:magic
  Scenario Outline: <where>
    Given an issue with title "On <where>" and body containing ""
    And a dummy agent that would:
      | description | op            | args                          |
      | Emit        | write_fixture | out/r.json, fixtures/bad.json |
      | Event       | assert_env    | GITHUB_EVENT_PATH             |
    Then the issue has label "<label>" of per-repo test-repo-01

    Examples:
      | where  | label |
      | GitLab | x     |
      | here   | y     |

  Scenario Outline: rows of nothing
    Given an issue
    Examples:
      | n |
      | 1 |
      | 2 |
`,
	"features/deep/b.feature": "Feature: B\n  Scenario: S\n    Given an issue\n    oops fixtures/unread.txt\n",
	"features/f.feature": `Feature: F
  Scenario: S
    Given an issue
      | table |
    Then the issue has label "x"
    And the issue has a comment containing "see fixtures/named.txt"

  Scenario: No steps
`,
	"fixtures/bad.json": "{}", "fixtures/named.txt": "", "fixtures/lost.txt": "", "fixtures/unread.txt": "", "fixtures/deep/declared.txt": "", "fixtures/.hidden": "",
	"fixtures/fixtures.yaml": `# what for
fixtures/named.txt: {stage: none, purpose: named}
fixtures/deep/declared.txt: {stage: none, purpose: nobody writes it}
fixtures/gone.txt: {stage: none, purpose: is not there}
`,
}

func TestLint(t *testing.T) {
	dir := writeSuite(t, wrong)
	for name, args := range map[string][]string{
		"lint":      {"lint", dir},
		"lint_file": {"lint", dir + "/features/f.feature", dir + "/features/deep"},
		"lint_json": {"lint", dir + "/features/f.feature", "--json"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out := run(t, cli.Options{Env: []string{}}, args...)
			if code != 2 {
				t.Errorf("exit code %d", code)
			}
			golden(t, name, strings.ReplaceAll(out, dir, "$S"))
		})
	}
}

func TestLintSeesABrokenPlatform(t *testing.T) {
	dir := writeSuite(t, map[string]string{"platform.yaml": platformYAML + "extra: 1\n"})
	code, out := run(t, cli.Options{}, "lint", dir)
	want := dir + "/features/f.feature:4: the scenario has no Then: it expects nothing (no-then)\n" +
		dir + `/platform.yaml:9: unknown key "extra"`
	if code != 2 || !strings.HasPrefix(out, want) || !strings.HasSuffix(out, " (platform)\n1 scenario, 2 findings\n") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

func TestLintNamesOwnStepsThatNobodyUses(t *testing.T) {
	dir := writeSuite(t, map[string]string{"features/f.feature": "Feature: F\n  Scenario: S\n    Given a step nobody wrote\n    Then a step that panics\n"})
	p := strictPack
	p.Steps = p.Steps[:3]
	code, out := run(t, cli.Options{Packs: []suite.Pack{p}}, "lint", dir)
	if want := dir + "/understudy.yaml:1: no scenario uses the step strict: `a clean-up that fails` (unused-step)\n1 scenario, 1 finding\n"; code != 2 || out != want {
		t.Errorf("exit code %d\n%s\nwant\n%s", code, out, want)
	}
}

func TestLintOfWhatIsClean(t *testing.T) {
	for dir, want := range map[string]string{acceptance: "14 scenarios, nothing found\n"} {
		if code, out := run(t, cli.Options{}, "lint", dir); code != 0 || out != want {
			t.Errorf("%s: exit code %d\n%s", dir, code, out)
		}
	}
	dir := filepath.Join(t.TempDir(), "new")
	run(t, cli.Options{}, "init", dir)
	if code, out := run(t, cli.Options{}, "lint", dir, "--json"); code != 0 || !json.Valid([]byte(out)) || !strings.Contains(out, `"findings": []`) {
		t.Errorf("what init writes: exit code %d\n%s", code, out)
	}
}

func TestLintRefuses(t *testing.T) {
	dir := writeSuite(t, nil)
	for want, args := range map[string][]string{
		"requires at least 1 arg":   {"lint"},
		"it looks at whole files":   {"lint", dir + "/features/f.feature:4"},
		"there is no understudy":    {"lint", t.TempDir()},
		"there is no " + dir + "/x": {"lint", dir + "/x"},
		"it is outside":             {"lint", dir + "/platform.yaml"},
	} {
		if code, out := run(t, cli.Options{}, args...); code != 2 || !strings.Contains(out, want) || !strings.Contains(out, "understudy: error: ") {
			t.Errorf("%v: exit code %d\n%s\nwant %q", args, code, out, want)
		}
	}
}

// BenchmarkLint looks at 1,000 scenarios with a table and a fixture each.
func BenchmarkLint(b *testing.B) {
	dir := b.TempDir()
	files := map[string]string{
		"understudy.yaml": "platform: platform.yaml\nfeatures: features\n", "s.json": `{"required": ["ok"]}`,
		"platform.yaml": strings.Replace(platformYAML, "triage: {}", "triage: {result: out/r.json, schema: s.json}", 1),
	}
	for f := range 100 {
		var text strings.Builder
		fmt.Fprintf(&text, "Feature: %d\n", f)
		for s := range 10 {
			fmt.Fprintf(&text, "  Scenario: %d\n    Given the enrolled test repository\n    And an issue with title \"%d\" and body containing \"%d\"\n"+
				"    And a dummy agent that would:\n      | description | op | args |\n      | Emit | write_fixture | out/r.json, fixtures/%d.json |\n"+
				"    When the issue is labeled \"ready\"\n    Then the triage workflow completes successfully\n    And the issue has label \"%d\"\n", s, s, f, f, s)
		}
		files[fmt.Sprintf("features/%d.feature", f)] = text.String()
		files[fmt.Sprintf("fixtures/%d.json", f)] = `{"ok": true}`
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		var out strings.Builder
		if code := cli.Main(cli.Options{Args: []string{"lint", dir}, Stdout: &out, Stderr: &out}); code != 0 || out.String() != "1000 scenarios, nothing found\n" {
			b.Fatal(out.String())
		}
	}
}
