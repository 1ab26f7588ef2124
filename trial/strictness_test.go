package trial_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/trial"
	"github.com/understudy-dev/understudy/world"
)

// TestStrictness: how grave unread output is stands in understudy.yaml, and then in the record.
func TestStrictness(t *testing.T) {
	own := suite.FromGodog("own", func(r suite.Registrar) {
		r.Step("^an agent wrote something$", func(ctx context.Context) error {
			world.From(ctx).Observe(ctx, "agent.recorded", "run:1 Write", map[string]any{"success": true})
			return nil
		})
	})
	for level, want := range map[string]result.Verdict{"": result.Passed, "warn": result.Passed, "red": result.Failed} {
		dir := t.TempDir()
		config, kept := "features: .\n", map[string]string(nil)
		if level != "" {
			config += "strictness: {unread-output: " + level + "}\n"
			kept = map[string]string{"unread-output": level}
		}
		if err := errors.Join(os.WriteFile(filepath.Join(dir, "understudy.yaml"), []byte(config), 0o644),
			os.WriteFile(filepath.Join(dir, "a.feature"), []byte("Feature: A\n  Scenario: B\n    Given an agent wrote something\n"), 0o644)); err != nil {
			t.Fatal(err)
		}
		p, err := trial.Prepare(trial.Options{Paths: []string{dir}, Packs: []suite.Pack{own}})
		if err != nil {
			t.Fatal(err)
		}
		rec, err := p.Run(t.Context(), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for s := range rec.Scenarios() {
			if s.Verdict != want || len(s.Findings) != 1 || s.Findings[0].Warning() != (want == result.Passed) {
				t.Errorf("%q: %s, %+v", level, s.Verdict, s.Findings)
			}
		}
		if diff := cmp.Diff(kept, rec.Strictness); diff != "" {
			t.Errorf("%q in the record (-want +got): %s", level, diff)
		}
	}
}
