package cli_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
)

func TestCompletionOfValues(t *testing.T) {
	stage := `triage: {result: out/r.json, schema: s.json}, other: {}`
	dir := writeSuite(t, map[string]string{
		"platform.yaml":      strings.Replace(platformYAML, "triage: {}", stage, 1) + "capabilities: {slow: false, soft: true}\n",
		"understudy.yaml":    "platform: platform.yaml\nfeatures: features\nruns: {night: {}, noon: {}, day: {}}\n",
		"features/f.feature": "@a\nFeature: F\n\n  @slow @sly\n  Scenario: S\n    Given an issue\n", "s.json": "{}",
	})
	t.Chdir(dir)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"run", ".", "--tags", "@s"}, "@slow @sly"},
		{[]string{"run", "features/f.feature:5", "--tags", "not (@s"}, "not (@slow not (@sly"},
		{[]string{"plan", "--tags", ""}, "@a @slow @sly"},
		{[]string{"plan", "nowhere", "--tags", ""}, ""},
		{[]string{"run", ".", "--capabilities", "s"}, "slow soft"},
		{[]string{"run", ".", "--capabilities", "soft,sl"}, "soft,slow"},
		{[]string{"run", ".", "--as", "n"}, "night noon"},
		{[]string{"plan", "nowhere", "--as", ""}, ""},
		{[]string{"init", "fixture", ""}, "triage"},
		{[]string{"init", "fixture", "triage", ""}, ""},
		{[]string{"init", "--ci", ""}, "github gitlab"},
		{[]string{"doctor", "--capability", "s"}, "slow soft"},
		{[]string{"doctor", "--capability", "namespace."}, "namespace.mount namespace.net namespace.pid namespace.user"},
		{[]string{"run", "features/f.feature:"}, "features/f.feature:5"},
	} {
		code, out := run(t, cli.Options{}, append([]string{"__complete"}, tt.args...)...)
		var got []string
		for line := range strings.Lines(out) {
			if word, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); word != "" && !strings.HasPrefix(word, ":") && !strings.HasPrefix(word, "Completion ended") {
				got = append(got, word)
			}
		}
		slices.Sort(got)
		if code != 0 || strings.Join(got, " ") != tt.want {
			t.Errorf("%q: exit code %d, got %q, want %q", tt.args, code, got, tt.want)
		}
	}
}

// TestCompletionScripts: what a shell is told to source is a script of it. Bash is there wherever the
// kit is; the others where they are installed.
func TestCompletionScripts(t *testing.T) {
	for shell, check := range map[string][]string{"bash": {"-n"}, "zsh": {"-n"}, "fish": {"--no-execute"}} {
		code, out := run(t, cli.Options{}, "completion", shell)
		if code != 0 || !strings.Contains(out, "understudy") {
			t.Errorf("%s: exit code %d\n%.200s", shell, code, out)
			continue
		}
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("skipped: %s is not installed, so its script was not read by it", shell)
			continue
		}
		cmd := exec.Command(path, check...)
		cmd.Stdin = strings.NewReader(out)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", shell, err, text)
		}
	}
}
