package workflow_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
	"github.com/understudy-dev/understudy/emulator/actions/internal/workflow"
)

var update = flag.Bool("update", false, "write the golden files")

// Each vector is a title, a file, ---- and the problems, one a line; ==== ends it.
func TestRefused(t *testing.T) {
	const golden = "testdata/refused.txt"
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, vector := range strings.Split(string(data), "====\n") {
		head, want, ok := strings.Cut(vector, "----\n")
		title, text, _ := strings.Cut(head, "\n")
		if !ok {
			t.Fatalf("vector %q has no ----", title)
		}
		_, err := workflow.Parse("ci.yml", []byte(text))
		if err == nil {
			t.Errorf("%s: accepted", title)
			continue
		}
		if diff := cmp.Diff(want, err.Error()+"\n"); diff != "" && !*update {
			t.Errorf("%s:\n%s", title, diff)
		}
		out = append(out, head+"----\n"+err.Error()+"\n")
	}
	if *update {
		if err := os.WriteFile(golden, []byte(strings.Join(out, "====\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

const full = `name: Everything
run-name: ${{ github.actor }} did it
on:
  issues:
  issue_comment: {types: created}
  schedule: [{cron: '0 0 * * *'}]
  workflow_call:
    inputs: {x: {type: string, required: true}}
    outputs: {y: {value: "${{ jobs.a.outputs.y }}"}}
    secrets: {z: {required: true}}
  workflow_dispatch:
    inputs: {n: {type: choice, options: [a, b], default: a, description: which}}
  pull_request_target: {types: [opened], branches: [main]}
permissions: {issues: write}
env: {A: "${{ secrets.A }}", B: 1, C: }
defaults: {run: {shell: bash, working-directory: x}}
concurrency: g-${{ github.ref }}
jobs:
  a: &a
    name: A
    runs-on: [self-hosted, linux]
    outputs: {y: "${{ steps.s.outputs.y }}"}
    timeout-minutes: ${{ fromJSON(vars.MINUTES) }}
    steps:
      - uses: actions/checkout@v4.2.2
        with: {fetch-depth: 0, token: "${{ secrets.A }}"}
      - {id: s, name: "S ${{ env.B }}", run: echo, shell: bash, if: "!cancelled() && steps.x.outcome == 'success'", continue-on-error: true, timeout-minutes: 3}
      - {uses: actions/upload-artifact@v5, with: {name: "${{ hashFiles('**') }}"}}
  b:
    <<: {}
    needs: a
`

func TestAccepted(t *testing.T) {
	text := strings.ReplaceAll(full, "    <<: {}\n    needs: a\n", "    needs: [a]\n    if: ${{ needs.a.outputs.y }}\n    runs-on: ubuntu-24.04\n    steps: [{run: x}]\n  c: *a\n")
	wf, err := workflow.Parse("ci.yml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if wf.Name != "Everything" || len(wf.Jobs) != 3 || wf.Jobs[1].Needs[0] != "a" || wf.Permissions["issues"] != "write" || wf.Permissions["contents"] != "none" {
		t.Errorf("%+v", wf)
	}
	if _, err := workflow.Parse("ci.yml", []byte(full)); err == nil || !strings.Contains(err.Error(), "ci.yml:30: `<<:` is not a key of job `b`") {
		t.Errorf("merge key: %v", err)
	}
}

func TestTriggers(t *testing.T) {
	issue := func(action string) workflow.Event { return workflow.Event{Name: "issues", Action: action} }
	push := func(ref string, paths ...string) workflow.Event {
		return workflow.Event{Name: "push", Ref: ref, Paths: paths}
	}
	for _, tc := range []struct {
		on   string
		yes  []workflow.Event
		noes []workflow.Event
	}{
		{"issues", []workflow.Event{issue("opened"), issue("labeled")}, []workflow.Event{push("refs/heads/main"), {Name: "issue_comment", Action: "created"}}},
		{"[issues, push]", []workflow.Event{issue("labeled"), push("refs/tags/v1"), push("refs/heads/x/y")}, nil},
		{"{issues: {types: [labeled, opened]}, push: }", []workflow.Event{issue("labeled"), push("refs/heads/x")}, []workflow.Event{issue("closed")}},
		{"{issues: {types: labeled}}", []workflow.Event{issue("labeled")}, []workflow.Event{issue("unlabeled")}},
		{"pull_request", []workflow.Event{{Name: "pull_request", Action: "opened"}}, []workflow.Event{{Name: "pull_request", Action: "closed"}}},
		{
			"{workflow_run: {workflows: [CI], branches: [main]}}",
			[]workflow.Event{{Name: "workflow_run", Action: "completed", Workflow: "CI", Branch: "main"}},
			[]workflow.Event{{Name: "workflow_run", Workflow: "CD", Branch: "main"}, {Name: "workflow_run", Workflow: "CI", Branch: "dev"}},
		},
		{"{repository_dispatch: {types: [go]}}", []workflow.Event{{Name: "repository_dispatch", Action: "go"}}, []workflow.Event{{Name: "repository_dispatch", Action: "stop"}}},
		{
			"{push: {branches: [main, 'feature/*', 'v[0-9].x', '!feature/no']}}",
			[]workflow.Event{push("refs/heads/main"), push("refs/heads/feature/a"), push("refs/heads/v3.x")},
			[]workflow.Event{push("refs/heads/feature/a/b"), push("refs/heads/feature/no"), push("refs/heads/mainly"), push("refs/tags/main"), push("refs/heads/v3yx")},
		},
		{"{push: {branches: ['**', '!b', 'b']}}", []workflow.Event{push("refs/heads/b")}, nil},
		{"{push: {branches-ignore: ['x/**']}}", []workflow.Event{push("refs/heads/y")}, []workflow.Event{push("refs/heads/x/y/z"), push("refs/tags/v1")}},
		{"{push: {tags: ['v*']}}", []workflow.Event{push("refs/tags/v1")}, []workflow.Event{push("refs/tags/w"), push("refs/heads/v1")}},
		{"{push: {tags-ignore: ['v*']}}", []workflow.Event{push("refs/tags/w")}, []workflow.Event{push("refs/tags/v1"), push("refs/heads/w")}},
		{"{push: {branches: [main], tags: [v1]}}", []workflow.Event{push("refs/heads/main"), push("refs/tags/v1")}, []workflow.Event{push("refs/heads/v1"), push("refs/tags/main")}},
		{
			"{push: {paths: ['**.js', 'docs/**', '!docs/x', '**/README.md', 'a?b+c', 'x\\*']}}",
			[]workflow.Event{push("refs/heads/m", "a/b.js"), push("refs/heads/m", "z", "docs/a/b"), push("refs/heads/m", "README.md"), push("refs/heads/m", "p/q/README.md"),
				push("refs/heads/m", "bbc"), push("refs/heads/m", "abbbc"), push("refs/heads/m", "x*"), push("refs/tags/v1", "none")},
			[]workflow.Event{push("refs/heads/m", "docs/x"), push("refs/heads/m", "aabc"), push("refs/heads/m", "xy"), push("refs/heads/m"), push("refs/heads/m", "MYREADME.md")},
		},
		{"{push: {paths-ignore: ['docs/**']}}", []workflow.Event{push("refs/heads/m", "docs/a", "b")}, []workflow.Event{push("refs/heads/m", "docs/a"), push("refs/heads/m")}},
	} {
		wf, err := workflow.Parse("ci.yml", []byte("on: "+tc.on+"\njobs: {a: {runs-on: linux, steps: [{run: x}]}}\n"))
		if err != nil {
			t.Errorf("%s: %v", tc.on, err)
			continue
		}
		for _, e := range tc.yes {
			if !wf.On.Match(e) {
				t.Errorf("%s: does not match %+v", tc.on, e)
			}
		}
		for _, e := range tc.noes {
			if wf.On.Match(e) {
				t.Errorf("%s: matches %+v", tc.on, e)
			}
		}
	}
}

// The triggers of a refused file are still known, so that the right events show the refusal.
func TestRefusedFileKeepsItsTriggers(t *testing.T) {
	wf, err := workflow.Parse("ci.yml", []byte("on: {issues: {types: [opened]}}\njobs: {a: {container: x}}\n"))
	if err == nil || wf.On.Broken() || !wf.On.Match(workflow.Event{Name: "issues", Action: "opened"}) || wf.On.Match(workflow.Event{Name: "issues", Action: "closed"}) {
		t.Errorf("broken %v, error %v", wf.On.Broken(), err)
	}
	if wf, _ := workflow.Parse("ci.yml", []byte("jobs: {}")); !wf.On.Broken() {
		t.Error("a file without on: is not broken")
	}
}

func TestAliasesAreBounded(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		prev := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+prev+",", 8) + "*" + prev + "]\n"
	}
	for _, text := range []string{bomb, "on: &x [*x]\n", "&x {on: push, jobs: *x}\n", "on: " + strings.Repeat("[", 500) + strings.Repeat("]", 500) + "\n"} {
		if _, err := workflow.Parse("ci.yml", []byte(text)); err == nil {
			t.Errorf("accepted: %.40s", text)
		}
	}
}

// Whatever is accepted has jobs whose values can be evaluated; every problem has a line of the file.
func FuzzParse(f *testing.F) {
	f.Add(full)
	data, err := os.ReadFile("testdata/refused.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, vector := range strings.Split(string(data), "====\n") {
		head, _, _ := strings.Cut(vector, "----\n")
		_, text, _ := strings.Cut(head, "\n")
		f.Add(text)
	}
	for _, text := range table(f) {
		f.Add(text)
	}
	f.Add("on: push\njobs: {a: {runs-on: linux, strategy: {matrix: {x: [1, 0x1f, .inf, 2020-01-01, !!binary aGk=]}}, steps: [{run: x}]}}")
	f.Fuzz(func(t *testing.T, text string) {
		wf, err := workflow.Parse("ci.yml", []byte(text))
		if err != nil {
			for _, p := range err.(workflow.Problems) {
				if p.Line < 1 || p.Line > strings.Count(text, "\n")+2 {
					t.Fatalf("line %d of %q: %v", p.Line, text, p)
				}
			}
			return
		}
		if len(wf.Jobs) == 0 || wf.On.Broken() {
			t.Fatalf("accepted %q", text)
		}
		s := expr.Scope{Contexts: map[string]any{"github": &expr.Object{}, "needs": nil, "vars": nil, "inputs": nil, "matrix": nil, "strategy": nil}}
		for _, j := range wf.Jobs {
			_, _ = j.RunsOn.Eval(s)
			_, _ = j.Timeout.Eval(s)
			if j.Strategy != nil {
				_, _ = j.Strategy.Matrix.Eval(s)
			}
		}
	})
}

// table returns the first workflow of each vector that the engine is held to.
func table(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/workflows/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no table", err)
	}
	public, err := filepath.Glob("../../testdata/public/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, file := range append(files, public...) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, vector := range strings.Split(string(data), "=== ") {
			head, _, _ := strings.Cut(vector, "----\n")
			if _, text, ok := strings.Cut(head, "\non:"); ok {
				text, _, _ = strings.Cut(text, "\n-- ")
				out = append(out, "on:"+text+"\n")
			}
		}
	}
	return out
}
