package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/result"
)

// kept writes a sample record as a run keeps it: below runs, and the same again at the top.
func kept(t *testing.T, sample string, change func(*result.Record)) (out string) {
	t.Helper()
	r, err := result.Read("../report/testdata/" + sample + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&r)
	}
	out = t.TempDir()
	dir := filepath.Join(out, "runs", "20260820T091401Z-1")
	if err := os.MkdirAll(filepath.Join(dir, "evidence"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "record.json"), filepath.Join(out, "record.json")} {
		if err := result.Write(path, r); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func only(ids ...string) func(*result.Record) {
	return func(r *result.Record) {
		var some []result.Scenario
		for s := range r.Scenarios() {
			for _, id := range ids {
				if s.ID == id {
					some = append(some, s)
				}
			}
		}
		r.Cells[0].Trials[0].Scenarios = some
	}
}

func TestReport(t *testing.T) {
	red, green := kept(t, "red", nil), kept(t, "green", nil)
	one := kept(t, "green", only("triage.feature:20", "egress.feature:4"))
	other := kept(t, "green", func(r *result.Record) {
		only("triage.feature:6")(r)
		r.Seed++
	})
	to := t.TempDir()
	for name, args := range map[string][]string{
		"report_text":     {"report", red},
		"report_markdown": {"report", red + "/record.json", "--format", "markdown"},
		"report_junit":    {"report", red + "/runs/20260820T091401Z-1", "--format", "junit"},
		"report_shards":   {"report", one, other},
		"report_mixed":    {"report", red, green, "--mixed", "--format", "markdown"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out := run(t, cli.Options{}, args...)
			if code != 0 {
				t.Errorf("exit code %d", code)
			}
			for _, dir := range []string{red, green, one, other} {
				wd, _ := os.Getwd()
				rel, _ := filepath.Rel(wd, dir)
				out = strings.ReplaceAll(strings.ReplaceAll(out, rel, "$OUT"), dir, "$DIR")
			}
			golden(t, name, out)
		})
	}
	for file, want := range map[string]string{
		"a.html": "<!doctype html>", "a.xml": "<testsuites", "a.md": "## ", "a.txt": "passed", "a.json": `"schema": 1`,
	} {
		if code, out := run(t, cli.Options{}, "report", red, "--out", filepath.Join(to, file)); code != 0 || out != "" {
			t.Errorf("%s: exit code %d\n%s", file, code, out)
		}
		if got, err := os.ReadFile(filepath.Join(to, file)); err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: got %.200q, %v, want %q", file, got, err, want)
		}
	}
}

// TestEvidenceIsFoundFromTheReport renders to several places and follows the links.
func TestEvidenceIsFoundFromTheReport(t *testing.T) {
	out := kept(t, "red", nil)
	for file, want := range map[string]string{
		out + "/a.json": "runs/20260820T091401Z-1/by-scenario/", out + "/runs/20260820T091401Z-1/a.json": "by-scenario/",
		t.TempDir() + "/a.json": "/runs/20260820T091401Z-1/by-scenario/",
	} {
		if code, text := run(t, cli.Options{}, "report", out, "--out", file); code != 0 {
			t.Fatalf("exit code %d\n%s", code, text)
		}
		r, err := result.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		links := 0
		for s := range r.Scenarios() {
			for _, ref := range s.Evidence {
				links++
				if !strings.Contains(ref.Link, want) || want == "by-scenario/" && !strings.HasPrefix(ref.Link, want) {
					t.Errorf("%s: link %s, want %s", file, ref.Link, want)
				}
			}
		}
		if links == 0 {
			t.Error("the sample has no evidence")
		}
	}
}

func TestReportUsage(t *testing.T) {
	red, green := kept(t, "red", nil), kept(t, "green", nil)
	future := t.TempDir()
	if err := os.WriteFile(future+"/record.json", []byte(`{"schema": 99, "kit": "9.0"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	for want, args := range map[string][]string{
		"requires at least 1 arg":       {"report"},
		"there is no record":            {"report", to},
		`unknown format "pdf"`:          {"report", red, "--format", "pdf"},
		"says no format":                {"report", red, "--out", to + "/a.pdf"},
		"--mixed merges them":           {"report", red, green},
		`has defect "skip-schema"`:      {"report", red, green},
		"of one and the same run":       {"report", red, red},
		"unknown schema version 99":     {"report", future},
		"use the understudy that wrote": {"report", future},
		"is not in the features":        {"report", red, "--out", to + "/a.ndjson"}, // the sample has one of its three features
		"no such file or directory":     {"report", red, "--out", to + "/nowhere/a.md"},
	} {
		code, out := run(t, cli.Options{}, args...)
		if code != 2 || !strings.Contains(out, want) {
			t.Errorf("%v: exit code %d, want 2\n%s\nwant it to contain %q", args, code, out, want)
		}
	}
	if left, err := os.ReadDir(to); err != nil || len(left) > 0 {
		t.Errorf("something was written: %v, %v", left, err)
	}
}

// TestReportTrackRecord: the table of who catches what comes from records that were made one by one.
func TestReportTrackRecord(t *testing.T) {
	dir := writeSuite(t, map[string]string{
		"understudy.yaml": "features: features\ndefects: defects.txt\n", "features/f.feature": someFeature, "defects.txt": "loses triage.feature:6 # what is lost\n",
	})
	clean, lost := kept(t, "green", nil), kept(t, "green", func(r *result.Record) {
		r.Platform.Defect = "loses"
		scenarioOf(r, 0).Verdict = result.Failed
	})
	file := filepath.Join(t.TempDir(), "track.md")
	if code, text := run(t, cli.Options{}, "report", clean, "--suite", dir, "--track-record", file); code != 2 || !strings.Contains(text, "no record is of a run with loses") {
		t.Errorf("one record: exit code %d\n%s", code, text)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("it was written all the same")
	}
	if code, text := run(t, cli.Options{}, "report", clean, lost, "--suite", dir, "--track-record", file); code != 0 {
		t.Errorf("exit code %d\n%s", code, text)
	}
	data, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(data), "1 of 1 seeded defects caught by") || !strings.Contains(string(data), "| `loses` | what is lost | `triage.feature:6`") {
		t.Errorf("%v\n%s", err, data)
	}
}
