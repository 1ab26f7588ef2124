package environment_test

import (
	"strings"
	"testing"
)

// A check may be on the whole text of a result, but it has to ask for something.
func TestCheckWithoutAPath(t *testing.T) {
	p, err := read(t, strings.Replace(good, "path: head_sha, ", "", 1))
	if err != nil || p.Stages[0].Checks[0].Path != "" || p.Stages[0].Checks[0].Matches == "" {
		t.Errorf("got %+v, %v", p.Stages, err)
	}
	_, err = read(t, strings.Replace(good, "path: head_sha, matches: '^[0-9a-f]{40}$', ", "", 1))
	const want = `platform.yaml:15: stage "triage" has a check with neither path nor matches`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
