package trial_test

import (
	"os"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/trial"
)

// TestVocabulary holds the kit's steps to the wordings that existing feature files use, so that these
// run unchanged.
func TestVocabulary(t *testing.T) {
	v, err := suite.Words(trial.Packs())
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("testdata/vocabulary.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		step, left := strings.CutPrefix(line, "! ")
		step, why, said := strings.Cut(step, " => ")
		if first := seen[step]; first > 0 {
			t.Errorf("line %d: %s: it stands in line %d already", i+1, step, first)
		}
		seen[step] = i + 1
		found := v.Of(step)
		switch {
		case left != said || left && strings.TrimSpace(why) == "":
			t.Errorf("line %d: a step that is left out is written ! STEP => WHY", i+1)
		case left && len(found) > 0:
			t.Errorf("line %d: %s: it is there, as %s: take the ! away", i+1, step, found[0].Pattern)
		case !left && len(found) != 1:
			t.Errorf("line %d: %s: %d steps match, not one: %v", i+1, step, len(found), found)
		}
	}
	const enough = 80 // a list that lost its lines would hold nothing
	if len(seen) < enough {
		t.Errorf("the list has %d wordings, fewer than %d", len(seen), enough)
	}
}
