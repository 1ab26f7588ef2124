package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas are the schemas of a description as JSON Schemas that accept no member which is not
// described: we must not invent fields. Each stands twice in the document, open for use inside
// allOf and its like, and closed.
type schemas struct {
	mu       sync.Mutex
	from     map[string]map[string]any // named ones, as described
	named    map[string]any            // open
	closed   map[string]any
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

const schemaPlace = "schema:///description.json"

func newSchemas(named map[string]map[string]any) *schemas {
	s := &schemas{from: named, named: map[string]any{}, closed: map[string]any{}, compiled: map[string]*jsonschema.Schema{}}
	for name, from := range named {
		s.named[name] = s.open(from)
		s.add(name, map[string]any{"$ref": "#/schemas/" + name})
	}
	return s
}

// add puts a schema under a name of its own.
func (s *schemas) add(name string, from map[string]any) {
	if from == nil {
		from = map[string]any{}
	}
	s.closed[name] = s.close(from)
}

// addContent adds the JSON form of a body, and returns the media types there are.
func (s *schemas) addContent(name string, b body) []string {
	kinds := slices.Sorted(maps.Keys(b.Content))
	for _, kind := range kinds {
		if isJSON(kind) {
			s.add(name+" "+kind, b.Content[kind])
		}
	}
	return kinds
}

// isJSON reports whether a media type is JSON; GitHub's forms of an object are without saying so.
func isJSON(kind string) bool {
	return kind == jsonKind || strings.HasSuffix(kind, "+json") || kind == "application/vnd.github.object"
}

// open returns a schema that says nothing of members that are not described.
func (s *schemas) open(from map[string]any) map[string]any {
	if ref, found := from["$ref"].(string); found {
		return map[string]any{"$ref": strings.Replace(ref, "#/schemas/", "#/named/", 1)}
	}
	out := maps.Clone(from)
	delete(out, "nullable")
	if below, found := from["properties"].(map[string]any); found {
		all := map[string]any{}
		for name, p := range below {
			all[name] = s.close(p.(map[string]any))
		}
		out["properties"] = all
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if below, found := from[key].(map[string]any); found {
			out[key] = s.close(below)
		}
	}
	if below, found := from["not"].(map[string]any); found {
		out["not"] = s.open(below)
	}
	_, own := from["properties"]
	own = own || from["allOf"] != nil
	for _, key := range []string{"oneOf", "anyOf", "allOf"} {
		if below, found := from[key].([]any); found {
			var all []any
			for _, p := range below {
				// A choice that has all members of the document to itself is the better told for it.
				if key == "allOf" || own {
					all = append(all, s.open(p.(map[string]any)))
				} else {
					all = append(all, s.close(p.(map[string]any)))
				}
			}
			out[key] = all
		}
	}
	// Upstream writes oneOf for alternatives of which a document may be several at once.
	if choice := out["oneOf"]; choice != nil {
		delete(out, "oneOf")
		out["allOf"] = append(listOf(out["allOf"]), map[string]any{"anyOf": choice})
	}
	if from["nullable"] == true {
		return orNull(out)
	}
	return out
}

func listOf(v any) []any {
	all, _ := v.([]any)
	return all
}

// orNull is OpenAPI 3.0's nullable.
func orNull(s map[string]any) map[string]any {
	kind, typed := s["type"].(string)
	if typed && s["oneOf"] == nil && s["anyOf"] == nil && s["allOf"] == nil {
		s["type"] = []any{kind, "null"}
		if values, found := s["enum"].([]any); found && !slices.Contains(values, nil) {
			s["enum"] = append(slices.Clone(values), nil)
		}
		return s
	}
	return map[string]any{"anyOf": []any{s, map[string]any{"type": "null"}}}
}

// close returns a schema that refuses members that are not described.
func (s *schemas) close(from map[string]any) map[string]any {
	out := s.open(from)
	if has, free := s.members(from, nil); has && !free {
		out["unevaluatedProperties"] = false
	}
	return out
}

// members reports whether a schema describes members of objects, and whether it also accepts an
// object of which nothing is described.
func (s *schemas) members(from map[string]any, via []string) (has, free bool) {
	if ref, found := from["$ref"].(string); found {
		name := strings.TrimPrefix(ref, "#/schemas/")
		if slices.Contains(via, name) {
			return false, false
		}
		return s.members(s.from[name], append(via, name))
	}
	if below, found := from["properties"].(map[string]any); found && len(below) > 0 {
		has = true
	}
	choices := false
	for _, key := range []string{"oneOf", "anyOf", "allOf"} {
		below, _ := from[key].([]any)
		for _, p := range below {
			choices = true
			h, f := s.members(p.(map[string]any), via)
			has = has || h
			free = free || f && key != "allOf"
		}
	}
	if !has && !choices && (from["type"] == "object" || from["type"] == nil) {
		free = true
	}
	return has, free
}

// check returns what is wrong with a document.
func (s *schemas) check(name string, document []byte) ([]place, error) {
	schema, err := s.get(name)
	if err != nil {
		return nil, err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return []place{{says: "is not valid JSON"}}, nil
	}
	var ve *jsonschema.ValidationError
	if err := schema.Validate(v); errors.As(err, &ve) {
		return places(ve), nil
	} else if err != nil {
		return nil, err
	}
	return nil, nil
}

// template checks a URI template of any level; the validator's own stops at the first, without the
// operators that GitHub's addresses have. See https://www.rfc-editor.org/rfc/rfc6570#section-2.
func template(v any) error {
	text, isText := v.(string)
	if rest := expressions.ReplaceAllString(text, ""); isText && strings.ContainsAny(rest, "{} \"<>\\^`") {
		return fmt.Errorf("%q is left between the expressions", rest)
	}
	return nil
}

// email takes the brackets in the addresses of GitHub's own bots, which RFC 5321 does not.
func email(v any) error {
	text, isText := v.(string)
	if name, host, found := strings.Cut(text, "@"); isText && (!found || name == "" || host == "") {
		return errors.New("want name@host")
	}
	return nil
}

var expressions = regexp.MustCompile(`\{[+#./;?&]?[A-Za-z0-9_.,*:%]+\}`)

func (s *schemas) get(name string) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compiler == nil {
		s.compiler = jsonschema.NewCompiler()
		s.compiler.AssertFormat()
		s.compiler.RegisterFormat(&jsonschema.Format{Name: "uri-template", Validate: template})
		s.compiler.RegisterFormat(&jsonschema.Format{Name: "email", Validate: email})
		doc := map[string]any{"named": s.named, "closed": s.closed}
		if err := s.compiler.AddResource(schemaPlace, doc); err != nil {
			return nil, fmt.Errorf("description: %w", err)
		}
	}
	if done := s.compiled[name]; done != nil {
		return done, nil
	}
	schema, err := s.compiler.Compile(schemaPlace + "#/closed/" + pointer(name))
	if err != nil {
		return nil, fmt.Errorf("description of %s: %w", name, err)
	}
	s.compiled[name] = schema
	return schema, nil
}
