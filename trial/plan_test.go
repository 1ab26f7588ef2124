package trial_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/steps/agent"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/trial"
)

const platform = `
name: none
get: {dir: ., run: ["true"], gives: noop}
install: {run: [noop]}
actors: {admin: {role: admin}, write: {role: write}}
places: {script: script.yaml, results: results.json}
names: {artifact: "a-{stage}", workflow: w.yml, job: "{stage}"}
stages:
  triage: {result: output/r.json, schema: s.json}
capabilities: {slow-model: false, new-labels: true}
`

const tagged = `Feature: F
  Scenario: always
    Given a dummy agent that would:
      | description | op            | args                         |
      | Emit        | write_fixture | output/r.json, fixtures/good |
  @requires:capability:slow-model
  Scenario: slow
    Given a dummy agent that would:
      | description | op        | args   |
      | Read        | read_file | README |
  @requires:capability:new-labels
  Scenario: labels
    Given a dummy agent that would:
      | description | op        | args   |
      | Read        | read_file | README |
  @requires:capability:journal
  Scenario: offered
    Given a dummy agent that would:
      | description | op        | args   |
      | Read        | read_file | README |
`

// prepare makes a suite of files and prepares it.
func prepare(t *testing.T, files map[string]string, o trial.Options) (*trial.Prepared, error) {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{
		"understudy.yaml": "platform: platform.yaml\nfeatures: features\n", "platform.yaml": platform, "s.json": `{"required": ["ok"]}`,
		"features/f.feature": tagged, "fixtures/good": `{"ok": true}`,
	}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		if text == "" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o.Paths, o.Packs = []string{dir}, []suite.Pack{agent.Pack}
	return trial.Prepare(o)
}

// missing is a reason for skipping: the capability, and the list that would make it run.
var missing = regexp.MustCompile(`^capability (\S+) is not there \(it runs with --capabilities (\S+), or BEHAVIOUR_CAPABILITIES=(\S+) under go test\)$`)

func TestCapabilities(t *testing.T) {
	for _, tt := range []struct {
		name     string
		declared []driver.Capability
		want     []string // in file order: "" runs, else the capability and what to declare
	}{
		{"unset is the platform file's defaults", nil, []string{"", "slow-model: new-labels,slow-model", "", ""}},
		{"empty is none", []driver.Capability{}, []string{"", "slow-model: slow-model", "new-labels: new-labels", ""}},
		{"one", []driver.Capability{"slow-model"}, []string{"", "", "new-labels: slow-model,new-labels", ""}},
		{"all, and one that is offered anyway", []driver.Capability{"new-labels", "slow-model", "journal"}, []string{"", "", "", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := prepare(t, nil, trial.Options{Declared: tt.declared})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range p.Plan().Scenarios {
				skip := s.Skip
				if m := missing.FindStringSubmatch(skip); m != nil && m[2] == m[3] {
					skip = m[1] + ": " + m[2]
				}
				got = append(got, skip)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPrepareRefuses(t *testing.T) {
	feature := func(row string) string {
		return "Feature: F\n\n  Scenario: S\n    Given a dummy agent that would:\n      | description | op | args |\n      | Emit | " + row + " |\n"
	}
	for _, tt := range []struct {
		name     string
		declared []driver.Capability
		files    map[string]string
		want     string
	}{
		{"unknown declared", []driver.Capability{"slow", "journal"}, nil,
			`capability "slow" is declared, but unknown: `},
		{"unknown required", nil, map[string]string{"features/f.feature": "Feature: F\n  @requires:capability:slow\n  Scenario: S\n    Given x\n"},
			"f.feature:3: @requires:capability:slow: nobody knows a capability of this name; known: clock, faults, forge.admin, forge.fork, journal, ledger, new-labels, slow-model, tracker"},
		{"unknown operation", nil, map[string]string{"features/f.feature": feature("shell | rm")},
			`f.feature:4: operation "Emit": unknown operation "shell"; known: assert_env,`},
		{"bad arguments", nil, map[string]string{"features/f.feature": feature("checkout_branch | a b")}, `f.feature:4: operation "Emit": checkout_branch: args "a b"`},
		{"missing fixture", nil, map[string]string{"features/f.feature": feature("write_fixture | output/x, fixtures/no")},
			`f.feature:4: operation "Emit": fixture fixtures/no`},
		{"invalid fixture", nil, map[string]string{"features/f.feature": feature("write_fixture | output/r.json, fixtures/bad"), "fixtures/bad": "{}"},
			`f.feature:4: operation "Emit": fixture fixtures/bad is no valid result of stage triage: /: missing property 'ok'`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := prepare(t, tt.files, trial.Options{Declared: tt.declared}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
	// What will not run is not looked at.
	gated := strings.Replace(feature("shell | rm"), "  Scenario", "  @requires:capability:slow-model\n  Scenario", 1) + "  Scenario: T\n    Given x\n"
	if _, err := prepare(t, map[string]string{"features/f.feature": gated}, trial.Options{}); err != nil {
		t.Errorf("skipped: got %v", err)
	}
	if _, err := prepare(t, map[string]string{"features/f.feature": gated}, trial.Options{Declared: []driver.Capability{"slow-model"}}); err == nil {
		t.Error("declared: the table was not read")
	}
}
