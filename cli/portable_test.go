package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
)

// TestPortable runs the same features on two platforms that share no name, place or format: what differs is in
// their platform files.
func TestPortable(t *testing.T) {
	for _, dir := range []string{"../examples/acceptance/portable", "../examples/shell/portable"} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			code, out := run(t, cli.Options{}, "run", dir, "--out", t.TempDir())
			if code != 0 || !strings.Contains(out, "7 passed") {
				t.Errorf("exit code %d\n%s", code, out)
			}
			if code, out := run(t, cli.Options{}, "lint", dir); code != 0 {
				t.Errorf("lint: exit code %d\n%s", code, out)
			}
		})
	}
}

// TestPortableFeaturesNameNoPlatform: they would not be portable.
func TestPortableFeaturesNameNoPlatform(t *testing.T) {
	files, err := filepath.Glob("../examples/portable/*.feature")
	if err != nil || len(files) < 2 {
		t.Fatalf("got %q, %v", files, err)
	}
	own := regexp.MustCompile(`(?i)\b(crew|postroom|triage\w*|sort\w*|answer\w*|desk|agent-result|shelf|kill_switch)\b`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		bare := regexp.MustCompile(`<platform:[^<>]*>`).ReplaceAll(text, nil)
		if found := own.FindAll(bare, -1); len(found) > 0 {
			t.Errorf("%s says %q", file, found)
		}
	}
}

// TestPlatformWords holds what is wrong with a word to its place, before anything runs.
func TestPlatformWords(t *testing.T) {
	for _, tt := range []struct {
		name, file, old, new string
		want                 string
	}{
		{"a word that the platform lacks", "portable/platform.yaml", "  done: sorted\n", "",
			`features/limits.feature:15: <platform:done>: the words of PLATFORM have no "done"; they are answer, `},
		{"a word that nobody knows", "features/limits.feature", "<platform:branch-refusal>", "<platform:branch-refusa>", `features/limits.feature:35: <platform:branch-refusa>: the words of `},
		{"in a name", "features/limits.feature", "Another label starts", "<platform:label> starts", "features/limits.feature:40: <platform:label> stands in a name or a tag"},
		{"in a tag", "features/limits.feature", "  Scenario: Another", "  @<platform:label>\n  Scenario: Another", "features/limits.feature:41: <platform:label> stands in a name or a tag"},
		{"no words at all", "portable/platform.yaml", "words:\n", "capabilities: {}\nvowels:\n", `platform.yaml:`},
		{"a word that is no text", "portable/platform.yaml", "  done: sorted\n", "  done: [sorted]\n", `word "done" is no text`},
		{"a word with a bad name", "portable/platform.yaml", "  done: sorted\n", "  Done: sorted\n", `word "Done": a name is lower-case letters`},
		{"a word of words", "portable/platform.yaml", "  done: sorted\n", "  done: <platform:label>\n", `word "done" is made of another one`},
		{"a word twice", "portable/platform.yaml", "  done: sorted\n", "  done: sorted\n  done: sorted\n", `key "done" is given twice`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for from, to := range map[string]string{"../examples/portable": "features", shell: "portable"} {
				if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(from)); err != nil {
					t.Fatal(err)
				}
			}
			config := "platform: platform.yaml\nfeatures: ../features\n"
			if err := os.WriteFile(filepath.Join(dir, "portable/understudy.yaml"), []byte(config), 0o644); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, tt.file)
			text, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(text), tt.old) {
				t.Fatalf("%s has no %q (%v)", file, tt.old, err)
			}
			if err := os.WriteFile(file, []byte(strings.Replace(string(text), tt.old, tt.new, 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			want := strings.TrimPrefix(strings.Split(tt.want, "PLATFORM")[0], "features/")
			for _, command := range []string{"plan", "lint"} {
				code, out := run(t, cli.Options{}, command, filepath.Join(dir, "portable"))
				if code != 2 || !strings.Contains(out, want) || strings.Contains(out, "undefined") || strings.Contains(out, "unused") {
					t.Errorf("%s: exit code %d\n%s\nwant it to contain %q", command, code, out, want)
				}
			}
		})
	}
}
