package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
)

// TestAnnotations runs a suite as GitHub Actions would: the annotation names the file from the workspace,
// and what a feature is called commands nothing.
func TestAnnotations(t *testing.T) {
	workspace := t.TempDir()
	summary := filepath.Join(workspace, "summary.md")
	write := func(file, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(summary, "before\n")
	write(workspace+"/e2e/understudy.yaml", "features: features\n")
	write(workspace+"/e2e/features/f.feature", "Feature: F\n\n  Scenario: ::warning::S\n    Given a step, that nobody knows\n")
	on := []string{"GITHUB_ACTIONS=true", "GITHUB_WORKSPACE=" + workspace, "GITHUB_STEP_SUMMARY=" + summary}
	error := regexp.MustCompile(`(?m)^::error file=e2e/features/f\.feature,line=4,title=broken%3A %3A%3Awarning%3A%3AS::Given a step, that nobody knows%0A.*undefined.*$`)

	for _, tt := range []struct {
		name string
		env  []string
		args []string
		told bool
	}{
		{"on GitHub", on, nil, true},
		{"elsewhere", on[1:], nil, false},
		{"asked for", on[1:], []string{"--annotations", "github"}, true},
		{"not wanted", on, []string{"--annotations", "none"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			write(summary, "before\n")
			code, out := run(t, cli.Options{Env: append(tt.env, "PATH="+os.Getenv("PATH"))}, append([]string{"run", workspace + "/e2e", "--out", t.TempDir()}, tt.args...)...)
			if code != 3 || error.MatchString(out) != tt.told {
				t.Errorf("exit code %d\n%s", code, out)
			}
			got, err := os.ReadFile(summary)
			if err != nil || !strings.HasPrefix(string(got), "before\n") || strings.Contains(string(got), "f.feature:3") != tt.told {
				t.Errorf("summary, %v:\n%s", err, got)
			}
			if tt.told {
				_, rest, stopped := strings.Cut(out, "::stop-commands::")
				token, rest, _ := strings.Cut(rest, "\n")
				inside, after, ended := strings.Cut(rest, "\n::"+token+"::\n")
				if !stopped || !ended || len(token) < 20 || !strings.Contains(inside, "::warning::S") || !strings.HasPrefix(after, "::error ") {
					t.Errorf("commands were not stopped while the run was shown:\n%s", out)
				}
			}
		})
	}
	for want, env := range map[string][]string{
		"understudy: warning: append job summary": append(on[:2:2], "GITHUB_STEP_SUMMARY="+workspace+"/no/such", "PATH="+os.Getenv("PATH")),
	} {
		code, out := run(t, cli.Options{Env: env}, "run", workspace+"/e2e", "--out", t.TempDir())
		if code != 3 || !strings.Contains(out, want) || !error.MatchString(out) {
			t.Errorf("exit code %d, want %q in\n%s", code, want, out)
		}
	}
	if code, out := run(t, cli.Options{}, "run", workspace+"/e2e", "--annotations", "gitlab", "--out", t.TempDir()); code != 2 || !strings.Contains(out, "it is auto, github or none") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}
