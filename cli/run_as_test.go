package cli_test

import (
	"context"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite"
)

// TestRunEndsAtItsTimeout runs a step that waits until it is interrupted: only --timeout can end it.
func TestRunEndsAtItsTimeout(t *testing.T) {
	waits := suite.Pack{Name: "own", Steps: []suite.Step{{Pattern: `a step that waits`, Doc: "Waits.", Example: `a step that waits`,
		Do: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}}}
	dir, out := writeSuite(t, map[string]string{"understudy.yaml": "features: features\n", "features/f.feature": "Feature: F\n  Scenario: S\n    Then a step that waits\n"}), t.TempDir()
	code, text := run(t, cli.Options{Packs: []suite.Pack{waits}}, "run", dir, "--out", out, "--timeout", "300ms")
	if want := "the --timeout of 300ms is over: what was still running has been interrupted\n"; code != 3 || !strings.Contains(text, want) {
		t.Errorf("exit code %d\n%s\nwant %q", code, text, want)
	}
	rec, err := result.Read(out + "/record.json")
	if err != nil || rec.Counts().Broken != 1 {
		t.Errorf("the record: %+v, %v", rec.Counts(), err)
	}
	if code, text := run(t, cli.Options{}, "run", dir, "--timeout", "-1s"); code != 2 || !strings.Contains(text, "--timeout 0 (never) or more") {
		t.Errorf("a time-out of less than nothing: exit code %d\n%s", code, text)
	}
}
