package outline_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/internal/outline"
)

func TestDetailsAreReadAgain(t *testing.T) {
	file := outline.File{
		Path: ".github/workflows/ci.yml", Digest: "sha256:1", Permissions: map[string]string{},
		Jobs: []outline.Job{{Key: "a", Line: 3, If: &outline.Condition{Line: 4, Text: "always()", AsksStatus: true},
			Cells: []string{"1, 2"}, Steps: []outline.Step{{Name: "Build", Line: 5}}}},
	}
	d, err := file.Detail()
	if err != nil {
		t.Fatal(err)
	}
	got, err := outline.ReadFile(d)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(file, got); diff != "" {
		t.Error(diff)
	}
	o := outline.Outcome{Digest: "sha256:1", Job: "a", Run: "run:5", Callers: []string{"sha256:2#b", "sha256:3#c"}, Skipped: "needs", Cell: "1, 2",
		Conclusion: "failure", Steps: []string{"success", "", "skipped"}}
	back, err := outline.ReadOutcome(o.Detail())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(o, back); diff != "" {
		t.Error(diff)
	}
}

func TestMistakesAreErrors(t *testing.T) {
	if _, err := outline.ReadFile(map[string]string{"outline": "{"}); err == nil {
		t.Error("half an outline was read")
	}
	for _, steps := range []string{"x", "0 success", "2 success, 1 success", "1001 success", "1"} {
		if _, err := outline.ReadOutcome(map[string]string{"steps": steps}); err == nil {
			t.Errorf("steps %q were read", steps)
		}
	}
}

func FuzzReadOutcome(f *testing.F) {
	f.Add("1 success, 3 skipped")
	f.Fuzz(func(t *testing.T, steps string) {
		o, err := outline.ReadOutcome(map[string]string{"steps": steps})
		if err == nil && len(o.Steps) > 1000 {
			t.Errorf("%d steps", len(o.Steps))
		}
	})
}
