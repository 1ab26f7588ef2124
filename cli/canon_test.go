package cli_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/result"
)

// TestRunsAreEqual runs a part of the acceptance suite, green and with a defect, one scenario after the other,
// eight at once, and in a random order, from copies of one installation and each installed afresh: what
// must be equal is. What is kept of each run can be judged
// again, with the same verdicts, and rendered; understudy diff finds them alike, and where the defect
// makes the two part.
func TestRunsAreEqual(t *testing.T) {
	random, dir := fmt.Sprint(1+rand.IntN(1_000_000)), t.TempDir()
	kept := map[string]string{}
	for name, tt := range map[string]struct {
		code  int
		which []string
		runs  [][]string
	}{
		"green": {0, nil, [][]string{{"--jobs", "1", "--seed", "1"}, {"--jobs", "8", "--seed", "2"}, {"--jobs", "4", "--seed", random, "--fresh"}}},
		"red":   {1, []string{"--defect", "schema-check-killed"}, [][]string{{"--jobs", "1"}, {"--jobs", "8", "--fresh"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var first string
			for i, args := range tt.runs {
				out := filepath.Join(dir, name, strconv.Itoa(i))
				got := canonOfRun(t, tt.code, out, append(args, tt.which...))
				if i == 0 {
					first, kept[name] = got, out
					continue
				}
				if diff := cmp.Diff(first, got); diff != "" {
					t.Errorf("%v (-first +this): %s", args, diff)
				}
				if code, text := run(t, cli.Options{}, "diff", kept[name], out); code != 0 || !strings.Contains(text, fmt.Sprintf("alike: %d scenarios", scenariosIn(t, acceptance, compared()...))) {
					t.Errorf("diff: exit code %d\n%s", code, text)
				}
			}
		})
	}
	code, text := run(t, cli.Options{}, "diff", kept["green"], kept["red"], "--scenario", "triage.feature:44")
	for _, want := range []string{"passed → failed", `step 5 the triage workflow fails reporting`, "crew with defect schema-check-killed",
		"A  run (triage) → failure by write error=ok Emit triage JSON (write_fixture)", "B  run (triage) → failure by write error=crew: error: post for triage",
		"1 of 1 scenario unlike"} {
		if code != 1 || !strings.Contains(text, want) {
			t.Errorf("diff of green and red: exit code %d, want %q in\n%s", code, want, text)
		}
	}
}

// compared are the features that TestRunsAreEqual runs five times: those in which runs hand over to one another,
// repositories are forked, pushed to and fetched from, a tracker is polled, and things are held.
func compared() []string {
	return []string{"triage.feature", "operations.feature", "fork.feature", "handoff.feature", "url.feature", "tracker.feature", "midflight.feature"}
}

func canonOfRun(t *testing.T, want int, out string, args []string) string {
	t.Helper()
	var paths []string
	for _, name := range compared() {
		paths = append(paths, filepath.Join(acceptance, "features", name))
	}
	code, text := run(t, cli.Options{}, slices.Concat([]string{"run"}, paths, []string{"--out", out}, args)...)
	if code != want {
		t.Fatalf("%v: exit code %d, want %d\n%s", args, code, want, text)
	}
	if code, text := run(t, cli.Options{}, "judge", out, "--strict"); code != want || !strings.HasPrefix(text, "same verdicts") {
		t.Errorf("%v: judged again, exit code %d\n%s", args, code, text)
	}
	for _, file := range []string{"report.md", "messages.ndjson", "junit.xml", "index.html"} {
		if info, err := os.Stat(filepath.Join(out, "runs", runDir(t, out), file)); err != nil || info.Size() == 0 {
			t.Errorf("%v: %v", args, err)
		}
	}
	r, err := result.Read(filepath.Join(out, "record.json"))
	if err != nil {
		t.Fatal(err)
	}
	installed, enrolled := map[string]int{}, 0
	for _, s := range r.Cells[0].Trials[0].Scenarios {
		if slices.ContainsFunc(s.Steps, func(st result.Step) bool { return st.Text == "the enrolled test repository" }) {
			enrolled++
		}
		for _, e := range s.Journal {
			if e.Type == "platform.installed" {
				installed[e.Detail["from"]]++
			}
		}
	}
	wantInstalled := map[string]int{"install": 1, "copy": enrolled - 1}
	if slices.Contains(args, "--fresh") {
		wantInstalled = map[string]int{"install": enrolled}
	}
	if diff := cmp.Diff(wantInstalled, installed); diff != "" {
		t.Errorf("%v: installed (-want +got): %s", args, diff)
	}
	return string(result.Canon(r))
}
