package behaviourtest_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/result"
)

// program is the test binary of testdata/red.
type program struct{ path string }

// TestSuitesAsPrograms runs suites, most of them red, as go test runs them.
func TestSuitesAsPrograms(t *testing.T) {
	p := build(t)
	for name, test := range map[string]func(*testing.T, program){
		"subtests in order":                 subtestsInOrder,
		"blocks and evidence":               blocksAndEvidence,
		"the deadline of go test":           deadline,
		"a platform that does not build":    unbuildable,
		"an interrupt":                      interrupt,
		"variables are refused by name":     variables,
		"capabilities are declared":         capabilities,
		"mistakes are told before anything": mistakes,
	} {
		t.Run(name, func(t *testing.T) { test(t, p) })
	}
}

func build(t *testing.T) program {
	t.Helper()
	p := program{filepath.Join(t.TempDir(), "red.test")}
	out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", p.path, "./testdata/red").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return p
}

// run runs it in its directory, as go test does, with flags without "test." and variables.
func (p program) run(t *testing.T, flags string, variables ...string) (out string, code int) {
	t.Helper()
	var args []string
	for f := range strings.FieldsSeq(flags) {
		args = append(args, "-test."+f)
	}
	cmd := exec.CommandContext(t.Context(), p.path, args...)
	cmd.Dir = "testdata/red"
	cmd.Env = append(os.Environ(), variables...)
	b, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(b), cmd.ProcessState.ExitCode()
}

var ends = regexp.MustCompile(`--- (\w+): (\S+)`)

// subtests returns "PASS red.feature:4" and so on, in the order of the output.
func subtests(out string) (all []string) {
	for _, m := range ends.FindAllStringSubmatch(out, -1) {
		if _, id, ok := strings.Cut(m[2], "/"); ok {
			all = append(all, m[1]+" "+id)
		}
	}
	return all
}

func subtestsInOrder(t *testing.T, p program) {
	for name, tt := range map[string]struct {
		flags     string
		variables []string
		want      []string
		code      int
	}{
		"all":               {"v run=TestRed", nil, []string{"PASS red.feature:4", "FAIL red.feature:7", "FAIL red.feature:10", "SKIP red.feature:14", "PASS red.feature:18"}, 1},
		"one":               {"v run=TestRed/red.feature:18", nil, []string{"PASS red.feature:18"}, 0},
		"anchored":          {"v run=^TestRed$/^red.feature:1[08]$", nil, []string{"FAIL red.feature:10", "PASS red.feature:18"}, 1},
		"alternatives":      {"v run=TestRed/:4$|TestRed/:18$", nil, []string{"PASS red.feature:4", "PASS red.feature:18"}, 0},
		"skip":              {"v run=TestRed skip=TestRed/:(7|10)$", nil, []string{"PASS red.feature:4", "SKIP red.feature:14", "PASS red.feature:18"}, 0},
		"nothing":           {"v run=TestRed/red.feature:99", nil, nil, 1},
		"tags":              {"v run=TestRed", []string{"GODOG_TAGS=@ok and not @last"}, []string{"PASS red.feature:4"}, 0},
		"tags as for godog": {"v run=TestRed", []string{"GODOG_TAGS=@ok,@no && ~@last"}, []string{"PASS red.feature:4"}, 0},
		"tags of nothing":   {"v run=TestRed", []string{"GODOG_TAGS=@no"}, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			out, code := p.run(t, tt.flags, append(tt.variables, "BEHAVIOUR_ARTIFACT_DIR="+dir)...)
			if got := subtests(out); code != tt.code || !slices.Equal(got, tt.want) {
				t.Errorf("exit code %d, want %d; subtests %q, want %q\n%s", code, tt.code, got, tt.want, out)
			}
			if tt.want == nil {
				if !strings.Contains(out, "no scenario is selected") {
					t.Errorf("it does not say that nothing was selected:\n%s", out)
				}
				return
			}
			// What is not shown was not worked for.
			if got := len(record(t, filepath.Join(dir, "TestRed-1")).Cells[0].Trials[0].Scenarios); got != len(tt.want) {
				t.Errorf("the record has %d scenarios, want %d", got, len(tt.want))
			}
		})
	}
}

// unbuildable: what fails before the first scenario is told once.
func unbuildable(t *testing.T, p program) {
	out, code := p.run(t, "v run=TestUnbuildable")
	if code != 1 || len(subtests(out)) > 0 || strings.Count(out, "no such luck\n") != 1 {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

func record(t *testing.T, dir string) result.Record {
	t.Helper()
	rec, err := result.Read(filepath.Join(dir, "record.json"))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func blocksAndEvidence(t *testing.T, p program) {
	dir := t.TempDir()
	out, _ := p.run(t, "run=TestRed", "BEHAVIOUR_ARTIFACT_DIR="+dir, "GODOG_CONCURRENCY=1")
	for _, want := range []string{
		"✗ red.feature:7  Fails", "expected  2", "seen      1", `the step is undefined: "nobody knows"`,
		"report: " + dir + "/TestRed-1/index.html",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "✓") {
		t.Errorf("what passed is shown without -v:\n%s", out)
	}
	if got := record(t, filepath.Join(dir, "TestRed-1")).Jobs; got != 1 {
		t.Errorf("GODOG_CONCURRENCY=1: %d at once", got)
	}
	p.run(t, "run=TestRed", "BEHAVIOUR_ARTIFACT_DIR="+dir)
	for _, name := range []string{"TestRed-1/index.html", "TestRed-1/junit.xml", "TestRed-2/record.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	p.run(t, "run=TestRed artifacts outputdir="+dir)
	if found, _ := filepath.Glob(filepath.Join(dir, "_artifacts", "*", "record.json")); len(found) != 1 {
		t.Errorf("-artifacts: the record is not where go test keeps artifacts: %q", found)
	}
}

// deadline: the evidence is kept before go test panics.
func deadline(t *testing.T, p program) {
	dir := t.TempDir()
	out, code := p.run(t, "v run=TestSlow timeout=6s", "BEHAVIOUR_ARTIFACT_DIR="+dir)
	if code != 1 || strings.Contains(out, "panic:") || !strings.Contains(out, "nearly over") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	s := record(t, filepath.Join(dir, "TestSlow-1")).Cells[0].Trials[0].Scenarios[0]
	if s.Verdict != result.Broken || s.Steps[0].Verdict != result.Passed || s.Steps[1].Problem.What != "interrupted" {
		t.Errorf("got %+v", s)
	}
}

func variables(t *testing.T, p program) {
	for variable, want := range map[string]string{
		"BEHAVIOUR_SCM=gitlab":                 "not built yet",
		"BEHAVIOUR_SCM=sourceforge":            "there is no such value",
		"BEHAVIOUR_CI=gitlabci":                "not built yet",
		"BEHAVIOUR_INSTALL_MODE=per-org":       "not built yet",
		"ENVIRONMENT=stage":                    "not built yet",
		"PLAYBACK_RUNTIME=dummy-playback":      "not built yet",
		"BEHAVIOUR_CONFIG_PRESET=none.yaml":    "stat none.yaml: no such file",
		"BEHAVIOUR_POOL_SIZE=0":                "it is a number",
		"BEHAVIOUR_SCN=github":                 "there is no such variable",
		"BEHAVIOUR_CAPABILITIES=a,,b":          "is not a name",
		"GODOG_CONCURRENCY=many":               "it is a number",
		"GODOG_CONCURRENCY=-1":                 "it is a number",
		"GODOG_TAGS=@a and":                    "ends too early",
		"BEHAVIOUR_ARTIFACT_DIR=red_test.go/x": "not a directory",
	} {
		t.Run(variable, func(t *testing.T) {
			out, code := p.run(t, "v run=TestRed", variable)
			name, _, _ := strings.Cut(variable, "=")
			if name == "GODOG_TAGS" {
				name = "tag expression"
			}
			if code != 1 || len(subtests(out)) > 0 || !strings.Contains(out, name) || !strings.Contains(out, want) {
				t.Errorf("exit code %d; want %q and %q, and nothing started\n%s", code, name, want, out)
			}
		})
	}
	out, code := p.run(t, "run=TestRed/:4$", "BEHAVIOUR_SCM=github", "BEHAVIOUR_CI=githubactions", "BEHAVIOUR_INSTALL_MODE=per-repo",
		"ENVIRONMENT=dev", "BEHAVIOUR_CAPABILITIES=", "PLAYBACK_RUNTIME=", "GODOG_CONCURRENCY=0", "BEHAVIOUR_ARTIFACT_DIR=", "GODOG_TAGS=")
	if code != 0 {
		t.Errorf("the defaults are refused:\n%s", out)
	}
}

func mistakes(t *testing.T, p program) {
	out, code := p.run(t, "v run=TestMistaken")
	if code != 1 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{
		"feature path feature: there is no feature in", "no FeaturePaths are given", "FixturesRoot: there is no no/such",
		"Platform: there is no platform.yaml", "red.feature:1: no scenario at this line", "the pattern does not compile",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
}

func capabilities(t *testing.T, p program) {
	if out, code := p.run(t, "v run=TestNeeds", "BEHAVIOUR_CAPABILITIES=other, lamp"); code != 0 {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if out, code := p.run(t, "v run=TestNeeds", "BEHAVIOUR_CAPABILITIES="); code != 1 || !strings.Contains(out, "@requires:capability:lamp") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// interrupt: the first one keeps the evidence, and no other test runs.
func interrupt(t *testing.T, p program) {
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), p.path, "-test.run=TestSlow|TestWaitsInVain", "-test.v")
	cmd.Dir, cmd.Env = "testdata/red", append(os.Environ(), "BEHAVIOUR_ARTIFACT_DIR="+dir)
	var out strings.Builder
	pipe, err := cmd.StdoutPipe()
	cmd.Stderr = cmd.Stdout // one pipe, so that one goroutine writes to out
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		out.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "waiting") {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	err = cmd.Wait()
	if cmd.ProcessState.ExitCode() != 130 || !strings.Contains(out.String(), "understudy: interrupted   record: ") {
		t.Errorf("it ended with %v\n%s", err, out.String())
	}
	if strings.Contains(out.String(), "TestWaitsInVain") {
		t.Errorf("another test was run:\n%s", out.String())
	}
	s := record(t, filepath.Join(dir, "TestSlow-1")).Cells[0].Trials[0].Scenarios[0]
	if s.Verdict != result.Broken || s.Steps[1].Problem.What != "interrupted" {
		t.Errorf("got %+v", s)
	}
}
