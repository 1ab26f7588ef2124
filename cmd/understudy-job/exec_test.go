package main_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestExecMisuse is said before anything starts: it is the kit that calls this command.
func TestExecMisuse(t *testing.T) {
	for want, args := range map[string][]string{
		"no command after --":             {"--control-fd", "3"},
		"--control-fd is missing":         {"--", "true"},
		"control socket":                  {"--control-fd", "77", "--", "true"},
		"unable to parse IP":              {"--control-fd", "3", "--network", "here", "--", "true"},
		"want FILE=IN-PLACE-OF":           {"--control-fd", "3", "--mount", "a=b", "--", "true"},
		"--mount needs --network":         {"--control-fd", "3", "--mount", "/a=/b", "--", "true"},
		"flag provided but not defined":   {"--controlfd", "3", "--", "true"},
		"control socket: file descriptor": {"--control-fd", "0", "--", "true"},
	} {
		out, err := exec.Command(job(), append([]string{"exec"}, args...)...).CombinedOutput()
		want, _, _ = strings.Cut(want, ": file")
		if code := exitCode(err); code != 2 || !strings.Contains(string(out), want) {
			t.Errorf("%q: exit code %d, want 2, and %q in\n%s", args, code, want, out)
		}
	}
}

func exitCode(err error) int {
	if e, ok := err.(*exec.ExitError); ok {
		return e.ExitCode()
	}
	return 0
}
