package cli_test

import (
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
)

func TestCapabilitiesFlag(t *testing.T) {
	dir := writeSuite(t, map[string]string{
		"platform.yaml": platformYAML + "capabilities: {on: true, off: false}\n",
		"features/f.feature": "Feature: F\n  Scenario: S\n    Given an issue\n" +
			"  @requires:capability:on\n  Scenario: N\n    Given an issue\n  @requires:capability:off\n  Scenario: O\n    Given an issue\n",
	})
	for _, tt := range []struct {
		name    string
		args    []string
		summary string
		skipped string // what is told of the skipped ones
	}{
		{"unset", nil, "2 to run, 1 skipped", "--capabilities off"},
		{"empty", []string{"--capabilities", ""}, "1 to run, 2 skipped", "--capabilities on"},
		{"one", []string{"--capabilities=off"}, "2 to run, 1 skipped", "--capabilities on"},
		{"both, with blanks", []string{"--capabilities", "on, off"}, "3 to run, 0 skipped", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out := run(t, cli.Options{}, append([]string{"plan", dir}, tt.args...)...)
			if code != 0 || !strings.Contains(out, tt.summary) || !strings.Contains(out, tt.skipped) {
				t.Errorf("exit code %d\n%s\nwant %q and %q", code, out, tt.summary, tt.skipped)
			}
		})
	}
}
