package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/suite"
)

// lintOf is what lint says of one feature in a suite with stages triage and code, both with a result.
func lintOf(t *testing.T, o cli.Options, feature string) []string {
	t.Helper()
	stages := "stages: {triage: {label: ready, result: out/r.json, schema: s.json}, code: {label: go, result: out/c.json}, free: {label: free}}\n" +
		"capabilities: {runtime-pi: false, runtime-pi-large: false, runtime-codex: false}"
	dir := writeSuite(t, map[string]string{
		"platform.yaml": strings.Replace(platformYAML, "stages: {triage: {}}", stages, 1), "s.json": "{}",
		"features/f.feature": "Feature: F\n" + feature, "fixtures/r.json": "{}", "fixtures/fixtures.yaml": "fixtures/r.json: {stage: triage, purpose: least}\n",
	})
	_, out := run(t, o, "lint", dir)
	var findings []string
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, dir+"/features/"); ok {
			findings = append(findings, rest)
		} else if strings.HasSuffix(line, "(hole)") { // the feature covers little
			continue
		} else if strings.Contains(line, ": error:") || strings.HasPrefix(line, dir) && !strings.HasSuffix(line, "(unused-fixture)") && !strings.HasSuffix(line, "(unused-step)") {
			t.Errorf("not about the feature: %s", line)
		}
	}
	return findings
}

const (
	dummyTable = "    Given a dummy agent that would:\n      | description | op | args |\n"
	emit       = dummyTable + "      | Emit | write_fixture | out/r.json, fixtures/r.json |\n"
	reads      = dummyTable + "      | Look | read_file | README.md |\n"
	labeled    = "    When the issue is labeled \"ready\"\n"
	labels     = "    Then the issue has label \"x\"\n"
)

func TestLintMissingResult(t *testing.T) {
	const lacks = "the scenario dispatches stage triage, but its dummy agent does not write out/r.json, the stage's result (missing-result)"
	const nobody = "the scenario dispatches stage triage, but no dummy agent is there to write out/r.json, the stage's result (missing-result)"
	for _, tt := range []struct {
		name, steps string
		want        []string
	}{
		{"written", emit + labeled + labels, nil},
		{"written by a background", "", nil}, // below
		{"not written", reads + labeled + labels, []string{"f.feature:6: " + lacks}},
		{"nobody writes", labeled + labels, []string{"f.feature:3: " + nobody}},
		{"a later table", reads + labeled + emit + labels, []string{"f.feature:6: " + lacks}},
		{"an earlier table", emit + reads + labeled + labels, []string{"f.feature:9: " + lacks}},
		{"meant to fail", reads + labeled + "    Then the triage workflow fails reporting \"no result\"\n", nil},
		{"another one fails", reads + labeled + "    Then the code workflow fails reporting \"no result\"\n", []string{"f.feature:6: " + lacks}},
		{"did not run", labeled + "    Then the harness \"triage\" agent did not run\n", nil},
		{"never dispatched", labeled + "    Then the harness \"triage\" was dispatched exactly 0 times\n", nil},
		{"dispatched", reads + "    Then the harness \"triage\" was dispatched exactly 10 times\n", []string{"f.feature:6: " + lacks}},
		{"completes", reads + "    Then the triage workflow completes successfully\n", []string{"f.feature:6: " + lacks}},
		{"the other stage too", emit + labeled + "    Then the harness \"code\" workflow completes successfully\n",
			[]string{"f.feature:7: " + strings.NewReplacer("triage", "code", "r.json", "c.json").Replace(lacks)}},
		{"a stage without a result", "    When the issue is labeled \"free\"\n" + labels, nil},
		{"another label", "    When the issue is labeled \"other\"\n" + labels, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			feature := "  Scenario: S\n" + tt.steps
			if tt.steps == "" {
				feature = "  Background:\n" + emit + "  Scenario: S\n" + labeled + labels
			}
			var got []string
			for _, f := range lintOf(t, cli.Options{}, feature) {
				if !strings.Contains(f, "names.failure") {
					got = append(got, f)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	// A pack of one's own may bring another agent; with a dummy agent it does not.
	own := cli.Options{Packs: []suite.Pack{strictPack}}
	if got := lintOf(t, own, "  Scenario: S\n"+labeled+labels); got != nil {
		t.Errorf("with a pack of one's own: %q", got)
	}
	if got := lintOf(t, own, "  Scenario: S\n"+reads+labeled+labels); len(got) != 1 {
		t.Errorf("with a pack of one's own and a dummy agent: %q", got)
	}
}

func TestLintTags(t *testing.T) {
	const ok = "  Scenario: S\n    Given an issue\n" + labels
	const capability = "@requires:capability:"
	for tags, want := range map[string]string{
		"@lock:a @triage @clock @issue:7 @requires:capability:runtime-pi": "",
		"@serial @x": "",
		"@fresh @x":  "",
		"@frehs":     "nobody knows the tag @frehs (unknown-tag)",
		"@seriel":    "nobody knows the tag @seriel (unknown-tag)",
		"@Serial":    "nobody knows the tag @Serial (unknown-tag)",
		"@serial:x":  "nobody knows the tag @serial:x (unknown-tag)",
		"@lokc:a":    "nobody knows the tag @lokc:a (unknown-tag)",
		"@x @require:capability:runtime-pi # why": "nobody knows the tag @require:capability:runtime-pi (unknown-tag)",
		"@skpi:local":       "nobody knows the tag @skpi:local (unknown-tag)",
		"@skip:lcoal # why": "@skip:lcoal skips nowhere: there is no such environment, forge, CI service or way to install (unknown-tag)",
		"@skip:gitlab #":    "@skip:gitlab gives no reason (skip-reason)",
		"@skip:gitlab":      "@skip:gitlab gives no reason (skip-reason)",
		"@skip:per-org # organisations have no such label": "",
		capability + "runtime-pit": capability + "runtime-pit: nobody knows a capability of this name; known: " +
			"clock, faults, forge.admin, forge.fork, journal, ledger, runtime-codex, runtime-pi, runtime-pi-large, tracker (unknown-capability)",
	} {
		got := lintOf(t, cli.Options{}, "  "+tags+"\n"+ok)
		if strings.HasSuffix(want, "(unknown-capability)") {
			want = "f.feature:3: " + want
		} else if want != "" {
			want = "f.feature:2: " + want
		}
		if text := strings.Join(got, "\n"); text != want {
			t.Errorf("%s: got\n%s\nwant\n%s", tags, text, want)
		}
	}
	for _, above := range []string{"  # organisations have no such label\n  @skip:per-org\n", "  # both lack it\n  @x @skip:per-org\n  @skip:gitlab\n"} {
		if got := lintOf(t, cli.Options{}, above+ok); got != nil {
			t.Errorf("a reason above: %q", got)
		}
	}
	inside := "  Scenario: S\n    Given an issue\n      \"\"\"\n      @skip:nowhere\n      \"\"\"\n" + labels
	if got := lintOf(t, cli.Options{}, inside); len(got) != 1 || !strings.Contains(got[0], "takes no docstring") {
		t.Errorf("a docstring: %q", got)
	}
}

// The rule looks at the texts of steps alone, whatever the platform file says of runtimes.
func TestLintRuntimes(t *testing.T) {
	for _, tt := range []struct{ tags, step, want string }{
		{"@x", `the repository runtime is "pi"`, "the scenario needs the real runtime pi, but no tag says so (runtime-capability)"},
		{"@requires:capability:runtime-pi", `the repository runtime is "pi"`, ""},
		{"@requires:capability:runtime-pi-large", `the repository runtime is "pi"`, ""},
		{"@requires:capability:runtime-pi", "a codex agent \"x\" defined as:\n      \"\"\"\n      a\n      \"\"\"", "the scenario needs the real runtime codex, but no tag says so (runtime-capability)"},
		{"@x", "the repository agents are configured with:\n      \"\"\"\n      triage:\n        runtime: pi\n      \"\"\"", "the scenario needs the real runtime pi, but no tag says so (runtime-capability)"},
		{"@x", `the repository runtime is "dummy"`, ""},
		{"@x", `the repository runtime is "dummy-playback"`, ""},
	} {
		var got []string
		for _, f := range lintOf(t, cli.Options{}, "  "+tt.tags+"\n  Scenario: S\n    Given "+tt.step+"\n"+labeled+labels) {
			if strings.HasSuffix(f, "(runtime-capability)") {
				got = append(got, strings.TrimPrefix(f, "f.feature:4: "))
			}
		}
		if text := strings.Join(got, "\n"); text != tt.want {
			t.Errorf("%s %s: got\n%s\nwant\n%s", tt.tags, tt.step, text, tt.want)
		}
	}
}

// idleStage is a suite whose features are not about the platform's stage.
const idleStage = "platform: platform.yaml\nfeatures: features\nholes: [{what: stage triage, reason: the features are not about it, since: 2026-11-30}]\n"

// A fixture that is named inside another word is used.
func TestLintFindsFixturesInText(t *testing.T) {
	dir := writeSuite(t, map[string]string{"fixtures/a.json": "{}", "fixtures/b.json": "{}", "understudy.yaml": idleStage,
		"features/f.feature": "Feature: F\n  Scenario: S\n    Given an issue with title \"{{fixture:fixtures/a.json}}\" and body containing \"\"\n" + labels})
	_, out := run(t, cli.Options{}, "lint", dir)
	if want := filepath.Join(dir, "fixtures/b.json") + ":1: no scenario names this fixture (unused-fixture)\n1 scenario, 1 finding\n"; out != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}

// TestLintTellsItsRules: what lint can find is what its help names.
func TestLintTellsItsRules(t *testing.T) {
	_, help := run(t, cli.Options{}, "lint", "--help")
	files, err := filepath.Glob("lint*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(text), `Rule: "`)[1:] {
			rule, _, _ := strings.Cut(part, `"`)
			if !strings.Contains(help, "\n  "+rule+" ") {
				t.Errorf("the help of lint does not name rule %s (%s)", rule, file)
			}
		}
	}
}
