package oracletest_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/internal/chromium"
	"github.com/understudy-dev/understudy/result"
)

// TestCucumberFormatter renders the messages of real runs with the official HTML formatter and looks at
// the page in a browser. CUCUMBER_FORMATTER names the node_modules that has it.
func TestCucumberFormatter(t *testing.T) {
	modules := os.Getenv("CUCUMBER_FORMATTER")
	if modules == "" {
		t.Skip("skipped: CUCUMBER_FORMATTER is not set, so the official formatter saw no messages; .ci/run installs it")
	}
	program, err := chromium.Find()
	if err != nil {
		t.Skip("skipped: chromium is not installed, so nobody looked at the formatter's page")
	}
	b, err := chromium.Start(context.WithoutCancel(t.Context()), program, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("chromium: %v", err)
		}
	})
	for name, tt := range map[string]struct {
		code int
		args []string
	}{
		"green": {0, []string{"dispatch.feature"}},
		"red":   {1, []string{"triage.feature", "--defect", "schema-check-killed", "--repeat", "2"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := ran(t, tt.code, tt.args)
			page := filepath.Join(t.TempDir(), "cucumber.html")
			cmd := exec.Command("node", "formatter.mjs", modules, filepath.Join(dir, "messages.ndjson"), page)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("the formatter refuses the messages: %v\n%s", err, out)
			}
			var text string
			for _, err := range []error{b.Tab(), b.Open("file://" + page), b.Until(`document.body.textContent.includes("Scenarios")`), b.Eval(`
				[...document.querySelectorAll('[aria-expanded="false"]')].forEach(e => e.click())`, nil), b.Eval(`document.body.innerText`, &text)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			r, err := result.Read(filepath.Join(dir, "record.json"))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range shown(r) {
				if !strings.Contains(text, want) {
					t.Errorf("the page does not show %q; it shows\n%.3000s", want, text)
				}
			}
			if complaints := b.Complaints(); len(complaints) > 0 {
				t.Errorf("the browser complains: %q", complaints)
			}
		})
	}
}

// ran runs features of the acceptance suite and returns the run's directory.
func ran(t *testing.T, want int, args []string) string {
	t.Helper()
	out := t.TempDir()
	var b bytes.Buffer
	env := slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "GITHUB_") })
	args = append([]string{"run", "--out", out, "../../examples/acceptance/features/" + args[0]}, args[1:]...)
	if code := cli.Main(cli.Options{Args: args, Env: env, Stdout: &b, Stderr: &b}); code != want {
		t.Fatalf("exit code %d\n%s", code, &b)
	}
	dirs, err := filepath.Glob(filepath.Join(out, "runs", "*"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("runs: %v, %v", dirs, err)
	}
	return dirs[0]
}

// shown are the names of all scenarios and what went wrong in each that did not pass.
func shown(r result.Record) (all []string) {
	for s := range r.Scenarios() {
		all = append(all, s.Name)
		for _, st := range s.Steps {
			if st.Problem != nil {
				all = append(all, strings.SplitN(st.Problem.What, "\n", 2)[0])
			}
		}
	}
	return all
}
