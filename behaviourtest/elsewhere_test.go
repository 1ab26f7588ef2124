package behaviourtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// seedFile is what a project writes, in the form that such projects have.
const seedFile = `//go:build behaviour

package behaviour_test

import (
	"testing"

	"github.com/understudy-dev/understudy/behaviourtest"
)

func TestBehaviourSuite(t *testing.T) {
	behaviourtest.RunSuite(t, behaviourtest.SuiteOptions{
		FeaturePaths: []string{"features"},
		FixturesRoot: "behaviour",
	})
}
`

// TestOutsideModule uses the kit as a module of its own does, with no replace.
func TestOutsideModule(t *testing.T) {
	if testing.Short() {
		return // it builds a module of its own
	}
	t.Parallel()
	e := newElsewhere(t, map[string]string{
		"behaviour/suite_test.go":   seedFile,
		"behaviour/understudy.yaml": "name: elsewhere\nplatform: platform.yaml\nfeatures: features\n",
		"behaviour/features/triage.feature": `Feature: Triage

  Scenario: Labels a sufficient issue
    Given the enrolled test repository
    And an issue with title "The parser drops the last line" and body containing "steps to reproduce"
    And a dummy agent that would:
      | description      | op            | args                                                      |
      | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
    And the issue has label "triaged"
`,
		"behaviour/fixtures/fixtures.yaml":          "fixtures/triage/sufficient.json: {stage: triage, purpose: an issue that says all}\n",
		"behaviour/fixtures/triage/sufficient.json": read(t, "../examples/acceptance/fixtures/triage/sufficient.json"),
	})
	crew, err := filepath.Abs("../examples/platform")
	if err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(filepath.Join(e.dir, "behaviour"), crew)
	if err != nil {
		t.Fatal(err)
	}
	platform := strings.ReplaceAll(read(t, "../examples/acceptance/platform.yaml"), "../platform", rel)
	e.write(t, "behaviour/platform.yaml", platform)

	out := e.must(t, "test", "-tags", "behaviour", "-v", "./behaviour")
	for _, want := range []string{
		"--- PASS: TestBehaviourSuite/triage.feature:3", "the platform's source " + crew + " is outside the module",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	deps := e.must(t, "list", "-deps", "-test", "-tags", "behaviour", "./...")
	e.must(t, "mod", "tidy")
	for what, text := range map[string]string{"the packages it is built from": deps, "go.mod": read(t, filepath.Join(e.dir, "go.mod"))} {
		if strings.Contains(text, "nektos") {
			t.Errorf("%s: it sees act:\n%s", what, text)
		}
		if !strings.Contains(text, kit) {
			t.Errorf("%s: the kit is not in it:\n%s", what, text)
		}
	}
	if mod := read(t, filepath.Join(e.dir, "go.mod")); strings.Contains(mod, "replace") {
		t.Errorf("go.mod has a replace:\n%s", mod)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
