package setting

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxFile bounds a file of settings, and maxDepth how deep it goes.
const (
	maxFile  = 1 << 20
	maxDepth = 50
)

// document reads the one document of a file, whose top is a mapping; a file without any has an empty one.
func document(file string, data []byte) (*yaml.Node, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: has %d bytes; %d is the most for a file of settings", file, len(data), maxFile)
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	doc, more := &yaml.Node{}, yaml.Node{}
	err := d.Decode(doc)
	switch {
	case errors.Is(err, io.EOF):
		return &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{mapping()}, HeadComment: strings.TrimSpace(string(data))}, nil
	case err != nil:
		return nil, fmt.Errorf("%s: not valid YAML: %w", file, err)
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: more than one document", file)
	}
	if empty(doc.Content[0]) {
		become(doc.Content[0], mapping())
	}
	return doc, nil
}

func mapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"} }

func empty(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// become makes n what another node is, and keeps the comments that stand at it.
func become(n, other *yaml.Node) {
	n.Kind, n.Tag, n.Value, n.Style, n.Content = other.Kind, other.Tag, other.Value, other.Style, other.Content
}

func at(file string, n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", file, max(n.Line, 1), fmt.Sprintf(format, args...))
}

// lookup finds the value of a key, which may be there once.
func lookup(file string, n *yaml.Node, key string) (value *yaml.Node, err error) {
	if n.Kind != yaml.MappingNode {
		return nil, at(file, n, "%q is looked for in what is no mapping", key)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != key {
			continue
		}
		if value != nil {
			return nil, at(file, n.Content[i], "the key %q is there twice", key)
		}
		value = n.Content[i+1]
	}
	if value != nil && value.Kind == yaml.AliasNode {
		return nil, at(file, value, "%q is an alias of another part of the file; a change there would change both", key)
	}
	return value, nil
}

// entry finds the entry of a list that a key selects.
func entry(file string, list *yaml.Node, k Key) (*yaml.Node, error) {
	if list.Kind != yaml.SequenceNode {
		return nil, at(file, list, "%q is no list", k.Name)
	}
	for _, n := range list.Content {
		if n.Kind != yaml.MappingNode {
			continue
		}
		v, err := lookup(file, n, k.By)
		if err != nil {
			return nil, err
		}
		if v != nil && v.Kind == yaml.ScalarNode && v.Value == k.Is {
			return n, nil
		}
	}
	return nil, nil
}

// child is what lies at one key of n, made if need be; without make it may be nil.
func child(file string, n *yaml.Node, k Key, make bool) (*yaml.Node, error) {
	v, err := lookup(file, n, k.Name)
	if err != nil || v == nil && !make {
		return nil, err
	}
	if v == nil {
		v = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line}
		n.Content = append(n.Content, keyOf(k.Name), v)
		n.Style &^= flowOfNothing(n)
	}
	if k.By == "" {
		return v, nil
	}
	if empty(v) {
		if !make {
			return nil, nil
		}
		become(v, &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"})
	}
	e, err := entry(file, v, k)
	if err != nil || e != nil || !make {
		return e, err
	}
	e = mapping()
	e.Line = v.Line
	e.Content = []*yaml.Node{keyOf(k.By), text(k.Is)}
	v.Style &^= flowOfNothing(v)
	v.Content = append(v.Content, e)
	return e, nil
}

// flowOfNothing is the style that a mapping or a list loses with its first entry: {} becomes a block.
func flowOfNothing(n *yaml.Node) yaml.Style {
	if n.Kind == yaml.MappingNode && len(n.Content) <= 2 || n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		return yaml.FlowStyle
	}
	return 0
}

func keyOf(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }

// text is a text that is one for every reader: those of YAML 1.1 take some words for true and false.
func text(s string) *yaml.Node {
	n := keyOf(s)
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off":
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// scalar is a value as YAML writes it.
func scalar(v any) (*yaml.Node, error) {
	if s, ok := v.(string); ok {
		return text(s), nil
	}
	n := &yaml.Node{}
	if err := n.Encode(v); err != nil {
		return nil, err
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		return nil, fmt.Errorf("%v is no text, number, true or false", v)
	}
	return n, nil
}

// follow goes to the setting at a path.
func follow(file string, top *yaml.Node, p Path, make bool) (*yaml.Node, error) {
	n := top
	for _, k := range p {
		if empty(n) && make {
			become(n, mapping())
		}
		if empty(n) {
			return nil, nil
		}
		var err error
		if n, err = child(file, n, k, make); err != nil || n == nil {
			return nil, err
		}
	}
	return n, nil
}

func applyYAML(file string, data []byte, e Edit) ([]byte, error) {
	doc, err := document(file, data)
	if err != nil {
		return nil, err
	}
	if depth(doc) > maxDepth {
		return nil, fmt.Errorf("%s: it is more than %d deep", file, maxDepth)
	}
	value, err := scalar(e.Value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	n, err := follow(file, doc.Content[0], e.Path, true)
	if err != nil {
		return nil, err
	}
	changed, err := put(file, n, value, e)
	if err != nil {
		return nil, err
	}
	if !changed {
		return data, nil
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(doc), enc.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return out.Bytes(), nil
}

// put sets the value, or appends it to the list, unless that is there already.
func put(file string, n, value *yaml.Node, e Edit) (changed bool, err error) {
	if !e.Append {
		if n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode {
			return false, at(file, n, "%s holds more than one value; it is not replaced by %q", e.Path, value.Value)
		}
		if n.Value == value.Value && n.ShortTag() == value.ShortTag() {
			return false, nil
		}
		become(n, value)
		return true, nil
	}
	if empty(n) {
		become(n, &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"})
	}
	if n.Kind != yaml.SequenceNode {
		return false, at(file, n, "%s is no list that %q could be added to", e.Path, value.Value)
	}
	for _, c := range n.Content {
		if c.Kind == yaml.ScalarNode && c.Value == value.Value && c.ShortTag() == value.ShortTag() {
			return false, nil
		}
	}
	n.Style &^= flowOfNothing(n)
	n.Content = append(n.Content, value)
	return true, nil
}

func depth(n *yaml.Node) int {
	most := 0
	for _, c := range n.Content {
		most = max(most, depth(c))
	}
	return most + 1
}

func readYAML(file string, data []byte, p Path) (string, error) {
	doc, err := document(file, data)
	if err != nil {
		return "", err
	}
	n, err := follow(file, doc.Content[0], p, false)
	switch {
	case err != nil:
		return "", err
	case n == nil || empty(n):
		return "", fmt.Errorf("%s: %s: %w", file, p, ErrAbsent)
	case n.Kind != yaml.ScalarNode:
		return "", at(file, n, "%s holds more than one value", p)
	}
	return n.Value, nil
}
