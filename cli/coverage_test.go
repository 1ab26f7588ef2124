package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
)

// plant adds a dead job and a condition that is never false to postroom's workflow.
func plant(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(shell)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "platform.sh")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	step := "        run: bash .postroom/postroom.sh open\n"
	if !strings.Contains(string(text), step) {
		t.Fatal("postroom has another workflow")
	}
	changed := strings.Replace(string(text), step, step+`      - name: Greet
        if: github.actor != 'nobody'
        run: echo hello
  attic:
    if: github.event.label.name == 'attic'
    runs-on: ubuntu-latest
    steps:
      - run: exit 1
`, 1)
	if err := os.WriteFile(file, []byte(changed), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReportCoverage(t *testing.T) {
	dir := plant(t)
	out := filepath.Join(dir, "out")
	if code, text := run(t, cli.Options{}, "run", filepath.Join(dir, "features", "sort.feature:6"), "--out", out); code != 0 {
		t.Fatalf("exit code %d\n%s", code, text)
	}
	code, text := run(t, cli.Options{}, "report", "--coverage", out)
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	golden(t, "report_coverage", text)

	code, text = run(t, cli.Options{}, "report", "--coverage", "--json", out)
	var told struct {
		Workflows []struct {
			Path  string
			Gaps  []struct{ Line int }
			Least string `json:"least_permissions"`
		}
	}
	if err := json.Unmarshal([]byte(text), &told); code != 0 || err != nil {
		t.Fatalf("exit code %d, %v\n%s", code, err, text)
	}
	if len(told.Workflows) != 1 || len(told.Workflows[0].Gaps) == 0 || !strings.HasPrefix(told.Workflows[0].Least, "permissions:\n") {
		t.Errorf("got %+v", told)
	}
	for flags, want := range map[string]string{
		"--json": "--json belongs to --coverage", "--coverage --format html": "coverage format",
	} {
		code, text := run(t, cli.Options{}, append([]string{"report", out}, strings.Fields(flags)...)...)
		if code != 2 || !strings.Contains(text, want) {
			t.Errorf("%s: exit code %d\n%s", flags, code, text)
		}
	}
}
