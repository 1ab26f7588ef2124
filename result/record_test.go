package result_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/result"
)

func recordOf(verdicts ...result.Verdict) result.Record {
	var s []result.Scenario
	for _, v := range verdicts {
		s = append(s, result.Scenario{Verdict: v})
	}
	return result.Record{Cells: []result.Cell{{Trials: []result.Trial{{Number: 1, Scenarios: s}}}}}
}

func TestVerdictAndExitCode(t *testing.T) {
	withProblem := recordOf(result.Passed)
	withProblem.Problems = []result.Problem{{What: "the site could not be closed"}}
	failedRun := recordOf(result.Broken)
	failedRun.Problems = []result.Problem{{Verdict: result.Failed}}
	for _, tt := range []struct {
		name    string
		record  result.Record
		verdict result.Verdict
		exit    int
	}{
		{"passed", recordOf(result.Passed, result.Skipped), result.Passed, 0},
		{"all skipped", recordOf(result.Skipped), result.Skipped, 0},
		{"failed", recordOf(result.Passed, result.Failed), result.Failed, 1},
		{"broken", recordOf(result.Passed, result.Broken), result.Broken, 3},
		{"failed wins", recordOf(result.Broken, result.Failed, result.Broken), result.Failed, 1},
		{"nothing ran", result.Record{}, result.Broken, 3},
		{"no such verdict", recordOf(result.Passed, "green"), result.Broken, 3},
		{"problem of the run", withProblem, result.Broken, 3},
		{"failed run", failedRun, result.Failed, 1},
	} {
		if got := tt.record.Verdict(); got != tt.verdict {
			t.Errorf("%s: verdict %s, want %s", tt.name, got, tt.verdict)
		}
		if got := result.ExitCode(tt.record); got != tt.exit {
			t.Errorf("%s: exit code %d, want %d", tt.name, got, tt.exit)
		}
	}
	want := result.Counts{Passed: 1, Failed: 2, Broken: 1, Skipped: 1}
	got := recordOf(result.Failed, result.Passed, result.Skipped, "?", result.Failed).Counts()
	if got != want || got.Total() != 5 {
		t.Errorf("counts %+v, want %+v", got, want)
	}
}

func TestWriteRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "record.json")
	want, err := result.Read("../report/testdata/red.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	want.Schema = 0
	if err := result.Write(path, want); err != nil {
		t.Fatal(err)
	}
	want.Schema = result.Schema
	got, err := result.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(sameJSON)); diff != "" {
		t.Errorf("what was read is not what was written:\n%s", diff)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("left behind: %v", files)
	}
	if err := result.Write(filepath.Join(dir, "none", "record.json"), want); err == nil {
		t.Error("a missing directory was not an error")
	}
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && cmp.Equal(x, y)
}

func TestReadRefuses(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		schema     bool
	}{
		{`{"schema": 7, "kit": "v9.1.0", "later": true}`, `unknown schema version 7, written by understudy "v9.1.0"`, true},
		{`{"kit": "v0"}`, "names none", true},
		{`{"schema": 1, "celles": []}`, `"celles"`, false},
		{`{"schema": 1} {}`, "after top-level value", false},
		{`{"schema": 1`, "unexpected", false},
	} {
		path := filepath.Join(t.TempDir(), "r.json")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := result.Read(path)
		if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, result.ErrSchema) != tt.schema {
			t.Errorf("read %s: got %v, want %q", tt.text, err, tt.want)
		}
	}
}

func TestScrub(t *testing.T) {
	var s evidence.Scrubber
	if err := s.Hide("ghs_secret", "token:ci"); err != nil {
		t.Fatal(err)
	}
	if err := s.Hide("1234567890", "pin"); err != nil {
		t.Fatal(err)
	}
	r := recordOf(result.Passed)
	r.Seed = 1<<62 + 1
	sc := &r.Cells[0].Trials[0].Scenarios[0]
	sc.Steps = []result.Step{{Text: "uses ghs_secret", Observations: []result.Observation{{Got: json.RawMessage(`{"ghs_secret":["x ghs_secret"],"pin":1234567890}`)}}}}
	got, err := result.Scrub(r, &s)
	if err != nil {
		t.Fatal(err)
	}
	st := got.Cells[0].Trials[0].Scenarios[0].Steps[0]
	if st.Text != "uses [token:ci]" || string(st.Observations[0].Got) != `{"[token:ci]":["x [token:ci]"],"pin":"[pin]"}` {
		t.Errorf("not scrubbed: %+v", st)
	}
	if got.Seed != r.Seed {
		t.Errorf("seed became %d", got.Seed)
	}
}
