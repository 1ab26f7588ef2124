package harness_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"example.com/crew/internal/defect"
	"example.com/crew/internal/harness"
	"example.com/crew/internal/trigger"
)

// directory makes a directory of crew with these files.
func directory(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLoadDefaults(t *testing.T) {
	l := harness.Loader{Dir: directory(t, map[string]string{"harness/triage.yaml": "trigger: 'true'\n", "harness/mine.yaml": "{}\n"})}
	h, err := l.Load(t.Context(), "triage", "harness/triage.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if h.Agent.Path != "agents/triage.md" || h.Role != "triage" || h.Schema.Path != "schemas/triage-result.schema.json" || h.MaxIterations != 1 || h.Trigger.Expression != "true" {
		t.Errorf("%+v", h)
	}
	h, err = l.Load(t.Context(), "mine", "harness/mine.yaml")
	if err != nil || h.Role != "mine" || h.Schema.Path != "" || h.Trigger.Expression != "" {
		t.Errorf("another role: %+v, %v", h, err)
	}
}

func TestBase(t *testing.T) {
	files := map[string]string{
		"harness/low.yaml":   "role: code\nslug: low\ntrigger: low\nlabels: [a]\nenv: {A: 1, B: low}\nvalidation_loop: {max_iterations: 2}\npolicy: policies/low.yaml\n",
		"harness/mid.yaml":   "base: low.yaml\nslug: mid\nlabels: [b]\n",
		"harness/child.yaml": "base: mid.yaml\nmodel: big\nlabels: [c]\nenv: {B: child}\n",
	}
	l := harness.Loader{Dir: directory(t, files)}
	h, err := l.Load(t.Context(), "mine", "harness/child.yaml")
	if err != nil {
		t.Fatal(err)
	}
	h.Trigger.At = nil
	want := harness.Harness{
		Source: "harness/child.yaml", Agent: harness.Resource{Path: "agents/mine.md"}, Role: "code", Slug: "mid", Model: "big", ModelFrom: "harness/child.yaml",
		Policy: harness.Resource{Path: "policies/low.yaml"}, Schema: harness.Resource{Path: "schemas/code-result.schema.json"},
		Trigger:       trigger.Source{Expression: "low", File: "harness/low.yaml"},
		MaxIterations: 2, Env: map[string]string{"A": "1", "B": "child"}, Labels: []string{"a", "b", "c"},
	}
	if !reflect.DeepEqual(h, want) {
		t.Errorf("%+v\nwant %+v", h, want)
	}
	l.Defect = defect.BaseListOverwritten
	if h, err := l.Load(t.Context(), "mine", "harness/child.yaml"); err != nil || !reflect.DeepEqual(h.Labels, []string{"c"}) {
		t.Errorf("with lists overwritten: %+v, %v", h, err)
	}
	l.Defect = defect.BaseNotMerged
	if h, err := l.Load(t.Context(), "mine", "harness/child.yaml"); err != nil || h.Trigger.Expression != "" || h.Role != "mine" {
		t.Errorf("with the defect: %+v, %v", h, err)
	}
}

func TestTriggerPlace(t *testing.T) {
	l := harness.Loader{Dir: directory(t, map[string]string{
		"harness/base.yaml": "role: x\ntrigger: >-\n  event.repo == 'a/b' &&\n  event.oops\n", "harness/x.yaml": "base: base.yaml\n",
	})}
	h, err := l.Load(t.Context(), "x", "harness/x.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := trigger.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Compile(h.Trigger)
	const want = "harness/base.yaml:4:8: undefined field 'oops'\n      event.oops\n           ^"
	if err == nil || err.Error() != want {
		t.Errorf("error %v\nwant %s", err, want)
	}
}

func TestLoadRefuses(t *testing.T) {
	files := map[string]string{
		"harness/a.yaml": "base: b.yaml\n", "harness/b.yaml": "base: c.yaml\n", "harness/c.yaml": "base: a.yaml\n", "harness/self.yaml": "base: self.yaml\n",
		"harness/key.yaml": "role: x\ntriger: y\n", "harness/agent.yaml": "agent: ../x.md\n", "harness/up.yaml": "\nbase: ../x.yaml\n",
		"harness/loop.yaml": "validation_loop:\n  max_iterations: 3\n", "harness/env.yaml": "env:\n  A B: x\n", "harness/role.yaml": "role: Big Boss\n",
		"harness/gone.yaml": "base: nowhere.yaml\n", "harness/hash.yaml": "base: https://h.test/x.yaml\n", "harness/url.yaml": "base: https://h.test/x.yaml#sha256=" + strings.Repeat("0", 64) + "\n",
		"harness/large.yaml": "# " + strings.Repeat("x", 1<<20) + "\n",
	}
	for i := range 9 {
		files[fmt.Sprintf("harness/d%d.yaml", i)] = fmt.Sprintf("base: d%d.yaml\n", i+1)
	}
	dir := directory(t, files)
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "harness/link.yaml")); err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]string{
		"harness/a.yaml":     "harness/a.yaml: base goes round in a circle: harness/a.yaml → harness/b.yaml → harness/c.yaml → harness/a.yaml",
		"harness/self.yaml":  "harness/self.yaml → harness/self.yaml",
		"harness/d0.yaml":    "harness/d0.yaml: more than 8 bases",
		"harness/key.yaml":   `harness/key.yaml:2: key "triger" is unknown`,
		"harness/agent.yaml": `harness/agent.yaml:1: agent "../x.md": must be`,
		"harness/up.yaml":    `harness/up.yaml:2: base "../x.yaml": must be`,
		"harness/loop.yaml":  "harness/loop.yaml:2: max_iterations is 3; it can be 1 or 2",
		"harness/env.yaml":   `harness/env.yaml:2: env "A B" is no variable`,
		"harness/role.yaml":  `harness/role.yaml:1: role "Big Boss"`,
		"harness/gone.yaml":  "harness/nowhere.yaml: there is no such file",
		"harness/hash.yaml":  "harness/hash.yaml:1: URL https://h.test/x.yaml: #sha256=",
		"harness/url.yaml":   "crew takes no harness from a URL here",
		"harness/large.yaml": "harness/large.yaml: the file is larger than",
		"harness/link.yaml":  "path escapes",
		"../x.yaml":          "../x.yaml: must be a path below",
		"https://h.test/x":   "URL https://h.test/x: #sha256=",
	} {
		if _, err := (harness.Loader{Dir: dir}).Load(t.Context(), "x", source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
}

func TestRemote(t *testing.T) {
	const hash = "#sha256=0000000000000000000000000000000000000000000000000000000000000000"
	there := map[string]string{
		"https://h.test/o/r/main/harness/far.yaml" + hash: "agent: agents/far.md\nbase: near.yaml\n",
		"https://h.test/o/r/main/harness/near.yaml":       "trigger: 'true'\npolicy: policies/near.yaml\n",
		"https://h.test/o/r/main/agents/far.md":           "far away",
		"https://h.test/flat/x.yaml" + hash:               "agent: x.md\n",
	}
	var asked []string
	l := harness.Loader{Dir: directory(t, map[string]string{"harness/mine.yaml": "base: https://h.test/o/r/main/harness/far.yaml" + hash + "\nrole: mine\n"}),
		Fetch: func(_ context.Context, u string) ([]byte, error) {
			asked = append(asked, u)
			if text, ok := there[u]; ok {
				return []byte(text), nil
			}
			return nil, errors.New("404")
		}}
	h, err := l.Load(t.Context(), "mine", "harness/mine.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if h.Agent.URL != "https://h.test/o/r/main/agents/far.md" || h.Policy.URL != "https://h.test/o/r/main/policies/near.yaml" || h.Trigger.Expression != "true" || h.Role != "mine" {
		t.Errorf("%+v, asked for %q", h, asked)
	}
	if text, err := l.Read(t.Context(), h.Agent); err != nil || string(text) != "far away" {
		t.Errorf("agent file: %q, %v", text, err)
	}
	if h, err = l.Load(t.Context(), "x", "https://h.test/flat/x.yaml"+hash); err != nil || h.Agent.URL != "https://h.test/flat/x.md" {
		t.Errorf("flat: %+v, %v", h, err)
	}
	l.Defect = defect.ResourceUnfetched
	if h, err = l.Load(t.Context(), "x", "https://h.test/flat/x.yaml"+hash); err != nil || h.Agent.URL != "" {
		t.Errorf("with the defect: %+v, %v", h, err)
	}
	if _, err = l.Load(t.Context(), "x", "https://h.test/none.yaml"+hash); err == nil || !strings.Contains(err.Error(), "fetch https://h.test/none.yaml") {
		t.Errorf("nothing there: %v", err)
	}
}
