package budget_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/suite/budget"
)

const workflow = `name: e2e
on: push
jobs:
  lint:
    runs-on: ubuntu-latest
    steps:
      - run: go vet ./...
  behaviour:
    timeout-minutes: 45
    steps:
      - uses: actions/checkout@v4
      - run: go build ./...   # not a test
      - name: Test
        run: |
          set -e

          go test ./e2e -timeout 40m
`

// base is a budget that the workflow above keeps.
var base = budget.Budget{Workflow: "ci.yml", Job: "behaviour", Collection: 3 * time.Minute, Lease: 4 * time.Second, Scenario: 2 * time.Second, File: "understudy.yaml", Line: 5}

// told reads files and holds them to a budget for 100 scenarios.
func told(b budget.Budget, files map[string]string, jobs int) []string {
	found, problems := budget.Read(b, func(name string) ([]byte, error) {
		text, ok := files[name]
		if !ok {
			return nil, fmt.Errorf("open %s: %w", name, errors.New("no such file"))
		}
		return []byte(text), nil
	})
	if len(problems) == 0 {
		problems = budget.Check(b, found, 100, jobs)
	}
	var out []string
	for _, p := range problems {
		out = append(out, strings.TrimSuffix(fmt.Sprintf("%s:%d: %s | %s", p.File, p.Line, p.What, p.Hint), " | "))
	}
	return out
}

func TestBudget(t *testing.T) {
	const none = "when something hangs, the job is ended at its limit, timeout-minutes 45"
	for _, tt := range []struct {
		name     string
		old, new string // of the workflow
		change   func(*budget.Budget)
		jobs     int
		want     []string
	}{
		{name: "it fits"},
		{name: "both at the same limit", old: "40m", new: "45m", want: []string{
			"ci.yml:17: -timeout 45m is not less than the job's limit without collection: timeout-minutes 45 (line 9) − 3m = 42m | a time-out of less than 42m, or a limit of more than 48m"}},
		{name: "exactly the limit without collection", old: "40m", new: "42m", want: []string{
			"ci.yml:17: -timeout 42m is not less than the job's limit without collection: timeout-minutes 45 (line 9) − 3m = 42m | a time-out of less than 42m, or a limit of more than 45m"}},
		{name: "less than the suite", old: "40m", new: "9m59s", want: []string{
			"ci.yml:17: -timeout 9m59s is less than what the suite may take: 100 leases × 4s + 100 scenarios × 2s = 10m | a time-out of 10m or more"}},
		{name: "exactly the suite", old: "40m", new: "10m"},
		{name: "scenarios beside one another", old: "40m", new: "3m", jobs: 4, want: []string{}},
		{name: "scenarios beside one another, too many", old: "40m", new: "1m", jobs: 3, want: []string{
			"ci.yml:17: -timeout 1m is less than what the suite may take: 100 leases × 4s + 100 scenarios × 2s, 3 at once = 3m24s | a time-out of 3m24s or more"}},
		{name: "go test by default", old: " -timeout 40m", change: func(b *budget.Budget) { b.Lease = time.Minute }, want: []string{
			"ci.yml:17: go test without -timeout, which is 10m, is less than what the suite may take: 100 leases × 1m + 100 scenarios × 2s = 1h43m20s | a time-out of 1h43m20s or more"}},
		{name: "a job by default", old: "    timeout-minutes: 45\n", change: func(b *budget.Budget) { b.Collection = 5*time.Hour + 30*time.Minute }, want: []string{
			"ci.yml:16: -timeout 40m is not less than the job's limit without collection: timeout-minutes 360 (the default) − 5h30m = 30m | a time-out of less than 30m, or a limit of more than 6h10m"}},
		{name: "no time-out at all", old: "-timeout 40m", new: "-timeout 0", want: []string{
			"ci.yml:17: -timeout 0 is no time-out: " + none + " (line 9), and nothing is collected | give it one that is less than 42m"}},
		{name: "understudy without one", old: "go test ./e2e -timeout 40m", new: "understudy run e2e", want: []string{
			"ci.yml:17: understudy run has no time-out: " + none + " (line 9), and nothing is collected | give it one that is less than 42m"}},
		{name: "understudy with one", old: "go test ./e2e -timeout 40m", new: "go run example.com/cmd/understudy@latest run e2e --timeout=44m", want: []string{
			"ci.yml:17: --timeout 44m is not less than the job's limit without collection: timeout-minutes 45 (line 9) − 3m = 42m | a time-out of less than 42m, or a limit of more than 47m"}},
		{name: "understudy says how many at once, and how often", old: "go test ./e2e -timeout 40m", new: "understudy run e2e --timeout 10m --jobs 2 --repeat 3", jobs: 9, want: []string{
			"ci.yml:17: --timeout 10m is less than what the suite may take: 300 leases × 4s + 300 scenarios × 2s, 2 at once = 15m | a time-out of 15m or more"}},
		{name: "timeout(1)", old: "go test ./e2e -timeout 40m", new: "timeout -k 5 --signal=INT 50m understudy run e2e", want: []string{
			"ci.yml:17: timeout 50m is not less than the job's limit without collection: timeout-minutes 45 (line 9) − 3m = 42m | a time-out of less than 42m, or a limit of more than 53m"}},
		{name: "timeout(1) in seconds", old: "go test ./e2e -timeout 40m", new: "timeout 90 understudy run e2e", want: []string{
			"ci.yml:17: timeout 90s is less than what the suite may take: 100 leases × 4s + 100 scenarios × 2s = 10m | a time-out of 10m or more"}},
		{name: "the limit of the step", old: "      - name: Test\n", new: "      - name: Test\n        timeout-minutes: 30.5\n", want: []string{
			"ci.yml:14: -timeout 40m is not less than the limit of its step, timeout-minutes 30.5"}},
		{name: "collection takes all", change: func(b *budget.Budget) { b.Collection = time.Hour }, want: []string{
			"ci.yml:17: -timeout 40m is not less than the job's limit without collection: timeout-minutes 45 (line 9) − 1h = -15m | a limit of more than 1h40m"}},
		{name: "a line that goes on", old: "go test ./e2e -timeout 40m", new: "go test \\\n            ./e2e \\\n            -test.timeout=44m; echo done", want: []string{
			"ci.yml:17: -test.timeout 44m is not less than the job's limit without collection: timeout-minutes 45 (line 9) − 3m = 42m | a time-out of less than 42m, or a limit of more than 47m"}},
		{name: "the last flag counts, and what follows -args does not", old: "-timeout 40m", new: "-timeout 1m --timeout '44m' -args -timeout 2m", want: []string{
			"ci.yml:17: --timeout 44m is not less than the job's limit without collection: timeout-minutes 45 (line 9) − 3m = 42m | a time-out of less than 42m, or a limit of more than 47m"}},
		{name: "an anchor", old: "    timeout-minutes: 45", new: "    timeout-minutes: &limit 41\n    env: {X: *limit}", want: []string{
			"ci.yml:18: -timeout 40m is not less than the job's limit without collection: timeout-minutes 41 (line 9) − 3m = 38m | a time-out of less than 38m, or a limit of more than 43m"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := base
			if tt.change != nil {
				tt.change(&b)
			}
			if !strings.Contains(workflow, tt.old) {
				t.Fatalf("the workflow has no %q", tt.old)
			}
			got := told(b, map[string]string{"ci.yml": strings.Replace(workflow, tt.old, tt.new, 1)}, tt.jobs)
			if diff := cmp.Diff(tt.want, got); diff != "" && len(tt.want)+len(got) > 0 {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestBudgetRefuses(t *testing.T) {
	makefile := "# don't run it by hand\nquick:\n\t@go test ./...\n\nbehaviour:\n\t@$(GO) test ./e2e \\\n\t  -timeout 44m\n"
	for _, tt := range []struct {
		name     string
		old, new string
		change   func(*budget.Budget)
		want     string
	}{
		{"no file", "", "", func(b *budget.Budget) { b.Workflow = "none.yml" }, "understudy.yaml:5: read the CI file: open none.yml: no such file"},
		{"no YAML", "name: e2e", "name: [", nil, "ci.yml:2: it is no YAML: did not find expected ',' or ']'"},
		{"nothing", workflow, "", nil, "ci.yml:1: the file is empty"},
		{"no jobs", workflow, "a: b", nil, `ci.yml:1: there is no job "behaviour"; the file has no jobs`},
		{"another job", "  behaviour:", "  behavior:", nil, `ci.yml:4: there is no job "behaviour"; there are behavior, lint`},
		{"a job elsewhere", "    timeout-minutes: 45\n", "    uses: ./.github/workflows/e2e.yml\n", nil, `ci.yml:9: job "behaviour" calls ./.github/workflows/e2e.yml: name that file and a job of it`},
		{"no steps", "    timeout-minutes: 45\n    steps:", "    stages:", nil, `ci.yml:9: job "behaviour" has no steps`},
		{"an expression", "timeout-minutes: 45", "timeout-minutes: ${{ inputs.limit }}", nil, `ci.yml:9: job "behaviour": timeout-minutes is the expression ${{ inputs.limit }}, which is known only when it runs`},
		{"no number", "timeout-minutes: 45", "timeout-minutes: 45m", nil, `ci.yml:9: job "behaviour": timeout-minutes is "45m", which is no number of minutes`},
		{"nothing at all", "timeout-minutes: 45", "timeout-minutes: 0", nil, `ci.yml:9: job "behaviour": timeout-minutes is "0", which is no number of minutes`},
		{"not a number", "timeout-minutes: 45", "timeout-minutes: .nan", nil, `ci.yml:9: job "behaviour": timeout-minutes is ".nan", which is no number of minutes`},
		{"a step's", "      - name: Test\n", "      - name: Test\n        timeout-minutes: x\n", nil, `ci.yml:14: a step of job "behaviour": timeout-minutes is "x", which is no number of minutes`},
		{"no test", "go test ./e2e -timeout 40m", "make e2e", nil,
			"ci.yml:9: nothing here runs go test or understudy run | say what it is: command: go test ./e2e -timeout 40m, or command: {file: Makefile, contains: e2e}"},
		{"two tests", "go build ./...   # not a test", "go test ./... && true", nil,
			"ci.yml:9: 2 commands here run tests: line 12: go test ./...; line 17: go test ./e2e -timeout 40m | say which: command: {contains: TEXT}"},
		{"one of two tests", "go build ./...   # not a test", "go test ./... && true", func(b *budget.Budget) { b.Command.Contains = "./e2e" }, ""},
		{"none of two tests", "", "", func(b *budget.Budget) { b.Command.Contains = "./ui" },
			`ci.yml:9: nothing here runs go test or understudy run and contains "./ui" | say what it is: command: go test ./e2e -timeout 40m, or command: {file: Makefile, contains: e2e}`},
		{"a variable", "-timeout 40m", "-timeout ${LIMIT}", nil, `ci.yml:17: the time-out of go test is "${LIMIT}", which cannot be read as a time | write it out, such as 40m`},
		{"no value", "-timeout 40m", "-timeout", nil, `ci.yml:17: the time-out of go test is "", which cannot be read as a time | write it out, such as 40m`},
		{"less than nothing", "-timeout 40m", "-timeout -1s", nil, `ci.yml:17: the time-out of go test is "-1s", which cannot be read as a time | write it out, such as 40m`},
		{"the command here", "go test", "make", func(b *budget.Budget) { b.Command = budget.Command{Text: "go test ./e2e -timeout 40m", Line: 8} }, ""},
		{"the command here, too long", "go test", "make", func(b *budget.Budget) { b.Command = budget.Command{Text: "go test ./e2e -timeout 44m", Line: 8} },
			"understudy.yaml:8: -timeout 44m is not less than the job's limit without collection: timeout-minutes 45 (ci.yml:9) − 3m = 42m | a time-out of less than 42m, or a limit of more than 47m"},
		{"another command here", "", "", func(b *budget.Budget) { b.Command = budget.Command{Text: "make e2e", Line: 8} },
			`understudy.yaml:8: "make e2e" runs neither go test nor understudy run | name the file that has it: command: {file: Makefile}`},
		{"a Makefile", "", "", func(b *budget.Budget) { b.Command = budget.Command{File: "Makefile", Contains: "./e2e"} },
			"Makefile:6: -timeout 44m is not less than the job's limit without collection: timeout-minutes 45 (ci.yml:9) − 3m = 42m | a time-out of less than 42m, or a limit of more than 47m"},
		{"a Makefile with two", "", "", func(b *budget.Budget) { b.Command.File = "Makefile" },
			"Makefile:1: 2 commands here run tests: line 3: @go test ./...; line 6: @$(GO) test ./e2e -timeout 44m | say which: command: {contains: TEXT}"},
		{"no Makefile", "", "", func(b *budget.Budget) { b.Command.File = "makefile" }, "understudy.yaml:5: read the test command: open makefile: no such file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := base
			if tt.change != nil {
				tt.change(&b)
			}
			got := told(b, map[string]string{"ci.yml": strings.Replace(workflow, tt.old, tt.new, 1), "Makefile": makefile}, 0)
			if text := strings.Join(got, "\n"); text != tt.want {
				t.Errorf("got\n%s\nwant\n%s", text, tt.want)
			}
		})
	}
}

func TestBudgetOfGitLab(t *testing.T) {
	const pipeline = "stages: [test]\nbehaviour:\n  timeout: 1h 15m\n  script:\n    - go build ./...\n    - - |\n        cd e2e\n        go test . -timeout 70m\n"
	for _, tt := range []struct{ name, old, new, want string }{
		{"it fits", "", "", ""},
		{"as long as the job", "70m", "1h15m", "ci.yml:8: -timeout 1h15m is not less than the job's limit without collection: timeout 1h 15m (line 3) − 3m = 1h12m | a time-out of less than 1h12m, or a limit of more than 1h18m"},
		{"in words", "1h 15m", "1 hour, 10 minutes and 30 seconds", "ci.yml:8: -timeout 70m is not less than the job's limit without collection: timeout 1 hour, 10 minutes and 30 seconds (line 3) − 3m = 1h7m30s | " +
			"a time-out of less than 1h7m30s, or a limit of more than 1h13m"},
		{"by default", "  timeout: 1h 15m\n", "", "ci.yml:7: -timeout 70m is not less than the job's limit without collection: timeout 1h (the default) − 3m = 57m | a time-out of less than 57m, or a limit of more than 1h13m"},
		{"without a unit", "1h 15m", "75", `ci.yml:3: job "behaviour": timeout is "75", which cannot be read as a time; it is such as 1h 30m`},
		{"nothing", "1h 15m", "0 minutes", `ci.yml:3: job "behaviour": timeout is "0 minutes", which is no time`},
		{"more than there is", "1h 15m", "99999999999 days", `ci.yml:3: job "behaviour": timeout is "99999999999 days", which is more than there is`},
		{"another job", "behaviour:", "behavior:", `ci.yml:1: there is no job "behaviour"; the file has no jobs`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(pipeline, tt.old, tt.new, 1)
			if got := strings.Join(told(base, map[string]string{"ci.yml": text}, 0), "\n"); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// FuzzRead: whatever the CI file is, there is either a problem with a place, or a limit.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{workflow, "jobs: {behaviour: {steps: [{run: 'timeout 5d go test'}]}}", "jobs: &a {behaviour: *a}", "jobs: &a [*a]", "jobs: {behaviour: {timeout-minutes: 1e400, steps: [null, *x]}}",
		"jobs:\n  behaviour:\n    steps:\n      - run: >\n          go test \\\n", "jobs: {behaviour: {steps: [{run: \"go test -timeout='\"}]}}", "a: !!binary x\n---\nb", "", "behaviour: {timeout: 1h 5 m and 3d, script: &a [[go test], *a]}", "behaviour: {script: &a [*a]}", "\xff"} {
		f.Add(seed, "")
	}
	f.Add("", "x:\n\tgo test -timeout \\")
	f.Fuzz(func(t *testing.T, ci, script string) {
		b := base
		if script != "" {
			b.Command.File = "Makefile"
		}
		found, problems := budget.Read(b, func(name string) ([]byte, error) {
			if name == "Makefile" {
				return []byte(script), nil
			}
			return []byte(ci), nil
		})
		lines := max(strings.Count(ci, "\n"), strings.Count(script, "\n")) + 1
		if len(problems) == 0 {
			problems = budget.Check(b, found, 100, 4)
			if found.Job.Time <= 0 || found.Command.Time < 0 || found.Command.As == "" {
				t.Errorf("found %+v", found)
			}
		}
		for _, p := range problems {
			if p.File == "" || p.Line < 1 || p.Line > max(lines, 5) || p.What == "" || strings.Contains(p.What, "\n") {
				t.Errorf("%+v of %d lines", p, lines)
			}
		}
	})
}
