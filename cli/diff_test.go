package cli_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/result"
)

func TestDiff(t *testing.T) {
	red, edited := kept(t, "red", nil), kept(t, "red", func(r *result.Record) {
		s := scenarioOf(r, 0)
		s.Verdict, s.Steps[1].Text = result.Broken, s.Steps[1].Text+" \x1b[2J"
		r.Cells[0].Trials[0].Scenarios[1].ID = "new.feature:1"
	})
	if code, out := run(t, cli.Options{}, "diff", red, red+"/record.json"); code != 0 || !strings.Contains(out, "\nalike: ") {
		t.Errorf("with itself: exit code %d\n%s", code, out)
	}
	code, out := run(t, cli.Options{}, "diff", red, edited)
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
	golden(t, "diff", strings.ReplaceAll(strings.ReplaceAll(out, red, "$RED"), edited, "$EDITED"))

	code, out = run(t, cli.Options{}, "diff", red, edited, "--json", "--scenario", "new.feature:1")
	var told struct {
		A, B  string
		OnlyB []result.Named `json:"only_b"`
	}
	if err := json.Unmarshal([]byte(out), &told); err != nil || code != 1 || len(told.OnlyB) != 1 || told.OnlyB[0].ID != "new.feature:1" || told.A != red+"/record.json" {
		t.Errorf("exit code %d, %v: %+v\n%s", code, err, told, out)
	}
}

func TestDiffUsage(t *testing.T) {
	red, dir := kept(t, "red", nil), t.TempDir()
	if err := os.WriteFile(dir+"/record.json", []byte(`{"schema": 99, "kit": "9.0"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"accepts 2 arg(s)":              {"diff", red},
		"there is no record":            {"diff", red, t.TempDir()},
		"unknown schema version 99":     {"diff", dir, red},
		"use the understudy that wrote": {"diff", red, dir},
		"the nearest of its 6 is triage.feature:6  Triage labels a sufficient issue": {"diff", red, red, "--scenario", "triage.feature:7"},
		`the record has no scenario "egress.feature"`:                                {"diff", red, red, "--scenario", "egress.feature"},
		"the nearest of its 6 is egress.feature:4":                                   {"diff", red, red, "--scenario", "egress.feature"},
	} {
		if code, out := run(t, cli.Options{}, args...); code != 2 || !strings.Contains(out, want) {
			t.Errorf("%v: exit code %d, want 2\n%s\nwant it to contain %q", args, code, out, want)
		}
	}
}
