// Package schema checks JSON documents against JSON Schemas, with messages for people.
//
//	s, err := schema.Compile("triage.schema.json", text)
//	err = s.Check(document) // "/action: value must be one of 'sufficient', 'insufficient'"
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is a compiled JSON Schema. It is safe for concurrent use.
type Schema struct{ compiled *jsonschema.Schema }

// place is the address a schema is compiled under: it stands for no file and no host.
const place = "schema:///schema.json"

// Compile reads a schema. It stands on its own: references to other documents are errors.
func Compile(name string, text []byte) (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("schema %s is not valid JSON: %w", name, jsonError(text, err))
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(alone{})
	if err := c.AddResource(place, doc); err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	s, err := c.Compile(place)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %s", name, strings.ReplaceAll(err.Error(), place, ""))
	}
	return &Schema{s}, nil
}

type alone struct{}

func (alone) Load(string) (any, error) {
	return nil, errors.New("references to other documents are not allowed")
}

// Check returns nil for a document that the schema accepts. Otherwise the error lists each wrong
// place with what is wrong there, sorted.
func (s *Schema) Check(document []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return fmt.Errorf("not valid JSON: %w", jsonError(document, err))
	}
	err = s.compiled.Validate(v)
	if ve, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return errors.New(strings.Join(places(ve), "; "))
	}
	return err
}

// jsonError prefers the standard library's words for what is wrong with a document.
func jsonError(document []byte, err error) error {
	var v any
	switch std := json.Unmarshal(document, &v); {
	case std != nil:
		return std
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	}
	return err
}

func places(ve *jsonschema.ValidationError) []string {
	var all []string
	var walk func(jsonschema.OutputUnit)
	walk = func(u jsonschema.OutputUnit) {
		if u.Error != nil {
			where := u.InstanceLocation
			if where == "" {
				where = "/"
			}
			all = append(all, where+": "+u.Error.String())
		}
		for _, below := range u.Errors {
			walk(below)
		}
	}
	walk(*ve.DetailedOutput())
	slices.Sort(all)
	return slices.Compact(all)
}
