package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/understudy-dev/understudy/steps/agent"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
)

// TestFixturesStayInTheirRoot: whatever is named as a fixture, in a table or in fixtures.yaml, is a
// file below the root, or is refused by name. Nothing is read and nothing waited for.
func TestFixturesStayInTheirRoot(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(dir, "secret.txt")
	fixtures := filepath.Join(dir, "suite", "fixtures")
	if err := os.MkdirAll(fixtures, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{outside: "SECRET", filepath.Join(fixtures, "large.txt"): strings.Repeat("x", 10<<20+1), filepath.Join(fixtures, "ok.txt"): "ok"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"link.txt": outside, "up": "../..", "loop": "loop", "inside.txt": "ok.txt"} {
		if err := os.Symlink(to, filepath.Join(fixtures, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(fixtures, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(filepath.Join(dir, "suite"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, want := range map[string]string{
		"fixtures/ok.txt":        "",
		"fixtures/inside.txt":    "",
		outside:                  "fixture " + outside + " is an absolute path",
		"../secret.txt":          "fixture ../secret.txt lies outside the fixtures root",
		"fixtures/link.txt":      "fixture fixtures/link.txt leaves the fixtures root through a symbolic link",
		"fixtures/up/secret.txt": "fixture fixtures/up/secret.txt leaves the fixtures root through a symbolic link",
		"fixtures/none.txt":      "fixture fixtures/none.txt is no file below the fixtures root",
		"fixtures":               "fixture fixtures is a directory below the fixtures root",
		"fixtures/pipe":          "fixture fixtures/pipe is no regular file",
		"fixtures/loop":          "fixture fixtures/loop cannot be read",
		"fixtures/large.txt":     "fixture fixtures/large.txt has 10485761 bytes",
	} {
		text := "Feature: F\n Scenario: S\n  Given a dummy agent that would:\n   | description | op | args |\n   | Emit | write_fixture | out/x.txt, " + name + " |\n"
		files, err := feature.Load(fstest.MapFS{"f.feature": {Data: []byte(text)}}, []string{"."})
		if err != nil {
			t.Fatal(err)
		}
		d := suite.Draft{Scenarios: files[0].Scenarios, Fixtures: root.FS()}
		declared := "? " + `"` + name + `"` + "\n: {stage: none, purpose: to be seen}\n"
		for place, text := range map[string]string{"f.feature:3: ": "", "fixtures/fixtures.yaml:1: ": declared} {
			if err := os.WriteFile(filepath.Join(fixtures, "fixtures.yaml"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if text == "" {
				if err := os.Remove(filepath.Join(fixtures, "fixtures.yaml")); err != nil {
					t.Fatal(err)
				}
			}
			got := ""
			if err := suite.Lint([]suite.Pack{agent.Pack}, d); err != nil {
				got = err.Error()
			}
			if want == "" && got != "" || want != "" && !strings.Contains(got, place) || !strings.Contains(got, want) || strings.Contains(got, "SECRET") {
				t.Errorf("%s: got %q, want %s%s", name, got, place, want)
			}
		}
	}
}
