//go:build linux

package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/result"
)

// recorded runs one scenario of the acceptance suite and moves its run elsewhere, as an artifact of CI is.
func recorded(t *testing.T) string {
	t.Helper()
	out := t.TempDir()
	if code, text := run(t, cli.Options{}, "run", acceptance+"/features/triage.feature:6", "--out", out); code != 0 {
		t.Fatalf("exit code %d\n%s", code, text)
	}
	moved := filepath.Join(t.TempDir(), "artifact")
	if err := os.Rename(filepath.Join(out, "runs", runDir(t, out)), moved); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(out); err != nil {
		t.Fatal(err)
	}
	return moved
}

// TestOpenBringsTheForgeBack opens a scenario at three places and talks to each as it says.
func TestOpenBringsTheForgeBack(t *testing.T) {
	moved := recorded(t)
	for _, tt := range []struct {
		name, what string
		at         []string
		labels     string
		before     string // the step whose entry ends what is brought back; "" is none
	}{
		{"before the label", "after step 3 of 9, And a dummy agent that would:", []string{"--at", "3"}, "", "step:4"},
		{"after the label", `after step 4 of 9, When the issue is labeled "ready-for-triage"`, []string{"--at", "the issue is labeled"}, "ready-for-triage", "step:5"},
		{"the end", "at its end", nil, "ready-for-triage triaged ready-to-code", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, "issues?state=all", append([]string{"open", moved, "triage.feature:6"}, tt.at...)...)
			if !strings.HasPrefix(s.welcome, "triage.feature:6 Triage labels a sufficient issue (passed), "+tt.what+"\n") {
				t.Errorf("got\n%s", s.welcome)
			}
			dir := t.TempDir()
			s.paste(dir, `cd test-repo-*; git log --format=%s >../log; R=acme/$(basename "$PWD"); cd ..`,
				`get() { curl -fsS -H "Authorization: Bearer $GITHUB_TOKEN" "$GITHUB_API_URL/repos/$R/$1"; }`,
				`get issues/1 > issue; get actions/runs > runs; curl -fsS "${GITHUB_API_URL%/api/v3}/_/" > page`,
				`if grep -q triaged issue; then get actions/runs/2/artifacts > artifacts; get "actions/jobs/1/logs" -L > /dev/null; fi`)
			for file, want := range map[string][]string{
				"log": {"README"}, "page": {"triage.feature:6", "Workflows do not run here"}, "issue": strings.Fields(tt.labels),
			} {
				got, err := os.ReadFile(filepath.Join(dir, file))
				for _, w := range want {
					if err != nil || file != "log" && !strings.Contains(string(got), w) || len(got) == 0 {
						t.Errorf("%s: %v, want %q in\n%.600s", file, err, w, got)
					}
				}
				if file == "issue" && tt.labels == "" && !strings.Contains(string(got), `"labels":[]`) {
					t.Errorf("the issue has labels already: %.900s", got)
				}
			}
			want := fmt.Sprintf(`{"total_count":%d,`, runsBefore(t, moved, tt.before))
			if runs, err := os.ReadFile(filepath.Join(dir, "runs")); err != nil || !strings.HasPrefix(string(runs), want) {
				t.Errorf("runs: %v, want %s in\n%.600s", err, want, runs)
			}
			if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			if code := s.wait(); code != 0 || s.err.Len() > 0 {
				t.Errorf("exit code %d\n%s", code, s.err.String())
			}
			if left, _ := filepath.Glob(filepath.Join(s.tmp, "understudy-*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// runsBefore is how many runs the journal has before a step: how far those that events start have come by then
// is a matter of time.
func runsBefore(t *testing.T, record, step string) (n int) {
	t.Helper()
	r, err := result.Read(filepath.Join(record, "record.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Cells[0].Trials[0].Scenarios[0].Journal {
		switch {
		case e.Type == "step" && e.Subject == step:
			return n
		case e.Type == "run.created":
			n++
		}
	}
	if step != "" {
		t.Fatalf("the journal has no %s", step)
	}
	return n
}

func TestOpenUsage(t *testing.T) {
	moved, red := recorded(t), kept(t, "red", nil)
	r, err := result.Read(moved + "/record.json")
	if err != nil {
		t.Fatal(err)
	}
	var archive string
	for _, ref := range r.Cells[0].Trials[0].Scenarios[0].Evidence {
		if ref.MediaType == driver.ForgeArchive {
			archive = ref.Path
		}
	}
	data, err := os.ReadFile(filepath.Join(moved, archive))
	if err != nil {
		t.Fatal(err)
	}
	alone, torn := t.TempDir(), t.TempDir()
	copyTo := func(dir, name string, data []byte) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	record, err := os.ReadFile(moved + "/record.json")
	if err != nil {
		t.Fatal(err)
	}
	copyTo(alone, "record.json", record)
	copyTo(torn, "record.json", record)
	copyTo(torn, archive, bytes.Replace(data, []byte(`"version":1`), []byte(`"version":2`), 1))
	id := "triage.feature:6"
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"accepts 2 arg(s)", []string{moved}},
		{`no scenario "triage.feature:7"`, []string{moved, "triage.feature:7"}},
		{"the nearest of its 1 is triage.feature:6", []string{moved, "triage.feature:7"}},
		{"has the steps 1 to 9", []string{moved, id, "--at", "10"}},
		{"has the steps 1 to 9", []string{moved, id, "--at", "0"}},
		{`"nobody" is in no step`, []string{moved, id, "--at", "nobody"}},
		{"give a number", []string{moved, id, "--at", "the issue"}},
		{"--at is empty", []string{moved, id, "--at", ""}},
		{"has no trial 2; the last is 1", []string{moved, id, "--trial", "2"}},
		{"--port is 1 to 65535", []string{moved, id, "--port", "0"}},
		{"the record has no forge of triage.feature:6", []string{red, id}},
		{"run it again with this understudy", []string{red, id}},
		{"there is no " + alone + "/" + archive, []string{alone, id}},
		{"copy the run's whole directory", []string{alone, id}},
		{"its digest is another", []string{torn, id}},
		{"there is no record", []string{t.TempDir(), id}},
	} {
		if code, out := run(t, cli.Options{}, append([]string{"open"}, tt.args...)...); code != 2 || !strings.Contains(out, tt.want) {
			t.Errorf("%v: exit code %d, want 2\n%s\nwant it to contain %q", tt.args, code, out, tt.want)
		}
	}
}
