package trial_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/suite/hole"
	"github.com/understudy-dev/understudy/trial"
)

// reachOf writes a suite with three scenarios and reads what its runs cover.
func reachOf(t *testing.T, runs string) (trial.Reach, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"understudy.yaml": "platform: platform.yaml\nfeatures: features\n" + runs,
		"platform.yaml": `name: none
get: {dir: ., run: [cp, platform.yaml, "{gives}"], gives: noop}
install: {run: [noop]}
actors: {admin: {role: admin}, write: {role: write}}
places: {script: script.yaml, results: results.json}
names: {artifact: "a-{stage}", workflow: w.yml, job: "{stage}"}
stages: {triage: {}, code: {}}
runtimes: {dummy: , pi: }
metrics: {file: metrics.json, runtime: runtime}
capabilities: {runtime-pi: true, slow: false}
words: {stage: code}
`,
		"features/f.feature": `Feature: F
  @a
  Scenario: One
    Then the triage workflow completes successfully
    And the run selected the "dummy" runtime from "x"
    And the harness "<platform:stage>" workflow fails reporting "no"
    And the run selected the "dummy" runtime
    And the harness "review" agent did not run

  @requires:capability:runtime-pi
  Scenario: Two
    Then the run selected the "pi" runtime

  @requires:capability:slow @skip:local
  Scenario: Three
    Then the harness "code" was dispatched exactly 2 times
`,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c, err := trial.FindConfig(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.ReadReach()
	if err != nil {
		return r, errorIn(dir, err)
	}
	return r, nil
}

// errorIn is an error without the directory that its texts name.
func errorIn(dir string, err error) error {
	return textError(strings.ReplaceAll(err.Error(), dir+"/", ""))
}

type textError string

func (e textError) Error() string { return string(e) }

func TestReach(t *testing.T) {
	for _, tt := range []struct {
		name, runs string
		want       map[string]int
		running    []bool
	}{
		{"none configured", "", map[string]int{"default": 2}, []bool{true, true, false}},
		{"without what the platform file declares", "runs: {bare: {capabilities: []}}\n", map[string]int{"bare": 1}, []bool{true, false, false}},
		{"two", "runs: {a: {tags: '@a'}, b: {tags: 'not @a', capabilities: [runtime-pi, slow]}}\n", map[string]int{"a": 1, "b": 1}, []bool{true, true, false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := reachOf(t, tt.runs)
			if err != nil {
				t.Fatal(err)
			}
			got, most := map[string]int{}, 0
			for _, one := range r.Runs {
				got[one.Name], most = one.Scenarios, max(most, one.Scenarios)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || r.Most() != most {
				t.Errorf("runs, of which the largest has %d (-want +got)\n%s", r.Most(), diff)
			}
			dummy := func(stage string) hole.Selected { return hole.Selected{Runtime: "dummy", Stage: stage} }
			want := []hole.Case{
				{ID: "f.feature:3", Name: "One", Tags: []string{"@a"}, Runs: tt.running[0], Stages: []string{"triage", "code"}, Selected: []hole.Selected{dummy("triage"), dummy("code")}},
				{ID: "f.feature:11", Name: "Two", Tags: []string{"@requires:capability:runtime-pi"}, Runs: tt.running[1], Selected: []hole.Selected{{Runtime: "pi"}}},
				{ID: "f.feature:15", Name: "Three", Tags: []string{"@requires:capability:slow", "@skip:local"}, Runs: tt.running[2], Stages: []string{"code"}},
			}
			if diff := cmp.Diff(want, r.Suite.Scenarios); diff != "" {
				t.Errorf("scenarios (-want +got)\n%s", diff)
			}
		})
	}
}

func TestReachRefuses(t *testing.T) {
	for runs, want := range map[string]string{
		"runs: {a: {tags: '@none'}}\n":        `understudy.yaml:3: run a: tags "@none": no scenario is selected`,
		"runs:\n  a:\n    tags: a b\n":        `understudy.yaml:4: run a: read tag expression "a b": "a" is not a tag; tags begin with @`,
		"runs: {a: {capabilities: [slwo]}}\n": `understudy.yaml:3: run a: it declares the capability "slwo", which there is not`,
	} {
		if _, err := reachOf(t, runs); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", runs, err, want)
		}
	}
}

func TestAsAConfiguredRun(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"understudy.yaml": "features: .\nruns: {quick: {tags: '@quick'}, deep: {capabilities: [patience]}}\n",
		"f.feature":       "Feature: F\n  @quick\n  Scenario: A\n  Scenario: B\n  @requires:capability:patience\n  Scenario: C\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for as, want := range map[string][]string{"quick": {"f.feature:3"}, "deep": {"f.feature:3", "f.feature:4", "f.feature:6"}} {
		p, err := trial.Prepare(trial.Options{Paths: []string{dir}, As: as})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range p.Plan().Running() {
			got = append(got, s.ID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", as, diff)
		}
	}
	_, err := trial.Prepare(trial.Options{Paths: []string{dir}, As: "qick"})
	if want := "understudy.yaml configures no run \"qick\"; there are deep, quick: did you mean quick?"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
