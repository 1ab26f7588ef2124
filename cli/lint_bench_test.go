package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/understudy-dev/understudy/cli"
)

// BenchmarkLint looks at 1,000 scenarios, half of them rows of outlines, with all rules on: each has a
// background, texts and a table of its own, tags, and a fixture that is held to a schema and a check.
func BenchmarkLint(b *testing.B) {
	dir := b.TempDir()
	stage := `triage: {label: ready, result: out/r.json, schema: s.json, checks: [{path: sha, matches: '^[0-9a-f]{40}$'}]}`
	files := map[string]string{
		"understudy.yaml": "platform: platform.yaml\nfeatures: features\n",
		"s.json":          `{"type": "object", "required": ["ok", "sha"], "properties": {"ok": {"enum": [true]}, "sha": {"type": "string"}}}`,
		"platform.yaml":   strings.Replace(platformYAML, "triage: {}", stage, 1) + "capabilities: {slow: true}\n",
	}
	for f := range 50 {
		var text strings.Builder
		fmt.Fprintf(&text, "Feature: %d\n  Background:\n    Given the enrolled test repository\n", f)
		for s := range 10 {
			n := f*10 + s
			steps := fmt.Sprintf("    Given an issue with title \"%%s %d\" and body containing \"what happened %d times\"\n"+
				"    And a dummy agent that would:\n      | description | op | args |\n      | Read %d | read_file | README.md |\n"+
				"      | Emit %d | write_fixture | out/r.json, fixtures/%d.json |\n    When the issue is labeled \"ready\"\n"+
				"    Then the triage workflow completes successfully\n    And the agent will succeed to Emit %d\n    And the issue has label \"label %%s\"\n", n, n, n, n, n, n)
			fmt.Fprintf(&text, "\n  @triage @requires:capability:slow\n  Scenario: S %d\n"+steps, n, "It breaks", "bug")
			fmt.Fprintf(&text, "\n  # a reason\n  @skip:gitlab\n  Scenario Outline: O %d\n"+steps+"    Examples:\n      | word |\n      | row %d |\n", n, "<word>", "<word>", n)
			files[fmt.Sprintf("fixtures/%d.json", n)] = fmt.Sprintf(`{"ok": true, "sha": "%040d"}`, n)
		}
		files[fmt.Sprintf("features/%d.feature", f)] = text.String()
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	before := processorMilliseconds(b)
	for b.Loop() {
		var out strings.Builder
		if code := cli.Main(cli.Options{Args: []string{"lint", dir}, Stdout: &out, Stderr: &out}); code != 0 || out.String() != "1000 scenarios, nothing found\n" {
			b.Fatal(out.String())
		}
	}
	b.ReportMetric((processorMilliseconds(b)-before)/float64(b.N), "ms-cpu/lint")
}

// processorMilliseconds is what this process has used so far.
func processorMilliseconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}
