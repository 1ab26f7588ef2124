package setting_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/internal/setting"
)

const settings = `# The platform's settings.
runtime: dummy # what drives the agents

# true stops everything.
kill_switch: false
agents:
  # reads issues
  triage: {}
  review:
    enabled: true # of pull requests
listed:
  - name: a
    on: true
hosts: [a.test]
none:
`

const desks = `; the house
open = yes

[sort]
label=to-sort
hosts = a, b

; the last one
[answer]
label = to-answer
`

func edit(t *testing.T, format, path string, value any, list bool) setting.Edit {
	t.Helper()
	p, err := setting.ParsePath(path)
	if err != nil {
		t.Fatal(err)
	}
	return setting.Edit{Format: format, Path: p.Fill(map[string]string{"name": "my.agent"}), Value: value, Append: list}
}

// TestApply: the lines that a change takes and gives, with - and +; all others stay.
func TestApply(t *testing.T) {
	for _, tt := range []struct {
		name, format, path string
		value              any
		list               bool
		want               string
	}{
		{"a value", "yaml", "kill_switch", true, false, "-kill_switch: false\n+kill_switch: true\n"},
		{"the comment at it stays", "yaml", "runtime", "pi", false, "-runtime: dummy # what drives the agents\n+runtime: pi # what drives the agents\n"},
		{"text that looks like another", "yaml", "runtime", "true", false, "-runtime: dummy # what drives the agents\n+runtime: \"true\" # what drives the agents\n"},
		{"text that was true once", "yaml", "runtime", "No", false, "-runtime: dummy # what drives the agents\n+runtime: \"No\" # what drives the agents\n"},
		{"the same again", "yaml", "runtime", "dummy", false, ""},
		{"a new key", "yaml", "effort", "low", false, "+effort: low\n"},
		{"a new entry", "yaml", "agents.{name}.source", "harness/my.yaml", false, "+  my.agent:\n+    source: harness/my.yaml\n"},
		{"an entry without settings", "yaml", "agents.triage.enabled", false, false, "-  triage: {}\n+  triage:\n+    enabled: false\n"},
		{"a new key in an entry", "yaml", "agents.review.model", "m", false, "+    model: m\n"},
		{"an entry of a list", "yaml", "listed[name=a].on", false, false, "-    on: true\n+    on: false\n"},
		{"a new entry of a list", "yaml", "listed[name={name}].on", 3, false, "+  - name: my.agent\n+    on: 3\n"},
		{"to a list", "yaml", "hosts", "b.test", true, "-hosts: [a.test]\n+hosts: [a.test, b.test]\n"},
		{"to a list that has it", "yaml", "hosts", "a.test", true, ""},
		{"to a list that is not there", "yaml", "more", "b", true, "+more:\n+  - b\n"},
		{"to an empty list", "yaml", "none", "b", true, "+  - b\n"},
		{"below nothing", "yaml", "none.a.b", "c", false, "+  a:\n+    b: c\n"},

		{"a value", "ini", "open", "no", false, "-open = yes\n+open = no\n"},
		{"without spaces", "ini", "sort.label", "x", false, "-label=to-sort\n+label=x\n"},
		{"the same again", "ini", "sort.label", "to-sort", false, ""},
		{"a new key", "ini", "sort.accept", ".*", false, "+accept = .*\n"},
		{"a new key of the house", "ini", "hours", 8, false, "+hours = 8\n"},
		{"a new section", "ini", "{name}.label", "l", false, "+[my.agent]\n+label = l\n"},
		{"to a list", "ini", "sort.hosts", "c", true, "-hosts = a, b\n+hosts = a, b, c\n"},
		{"to a list that has it", "ini", "sort.hosts", "b", true, ""},
	} {
		t.Run(tt.format+" "+tt.name, func(t *testing.T) {
			in := settings
			if tt.format == "ini" {
				in = desks
			}
			e := edit(t, tt.format, tt.path, tt.value, tt.list)
			got, err := setting.Apply("f", []byte(in), e)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, changed(in, string(got))); diff != "" {
				t.Errorf("(-want +got)\n%s\n%s", diff, got)
			}
			again, err := setting.Apply("f", got, e)
			if err != nil || string(again) != string(got) {
				t.Errorf("the same once more changes it: %v\n%s", err, again)
			}
			if read, err := setting.Read("f", got, tt.format, e.Path); !tt.list && (err != nil || read == "") {
				t.Errorf("read: %q, %v", read, err)
			}
		})
	}
}

// changed is what a line diff tells of two texts. Blank lines are none: YAML does not keep them.
func changed(a, b string) string {
	var out strings.Builder
	blank := func(line string) bool { return strings.TrimSpace(line) == "" }
	old := slices.DeleteFunc(strings.SplitAfter(a, "\n"), blank)
	now := slices.DeleteFunc(strings.SplitAfter(b, "\n"), blank)
	i, j := 0, 0
	for i < len(old) || j < len(now) {
		switch {
		case i < len(old) && j < len(now) && old[i] == now[j]:
			i, j = i+1, j+1
		case i < len(old) && (j == len(now) || !slices.Contains(now[j:], old[i])):
			out.WriteString("-" + old[i])
			i++
		default:
			out.WriteString("+" + now[j])
			j++
		}
	}
	return out.String()
}

func TestApplyToNothing(t *testing.T) {
	for _, in := range []string{"", "# only a comment\n", "---\n"} {
		got, err := setting.Apply("f", []byte(in), edit(t, "yaml", "a.b", "c", false))
		if err != nil || !strings.Contains(string(got), "a:\n  b: c\n") || strings.Contains(in, "#") && !strings.HasPrefix(string(got), "# only") {
			t.Errorf("%q: got %q, %v", in, got, err)
		}
	}
	if got, err := setting.Apply("f", nil, edit(t, "ini", "a.b", "c", false)); err != nil || string(got) != "[a]\nb = c\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestApplyRefuses(t *testing.T) {
	for _, tt := range []struct {
		format, in, path string
		value            any
		list             bool
		want             string
	}{
		{"yaml", "a: [1", "a", "b", false, "f: not valid YAML"},
		{"yaml", "a: 1\n---\nb: 2\n", "a", "b", false, "f: more than one document"},
		{"yaml", "- a\n", "a", "b", false, `f:1: "a" is looked for in what is no mapping`},
		{"yaml", "a: 1\nb: x\n", "b.c", "d", false, `f:2: "c" is looked for in what is no mapping`},
		{"yaml", "a: 1\na: 2\n", "a", "b", false, `f:2: the key "a" is there twice`},
		{"yaml", "a: {b: 1}\n", "a", "b", false, `f:1: a holds more than one value`},
		{"yaml", "a: 1\n", "a", "b", true, `f:1: a is no list`},
		{"yaml", "a: {b: 1}\n", "a[name=x].b", "b", false, `f:1: "a" is no list`},
		{"yaml", "a: &x {b: 1}\nc: *x\n", "c.b", "d", false, `f:2: "c" is an alias`},
		{"yaml", "a: 1\n", "a", nil, false, "no text, number, true or false"},
		{"yaml", strings.Repeat("#", 1<<20) + "\n", "a", "b", false, "bytes"},
		{"ini", "[a\n", "a.b", "c", false, "f:1: the section"},
		{"ini", "x = 1\nwhat\n", "a.b", "c", false, `f:2: "what" is no key`},
		{"ini", "x = 1\nx = 2\n", "x", "c", false, `f:2: the key "x" is there twice`},
		{"ini", "x = 1\n", "x", "c\nd = 1", false, "cannot be the value"},
		{"ini", "x = 1\n", "a.b.c", "c", false, "KEY or SECTION.KEY"},
		{"ini", "x = 1\n", "a[b=c].d", "c", false, "KEY or SECTION.KEY"},
		{"toml", "x = 1\n", "a", "c", false, `unknown format "toml"`},
	} {
		if got, err := setting.Apply("f", []byte(tt.in), edit(t, tt.format, tt.path, tt.value, tt.list)); err == nil || !strings.Contains(err.Error(), tt.want) || got != nil {
			t.Errorf("%q at %s: got %q, %v; want %s", tt.in, tt.path, got, err, tt.want)
		}
	}
	for _, path := range []string{"", "a..b", "a[b].c", "a[b=].c", "a]b", "a[b=c", "[a=b]", "a[b=c].b"} {
		if _, err := setting.ParsePath(path); err == nil {
			t.Errorf("path %q is read", path)
		}
	}
}

func TestRead(t *testing.T) {
	for _, tt := range []struct{ format, path, want string }{
		{"yaml", "runtime", "dummy"}, {"yaml", "agents.review.enabled", "true"}, {"yaml", "listed[name=a].on", "true"},
		{"yaml", "nothing", ""}, {"yaml", "agents.x.y", ""}, {"yaml", "none", ""}, {"yaml", "none.x", ""}, {"yaml", "listed[name=b].on", ""},
		{"ini", "open", "yes"}, {"ini", "answer.label", "to-answer"}, {"ini", "answer.x", ""},
	} {
		in := settings
		if tt.format == "ini" {
			in = desks
		}
		got, err := setting.Read("f", []byte(in), tt.format, edit(t, tt.format, tt.path, "", false).Path)
		if got != tt.want || (tt.want == "") != errors.Is(err, setting.ErrAbsent) {
			t.Errorf("%s %s: got %q, %v", tt.format, tt.path, got, err)
		}
	}
}

func FuzzApply(f *testing.F) {
	f.Add(settings, "agents.review.model", "m", false, true)
	f.Add(desks, "sort.hosts", "x", true, false)
	f.Add("a: &x [*x]\n", "a", "b", true, true)
	f.Add("? [a]\n: b\n", "a[b=c].d", "true", false, true)
	f.Fuzz(func(t *testing.T, in, path, value string, list, isYAML bool) {
		p, err := setting.ParsePath(path)
		if err != nil {
			return
		}
		format := setting.INI
		if isYAML {
			format = setting.YAML
		}
		e := setting.Edit{Format: format, Path: p, Value: value, Append: list}
		got, err := setting.Apply("f", []byte(in), e)
		if err != nil || list {
			return
		}
		read, err := setting.Read("f", got, format, p)
		if err != nil && value != "" || err == nil && read != value {
			t.Errorf("%q with %s = %q is %q, from which %q is read: %v", in, path, value, got, read, err)
		}
	})
}
