package dummy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Script is what the agent would do.
type Script struct {
	Ops []Op
}

// Op is one operation. Content belongs to write_fixture alone.
type Op struct {
	Description string
	Op          string
	Args        string
	Content     string
	Iteration   int // the only one in which it is carried out, counted from 1; 0 is all
}

// MaxIteration is the highest number an iteration can have.
const MaxIteration = 99

// Operations returns the names of all operations, sorted.
func Operations() []string {
	return []string{AssertEnv, AssertFile, AssertJSON, CheckoutBranch, HTTPProbe, ReadFile, URLGet, WriteFixture}
}

// Parse reads a script. Errors begin with "line N: " where a line is to blame.
func Parse(data []byte) (Script, error) {
	if !utf8.Valid(data) {
		return Script{}, errors.New("the script is not valid UTF-8")
	}
	root, err := document(data)
	if err != nil {
		return Script{}, err
	}
	top, err := mapping(root, "the script", "ops")
	if err != nil {
		return Script{}, err
	}
	list := top["ops"]
	switch {
	case list == nil:
		return Script{}, at(root, `"ops" is missing`)
	case list.Kind != yaml.SequenceNode:
		return Script{}, at(list, `"ops" must be a list`)
	case len(list.Content) == 0:
		return Script{}, at(list, `"ops" is empty: the agent would do nothing`)
	}
	var s Script
	first := map[string]int{}
	for _, n := range list.Content {
		op, err := parseOp(n)
		if err != nil {
			return Script{}, err
		}
		if line, ok := first[op.Description]; ok {
			return Script{}, at(n, "description %q is taken by the operation of line %d", op.Description, line)
		}
		first[op.Description] = n.Line
		s.Ops = append(s.Ops, op)
	}
	return s, nil
}

// Encode returns the YAML that Parse reads back as an equal script, or the error Parse would give.
func (s Script) Encode() ([]byte, error) {
	type entry struct {
		Description string  `yaml:"description"`
		Op          string  `yaml:"op"`
		Args        string  `yaml:"args"`
		Content     *string `yaml:"content,omitempty"`
		Iteration   int     `yaml:"iteration,omitempty"`
	}
	list := make([]entry, len(s.Ops))
	for i, op := range s.Ops {
		if !utf8.ValidString(op.Description + op.Op + op.Args + op.Content) {
			return nil, fmt.Errorf("operation %q is not valid UTF-8", op.Description)
		}
		list[i] = entry{op.Description, op.Op, op.Args, nil, op.Iteration}
		if op.Op == WriteFixture || op.Content != "" {
			list[i].Content = &op.Content
		}
	}
	out, err := yaml.Marshal(map[string]any{"ops": list})
	if err != nil {
		return nil, err
	}
	back, err := Parse(out)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(back.Ops, s.Ops) {
		return nil, errors.New("the script holds characters that YAML cannot keep")
	}
	return out, nil
}

// document returns the only document's root.
func document(data []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("the script is empty")
	case err != nil:
		return nil, yamlError(err)
	}
	switch err := dec.Decode(&more); {
	case err == nil:
		return nil, at(&more, "a second document begins here; a script is one")
	case !errors.Is(err, io.EOF):
		return nil, yamlError(err)
	}
	return doc.Content[0], nil
}

func yamlError(err error) error {
	return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
}

func at(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %w", max(n.Line, 1), fmt.Errorf(format, args...))
}

// mapping returns n's values by key and refuses every key that is not among the known ones.
func mapping(n *yaml.Node, what string, known ...string) (map[string]*yaml.Node, error) {
	if n.Kind != yaml.MappingNode {
		return nil, at(n, "%s must be a mapping with the keys %s", what, strings.Join(known, ", "))
	}
	if n.Anchor != "" {
		return nil, at(n, "anchors are not allowed")
	}
	m := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || !slices.Contains(known, key.Value) {
			return nil, at(key, "unknown key %q; %s has the keys %s", key.Value, what, strings.Join(known, ", "))
		}
		if m[key.Value] != nil {
			return nil, at(key, "key %q is given twice", key.Value)
		}
		if key.Anchor != "" || value.Anchor != "" || value.Kind == yaml.AliasNode {
			return nil, at(value, "anchors and aliases are not allowed")
		}
		m[key.Value] = value
	}
	return m, nil
}

func parseOp(n *yaml.Node) (Op, error) {
	m, err := mapping(n, "an operation", "description", "op", "args", "content", "iteration")
	if err != nil {
		return Op{}, err
	}
	var op Op
	for _, f := range []struct {
		key string
		to  *string
	}{{"description", &op.Description}, {"op", &op.Op}, {"args", &op.Args}, {"content", &op.Content}} {
		v := m[f.key]
		if v == nil {
			if f.key == "content" {
				continue
			}
			return Op{}, at(n, "%q is missing", f.key)
		}
		if v.Kind != yaml.ScalarNode || v.ShortTag() != "!!str" {
			return Op{}, at(v, "%q must be a string; quote it", f.key)
		}
		*f.to = v.Value
	}
	if v := m["iteration"]; v != nil {
		if op.Iteration, err = ParseIteration(v.Value); err != nil || v.ShortTag() != "!!int" {
			return Op{}, at(v, `"iteration" must be a whole number from 1 to %d`, MaxIteration)
		}
	}
	if strings.TrimSpace(op.Description) == "" {
		return Op{}, at(n, `"description" is blank`)
	}
	switch {
	case !slices.Contains(Operations(), op.Op):
		return Op{}, at(m["op"], "%w", op.Check())
	case op.Op == WriteFixture && m["content"] == nil:
		return Op{}, at(n, `write_fixture needs "content"`)
	case op.Op != WriteFixture && m["content"] != nil:
		return Op{}, at(m["content"], `%s has no "content"`, op.Op)
	}
	if err := op.Check(); err != nil {
		return Op{}, at(m["args"], "%w", err)
	}
	return op, nil
}

// ParseIteration reads the number of an iteration.
func ParseIteration(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > MaxIteration || strconv.Itoa(n) != s {
		return 0, fmt.Errorf("iteration %q: it is a whole number from 1 to %d", s, MaxIteration)
	}
	return n, nil
}

// Check says what is wrong with the operation as it stands, or nil: an unknown name, or arguments
// that the operation does not take.
func (o Op) Check() error {
	if !slices.Contains(Operations(), o.Op) {
		return fmt.Errorf("unknown operation %q; known: %s", o.Op, strings.Join(Operations(), ", "))
	}
	if err := o.checkArgs(); err != nil {
		return fmt.Errorf("%s: %w", o.Op, err)
	}
	return nil
}

func (o Op) checkArgs() error {
	var err error
	switch o.Op {
	case URLGet:
		return checkURL(o.Args)
	case HTTPProbe:
		_, err = parseProbe(o.Args)
		return err
	case AssertEnv:
		_, err = parseVariable(o.Args)
		return err
	case AssertJSON:
		_, err = parsePlace(o.Args)
		return err
	case CheckoutBranch:
		return checkBranch(o.Args)
	}
	if o.Op == WriteFixture && strings.Contains(o.Args, ",") {
		return fmt.Errorf("args %q: only the destination goes here, the fixture's text into content", o.Args)
	}
	return checkPath(o.Args)
}

// checkPath allows what cannot mean a place outside of the directory it is relative to. Symbolic
// links are not known here; os.Root holds them in when the operation runs.
func checkPath(p string) error {
	switch {
	case p == "":
		return errors.New("args is empty; it must be a path")
	case strings.HasPrefix(p, "/"):
		return fmt.Errorf("path %q is absolute; it must stay inside its directory", p)
	case strings.ContainsFunc(p, func(r rune) bool { return r == '\\' || unicode.IsControl(r) }):
		return fmt.Errorf("path %q has a backslash or a control character", p)
	}
	for part := range strings.SplitSeq(p, "/") {
		switch part {
		case "..":
			return fmt.Errorf("path %q has \"..\"; it must stay inside its directory", p)
		case "", ".":
			return fmt.Errorf("path %q does not name a file plainly", p)
		}
	}
	return nil
}

func checkURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return fmt.Errorf("%q is not a URL", raw)
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%q: only http and https are fetched", raw)
	case u.Hostname() == "":
		return fmt.Errorf("%q names no host", raw)
	case u.User != nil:
		return errors.New("the URL carries credentials")
	}
	return nil
}
