package actions_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/actions"
)

const onLabel = "on: {issues: {types: [labeled]}}\n"

func TestJobs(t *testing.T) {
	for name, tc := range map[string]struct{ workflow, want string }{
		"outputs reach the needing job": {`jobs:
  a:
    runs-on: ubuntu-latest
    outputs: {word: "${{ steps.w.outputs.word }}"}
    steps: [{id: w, run: 'echo word=blue >> "$GITHUB_OUTPUT"'}]
  b:
    needs: a
    if: needs.a.outputs.word == 'BLUE' && needs.a.result == 'success'
    name: paint ${{ needs.a.outputs.word }}
    runs-on: ubuntu-latest
    steps: [{run: 'test "${{ needs.a.outputs.word }}" = blue'}]
`, "run ci.yml success\n  a success\n  paint blue success\n"},
		"a failure skips what follows, also behind always()": {`jobs:
  a: {runs-on: ubuntu-latest, steps: [{run: exit 1}]}
  b: {needs: a, runs-on: ubuntu-latest, steps: [{run: "true"}]}
  c: {needs: a, if: always(), runs-on: ubuntu-latest, steps: [{run: "true"}]}
  d: {needs: c, runs-on: ubuntu-latest, steps: [{run: "true"}]}
  e: {needs: [c], if: failure(), runs-on: ubuntu-latest, steps: [{run: "true"}]}
`, "run ci.yml failure\n  a failure\n  b skipped\n  c success\n  d skipped\n  e success\n"},
		"a matrix from an output": {`jobs:
  dispatch:
    runs-on: ubuntu-latest
    outputs: {matrix: "${{ steps.d.outputs.matrix }}"}
    steps:
      - id: d
        run: echo 'matrix={"include":[{"stage":"triage","label":"z"},{"stage":"code","label":"a"}]}' >> "$GITHUB_OUTPUT"
  run:
    needs: dispatch
    strategy: {matrix: "${{ fromJSON(needs.dispatch.outputs.matrix) }}"}
    runs-on: ubuntu-latest
    steps: [{run: 'test "${{ matrix.stage }}" != ""'}]
`, "run ci.yml success\n  dispatch success\n  run (triage, z) success\n  run (code, a) success\n"},
		"a job whose cells are all excluded is skipped": {`jobs:
  run:
    strategy: {matrix: {x: [1], exclude: [{x: 1}]}}
    runs-on: ubuntu-latest
    steps: [{run: "false"}]
  after: {needs: run, runs-on: ubuntu-latest, steps: [{run: "true"}]}
`, "run ci.yml skipped\n  run skipped\n  after skipped\n"},
		"a matrix that cannot be read fails the job": {`jobs:
  run:
    strategy: {matrix: "${{ fromJSON(github.event.label.name) }}"}
    runs-on: ubuntu-latest
    steps: [{run: "true"}]
`, "run ci.yml failure\n  run failure\n"},
		"names of matrix jobs": {`jobs:
  test:
    strategy: {matrix: {os: [ubuntu-latest, ubuntu-22.04], n: [1]}}
    name: test on ${{ matrix.os }}
    runs-on: ${{ matrix.os }}
    steps: [{run: "true"}]
  lint:
    name: Lint
    strategy: {matrix: {go: ["1.26"], include: [{go: "1.26", fast: true}]}}
    runs-on: ubuntu-latest
    steps: [{run: "true"}]
`, "run ci.yml success\n  test on ubuntu-latest success\n  test on ubuntu-22.04 success\n  Lint (1.26, true) success\n"},
		"fail-fast false lets the others go on": {`jobs:
  m:
    strategy: {fail-fast: false, max-parallel: 1, matrix: {x: [1, 2, 3]}}
    runs-on: ubuntu-latest
    steps: [{run: "test ${{ matrix.x }} != 1"}]
`, "run ci.yml failure\n  m (1) failure\n  m (2) success\n  m (3) success\n"},
		"fail-fast cancels the others": {`jobs:
  m:
    strategy: {max-parallel: 1, matrix: {x: [1, 2, 3]}}
    runs-on: ubuntu-latest
    steps: [{run: "test ${{ matrix.x }} != 1"}]
`, "run ci.yml failure\n  m (1) failure\n  m (2) cancelled\n  m (3) cancelled\n"},
		"continue-on-error forgives": {`jobs:
  a: {continue-on-error: true, runs-on: ubuntu-latest, steps: [{run: exit 1}]}
  b: {needs: a, runs-on: ubuntu-latest, steps: [{run: "true"}]}
`, "run ci.yml success\n  a failure\n  b success\n"},
		"an unknown runner from an expression fails the job": {`jobs:
  a: {runs-on: "${{ github.event.label.name }}", steps: [{run: "true"}]}
`, "run ci.yml failure\n  a failure\n"},
		"variables that the host does not tell fail what asks for them": {`jobs:
  a: {if: vars.ENABLED, runs-on: ubuntu-latest, steps: [{run: "true"}]}
`, "run ci.yml failure\n  a failure\n"},
		"a skipped job keeps its name as written": {`jobs:
  a: {if: false, name: "x ${{ matrix.y }}", strategy: {matrix: {y: [1]}}, runs-on: ubuntu-latest, steps: [{run: "true"}]}
  b: {if: "${{ github.actor == 'bob' }}", name: "for ${{ github.actor }}", runs-on: ubuntu-latest, steps: [{run: "true"}]}
`, "run ci.yml skipped\n  x ${{ matrix.y }} skipped\n  for alice skipped\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, onLabel+tc.workflow)
			p.label("bug")
			p.settle()
			if diff := cmp.Diff(tc.want, p.report()); diff != "" {
				t.Errorf("%s\n%v", diff, p.allLogs())
			}
		})
	}
}

func TestVariablesSecretsAndMasking(t *testing.T) {
	p := start(t, onLabel+`jobs:
  a:
    if: vars.ENABLED == 'yes'
    runs-on: ubuntu-latest
    outputs: {leak: "${{ steps.s.outputs.leak }}", ok: fine}
    steps:
      - id: s
        run: |
          echo "key is $KEY and token is $GITHUB_TOKEN, ${{ vars.ENABLED }}"
          echo "leak=$KEY" >> "$GITHUB_OUTPUT"
        env: {KEY: "${{ secrets.KEY }}", GITHUB_TOKEN: "${{ github.token }}"}
  b:
    needs: a
    runs-on: ubuntu-latest
    steps: [{run: 'echo "<${{ needs.a.outputs.leak }}${{ needs.a.outputs.ok }}>"'}]
`, func(_ *actions.Options, m *memory) {
		m.secrets = map[string]string{"KEY": "s3cr3t-value"}
		m.variables = map[string]string{"ENABLED": "yes"}
	})
	p.label("bug")
	p.settle()
	if diff := cmp.Diff("run ci.yml success\n  a success\n  b success\n", p.report()); diff != "" {
		t.Fatalf("%s\n%s%s", diff, p.log("a"), p.log("b"))
	}
	for _, log := range p.logs {
		if strings.Contains(string(log), "s3cr3t-value") || strings.Contains(string(log), "ghs_token_of_job_1") {
			t.Errorf("a secret is in the log:\n%s", log)
		}
	}
	if !strings.Contains(p.log("a"), "key is *** and token is ***, yes") || !strings.Contains(p.log("b"), "<fine>") {
		t.Errorf("logs:\n%s%s", p.log("a"), p.log("b"))
	}
}

// TestErrorIsTheLastWords keeps with a job what the log of its failed step ended with.
func TestErrorIsTheLastWords(t *testing.T) {
	p := start(t, onLabel+`jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: echo of another step
      - run: for i in 1 2 3 4 5; do echo "line $i $KEY"; done; exit 3
        env: {KEY: "${{ secrets.KEY }}"}
      - run: echo afterwards
        if: always()
`, func(_ *actions.Options, m *memory) { m.secrets = map[string]string{"KEY": "s3cr3t-value"} })
	p.label("bug")
	p.settle()
	got := p.jobs[0].Error
	if !strings.Contains(got, "line 5 ***") || strings.Contains(got, "another") || strings.Contains(got, "afterwards") || strings.Contains(got, "s3cr3t") {
		t.Errorf("got %q", got)
	}
}

func TestPermissions(t *testing.T) {
	p := start(t, onLabel+`permissions: read-all
jobs:
  a: {runs-on: ubuntu-latest, steps: [{run: "true"}]}
  b: {permissions: {issues: write}, runs-on: ubuntu-latest, steps: [{run: "true"}]}
`)
	p.label("bug")
	p.settle()
	got := fmt.Sprint(p.jobs[0].Permissions["issues"], p.jobs[0].Permissions["id-token"], p.jobs[1].Permissions["issues"], p.jobs[1].Permissions["contents"])
	if got != "readnonewritenone" {
		t.Error(got)
	}
}

func TestTimeout(t *testing.T) {
	p := start(t, onLabel+`jobs:
  a: {timeout-minutes: 3, runs-on: ubuntu-latest, steps: [{run: 'mkfifo "$DIR/hold"; read x < "$DIR/hold"'}]}
`)
	actions.SetMinute(p.engine, 100*time.Millisecond)
	p.label("bug")
	p.settle()
	if diff := cmp.Diff("run ci.yml cancelled\n  a cancelled\n", p.report()); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(p.log("a"), "exceeded the maximum execution time of 3 minutes") {
		t.Error(p.log("a"))
	}
}

func TestOneSlot(t *testing.T) {
	p := start(t, onLabel+`jobs:
  a: &job {runs-on: ubuntu-latest, steps: [{run: 'mkdir "$DIR/only" && { ls -lR /etc >/dev/null 2>&1; rmdir "$DIR/only"; }'}]}
  b: *job
  c: *job
`, func(o *actions.Options, _ *memory) { o.Concurrency = 1 })
	p.label("bug")
	p.settle()
	if diff := cmp.Diff("run ci.yml success\n  a success\n  b success\n  c success\n", p.report()); diff != "" {
		t.Error(diff)
	}
}

const grouped = onLabel + `concurrency: {group: "g-${{ github.event.issue.number }}", cancel-in-progress: %v}
jobs:
  a: {runs-on: ubuntu-latest, steps: [{run: 'if [ "$NAME" = hold ]; then mkfifo "$DIR/hold"; read x < "$DIR/hold"; fi', env: {NAME: "${{ github.event.label.name }}"}}]}
`

func TestConcurrencyCancels(t *testing.T) {
	p := start(t, fmt.Sprintf(grouped, true))
	p.label("hold")
	p.until("running", func() bool { return strings.Contains(p.report(), "a in_progress") })
	p.label("next")
	p.settle()
	if diff := cmp.Diff("run ci.yml cancelled\n  a cancelled\nrun ci.yml success\n  a success\n", p.report()); diff != "" {
		t.Error(diff)
	}
}

func TestConcurrencyKeepsOneWaiting(t *testing.T) {
	p := start(t, fmt.Sprintf(grouped, false))
	p.label("hold")
	p.until("running", func() bool { return strings.Contains(p.report(), "a in_progress") })
	p.label("second")
	p.label("third")
	p.until("second cancelled", func() bool { return strings.Contains(p.report(), "run ci.yml cancelled") })
	if diff := cmp.Diff("run ci.yml in_progress\n  a in_progress\nrun ci.yml cancelled\nrun ci.yml queued\n", p.report()); diff != "" {
		t.Error(diff)
	}
	p.engine.Cancel(1)
	p.settle()
	if diff := cmp.Diff("run ci.yml cancelled\n  a cancelled\nrun ci.yml cancelled\nrun ci.yml success\n  a success\n", p.report()); diff != "" {
		t.Error(diff)
	}
}

// A job's place in its group is taken before its condition is looked at.
func TestSkippedJobPushesOthersOut(t *testing.T) {
	p := start(t, onLabel+`jobs:
  a:
    concurrency: {group: one, cancel-in-progress: true}
    if: github.event.label.name == 'hold'
    runs-on: ubuntu-latest
    steps: [{run: 'mkfifo "$DIR/hold"; read x < "$DIR/hold"'}]
`)
	p.label("hold")
	p.until("running", func() bool { return strings.Contains(p.report(), "a in_progress") })
	p.label("other")
	p.settle()
	if diff := cmp.Diff("run ci.yml cancelled\n  a cancelled\nrun ci.yml skipped\n  a skipped\n", p.report()); diff != "" {
		t.Error(diff)
	}
}

func TestMatrixCellsInOneGroup(t *testing.T) {
	p := start(t, onLabel+`concurrency: Outer
jobs:
  m:
    strategy: {fail-fast: false, matrix: {x: [1, 2]}}
    concurrency: "cell-${{ matrix.x }}"
    runs-on: ubuntu-latest
    steps: [{run: "true"}]
  stuck: {concurrency: outer, runs-on: ubuntu-latest, steps: [{run: "true"}]}
`)
	p.label("bug")
	p.settle()
	if diff := cmp.Diff("run ci.yml cancelled\n  m (1) success\n  m (2) success\n  stuck cancelled\n", p.report()); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(p.log("stuck"), "a deadlock") {
		t.Error(p.log("stuck"))
	}
}

func TestPush(t *testing.T) {
	workflow := `on:
  push:
    branches: [main, 'release/**']
    paths: ['src/**', '!src/doc/**']
jobs:
  a: {runs-on: ubuntu-latest, steps: [{run: 'test "$GITHUB_REF" = "${{ github.event.ref }}"'}]}
`
	push := func(ref, message string, deleted bool, files ...string) map[string]any {
		return map[string]any{
			"ref": ref, "deleted": deleted, "head_commit": map[string]any{"message": message},
			"commits": []any{map[string]any{"added": files, "removed": []string{}, "modified": []string{}}},
		}
	}
	for name, tc := range map[string]struct {
		ref     string
		message string
		file    string
		want    int
	}{
		"fits":          {"refs/heads/release/v1/x", "fix\nmore", "src/a.go", 1},
		"other branch":  {"refs/heads/topic", "fix", "src/a.go", 0},
		"other path":    {"refs/heads/main", "fix", "README.md", 0},
		"excluded path": {"refs/heads/main", "fix", "src/doc/a.md", 0},
		"tag":           {"refs/tags/v1", "fix", "src/a.go", 0},
		"skip ci":       {"refs/heads/main", "fix [skip ci]", "src/a.go", 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, workflow)
			p.emit("push", "", push(tc.ref, tc.message, false, tc.file), "ref", tc.ref)
			p.settle()
			if len(p.runs) != tc.want {
				t.Fatalf("%d runs, want %d", len(p.runs), tc.want)
			}
			if tc.want == 1 && (p.runs[0].Conclusion != "success" || p.runs[0].Title != "fix" || p.runs[0].HeadBranch != "release/v1/x") {
				t.Errorf("%+v\n%s", p.runs[0], p.log("a"))
			}
		})
	}
}

// A deleted branch is compared with the filters, but the run is the default branch's.
func TestPushThatDeletes(t *testing.T) {
	p := start(t, "on: {push: {branches: [topic]}}\njobs: {a: {runs-on: linux, steps: [{run: 'test $GITHUB_REF = refs/heads/main'}]}}\n")
	gone := func(ref string) {
		p.emit("push", "", map[string]any{"ref": ref, "deleted": true}, "ref", ref, "sha", strings.Repeat("0", 40))
	}
	gone("refs/heads/other")
	gone("refs/heads/topic")
	p.settle()
	if diff := cmp.Diff("run ci.yml success\n  a success\n", p.report()); diff != "" || p.runs[0].HeadSHA != sha || p.runs[0].HeadBranch != "main" {
		t.Errorf("%s %+v", diff, p.runs)
	}
}

// A run that is cancelled ends the jobs of the files that it calls; always() still runs in them.
func TestCancelReachesCalledFiles(t *testing.T) {
	p := start(t, onLabel+`jobs:
  call: {uses: ./.github/workflows/b.yml}
  after: {needs: call, runs-on: ubuntu-latest, steps: [{run: "true"}]}
-- .github/workflows/b.yml --
on: workflow_call
jobs:
  long: {runs-on: ubuntu-latest, steps: [{run: "touch $DIR/up; tail -f /dev/null"}]}
  last: {needs: long, if: always(), runs-on: ubuntu-latest, steps: [{run: "true"}]}
  never: {needs: long, runs-on: ubuntu-latest, steps: [{run: "true"}]}
`)
	p.label("bug")
	p.until("the job runs", func() bool { return strings.Contains(p.report(), "call / long in_progress") })
	if !p.engine.Cancel(1) {
		t.Error("there is no run 1")
	}
	p.settle()
	want := "run ci.yml cancelled\n  after cancelled\n  call / last success\n  call / long cancelled\n  call / never cancelled\n"
	if diff := cmp.Diff(want, inOrder(p.report())); diff != "" {
		t.Error(diff)
	}
}

// A called file that says nothing of permissions has its caller's; one that does has its own.
func TestPermissionsOfCalledFiles(t *testing.T) {
	p := start(t, onLabel+`permissions: {issues: read}
jobs:
  silent: {permissions: {issues: write, contents: read}, uses: ./.github/workflows/silent.yml}
  own: {permissions: {issues: write, contents: read}, uses: ./.github/workflows/own.yml}
-- .github/workflows/silent.yml --
on: workflow_call
jobs: {x: {runs-on: ubuntu-latest, steps: [{run: "true"}]}}
-- .github/workflows/own.yml --
on: workflow_call
permissions: {issues: read}
jobs: {x: {runs-on: ubuntu-latest, steps: [{run: "true"}]}}
`)
	p.label("bug")
	p.settle()
	got := map[string]string{}
	for _, j := range p.jobs {
		got[j.Name] = j.Permissions["issues"] + " " + j.Permissions["contents"]
	}
	if diff := cmp.Diff(map[string]string{"silent / x": "write read", "own / x": "read none"}, got); diff != "" {
		t.Error(diff)
	}
}

// A run calls fifty files at the most.
func TestFilesOfARun(t *testing.T) {
	text := func(n int) string {
		var b strings.Builder
		b.WriteString(onLabel + "jobs:\n")
		for i := range n {
			fmt.Fprintf(&b, "  c%d: {if: false, uses: ./.github/workflows/f%d.yml}\n", i, i)
		}
		for i := range n {
			fmt.Fprintf(&b, "-- .github/workflows/f%d.yml --\non: workflow_call\njobs: {x: {runs-on: ubuntu-latest, steps: [{run: x}]}}\n", i)
		}
		return b.String()
	}
	for n, want := range map[int]string{50: "", 51: "the run calls more than 50 files"} {
		p := start(t, text(n))
		p.label("bug")
		p.settle()
		if reason := p.runs[0].Reason; !strings.HasSuffix(reason, want) || want == "" && reason != "" {
			t.Errorf("%d files: %q", n, reason)
		}
	}
}
