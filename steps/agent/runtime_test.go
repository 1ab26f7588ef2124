package agent

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
	"github.com/understudy-dev/understudy/world"
)

var withRuntimes = driver.Platform{
	Name: "p", Stages: []driver.Stage{{Name: "triage"}}, AgentFile: "agents/{name}.md",
	Runtimes: []driver.Runtime{{Name: "dummy"}, {Name: "pi", Transcript: driver.Lines{File: "t/*.jsonl", Path: "message.content.type", Is: []string{"toolCall"}}}},
	Edits: map[string]driver.Edit{
		"runtime":       {File: "c.yaml", Format: "yaml", Path: "runtime", Value: "{runtime}"},
		"agent-runtime": {File: "c.yaml", Format: "yaml", Path: "agents.{name}.runtime", Value: "{runtime}"},
		"agent-model":   {File: "c.yaml", Format: "yaml", Path: "agents.{name}.model", Value: "{model}"},
	},
	Metrics: driver.Metrics{File: "metrics.json", Runtime: "runtime", RuntimeSource: "source", Turns: "turns", Tokens: []string{"tokens.in", "tokens.out"}},
}

// kept is a forge that reads and takes files.
type kept struct {
	driver.Files
	files map[string]string
}

func (k *kept) As(string) (driver.Session, error) { return driver.Session{Files: k}, nil }

func (k *kept) Read(_ context.Context, _ driver.Repo, _, path string) ([]byte, error) {
	if text, ok := k.files[path]; ok {
		return []byte(text), nil
	}
	return nil, driver.ErrNotFound
}

func (k *kept) Commit(_ context.Context, _ driver.Repo, in driver.NewCommit) (string, error) {
	for _, f := range in.Files {
		k.files[f.Path] = string(f.Content)
	}
	return "", nil
}

func runtimeScenario(t *testing.T) (context.Context, *kept) {
	forge := &kept{files: map[string]string{"c.yaml": "runtime: dummy\n"}}
	set := driver.Unassigned()
	set.Forge, set.Platform, set.Fixtures = forge, withRuntimes, fstest.MapFS{"f/a.json": {Data: []byte("{\"a\": 1}\n")}}
	ctx := world.Into(t.Context(), world.New(world.Options{Drivers: set}))
	world.Share(ctx, world.TheRepository, driver.Repo{Owner: "o", Name: "r"})
	return ctx, forge
}

func TestRuntimeSteps(t *testing.T) {
	ctx, forge := runtimeScenario(t)
	world.BringHarness(ctx, "mine")
	if err := configure(ctx, &suite.DocString{Content: "mine:\n  runtime: dummy\n  model: haiku\ntriage: {model: m}"}); err != nil {
		t.Fatal(err)
	}
	if err := setRuntime(ctx, "pi"); err != nil {
		t.Fatal(err)
	}
	if err := setRuntime(ctx, "dummy"); err == nil || !strings.Contains(err.Error(), `on the runtime "pi", not on "dummy"`) {
		t.Errorf("a repository that is on another runtime: %v", err)
	}
	if err := define(ctx, "", "pi", "mine", &suite.DocString{Content: "---\nname: mine\n---\nWrite {{fixture:f/a.json}} to it."}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"c.yaml":         "runtime: pi\nagents:\n  mine:\n    model: haiku\n    runtime: dummy\n  triage:\n    model: m\n",
		"agents/mine.md": "---\nname: mine\n---\nWrite {\"a\": 1} to it.\n",
	}
	if diff := cmp.Diff(want, forge.files); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestLintRuntimes: what a step would refuse is told before anything runs.
func TestLintRuntimes(t *testing.T) {
	for _, tt := range []struct{ step, doc, want string }{
		{`the repository runtime is "pi"`, "", ""},
		{`the repository runtime is "po"`, "", `names no runtime "po"; there are: dummy, pi`},
		{`a pi agent "x" defined as:`, "---\nname: x\n---\n{{fixture:f/a.json}}", ""},
		{`a "pi" agent "x" defined as:`, "---\nname: x\n---", ""},
		{`a codex agent "x" defined as:`, "---\nname: x\n---\n", `no runtime "codex"`},
		{`a pi agent "x" defined as:`, "name: x", "begins with its frontmatter"},
		{`a pi agent "x" defined as:`, "---\nname: x", "begins with its frontmatter"},
		{`a pi agent "x" defined as:`, "---\nname: x\n---\n{{fixture:f/b.json}}", "fixture f/b.json is no file"},
		{`a pi agent "x" defined as:`, "---\nname: x\n---\n{{fixture:../b}}", "outside the fixtures root"},
		{`the repository agents are configured with:`, "triage: {runtime: dummy}", ""},
		{`the repository agents are configured with:`, "mine: {runtime: dummy}", ""},
		{`the repository agents are configured with:`, "triage: {runtime: [", "no mapping, in YAML"},
		{`the repository agents are configured with:`, "triage", "no mapping, in YAML"},
		{`the repository agents are configured with:`, "triage: {}", "no setting"},
		{`the repository agents are configured with:`, "triage: {runtime: ''}", "without a value"},
		{`the repository agents are configured with:`, "triage: {runtime: po}", `agent "triage": the platform file of p names no runtime "po"`},
		{`the repository agents are configured with:`, "triage: {rutime: pi}", `unknown setting "rutime"`},
		{`the repository agents are configured with:`, "triage: {effort: low}", "names no edits.agent-effort"},
		{`the repository agents are configured with:`, "other: {runtime: pi}", `"other" is no stage`},
		{`the pi session transcript records at least one tool call`, "", ""},
		{`the pi output stream records at least one tool call`, "", "names no runtimes.pi.stream"},
	} {
		step := feature.Step{Text: tt.step, Line: 3}
		if tt.doc != "" {
			step.DocString = &feature.DocString{Content: tt.doc}
		}
		steps := []feature.Step{{Text: `a custom harness "mine" with:`}, step}
		d := suite.Draft{Platform: withRuntimes, Fixtures: fstest.MapFS{"f/a.json": {Data: []byte("{}")}}, Scenarios: []feature.Scenario{{URI: "a.feature", Steps: steps}}}
		var got []string
		for _, err := range lintRuntimes(d) {
			got = append(got, err.Error())
		}
		if all := strings.Join(got, "\n"); (all == "") != (tt.want == "") || !strings.Contains(all, tt.want) {
			t.Errorf("%s %q: got %q, want %q", tt.step, tt.doc, all, tt.want)
		}
	}
}

func TestToolCalls(t *testing.T) {
	l := withRuntimes.Runtimes[1].Transcript
	got, err := toolCalls([]byte(`{"type":"session"}
{"message":{"role":"assistant","content":[{"type":"text","text":"toolCall"},{"type":"toolCall","name":"bash"}]}}

{"message":{"content":"toolCall"}}
`), l)
	if diff := cmp.Diff([]string{"line 2: toolCall"}, got); diff != "" || err != nil {
		t.Errorf("%s, %v", diff, err)
	}
	if _, err := toolCalls([]byte("{}\nnot JSON\n"), l); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a line that is no JSON: %v", err)
	}
	for path, want := range map[string]bool{"run/t/a.jsonl": true, "t/a.jsonl": true, "a.jsonl": false, "t/x/a.jsonl": false, "t/a.json": false} {
		if got := endsWith(path, l.File); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// TestFigures: what is not there is no figure, and never one that holds.
func TestFigures(t *testing.T) {
	set := driver.Unassigned()
	w := world.New(world.Options{Drivers: set})
	ctx := world.Into(t.Context(), w)
	f := figures{"run:1 a metrics.json", map[string]any{"runtime": "dummy", "source": ".p/c.yaml agents.triage", "turns": 2.0, "tokens": map[string]any{"in": 0.0, "out": 3.0}}}
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"the end":           {expectEnd(ctx, w, f, "s", "source", "agents.triage"), ""},
		"another end":       {expectEnd(ctx, w, f, "s", "source", "agents.code"), "agents.triage"},
		"longer than it is": {expectEnd(ctx, w, f, "s", "runtime", "the dummy"), "dummy"},
		"no place":          {expectEnd(ctx, w, f, "s", "", "x"), "does not say"},
		"not there":         {positive(ctx, w, f, "t", "missing"), "t"},
		"more than nothing": {positive(ctx, w, f, "t", "tokens.in", "tokens.out"), ""},
		"nothing":           {positive(ctx, w, f, "t", "tokens.in"), "t"},
		"no place of a sum": {positive(ctx, w, f, "t", ""), "does not say"},
		"text is no number": {positive(ctx, w, f, "t", "runtime"), "t"},
	} {
		if (tt.err == nil) != (tt.want == "") || tt.err != nil && !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, tt.err, tt.want)
		}
	}
}
