package cli_test

import (
	"encoding/json"
	"fmt"
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
		dir + "/platform.yaml:9: unknown key \"extra\" (platform)\n    the keys are: name, get, install, defect, preset, poller, actors, places, names, harness, edits, metrics, runtimes, stages, door, capabilities, words\n1 scenario, 2 findings\n"
	if code != 2 || out != want {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

func TestLintNamesOwnStepsThatNobodyUses(t *testing.T) {
	dir := writeSuite(t, map[string]string{"understudy.yaml": idleStage, "features/f.feature": "Feature: F\n  Scenario: S\n    Given a step nobody wrote\n    Then a step that panics\n"})
	p := strictPack
	p.Steps = p.Steps[:3]
	code, out := run(t, cli.Options{Packs: []suite.Pack{p}}, "lint", dir)
	if want := dir + "/understudy.yaml:1: no scenario uses the step strict: `a clean-up that fails` (unused-step)\n1 scenario, 1 finding\n"; code != 2 || out != want {
		t.Errorf("exit code %d\n%s\nwant\n%s", code, out, want)
	}
}

func TestLintOfWhatIsClean(t *testing.T) {
	for dir, want := range map[string]string{
		acceptance: fmt.Sprintf("%d scenarios, nothing found\n", scenariosOf(t, acceptance)), acceptance + "/portable": " scenarios, nothing found\n",
		"../examples/shell": " scenarios, nothing found\n", "../examples/shell/portable": " scenarios, nothing found\n",
	} {
		if code, out := run(t, cli.Options{}, "lint", dir); code != 0 || !strings.HasSuffix(out, want) || strings.Count(out, "\n") != 1 {
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
