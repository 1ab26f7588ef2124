package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxDepth bounds a schema that refers to itself.
const maxDepth = 50

// smallest makes a document from a JSON Schema: required properties and those in also, the first
// of an enumeration, constants, and else the least value of the type. It knows the common words of
// JSON Schema only, so the result has to be checked.
func smallest(schema []byte, also []string) ([]byte, error) {
	var root any
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		return nil, err
	}
	m := maker{root: root}
	v, err := m.value(root, also, 0)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := writeJSON(&b, v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

type maker struct{ root any }

func (m maker) value(schema any, also []string, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errors.New("its schema refers to itself without an end")
	}
	s, ok := schema.(map[string]any)
	if !ok {
		if schema == false {
			return nil, errors.New("its schema accepts nothing")
		}
		return map[string]any{}, nil // true: anything
	}
	s, err := m.flat(s, depth)
	if err != nil {
		return nil, err
	}
	if v, ok := s["const"]; ok {
		return v, nil
	}
	if list, ok := s["enum"].([]any); ok && len(list) > 0 {
		return list[0], nil
	}
	switch typeOf(s) {
	case "object":
		return m.object(s, also, depth)
	case "array":
		return m.array(s, depth)
	case "string":
		return leastText(s), nil
	case "integer", "number":
		return number(s), nil
	case "boolean":
		return false, nil
	case "null":
		return nil, nil
	}
	return nil, fmt.Errorf("its schema has the type %v, which JSON Schema does not", s["type"])
}

// flat puts what a schema refers to, all of allOf, and the first of anyOf and oneOf into one.
func (m maker) flat(s map[string]any, depth int) (map[string]any, error) {
	if depth > maxDepth {
		return nil, errors.New("its schema refers to itself without an end")
	}
	var parts []any
	if ref, ok := s["$ref"].(string); ok {
		target, err := m.follow(ref)
		if err != nil {
			return nil, err
		}
		parts = append(parts, target)
	}
	if all, ok := s["allOf"].([]any); ok {
		parts = append(parts, all...)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if list, ok := s[key].([]any); ok && len(list) > 0 {
			parts = append(parts, list[0])
		}
	}
	out := maps.Clone(s)
	for _, part := range parts {
		p, ok := part.(map[string]any)
		if !ok {
			continue
		}
		p, err := m.flat(p, depth+1)
		if err != nil {
			return nil, err
		}
		merge(out, p)
	}
	return out, nil
}

func merge(into, from map[string]any) {
	for key, v := range from {
		switch old := into[key].(type) {
		case nil:
			into[key] = v
		case []any:
			if list, ok := v.([]any); ok && key == "required" {
				into[key] = slices.Concat(old, list)
			}
		case map[string]any:
			if more, ok := v.(map[string]any); ok && key == "properties" {
				both := maps.Clone(more)
				maps.Copy(both, old)
				into[key] = both
			}
		}
	}
}

func (m maker) follow(ref string) (any, error) {
	path, ok := strings.CutPrefix(ref, "#")
	at := m.root
	for _, key := range strings.Split(path, "/")[1:] {
		in, isMap := at.(map[string]any)
		key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
		if at, isMap = in[key], isMap && in[key] != nil; !isMap {
			ok = false
			break
		}
	}
	if !ok || path != "" && path[0] != '/' {
		return nil, fmt.Errorf("its schema refers to %q, which is not followed", ref)
	}
	return at, nil
}

func typeOf(s map[string]any) any {
	t := s["type"]
	if list, ok := t.([]any); ok && len(list) > 0 {
		t = list[0]
	}
	if t != nil {
		return t
	}
	for _, hint := range []struct{ key, is string }{
		{"properties", "object"}, {"required", "object"}, {"items", "array"}, {"minItems", "array"},
		{"minimum", "number"}, {"maximum", "number"}, {"pattern", "string"}, {"minLength", "string"},
	} {
		if _, ok := s[hint.key]; ok {
			return hint.is
		}
	}
	return "object"
}

func (m maker) object(s map[string]any, also []string, depth int) (any, error) {
	out := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	keys := slices.Clone(also)
	if list, ok := s["required"].([]any); ok {
		for _, k := range list {
			keys = append(keys, fmt.Sprint(k))
		}
	}
	for _, key := range keys {
		property, ok := properties[key]
		if !ok {
			property = map[string]any{"type": "string"}
		}
		v, err := m.value(property, nil, depth+1)
		if err != nil {
			return nil, fmt.Errorf("/%s: %w", key, err)
		}
		out[key] = v
	}
	return out, nil
}

func (m maker) array(s map[string]any, depth int) (any, error) {
	out := []any{}
	first, _ := s["prefixItems"].([]any)
	for i := range min(whole(s["minItems"]), 1000) {
		item := s["items"]
		if i < len(first) {
			item = first[i]
		}
		if item == nil {
			item = map[string]any{"type": "string"}
		}
		v, err := m.value(item, nil, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func leastText(s map[string]any) string {
	switch s["format"] {
	case "date-time":
		return "2001-02-03T04:05:06Z"
	case "date":
		return "2001-02-03"
	case "email":
		return "somebody@example.org"
	case "uri", "url":
		return "https://example.org/"
	}
	t := "text"
	if n := whole(s["minLength"]); n > len(t) {
		t = strings.Repeat("x", min(n, 1<<16))
	}
	if _, ok := s["maxLength"]; ok {
		t = t[:min(len(t), whole(s["maxLength"]))]
	}
	return t
}

func number(s map[string]any) any {
	for _, key := range []string{"minimum", "maximum"} {
		n, ok := s[key].(json.Number)
		if f, err := n.Float64(); ok && err == nil && (key == "minimum" && f > 0 || key == "maximum" && f < 0) {
			return n
		}
	}
	if n := whole(s["exclusiveMinimum"]); n >= 0 && s["exclusiveMinimum"] != nil {
		return n + 1
	}
	return 0
}

// whole is a number of a schema that counts something; 0 when it is not there.
func whole(v any) int {
	n, ok := v.(json.Number)
	if !ok {
		return 0
	}
	i, err := n.Int64()
	if err != nil {
		return 0
	}
	return max(0, int(min(i, 1<<30)))
}
