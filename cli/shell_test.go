package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
)

const shell = "../examples/shell"

// TestShell runs the suite of a platform that shares nothing with crew but the vocabulary of its
// scenarios, as it is and with one thing broken in its script or its platform file.
func TestShell(t *testing.T) {
	delivered := `    comment "returned to sender: $(cat "$tray/refusal")"`
	for _, tt := range []struct {
		name, file, old, new string
		code                 int
		want                 []string
	}{
		{"as it is", "platform.sh", "", "", 0, []string{"8 passed"}},
		{"a label although the result is invalid", "platform.sh", delivered,
			delivered + "\n" + `    post "issues/$ISSUE/labels" "{\"labels\": [$(json "$(setting "$DESK" done)")]}"`,
			1, []string{"✗ sort.feature:35", "✗ sort.feature:43", "✗ answer.feature:24", "✗ operations.feature:35", "4 passed, 4 failed"}},
		{"every label starts the first desk", "platform.sh", `[[ $(setting "$desk" label) != "$LABEL" ]] || echo`, `[[ $desk != sort ]] || echo`,
			1, []string{"✗ sort.feature:18", "✗ answer.feature:8"}},
		{"the job's environment leaks", "platform.sh", "env -i PATH", "env PATH",
			1, []string{"✗ operations.feature:8", "7 passed, 1 failed"}},
		{"any branch is pushed", "platform.sh", ` && $branch != postroom/* ]]`, ` && $branch == none ]]`,
			1, []string{"✗ operations.feature:35", "7 passed, 1 failed"}},
		{"a step that needs a record of the policy", "features/sort.feature", `And the issue has label "sorted"`,
			`And the platform refused the agent's request to "http://a.test/"`, 2, []string{"sort.feature:15", "names no places.policy"}},
		{"no failure marker", "platform.yaml", "  failure: returned to sender\n", "", 2, []string{"sort.feature:40", "names no names.failure"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(shell)); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, tt.file)
			text, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(text), tt.old) {
				t.Fatalf("%s has no %q (%v)", file, tt.old, err)
			}
			if tt.old != "" {
				text = []byte(strings.Replace(string(text), tt.old, tt.new, 1))
			}
			if err := os.WriteFile(file, text, 0o755); err != nil {
				t.Fatal(err)
			}
			code, out := run(t, cli.Options{}, "run", dir, "--out", filepath.Join(dir, "out"))
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("the output lacks %q", want)
				}
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}
