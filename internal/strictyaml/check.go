package strictyaml

import (
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/internal/nearest"
)

// checker holds a node to the type that it is to be decoded into, and says what does not fit in the
// words of the file.
type checker struct {
	file     string
	problems []*Error
}

func (c *checker) tell(n *yaml.Node, format string, args ...any) *Error {
	e := Errorf(c.file, n.Line, format, args...)
	c.problems = append(c.problems, e)
	return e
}

var nodeType = reflect.TypeFor[yaml.Node]()

func typeOf(v any) reflect.Type { return reflect.TypeOf(v).Elem() }

// value checks the value of the key at path, which is "" for a whole file or part. A key without a
// value is one that is not given.
func (c *checker) value(n *yaml.Node, t reflect.Type, path string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nodeType || n.ShortTag() == "!!null" && n.Kind == yaml.ScalarNode {
		return
	}
	want, fits := "", false
	switch t.Kind() {
	case reflect.Struct:
		want, fits = "a mapping", n.Kind == yaml.MappingNode
	case reflect.Map:
		want, fits = "a mapping", n.Kind == yaml.MappingNode
	case reflect.Slice:
		want, fits = "a list", n.Kind == yaml.SequenceNode
	case reflect.String:
		want, fits = "text", n.Kind == yaml.ScalarNode
	case reflect.Bool:
		want, fits = "true or false", n.ShortTag() == "!!bool"
	case reflect.Int, reflect.Int64:
		want, fits = "a whole number", n.ShortTag() == "!!int"
	case reflect.Float64:
		want, fits = "a number", n.ShortTag() == "!!int" || n.ShortTag() == "!!float"
	default:
		return // the library decides
	}
	if !fits {
		c.tell(n, "%s is %s, not %s", named(path), kindOf(n), want)
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		c.keys(n, t, path)
	case reflect.Map, reflect.Slice:
		c.entries(n, t, path)
	}
}

// keys checks a mapping whose keys are known.
func (c *checker) keys(n *yaml.Node, t reflect.Type, path string) {
	fields, names := map[string]reflect.Type{}, []string{}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == "" {
			name = strings.ToLower(f.Name)
		}
		fields[name], names = f.Type, append(names, name)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		ft, ok := fields[key.Value]
		if !ok {
			e := c.tell(key, "unknown key %q", key.Value)
			if path != "" {
				e.What += " in " + path
			}
			e.Hinted("the keys are: %s", strings.Join(names, ", "))
			if near := nearest.Of(key.Value, names); near != "" {
				e.Hinted("did you mean %s? The keys are: %s", near, strings.Join(names, ", "))
			}
			continue
		}
		c.value(n.Content[i+1], ft, below(path, key.Value))
	}
}

// entries checks a list, or a mapping whose keys are anybody's.
func (c *checker) entries(n *yaml.Node, t reflect.Type, path string) {
	for i, entry := range n.Content {
		at := below(path, fmt.Sprint(i+1))
		if t.Kind() == reflect.Map {
			if i%2 == 0 {
				continue
			}
			at = below(path, n.Content[i-1].Value)
		}
		if entry.ShortTag() == "!!null" && t.Elem().Kind() == reflect.String {
			c.tell(entry, "%s has no value", named(at)).Hinted(`an empty text is ""`)
			continue
		}
		c.value(entry, t.Elem(), at)
	}
}

func below(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func named(path string) string {
	if path == "" {
		return "it"
	}
	return path
}

// kindOf names what a node is.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	value := []rune(n.Value)
	if len(value) > 40 {
		value = append(value[:40], '…')
	}
	switch n.ShortTag() {
	case "!!bool", "!!int", "!!float":
		return string(value)
	case "!!str":
		return fmt.Sprintf("the text %q", string(value))
	}
	return fmt.Sprintf("%q", string(value))
}
