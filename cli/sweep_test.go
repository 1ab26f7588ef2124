package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
)

// TestSweep: each fault is tried once, and the table says which the suite noticed, which not, and which never
// struck. The same seed comes to the same table, one scenario at a time or eight.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../examples/faults")); err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"answers", "installation", "pushes"} {
		must(os.Remove(filepath.Join(dir, "features", name+".feature")))
	}
	must(os.WriteFile(filepath.Join(dir, "defects.txt"), nil, 0o644))
	must(os.WriteFile(filepath.Join(dir, "features/deliveries.feature"), []byte(`Feature: Sorting
  Scenario: An issue is new
    Given the enrolled test repository
    And an issue
    Then the issue has label "new"
`), 0o644))
	var tables []string
	for _, jobs := range []string{"1", "8"} {
		code, text := run(t, cli.Options{}, "run", dir, "--sweep", "faults", "--seed", "3", "--jobs", jobs, "--out", t.TempDir())
		var table []string
		for line := range strings.Lines(text) {
			if name, rest, _ := strings.Cut(line, " "); strings.Contains(name, ".") {
				table = append(table, name+" "+strings.TrimSpace(rest))
			}
		}
		tables = append(tables, strings.Join(table, "\n"))
		for _, want := range []string{
			"\ndelivery.dropped struck 1×, failed deliveries.feature:2", "api.5xx=by:github-actions[bot] struck ", "api.slow=by:github-actions[bot] struck ", "fork.lag struck ", "git.cut=by:github-actions[bot] never struck",
		} {
			if code != 1 || !strings.Contains("\n"+tables[0], want) {
				t.Errorf("exit code %d, or no %q in\n%s\n%s", code, want, tables[0], text)
			}
		}
	}
	if tables[0] != tables[1] {
		t.Errorf("--jobs 1:\n%s\n--jobs 8:\n%s", tables[0], tables[1])
	}
}

// TestSweepNeedsACleanSuite: a suite that fails by itself cannot tell what a fault does.
func TestSweepNeedsACleanSuite(t *testing.T) {
	dir := t.TempDir()
	err := os.CopyFS(dir, os.DirFS("../examples/faults"))
	err = errors.Join(err, os.Remove(filepath.Join(dir, "features/answers.feature")), os.WriteFile(filepath.Join(dir, "defects.txt"), nil, 0o644))
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "features/deliveries.feature"), []byte(`Feature: Sorting
  Scenario: An issue is something that it is not
    Given the enrolled test repository
    And an issue
    Then the issue has label "nothing puts this there"
`), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	code, text := run(t, cli.Options{}, "run", dir, "--sweep", "faults", "--out", t.TempDir())
	if code != 1 || !strings.Contains(text, "no fault was tried") || strings.Contains(text, "struck") {
		t.Errorf("exit code %d\n%s", code, text)
	}
}

func TestSweepIsAsked(t *testing.T) {
	for _, args := range [][]string{{"--sweep", "all"}, {"--sweep", ""}, {"--sweep", "faults", "--defects"}, {"--sweep", "faults", "--fault", "delivery.late"},
		{"--sweep", "faults", "--repeat", "2"}, {"--sweep", "faults", "--explore", "2"}, {"--sweep", "faults", "--schedule", "0"}} {
		if code, text := run(t, cli.Options{}, append([]string{"run", "../examples/faults"}, args...)...); code != 2 || !strings.Contains(text, "--sweep") {
			t.Errorf("%q: exit code %d\n%s", args, code, text)
		}
	}
}
