package run_test

import (
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/steps/run"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
)

func TestLintAsksForTheFailureMarker(t *testing.T) {
	const want = "a.feature:4: the platform file of p names no names.failure"
	for _, tt := range []struct {
		text     string
		platform driver.Platform
		want     string
	}{
		{`the triage workflow fails reporting "x"`, driver.Platform{Name: "p"}, want},
		{`the harness "triage" workflow fails reporting "x"`, driver.Platform{Name: "p"}, want},
		{`the triage workflow fails reporting "x"`, driver.Platform{Name: "p", FailureMarker: "failed"}, ""},
		{`the triage workflow fails reporting "x"`, driver.Platform{}, ""},
		{`the triage workflow completes successfully`, driver.Platform{Name: "p"}, ""},
		{`the dispatch run does not authorize via OWNERS`, driver.Platform{Name: "p", FailureMarker: "failed"}, "a.feature:4: the platform file of p names no names.owners"},
		{`the dispatch run does not authorize via OWNERS`, driver.Platform{Name: "p", OwnersMarker: "by OWNERS"}, ""},
	} {
		d := suite.Draft{Platform: tt.platform, Scenarios: []feature.Scenario{{URI: "a.feature", Steps: []feature.Step{{Text: tt.text, Line: 4}}}}}
		got := ""
		for _, err := range run.Pack.Lint(d) {
			got += err.Error()
		}
		if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s of %+v: got %q, want %q", tt.text, tt.platform, got, tt.want)
		}
	}
}
