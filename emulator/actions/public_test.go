package actions_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/emulator/actions"
)

// TestPublicWorkflows runs workflows in the shape of those of well-known public repositories, in words of our
// own. Each names its repository and the events in comments, and stands twice in the golden file: as it is,
// where actions that are not built in are refused by name and line, and with its actions replaced by scripts,
// as docs/guide/workflows.md says. Programs such as cargo are stubs, Go is 1.26.8, and git has nothing to check
// out here.
func TestPublicWorkflows(t *testing.T) {
	files, err := filepath.Glob("testdata/public/*.yml")
	if err != nil || len(files) < 10 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yml"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var events []string
			for line := range strings.SplitSeq(string(text), "\n") {
				if e, ok := strings.CutPrefix(line, "# happen: "); ok {
					events = append(events, e)
				}
			}
			if !strings.HasPrefix(string(text), "# of: ") || len(events) == 0 {
				t.Fatal("want the repository and an event in comments")
			}
			asItIs := happened(t, file, string(text), events[:1])
			if !strings.Contains(asItIs, "startup_failure") {
				asItIs = happened(t, file, withoutActions(t, text, "actions/checkout"), events[:1])
			}
			got := "as it is:\n" + asItIs + "\nwith scripts for actions:\n" + happened(t, file, withoutActions(t, text, ""), events)
			golden := strings.TrimSuffix(file, ".yml") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func happened(t *testing.T, file, text string, events []string) string {
	t.Helper()
	tools := t.TempDir()
	stubTools(t, tools, "1.26.8")
	for _, name := range []string{"cargo", "gh", "mkdocs", "npm", "pip", "tox"} {
		if err := os.WriteFile(filepath.Join(tools, name), []byte("#!/bin/sh\necho \"$0 $*\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p := start(t, "-- .github/workflows/"+filepath.Base(file)+" --\n"+text, func(o *actions.Options, m *memory) {
		o.Env["PATH"] = tools + string(filepath.ListSeparator) + o.Env["PATH"]
		m.variables = map[string]string{}
	})
	return here.ReplaceAllString(p.play(events), "$1 …")
}

// withoutActions replaces each step that uses an action of a name that begins so by one that runs nothing.
func withoutActions(t *testing.T, text []byte, prefix string) string {
	t.Helper()
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	var visit func(n *yaml.Node)
	visit = func(n *yaml.Node) {
		replaced := false
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			switch key := n.Content[i].Value; {
			case key == "uses" && strings.HasPrefix(n.Content[i+1].Value, prefix):
				replaced = true
				n.Content[i].Value, n.Content[i+1].Value = "run", "true"
				n.Content[i+1].Style = yaml.DoubleQuotedStyle
			case key == "with" && (replaced || prefix == ""):
				n.Content = append(n.Content[:i:i], n.Content[i+2:]...)
				i -= 2
			}
		}
		for _, c := range n.Content {
			visit(c)
		}
	}
	visit(&root)
	out, err := yaml.Marshal(&root)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
