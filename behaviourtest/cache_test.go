package behaviourtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const tinyPlatform = `name: tiny
get:
  dir: SOURCE
  run: [go, build, -o, "{gives}", ./platform]
  gives: tiny
install: {run: [tiny]}
actors:
  admin: {role: admin}
  write: {role: write}
places: {script: script.yaml, results: results.json}
names: {artifact: "tiny-{stage}", workflow: tiny.yml, job: "run ({stage})"}
stages: {triage: {label: ask}}
`

const tinyTest = `package e2e

import (
	"context"
	"io/fs"
	"testing"

	"github.com/understudy-dev/understudy/behaviourtest"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

func TestTiny(t *testing.T) {
	behaviourtest.RunSuite(t, behaviourtest.SuiteOptions{
		FeaturePaths: []string{"features"},
		Platform:     "platform.yaml",
		Godog:        func(r suite.Registrar) { r.Step("^the fixture is read$", read) },
	})
}

func read(ctx context.Context) error {
	_, err := fs.ReadFile(world.From(ctx).Drivers().Fixtures, "data.txt")
	return err
}
`

// TestCacheOfGoTest: go test may repeat a result only while nothing has changed that it came from.
func TestCacheOfGoTest(t *testing.T) {
	if testing.Short() {
		return // it builds a module of its own
	}
	t.Parallel()
	e := newElsewhere(t, map[string]string{
		"e2e/tiny_test.go":          tinyTest,
		"e2e/platform.yaml":         strings.Replace(tinyPlatform, "SOURCE", "..", 1),
		"e2e/features/tiny.feature": "Feature: Tiny\n  Scenario: Still\n    Then the fixture is read\n",
		"e2e/data.txt":              "some data",
		"platform/main.go":          "package main\n\nfunc main() {}\n",
	})
	e.must(t, "test", "./e2e") // the first run completes go.mod and go.sum
	age(t, e.dir)
	cached := func(want bool, when string) {
		t.Helper()
		out := e.must(t, "test", "./e2e")
		if got := strings.Contains(out, "(cached)"); got != want {
			t.Errorf("%s: cached is %v, want %v:\n%s", when, got, want, out)
		}
	}
	touch := func(name string) {
		t.Helper()
		at := time.Now().Add(-time.Minute)
		if err := os.Chtimes(filepath.Join(e.dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	cached(false, "the first time")
	cached(true, "the second time")
	for _, name := range []string{"e2e/features/tiny.feature", "e2e/platform.yaml", "e2e/data.txt", "platform/main.go"} {
		touch(name)
		cached(false, "after a touch of "+name)
		cached(true, "again after a touch of "+name)
	}
	e.write(t, "platform/more.go", "package main\n")
	cached(false, "after a new file in the platform's source")

	outside := newElsewhere(t, map[string]string{"platform/main.go": "package main\n\nfunc main() {}\n"})
	rel, err := filepath.Rel(filepath.Join(e.dir, "e2e"), outside.dir)
	if err != nil {
		t.Fatal(err)
	}
	e.write(t, "e2e/platform.yaml", strings.Replace(tinyPlatform, "SOURCE", rel, 1))
	age(t, e.dir)
	cached(false, "a platform outside the module, the first time")
	cached(false, "a platform outside the module, the second time")
}
