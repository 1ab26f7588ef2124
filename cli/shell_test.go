package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
)

const shell = "../examples/shell"

// TestShell runs the suite of a platform that shares nothing with crew but the vocabulary of its
// scenarios, as it is and with one thing broken in its script or its platform file.
func TestShell(t *testing.T) {
	delivered := `    comment "returned to sender: $verdict"`
	for _, tt := range []struct {
		name, file, old, new string
		at                   string // the whole suite if empty
		code                 int
		want                 []string
	}{
		{"as it is", "platform.sh", "", "", "", 0, []string{"8 passed"}},
		{"a label although the result is invalid", "platform.sh", delivered,
			delivered + "\n" + `    post "issues/$ISSUE/labels" "{\"labels\": [$(json "$(setting "$DESK" done)")]}"`,
			"", 1, []string{"✗ sort.feature:35", "✗ sort.feature:43", "✗ answer.feature:24", "✗ operations.feature:35", "4 passed, 4 failed"}},
		{"the desk breaks down", "platform.sh", `  cp -R "$place/out/." "$tray"`, "  exit 3", "sort.feature:35", 1,
			[]string{"✗ sort.feature:35", "returned to sender: the desk broke down"}},
		{"every label starts the first desk", "platform.sh", `[[ $(setting "$desk" label) != "$LABEL" ]] || echo`, `[[ $desk != sort ]] || echo`,
			"sort.feature:18", 1, []string{"✗ sort.feature:18"}},
		{"the job's environment leaks", "platform.sh", "env -i PATH", "env PATH",
			"operations.feature:8", 1, []string{"✗ operations.feature:8"}},
		{"any branch is pushed", "platform.sh", ` && $branch != postroom/* ]]`, ` && $branch == none ]]`,
			"operations.feature:35", 1, []string{"✗ operations.feature:35"}},
		{"a step that needs a record of the policy", "features/sort.feature", `And the issue has label "sorted"`,
			`And the platform refused the agent's request to "http://a.test/"`, "", 2, []string{"sort.feature:15", "names no places.policy"}},
		{"no failure marker", "platform.yaml", "  failure: returned to sender\n", "", "", 2, []string{"sort.feature:40", "names no names.failure"}},
		{"another artifact", "platform.yaml", "tray-{stage}", "box-{stage}", "sort.feature:6", 1,
			[]string{"results are read from deeds.json in artifact box-sort of post.yaml; the last stimulus led to run:1 tray-sort"}},
		{"another results file", "platform.yaml", "deeds.json", "done.json", "sort.feature:6", 1,
			[]string{"results are read from done.json in artifact tray-sort of post.yaml; the last stimulus led to run:1 tray-sort with deeds.json, shelf.txt, verdict"}},
		{"another workflow", "platform.yaml", "workflow: post.yaml", "workflow: mail.yaml", "sort.feature:6", 3,
			[]string{"find workflow mail.yaml, as the platform file calls it (names.workflow)"}},
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
			path := dir
			if tt.at != "" {
				path = filepath.Join(dir, "features", tt.at)
			}
			code, out := run(t, cli.Options{}, "run", path, "--out", filepath.Join(dir, "out"))
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

// fenced is a block of the guide that names the file it is from.
var fenced = regexp.MustCompile("(?ms)^```([a-z/]+\\.[a-z]+)\n(.*?)^```$")

// TestGuideQuotes: what the guide shows of the example is what stands there, line for line.
func TestGuideQuotes(t *testing.T) {
	guide, err := os.ReadFile("../docs/guide/your-own-platform.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := fenced.FindAllStringSubmatch(string(guide), -1)
	for _, b := range blocks {
		text, err := os.ReadFile(filepath.Join(shell, b[1]))
		if err != nil || !strings.Contains("\n"+string(text), "\n"+b[2]) {
			t.Errorf("%s does not hold (%v)\n%s", b[1], err, b[2])
		}
	}
	if len(blocks) < 8 {
		t.Errorf("the guide quotes %d times, want 8 or more", len(blocks))
	}
}
