package cli_test

import (
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
)

const planFeature = `Feature: F

  Scenario: First
    Given an issue

  Rule: R
    @skip:local @slow
    Scenario: Second
      Given an issue

    Scenario Outline: Third <x>
      Given an issue
      Examples:
        | x |
        | a |
        | b |
`

// TestPlan needs no tool on the PATH and leaves nothing behind.
func TestPlan(t *testing.T) {
	dir := writeSuite(t, map[string]string{"features/f.feature": planFeature})
	for name, args := range map[string][]string{
		"plan":      {"plan", dir},
		"plan_json": {"plan", dir + "/features/f.feature", "--json"},
		"plan_tags": {"plan", dir, "--tags", "not @slow"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out := run(t, cli.Options{Env: []string{}}, args...)
			if code != 0 {
				t.Errorf("exit code %d", code)
			}
			out = strings.ReplaceAll(strings.ReplaceAll(out, dir, "$S"), `"suite": "001"`, `"suite": "$NAME"`)
			golden(t, name, out)
		})
	}
	for want, args := range map[string][]string{
		"no scenario is selected": {"plan", dir, "--tags", "@fast"},
		"all are skipped here":    {"plan", dir, "--tags", "@slow"},
		"there is no":             {"plan", dir + "/features/g.feature"},
	} {
		if code, out := run(t, cli.Options{}, args...); code != 2 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, want 2\n%s\nwant it to contain %q", code, out, want)
		}
	}
}

func TestPathsAreCompleted(t *testing.T) {
	dir := writeSuite(t, map[string]string{"features/f.feature": planFeature, "features/broken.feature": "Feature: F\n  oops\n"})
	for _, tt := range []struct{ typed, want string }{
		{dir + "/fe", dir + "/features/\n:6\n"},
		{dir + "/un", ":6\n"}, // understudy.yaml is no path to run
		{dir + "/features/", dir + "/features/broken.feature\n" + dir + "/features/f.feature\n:6\n"},
		{dir + "/features/f.feature", dir + "/features/f.feature\tall of it\n" + dir + "/features/f.feature:3\tFirst\n" +
			dir + "/features/f.feature:8\tSecond\n" + dir + "/features/f.feature:15\tThird a\n" + dir + "/features/f.feature:16\tThird b\n:4\n"},
		{dir + "/features/f.feature:1", dir + "/features/f.feature:15\tThird a\n" + dir + "/features/f.feature:16\tThird b\n:4\n"},
		{dir + "/features/broken.feature", dir + "/features/broken.feature\n:6\n"},
		{dir + "/nowhere/", ":4\n"},
	} {
		for _, command := range []string{"run", "plan"} {
			_, out := run(t, cli.Options{}, "__complete", command, tt.typed)
			if got, _, _ := strings.Cut(out, "Completion ended"); got != tt.want {
				t.Errorf("%s %s:\n got %q\nwant %q", command, tt.typed, got, tt.want)
			}
		}
	}
	for shell, want := range map[string]string{"bash": "__start_understudy", "zsh": "#compdef understudy", "fish": "complete -c understudy"} {
		if code, out := run(t, cli.Options{}, "completion", shell); code != 0 || !strings.Contains(out, want) {
			t.Errorf("completion %s: exit code %d", shell, code)
		}
	}
}

// TestPlanHoles reads the planted suite, in which some holes are known and some are not.
func TestPlanHoles(t *testing.T) {
	for name, args := range map[string][]string{
		"plan_holes":      {"plan", planted + "/holes", "--holes"},
		"plan_holes_json": {"plan", planted + "/holes/features", "--holes", "--json"},
	} {
		code, out := run(t, cli.Options{Env: []string{}}, args...)
		if code != 0 {
			t.Errorf("%s: exit code %d", name, code)
		}
		golden(t, name, out)
	}
	if code, out := run(t, cli.Options{}, "plan", planted+"/own", "--holes"); code != 0 || out != "run default: 1 of 1 scenario, tags any, capabilities the platform file's\nno holes\n" {
		t.Errorf("a suite without holes: exit code %d\n%s", code, out)
	}
}

func TestPlanAs(t *testing.T) {
	dir := writeSuite(t, map[string]string{"features/f.feature": planFeature, "understudy.yaml": "features: features\nruns: {slow: {tags: '@slow'}}\n"})
	if code, out := run(t, cli.Options{}, "plan", dir, "--as", "slow"); code != 0 || !strings.Contains(out, "1 to run, 0 skipped") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	for want, args := range map[string][]string{
		"configures no run \"fast\"; there are slow": {"plan", dir, "--as", "fast"},
		"--as names a run of understudy.yaml":        {"plan", dir, "--as", "slow", "--tags", "@slow"},
		"has tags and capabilities of its own":       {"run", dir, "--as", ""},
		"[holes tags] were all set":                  {"plan", dir, "--holes", "--tags", "@slow"},
		"run wrong: tags \"@none\": no scenario":     {"plan", writeSuite(t, map[string]string{"understudy.yaml": "features: features\nruns: {wrong: {tags: '@none'}}\n"}), "--holes"},
	} {
		if code, out := run(t, cli.Options{}, args...); code != 2 || !strings.Contains(out, want) {
			t.Errorf("%v: exit code %d\n%s\nwant %q", args, code, out, want)
		}
	}
}
