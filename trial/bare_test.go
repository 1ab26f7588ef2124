package trial_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/trial"
	"github.com/understudy-dev/understudy/world"
)

// TestSuiteWithoutPlatform: steps that need no platform pass, those that do are broken and say why.
func TestSuiteWithoutPlatform(t *testing.T) {
	root := t.TempDir()
	feature := `Feature: Bare
  Scenario: Waits, has a directory and fixtures
    Then all is there
  Scenario: Has no forge
    Given the enrolled test repository
  Scenario: Starts no program
    When a program is started
`
	for name, text := range map[string]string{"understudy.yaml": "features: .\n", "bare.feature": feature, "data.txt": "data"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	own := suite.FromGodog("own", func(r suite.Registrar) {
		r.Step("^all is there$", func(ctx context.Context) error {
			w := world.From(ctx)
			return w.Until(ctx, func(context.Context) error {
				if _, err := w.Drivers().Fixtures.Open("data.txt"); err != nil {
					return err
				}
				return os.WriteFile(filepath.Join(w.Drivers().Place.Dir, "x"), nil, 0o600)
			})
		})
		r.Step("^a program is started$", func(ctx context.Context) error {
			_, err := world.From(ctx).Drivers().Launcher.Start(ctx, driver.Spec{Argv: []string{"true"}})
			return err
		})
	})
	p, err := trial.Prepare(trial.Options{Paths: []string{root}, Packs: append(trial.Packs(), own)})
	if err != nil {
		t.Fatal(err)
	}
	if p.NeedsTools() {
		t.Error("it needs tools")
	}
	rec, err := p.Run(t.Context(), t.TempDir())
	if err != nil || len(rec.Problems) > 0 {
		t.Fatalf("%v, %+v", err, rec.Problems)
	}
	var got []result.Verdict
	for s := range rec.Scenarios() {
		got = append(got, s.Verdict)
		if s.ID == "bare.feature:4" && !strings.Contains(s.Steps[0].Problem.What, "the suite names no platform file") {
			t.Errorf("got %+v", s.Steps[0].Problem)
		}
	}
	if len(got) != 3 || got[0] != result.Passed || got[1] != result.Broken || got[2] != result.Broken {
		t.Errorf("got %v, want passed, broken, broken", got)
	}
}

func TestFindConfigStopsAtTheTop(t *testing.T) {
	root := t.TempDir()
	below := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, trial.ConfigFile), []byte("features: .\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if c, err := trial.FindConfig(below, root); err != nil || c.Root != root {
		t.Errorf("got %+v, %v", c, err)
	}
	if _, err := trial.FindConfig(below, filepath.Join(root, "a")); err == nil || !strings.Contains(err.Error(), trial.ErrNoConfig.Error()) {
		t.Errorf("got %v, want %v", err, trial.ErrNoConfig)
	}
}
