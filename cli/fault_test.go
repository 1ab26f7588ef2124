package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/result"
)

// TestFaultsOfTheFlag: a suite that passes fails when the label that matters is overtaken, and the report says
// by which fault.
func TestFaultsOfTheFlag(t *testing.T) {
	for _, tt := range []struct {
		fault string
		code  int
		want  string
	}{
		{"delivery.late=1@issues.labeled", 1, "fault delivery.late=1@issues.labeled"},
		{"delivery.twice@issues.labeled", 0, "faults: delivery.twice@issues.labeled"},
		{"delivery.late@push", 0, ""},
		{"delivery.lat", 2, `there is no fault "delivery.lat"; there are delivery.late, delivery.twice`},
		{"delivery.late@isues", 2, `"isues" is no event`},
	} {
		out := t.TempDir()
		code, text := run(t, cli.Options{}, "run", race, "--fault", tt.fault, "--out", out)
		if code != tt.code || !strings.Contains(text, tt.want) {
			t.Errorf("%s: exit code %d, not %d, or no %q in\n%s", tt.fault, code, tt.code, tt.want, text)
		}
		if code == 2 {
			continue
		}
		rec, err := result.Read(out + "/record.json")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{tt.fault}, rec.Faults); diff != "" {
			t.Errorf("the record: %s", diff)
		}
	}
	bare := t.TempDir()
	for name, text := range map[string]string{
		"understudy.yaml": "features: .\n", "a.feature": "Feature: F\n  Scenario: S\n    Given the forge has no faults any more\n",
	} {
		if err := os.WriteFile(filepath.Join(bare, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if code, text := run(t, cli.Options{}, "run", bare, "--fault", "delivery.late"); code != 2 || !strings.Contains(text, "no platform") {
		t.Errorf("without a platform: exit code %d\n%s", code, text)
	}
	if code, text := run(t, cli.Options{}, "serve", "--fault", "delivery.lat"); code != 2 || !strings.Contains(text, "there are delivery.late") {
		t.Errorf("serve: exit code %d\n%s", code, text)
	}
}

const faultyFeature = `@requires:capability:faults
Feature: Two labels in quick succession, on a forge that misbehaves
  Background:
    Given the enrolled test repository
    And an issue

  Scenario: Doubled
    Given the forge delivers the next "issues.labeled" event twice
    When the issue is labeled "ready"
    Then the issue has label "routed"
    And the harness "route" was dispatched exactly 2 times
    And the fault "delivery.twice" struck 1 time

  Scenario: Overtaken
    Given the forge has the fault "delivery.late=1@issues.labeled"
    When the issue is labeled "urgent"
    And the issue is labeled "ready"
    Then the issue has label "routed"

  Scenario: Named and not met
    Given the forge delivers the next "push" event late
    When the issue is labeled "ready"
    Then the issue has label "routed"

  Scenario: Taken back
    Given the forge has the fault "delivery.late=1,times:always@issues.labeled"
    When the issue is labeled "urgent"
    And the forge has no faults any more
    And the issue is labeled "ready"
    Then the issue has label "urgent"
`

// TestFaultsOfSteps: steps put faults in force, and one that never strikes makes its scenario broken. The same
// flags and seed come to the same, one scenario at a time or eight.
func TestFaultsOfSteps(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(race)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "platform.sh")
	script, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// How far a run has come when the next one cancels it is a matter of time.
	plain := bytes.Replace(script, []byte(", cancel-in-progress: true"), nil, 1)
	if len(plain) == len(script) {
		t.Fatal("the group was not found")
	}
	if err := os.WriteFile(file, plain, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "features/labels.feature"), []byte(faultyFeature), 0o644); err != nil {
		t.Fatal(err)
	}
	var canon []string
	for _, jobs := range []string{"1", "8"} {
		out := t.TempDir()
		code, text := run(t, cli.Options{}, "run", dir, "--jobs", jobs, "--seed", "5", "--fault", "delivery.twice=chance:50,times:always@push", "--out", out)
		for _, want := range []string{"3 passed, 1 broken", "the fault delivery.late@push was in force and never struck"} {
			if code != 3 || !strings.Contains(text, want) {
				t.Fatalf("exit code %d, or no %q in\n%s", code, want, text)
			}
		}
		rec, err := result.Read(out + "/record.json")
		if err != nil {
			t.Fatal(err)
		}
		canon = append(canon, string(result.Canon(rec)))
	}
	if diff := cmp.Diff(canon[0], canon[1]); diff != "" {
		t.Errorf("--jobs 1 and 8 differ:\n%s", diff)
	}
	if !strings.Contains(canon[0], "fault delivery.late=1@issues.labeled struck") {
		t.Errorf("the faults are not compared:\n%s", canon[0])
	}
	code, text := run(t, cli.Options{}, "plan", dir)
	if code != 0 || !strings.Contains(text, "0 skipped") {
		t.Errorf("plan: %d\n%s", code, text)
	}
}

// TestEachFaultCatchesItsDefect: the platform that is made for faults holds, and each that is not is caught by
// the scenario of its fault.
func TestEachFaultCatchesItsDefect(t *testing.T) {
	code, text := run(t, cli.Options{}, "run", "../examples/faults", "--defects", "--out", t.TempDir())
	if code != 0 || !strings.Contains(text, "17 passed") || !strings.Contains(text, "17 of 17 defects caught") {
		t.Errorf("exit code %d\n%s", code, text)
	}
}

// TestFaultsThatNeverStrike are told: a suite that passes did not pass under them.
func TestFaultsThatNeverStrike(t *testing.T) {
	feature := "../examples/shell/features"
	code, text := run(t, cli.Options{}, "run", feature, "--fault", "delivery.twice@issues.labeled", "--fault", "api.5xx@/repos", "--out", t.TempDir())
	if !strings.Contains(text, "the fault api.5xx@/repos never struck") || strings.Contains(text, "the fault delivery.twice") {
		t.Errorf("exit code %d\n%s", code, text)
	}
}
