package playback_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/steps/playback"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
)

func TestLint(t *testing.T) {
	edits := map[string]driver.Edit{driver.EditPlaylist: {}, driver.EditPlayback: {}, driver.EditRuntime: {}}
	fixtures := fstest.MapFS{"r.yaml": {Data: []byte("result: {}\n")}, "tree/a/b.txt": {Data: []byte("b\n")}}
	for _, tc := range []struct {
		step, want string
		edits      map[string]driver.Edit
	}{
		{`a review agent that returns "r.yaml"`, "", edits},
		{`a review agent that returns "r.yaml"`, "names no edits.playlist", nil},
		{`a review agent that returns "s.yaml"`, "recorded result: open s.yaml", edits},
		{`the published repository matches fixture "tree"`, "", edits},
		{`the published repository matches fixture "trees"`, "fixture trees: ", edits},
	} {
		d := suite.Draft{Platform: driver.Platform{Name: "p", Edits: tc.edits}, Fixtures: fixtures,
			Scenarios: []feature.Scenario{{URI: "f.feature", Steps: []feature.Step{{Text: tc.step, Line: 3}}}}}
		got := errors.Join(playback.Pack.Lint(d)...)
		if tc.want == "" && got != nil || tc.want != "" && (got == nil || !strings.Contains(got.Error(), tc.want)) {
			t.Errorf("%s: %v; want %q", tc.step, got, tc.want)
		}
	}
}
