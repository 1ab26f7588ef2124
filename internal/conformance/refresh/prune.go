package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type object = map[string]any

// at returns an object inside another; what is not there is empty.
func at(o object, path ...string) object {
	for _, name := range path {
		o, _ = o[name].(object)
	}
	return o
}

// prune returns the operations that keep wants, and what they refer to, in lines that a diff can
// show. What it does not know is an error: it might be what an answer is to be checked against.
func prune(doc object, pkg, under string, keep func(object) bool) ([]byte, error) {
	p := pruner{doc: doc, kept: map[string]object{}}
	places := object{}
	for _, where := range slices.Sorted(maps.Keys(at(doc, under))) {
		item := object{}
		for method, v := range at(doc, under, where) {
			if op, found := v.(object); found && isMethod(method) && keep(op) {
				item[method] = p.operation(op)
			}
		}
		if len(item) > 0 {
			places[where] = item
		}
	}
	for len(p.todo) > 0 && p.err == nil {
		ref := p.todo[0]
		p.todo = p.todo[1:]
		p.component(ref)
	}
	if p.err != nil {
		return nil, fmt.Errorf("%s: %w", pkg, p.err)
	}
	sections := map[string]object{under: places}
	maps.Copy(sections, p.kept)
	share(sections)
	return lines(pkg, sections)
}

// lines writes a document of sections, an entry per line.
func lines(pkg string, sections map[string]object) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"package\": %q", pkg)
	for _, section := range slices.Sorted(maps.Keys(sections)) {
		fmt.Fprintf(&b, ",\n%q: {", section)
		for i, name := range slices.Sorted(maps.Keys(sections[section])) {
			if i > 0 {
				b.WriteByte(',')
			}
			text, err := json.Marshal(sections[section][name])
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&b, "\n%q:%s", name, text)
		}
		b.WriteString("\n}")
	}
	b.WriteString("}\n")
	return b.Bytes(), nil
}

type pruner struct {
	doc  object
	kept map[string]object // components by kind and name
	todo []string          // references not followed yet
	err  error
}

func (p *pruner) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

// ref notes that something is referred to, and returns the reference.
func (p *pruner) ref(to string) object {
	kind, name := target(to)
	if _, found := p.kept[kind][name]; !found {
		if p.kept[kind] == nil {
			p.kept[kind] = object{}
		}
		p.kept[kind][name] = nil
		p.todo = append(p.todo, to)
	}
	return object{"$ref": "#/" + kind + "/" + name}
}

// target splits "#/components/schemas/issue".
func target(ref string) (kind, name string) {
	kind, name, _ = strings.Cut(strings.TrimPrefix(ref, "#/components/"), "/")
	return kind, name
}

func (p *pruner) component(ref string) {
	kind, name := target(ref)
	v, found := at(p.doc, "components", kind)[name].(object)
	if !found {
		p.fail("%s is nowhere", ref)
		return
	}
	switch kind {
	case "schemas":
		p.kept[kind][name] = p.schema(ref, v)
	case "parameters":
		p.kept[kind][name] = p.parameter(v)
	case "responses":
		p.kept[kind][name] = p.response(v)
	default:
		p.fail("%s: a kind of component that is not known", ref)
	}
}

func (p *pruner) operation(op object) object {
	out := object{"operationId": op["operationId"], "tag": tag(op)}
	var params []any
	all, _ := op["parameters"].([]any)
	for _, v := range all {
		if v := p.orRef(v.(object), p.parameter); v != nil {
			params = append(params, v)
		}
	}
	if params != nil {
		out["parameters"] = params
	}
	if body, found := op["requestBody"].(object); found {
		out["requestBody"] = object{"required": body["required"] == true, "content": p.content(body)}
	}
	responses := object{}
	for status, v := range at(op, "responses") {
		responses[status] = p.orRef(v.(object), p.response)
	}
	out["responses"] = responses
	return out
}

func (p *pruner) orRef(v object, otherwise func(object) object) object {
	if to, found := v["$ref"].(string); found {
		return p.ref(to)
	}
	return otherwise(v)
}

// parameter keeps what a request is checked for; headers are not.
func (p *pruner) parameter(v object) object {
	if v["in"] == "header" {
		return nil
	}
	out := object{"name": v["name"], "in": v["in"]}
	if v["required"] == true {
		out["required"] = true
	}
	if s, found := v["schema"].(object); found {
		out["schema"] = p.schema(fmt.Sprint("parameter ", v["name"]), s)
	}
	return out
}

func (p *pruner) response(v object) object {
	return object{"content": p.content(v)}
}

func (p *pruner) content(v object) object {
	out := object{}
	for kind, c := range at(v, "content") {
		out[kind] = object{}
		if s, found := c.(object)["schema"].(object); found {
			out[kind] = p.schema(kind, s)
		}
	}
	return out
}

// schema keeps what a document is checked against.
func (p *pruner) schema(where string, s object) object {
	if to, found := s["$ref"].(string); found {
		return p.ref(to)
	}
	out := object{}
	for _, key := range slices.Sorted(maps.Keys(s)) {
		switch v := s[key].(type) {
		case object:
			switch key {
			case "properties":
				all := object{}
				for name, below := range v {
					all[name] = p.schema(where+"/"+name, below.(object))
				}
				out[key] = all
			case "items", "additionalProperties", "not":
				out[key] = p.schema(where+"/"+key, v)
			default:
				p.unused(where, key)
			}
		case []any:
			switch key {
			case "oneOf", "anyOf", "allOf":
				var all []any
				for _, below := range v {
					all = append(all, p.schema(where+"/"+key, below.(object)))
				}
				out[key] = all
			case "enum", "required", "type":
				out[key] = v
			default:
				p.unused(where, key)
			}
		default:
			switch key {
			case "type", "format", "nullable", "const", "pattern", "additionalProperties",
				"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties":
				out[key] = v
			default:
				p.unused(where, key)
			}
		}
	}
	return out
}

// unused passes by what is said to people only.
func (p *pruner) unused(where, key string) {
	switch key {
	case "title", "description", "example", "examples", "default", "deprecated", "readOnly", "writeOnly", "externalDocs", "discriminator":
		return
	}
	if !strings.HasPrefix(key, "x-") {
		p.fail("%s: keyword %s is not known", where, key)
	}
}
