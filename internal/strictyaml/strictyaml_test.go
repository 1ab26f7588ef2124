package strictyaml_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/internal/strictyaml"
)

type doc struct {
	Name string            `yaml:"name"`
	N    int               `yaml:"n"`
	List []string          `yaml:"list"`
	Map  map[string]string `yaml:"map"`
	Part yaml.Node         `yaml:"part"`
}

func TestDecodeNamesThePlace(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"unknown key", "name: a\nnmae: b\n", `f.yaml:2: unknown key "nmae"`},
		{"two problems", "nmae: b\nn: x\n", "f.yaml:1: unknown key \"nmae\"\nf.yaml:2: n is the text \"x\", not a whole number"},
		{"repeated key", "name: a\n\nname: b\n", `f.yaml:3: key "name" is given twice; the first is in line 1`},
		{"repeated key in a part", "part:\n  a: 1\n  a: 2\n", `f.yaml:3: key "a" is given twice; the first is in line 2`},
		{"not a list", "list: a\n", `f.yaml:1: list is the text "a", not a list`},
		{"not a mapping", "map: [a]\n", `f.yaml:1: map is a list, not a mapping`},
		{"not text", "name: {a: b}\nlist: [a, [b]]\nmap: {x: [1]}\n", "f.yaml:1: name is a mapping, not text\nf.yaml:2: list.2 is a list, not text\nf.yaml:3: map.x is a list, not text"},
		{"a list without a value", "list: [a, ~]\nmap: {x: }\n", "f.yaml:1: list.2 has no value\nf.yaml:2: map.x has no value"},
		{"a number that is none", "n: 1.5\n", "f.yaml:1: n is 1.5, not a whole number"},
		{"a huge number", "n: 99999999999999999999999\n", "f.yaml:1: n is 99999999999999999999999, not a whole number"},
		{"all of it a list", "- a\n", "f.yaml:1: it is a list, not a mapping"},
		{"all of it text", "a\n", `f.yaml:1: it is the text "a", not a mapping`},
		{"syntax", "name: [a\n", "f.yaml:1: did not find expected ',' or ']'"},
		{"tab", "part:\n\ta: 1\n", "f.yaml:2: a tab indents this line; YAML takes spaces alone"},
		{"empty", "# nothing\n", "f.yaml:1: the file is empty"},
		{"nothing at all", "", "f.yaml:1: the file is empty"},
		{"null", "~\n", "f.yaml:1: the file is empty"},
		{"two documents", "name: a\n---\nname: b\n", "f.yaml:2: the file holds more than one YAML document"},
		{"two documents, the second wrong", "name: a\n---\n[", "f.yaml:3: did not find expected node content"},
		{"anchor", "name: &x a\npart: *x\n", "f.yaml:1: &x is an anchor, which this file does without\nf.yaml:2: *x is an alias, which this file does without"},
		{"merge key", "part:\n  <<: {a: 1}\n", "f.yaml:2: << is a merge key, which this file does without"},
		{"a mapping as a key", "part: {{a: b}: c}\n", "f.yaml:1: a key is a word, not a mapping"},
		{"not UTF-8", "name: a\nn: \xff\n", "f.yaml:2: the file is no text in UTF-8: it has the byte 0xff here"},
		{"binary", "\x7fELF\x00", "f.yaml:1: the file is no text: it has the character U+007F here"},
		{"deep", "part: " + strings.Repeat("[", 100) + strings.Repeat("]", 100), "f.yaml:1: the file is nested more than 30 levels deep"},
		{"large", "name: " + strings.Repeat("a", 10<<20), "f.yaml:1: the file has 10485766 bytes; 1048576 is the most that is read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var d doc
			err := strictyaml.Decode("f.yaml", []byte(tt.in), &d)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
	var d doc
	if err := strictyaml.Decode("f.yaml", []byte("\ufeffname: a\r\nn:\n"), &d); err != nil || d.Name != "a" {
		t.Errorf("a byte order mark and an empty value: %q, %v", d.Name, err)
	}
}

func TestDecodeNode(t *testing.T) {
	var d doc
	if err := strictyaml.Decode("f.yaml", []byte("name: a\npart:\n  z: 1\n\n  x: 1\n"), &d); err != nil {
		t.Fatal(err)
	}
	var part struct {
		Y int `yaml:"y"`
		Z int `yaml:"z"`
	}
	err := strictyaml.DecodeNode("f.yaml", &d.Part, &part)
	if err == nil || err.Error() != `f.yaml:5: unknown key "x"` {
		t.Errorf("got %v", err)
	}
	var h interface{ Hint() string }
	if !errors.As(err, &h) || h.Hint() != "the keys are: y, z" {
		t.Errorf("the hint is %v", h)
	}
}

func TestReadWaitsForNothing(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, make([]byte, 1<<21), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"/dev/zero": "no regular file", dir: "no regular file", large: "2097152 bytes", filepath.Join(dir, "none"): "no such file"} {
		if _, err := strictyaml.Read(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", file, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"name: a\npart: {b: [1, 2]}\n", "a: &a [*a]", "name: !!binary aa\n", "n: 0x1_\n", "? [a]\n: b\n", "<<: {name: b}\n", "%YAML 1.1\n---\nname: a\n",
		"name: !<tag:x> y\n", "list: !!str [a]", "map: !!int {a: b}", "n: !!int x\n", "name: !!float a"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var d doc
		err := strictyaml.Decode("f.yaml", data, &d)
		if err == nil {
			return
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			if !strings.HasPrefix(line, "f.yaml:") || strings.ContainsAny(line, "\r\x00") {
				t.Errorf("an error without its place, or over several lines: %q", err)
			}
		}
	})
}
