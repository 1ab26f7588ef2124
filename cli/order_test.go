package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/result"
)

const race = "../examples/race"

// TestExplore: a suite that passes fails in another order of two deliveries. The shortest schedule is
// found, and replays exactly that.
func TestExplore(t *testing.T) {
	out := t.TempDir()
	code, text := run(t, cli.Options{}, "run", race, "--explore", "50", "--seed", "1", "--out", out)
	if code != 1 {
		t.Fatalf("exit code %d, not 1\n%s", code, text)
	}
	replay := "--schedule '1:1'"
	for _, want := range []string{
		"fails in another: 1: deliver issues.labeled ready (instead of: deliver issues.labeled urgent)",
		"examples/race/features/labels.feature:9 " + replay,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	rec, err := result.Read(out + "/record.json")
	if err != nil {
		t.Fatal(err)
	}
	for sc := range rec.Scenarios() {
		if sc.Order == nil || sc.Order.Schedule != "1:1" || sc.Order.Tried < 2 {
			t.Errorf("the record says of the order: %+v", sc.Order)
		}
	}
	pages, err := filepath.Glob(out + "/runs/*/junit.xml")
	if err != nil || len(pages) != 1 {
		t.Fatal(pages, err)
	}
	if page, err := os.ReadFile(pages[0]); err != nil || !strings.Contains(string(page), "passes in the usual order") {
		t.Errorf("the report does not tell of the order (%v)", err)
	}
	for schedule, want := range map[string]int{"0": 0, "1:1": 1, "9:1": 3} {
		code, text := run(t, cli.Options{}, "run", race+"/features/labels.feature:9", "--schedule", schedule, "--out", out)
		if code != want {
			t.Errorf("schedule %s: exit code %d, not %d\n%s", schedule, code, want, text)
		}
	}
}

// mended is a copy of the suite without the mistake.
func mended(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(race)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "platform.sh")
	script, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	better := strings.Replace(string(script), "event.issue.number }}\",", "event.issue.number }}-${{ github.event.label.name }}\",", 1)
	if better == string(script) {
		t.Fatal("the group was not found")
	}
	if err := os.WriteFile(file, []byte(better), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestExploreWhatHolds: without the mistake, every order that is tried passes.
func TestExploreWhatHolds(t *testing.T) {
	dir := mended(t)
	code, text := run(t, cli.Options{}, "run", dir, "--explore", "12", "--seed", "1", "--out", t.TempDir())
	if want := "labels.feature:9 passed in 12 orders of deliveries and jobs\n"; code != 0 || !strings.Contains(text, want) {
		t.Errorf("exit code %d, and no %q in\n%s", code, want, text)
	}
}

func TestOrderIsRefused(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{race + " --schedule 1", `"1" is not POINT:OPTION`},
		{race + " --explore 0", "--explore is 1 or more"},
		{race + " --explore 5 --schedule 1:1", "give one of the two"},
		{race + " --explore 5 --repeat 2", "--repeat"},
		{shell + " --schedule 1:1", "a schedule belongs to one scenario"},
		{"../examples/hello/features --explore 5", ""},
	} {
		code, text := run(t, cli.Options{}, append([]string{"run"}, strings.Fields(tt.args)...)...)
		if code != 2 || !strings.Contains(text, tt.want) {
			t.Errorf("%s: exit code %d, not 2, or no %q in\n%s", tt.args, code, tt.want, text)
		}
	}
}
