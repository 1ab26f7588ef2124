package strictyaml_test

import (
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
		{"two problems", "nmae: b\nn: x\n", "f.yaml:1: unknown key \"nmae\"\nf.yaml:2: cannot unmarshal !!str `x` into a number"},
		{"repeated key", "name: a\n\nname: b\n", `f.yaml:3: mapping key "name" already defined at line 1`},
		{"not a list", "list: a\n", "f.yaml:1: cannot unmarshal !!str `a` into a list"},
		{"syntax", "name: [a\n", "f.yaml:1: did not find expected ',' or ']'"},
		{"empty", "# nothing\n", "f.yaml:1: the file is empty"},
		{"two documents", "name: a\n---\nname: b\n", "f.yaml:1: the file holds more than one YAML document"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var d doc
			err := strictyaml.Decode("f.yaml", []byte(tt.in), &d)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestDecodeNode(t *testing.T) {
	var d doc
	if err := strictyaml.Decode("f.yaml", []byte("name: a\npart:\n  x: 1\n"), &d); err != nil {
		t.Fatal(err)
	}
	var part struct {
		Y int `yaml:"y"`
	}
	err := strictyaml.DecodeNode("f.yaml", &d.Part, &part)
	if err == nil || !strings.Contains(err.Error(), `f.yaml:3: unknown key "x"`) {
		t.Errorf("got %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("name: a\npart: {b: [1, 2]}\n"))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var d doc
		if err := strictyaml.Decode("f.yaml", data, &d); err != nil && !strings.HasPrefix(err.Error(), "f.yaml:") {
			t.Errorf("an error without its place: %v", err)
		}
	})
}
