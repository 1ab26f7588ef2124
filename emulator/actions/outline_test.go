package actions_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/internal/outline"
)

// TestJournalKeepsOutlines: files once, whether they run or not, and each job with what became of it.
func TestJournalKeepsOutlines(t *testing.T) {
	p := start(t, `on: issues
permissions: {issues: write, contents: none}
jobs:
  build:
    runs-on: ubuntu-latest
    strategy: {matrix: {os: [linux], go: ["1.25", "1.26"]}}
    steps:
      - run: exit ${{ matrix.go == '1.26' && 1 || 0 }}
      - name: Only when it failed
        if: failure()
        run: |
          true
          true
      - run: true
  dead:
    if: github.event.label.name == 'never'
    runs-on: ubuntu-latest
    permissions: {}
    steps: [{run: "true"}]
  after: {needs: build, runs-on: ubuntu-latest, steps: [{run: "true"}]}
  none:
    runs-on: ubuntu-latest
    strategy: {matrix: {x: ["${{ github.actor }}"], exclude: [{x: alice}]}}
    steps: [{run: "true"}]
  call:
    uses: ./.github/workflows/lib.yml
-- .github/workflows/lib.yml --
on: workflow_call
jobs:
  lib: {runs-on: ubuntu-latest, steps: [{run: "true"}]}
-- .github/workflows/idle.yml --
on: push
jobs:
  idle: {runs-on: ubuntu-latest, steps: [{uses: actions/checkout@v4}]}
`)
	p.label("bug")
	p.settle()
	p.label("bug", "starts_runs", "no")
	p.settle()

	var files []outline.File
	outcomes := map[string]outline.Outcome{}
	paths := map[string]string{} // by digest
	for _, e := range p.j.Entries(0) {
		switch e.Type {
		case outline.FileEntry:
			f, err := outline.ReadFile(e.Detail)
			if err != nil {
				t.Fatal(err)
			}
			paths[f.Digest] = f.Path[strings.LastIndex(f.Path, "/")+1:]
			f.Digest = ""
			files = append(files, f)
		case outline.JobEntry:
			o, err := outline.ReadOutcome(e.Detail)
			if err != nil {
				t.Fatal(err)
			}
			name := paths[o.Digest] + " " + o.Job
			if o.Cell != "" {
				name += " (" + o.Cell + ")"
			}
			for i, c := range o.Callers {
				digest, key, _ := strings.Cut(c, "#")
				o.Callers[i] = paths[digest] + "#" + key
			}
			if o.Run != "run:1" || !strings.HasPrefix(e.Subject, "job:") {
				t.Errorf("%s: run %s, subject %s", name, o.Run, e.Subject)
			}
			o.Digest, o.Job, o.Cell, o.Run = "", "", "", ""
			outcomes[name] = o
		}
	}
	wantFiles := []outline.File{
		{Path: ".github/workflows/ci.yml", Permissions: map[string]string{"issues": "write"}, Jobs: []outline.Job{
			{Key: "build", Line: 4, Cells: []string{"linux, 1.25", "linux, 1.26"}, Steps: []outline.Step{
				{Name: "exit ${{ matrix.go == '1.26' && 1 || 0 }}", Line: 8},
				{Name: "Only when it failed", Line: 9, If: &outline.Condition{Line: 10, Text: "failure()", AsksStatus: true}},
				{Name: "true", Line: 14},
			}},
			{Key: "dead", Line: 15, If: &outline.Condition{Line: 16, Text: "github.event.label.name == 'never'"},
				Permissions: map[string]string{}, Steps: []outline.Step{{Name: "true", Line: 19}}},
			{Key: "after", Line: 20, Steps: []outline.Step{{Name: "true", Line: 20}}},
			{Key: "none", Line: 21, Steps: []outline.Step{{Name: "true", Line: 24}}},
			{Key: "call", Line: 25, Calls: "./.github/workflows/lib.yml"},
		}},
		{Path: ".github/workflows/idle.yml", Jobs: []outline.Job{{Key: "idle", Line: 3, Steps: []outline.Step{{Name: "actions/checkout@v4", Line: 3}}}}},
		{Path: ".github/workflows/lib.yml", Jobs: []outline.Job{{Key: "lib", Line: 3, Steps: []outline.Step{{Name: "true", Line: 3}}}}},
	}
	slices.SortFunc(files, func(a, b outline.File) int { return strings.Compare(a.Path, b.Path) })
	if diff := cmp.Diff(wantFiles, files); diff != "" {
		t.Errorf("files (-want +got)\n%s", diff)
	}
	wantOutcomes := map[string]outline.Outcome{
		"ci.yml build (linux, 1.25)": {Conclusion: "success", Steps: []string{"success", "skipped", "success"}},
		"ci.yml build (linux, 1.26)": {Conclusion: "failure", Steps: []string{"failure", "success", "skipped"}},
		"ci.yml dead":                {Conclusion: "skipped", Skipped: "if"},
		"ci.yml after":               {Conclusion: "skipped", Skipped: "needs"},
		"ci.yml none":                {Conclusion: "skipped", Skipped: "matrix"},
		"lib.yml lib":                {Conclusion: "success", Steps: []string{"success"}, Callers: []string{"ci.yml#call"}},
	}
	// fail-fast may reach the other cell before, while or after it runs.
	delete(outcomes, "ci.yml build (linux, 1.25)")
	delete(wantOutcomes, "ci.yml build (linux, 1.25)")
	if diff := cmp.Diff(wantOutcomes, outcomes); diff != "" {
		t.Errorf("outcomes (-want +got)\n%s", diff)
	}
	if len(paths) != 3 || len(slices.Collect(maps.Keys(paths))) != len(files) {
		t.Errorf("%d digests of %d files", len(paths), len(files))
	}
}
