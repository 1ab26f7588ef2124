package coverage_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/outline"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/result/coverage"
)

var update = flag.Bool("update", false, "write testdata")

const path = ".github/workflows/ci.yml"

// planted has a dead job, a condition that is never false, and more permissions than it uses.
func planted() outline.File {
	return outline.File{Path: path, Digest: "sha256:1", Permissions: map[string]string{"contents": "write", "issues": "write"}, Jobs: []outline.Job{
		{Key: "triage", Line: 8, If: &outline.Condition{Line: 9, Text: "github.event.label.name == 'ready'"}, Steps: []outline.Step{
			{Name: "actions/checkout@v4", Line: 12},
			{Name: "Answer", Line: 13, If: &outline.Condition{Line: 14, Text: "github.actor != 'nobody'"}},
			{Name: "Apologise", Line: 16, If: &outline.Condition{Line: 17, Text: "failure()", AsksStatus: true}},
			{Name: "Clean up", Line: 19, If: &outline.Condition{Line: 20, Text: "always()", AsksStatus: true}},
		}},
		{Key: "dead", Line: 22, If: &outline.Condition{Line: 23, Text: "github.event.label.name == 'never'"}, Steps: []outline.Step{{Name: "true", Line: 25}}},
		{Key: "wide", Line: 27, Permissions: map[string]string{}, Cells: []string{"a", "b"}, Steps: []outline.Step{{Name: "true", Line: 30}}},
	}}
}

func entry(seq uint64, typ, subject, cause string, detail map[string]string) driver.Entry {
	return driver.Entry{Seq: seq, Type: typ, Subject: subject, Cause: driver.Cause(cause), Detail: detail}
}

func asked(job, status, permission string) driver.Entry {
	return entry(9, "request", "GET /x", job, map[string]string{"status": status, "permission": permission})
}

func became(job string, o outline.Outcome) driver.Entry {
	o.Digest, o.Run = "sha256:1", "run:1"
	return entry(8, outline.JobEntry, job, o.Run, o.Detail())
}

func file(t *testing.T, f outline.File) driver.Entry {
	t.Helper()
	d, err := f.Detail()
	if err != nil {
		t.Fatal(err)
	}
	return entry(1, outline.FileEntry, f.Path, "", d)
}

func record(scenarios ...result.Scenario) result.Record {
	for i := range scenarios {
		scenarios[i].ID = fmt.Sprintf("a.feature:%d", i+1)
	}
	return result.Record{Schema: result.Schema, Cells: []result.Cell{{Trials: []result.Trial{{Number: 1, Scenarios: scenarios}}}}}
}

func sample(t *testing.T) result.Record {
	return record(
		result.Scenario{Journal: []driver.Entry{
			file(t, planted()),
			file(t, outline.File{Path: ".github/workflows/idle.yml", Digest: "sha256:2", Jobs: []outline.Job{{Key: "a", Line: 3}}}),
			asked("job:1", "200", "contents:read"),
			asked("job:1", "201", "issues:write"),
			asked("job:1", "403", "pull-requests:write"),
			asked("", "200", "administration:write"), // nobody's
			entry(9, "identity.token", "repo:a/b", "job:1", nil),
			became("job:1", outline.Outcome{Job: "triage", Conclusion: "success", Steps: []string{"success", "success", "skipped", "success"}}),
			became("job:2", outline.Outcome{Job: "dead", Conclusion: "skipped", Skipped: "if"}),
			became("job:3", outline.Outcome{Job: "wide", Cell: "a", Conclusion: "success", Steps: []string{"success"}}),
		}},
		result.Scenario{Journal: []driver.Entry{
			file(t, planted()),
			became("job:1", outline.Outcome{Job: "triage", Conclusion: "failure", Steps: []string{"failure", "skipped", "skipped", "success"}}),
			became("job:2", outline.Outcome{Job: "dead", Conclusion: "skipped", Skipped: "needs"}),
			became("job:3", outline.Outcome{Job: "wide", Cell: "b", Conclusion: "cancelled"}),
		}},
	)
}

func TestGaps(t *testing.T) {
	r := coverage.Of(sample(t))
	var got []string
	for _, w := range r.Workflows {
		for _, g := range w.Gaps() {
			got = append(got, g.String())
		}
	}
	want := []string{
		path + ":9: job triage: if: github.event.label.name == 'ready' was never false",
		path + `:14: job triage: step 2 "Answer": if: github.actor != 'nobody' was never false`,
		path + `:16: job triage: step 3 "Apologise" never ran: if: failure() was never true`,
		path + ":22: job dead never ran: if: github.event.label.name == 'never' was never true",
		path + ":27: job wide: cell b never ran",
		".github/workflows/idle.yml:1: no scenario started this workflow",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	totals := r.Workflows[0].Totals()
	wantTotals := coverage.Totals{
		Jobs: coverage.Share{Taken: 2, All: 3}, Steps: coverage.Share{Taken: 4, All: 6}, Branches: coverage.Share{Taken: 5, All: 9},
		Cells: coverage.Share{Taken: 1, All: 2},
	}
	if diff := cmp.Diff(wantTotals, totals); diff != "" {
		t.Error(diff)
	}
}

func TestPermissions(t *testing.T) {
	w := coverage.Of(sample(t)).Workflows[0]
	want := []string{
		"declares contents: write, used contents: read (from the file)",
		"asked for pull-requests: write, which it does not have",
	}
	if diff := cmp.Diff(want, w.Jobs[0].Advice()); diff != "" {
		t.Error(diff)
	}
	if got := w.Jobs[1].Advice(); got != nil {
		t.Errorf("a job that never ran is told %q", got)
	}
	if got := w.Jobs[2].Advice(); got != nil {
		t.Errorf("a job without permissions is told %q", got)
	}
	if diff := cmp.Diff("permissions:\n  contents: read\n  id-token: write\n  issues: write\n", w.Permissions.Block()); diff != "" {
		t.Error(diff)
	}
	if got := w.Jobs[2].Permissions.Block(); got != "permissions: {}\n" {
		t.Errorf("of nothing: %q", got)
	}
}

// TestTextsOfOneShape: a file that differs from scenario to scenario in what its steps do is one file.
func TestTextsOfOneShape(t *testing.T) {
	other, moved := planted(), planted()
	other.Digest, moved.Digest = "sha256:other", "sha256:moved"
	moved.Jobs[0].Line++
	r := coverage.Of(record(result.Scenario{Journal: []driver.Entry{file(t, planted()), file(t, other)}},
		result.Scenario{Journal: []driver.Entry{file(t, moved)}}))
	if len(r.Workflows) != 2 {
		t.Errorf("%d workflows, want 2", len(r.Workflows))
	}
}

// TestStoredAndMerged: a record that was gathered, and two that were merged, say the same.
func TestStoredAndMerged(t *testing.T) {
	whole := sample(t)
	want := coverage.Of(whole)
	gathered := result.GatherWorkflows(whole)
	if len(gathered.Workflows) != 2 || len(whole.Workflows) != 0 {
		t.Fatalf("%d files gathered, %d in the given record", len(gathered.Workflows), len(whole.Workflows))
	}
	for s := range gathered.Scenarios() {
		for _, e := range s.Journal {
			if e.Detail["outline"] != "" {
				t.Error("an outline is still in a journal")
			}
		}
	}
	if diff := cmp.Diff(want.Told(), coverage.Of(gathered).Told(), cmp.AllowUnexported(coverage.Job{}, coverage.Branch{})); diff != "" {
		t.Errorf("gathered\n%s", diff)
	}
	one, two := gathered.Only("a.feature:1"), gathered.Only("a.feature:2")
	two.Seed = 1
	merged, err := result.Merge([]result.Record{two, one}, result.MergeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Told(), coverage.Of(merged).Told(), cmp.AllowUnexported(coverage.Job{}, coverage.Branch{})); diff != "" {
		t.Errorf("merged\n%s", diff)
	}
}

func TestText(t *testing.T) {
	r := sample(t)
	r.Cells[0].Trials[0].Scenarios[0].Journal = append(r.Cells[0].Trials[0].Scenarios[0].Journal,
		file(t, outline.File{Path: "x\x1b[31m.yml", Digest: "sha256:3", Broken: true}))
	var b bytes.Buffer
	if err := coverage.Of(r).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/coverage.txt", b.String())
	if strings.Contains(b.String(), "\x1b") {
		t.Error("a file's name steers the terminal")
	}
	b.Reset()
	if err := coverage.Of(record()).WriteText(&b); err != nil || !strings.HasPrefix(b.String(), "no workflows: ") {
		t.Errorf("of nothing: %q, %v", b.String(), err)
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// A job that calls a file ran when a job of that file did, and used what that one used.
func TestCallers(t *testing.T) {
	r := coverage.Of(record(result.Scenario{Journal: []driver.Entry{
		file(t, outline.File{Path: path, Digest: "sha256:1", Jobs: []outline.Job{
			{Key: "call", Line: 3, If: &outline.Condition{Line: 4, Text: "github.actor != 'x'"}}, {Key: "other", Line: 6},
		}}),
		file(t, outline.File{Path: ".github/workflows/called.yml", Digest: "sha256:2", Jobs: []outline.Job{{Key: "x", Line: 3, Steps: []outline.Step{{Name: "true", Line: 5}}}}}),
		asked("job:1", "201", "issues:write"),
		entry(8, outline.JobEntry, "job:1", "run:1", outline.Outcome{
			Digest: "sha256:2", Job: "x", Run: "run:1", Callers: []string{"sha256:1#call"}, Conclusion: "success", Steps: []string{"success"},
		}.Detail()),
	}}))
	var got []string
	for _, w := range r.Workflows {
		for _, j := range w.Jobs {
			branch := ""
			if j.If != nil {
				branch = fmt.Sprint(j.If.True, j.If.False)
			}
			got = append(got, fmt.Sprintln(w.Path, w.Runs, j.Key, j.Taken, j.Scenarios, branch, j.Permissions.Used))
		}
	}
	want := []string{
		".github/workflows/called.yml 1 x 1 [a.feature:1]  map[issues:write]\n",
		path + " 1 call 1 [a.feature:1] 1 0 map[issues:write]\n",
		path + " 1 other 0 []  map[]\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
