package suite_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
)

// TestLocksHoldScenariosApart runs many scenarios at once. Those of one lock never meet, a serial one
// meets nobody, and the others do meet: otherwise the test could not tell.
func TestLocksHoldScenariosApart(t *testing.T) {
	var mu sync.Mutex
	running := map[string]int{}
	met := map[string]bool{} // pairs of kinds that were seen at once
	p := pack(step(`(\w+) runs`, "a runs", func(ctx context.Context, kind string) error {
		mu.Lock()
		for other, n := range running {
			if n > 0 {
				met[kind+" "+other], met[other+" "+kind] = true, true
			}
		}
		running[kind]++
		mu.Unlock()
		select { // long enough for others to begin, if they may
		case <-time.After(3 * time.Millisecond):
		case <-ctx.Done():
		}
		mu.Lock()
		defer mu.Unlock()
		running[kind]--
		return nil
	}))
	text := "Feature: F\n"
	for range 10 {
		for kind, tags := range map[string]string{"a": "@lock:a", "b": "@lock:b", "ab": "@lock:b @lock:a", "free": "@other", "alone": "@serial"} {
			text += fmt.Sprintf("  %s\n  Scenario: S\n    Given %s runs\n", tags, kind)
		}
	}
	trials, err := suite.Run(t.Context(), suite.Options{Site: &site{}, Jobs: 8, Packs: []suite.Pack{p},
		Planned: features(t, map[string]string{"a.feature": text})})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range trials[0].Scenarios {
		if s.Verdict != result.Passed {
			t.Fatal(problems(s))
		}
	}
	for _, pair := range []string{"a a", "b b", "ab ab", "a ab", "b ab", "alone alone", "alone a", "alone free"} {
		if met[pair] {
			t.Errorf("%s ran at once", pair)
		}
	}
	for _, pair := range []string{"free free", "a b", "a free"} {
		if !met[pair] {
			t.Errorf("%s never ran at once: nothing was tested", pair)
		}
	}
}

func TestBadLocksAreRefused(t *testing.T) {
	for tags, want := range map[string]string{
		"@lock:": "a.feature:3: @lock: names no lock", "@lock:a @serial": "a.feature:3: @lock:a beside @serial",
	} {
		files, err := feature.Load(fstest.MapFS{"a.feature": {Data: []byte("Feature: F\n  " + tags + "\n  Scenario: S\n    Given it\n")}}, []string{"."})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := suite.Plan(files, suite.PlanOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", tags, err, want)
		}
	}
}
