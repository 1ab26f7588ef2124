// Package schema validates an agent's result. Its messages are part of crew's contract: they stand
// in the log and in the failure comment.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Result is where an agent leaves its result, below its workspace.
const Result = "output/agent-result.json"

const maxResult = 1 << 20

// Failure says what is wrong with a result. The text begins with "FAIL: ".
type Failure string

func (f Failure) Error() string { return string(f) }

// Schema is a compiled JSON Schema.
type Schema struct{ compiled *jsonschema.Schema }

// Compile reads a schema. It must stand on its own: references to other files are refused.
func Compile(name string, data []byte) (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource("crew:///schema.json", doc); err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	s, err := c.Compile("crew:///schema.json")
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	return &Schema{s}, nil
}

type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, errors.New("references to other documents are not allowed")
}

// Check validates the result in workspace. A bad result is a Failure; any other error means that it
// could not be looked at.
func (s *Schema) Check(workspace string) error {
	data, err := read(workspace)
	if err != nil {
		return err
	}
	// The standard decoder first, for its messages and because it refuses what follows the value.
	var any any
	if err := json.Unmarshal(data, &any); err != nil {
		return Failure(fmt.Sprintf("FAIL: %s is not valid JSON: %v", Result, err))
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return Failure(fmt.Sprintf("FAIL: %s is not valid JSON: %v", Result, err))
	}
	err = s.compiled.Validate(doc)
	if ve, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return Failure("FAIL: schema validation error: " + describe(ve))
	}
	return err
}

func read(workspace string) ([]byte, error) {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Lstat(Result)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil, Failure(fmt.Sprintf("FAIL: %s not found", Result))
	}
	if err != nil {
		return nil, err
	}
	f, err := root.Open(Result)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxResult+1))
	if len(data) > maxResult {
		return nil, Failure(fmt.Sprintf("FAIL: %s is larger than %d bytes", Result, maxResult))
	}
	return data, err
}

// describe lists the places that are wrong, sorted: "/action: value must be …; /summary: …".
func describe(ve *jsonschema.ValidationError) string {
	p := message.NewPrinter(language.English)
	var all []string
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 {
			where := "/" + strings.Join(e.InstanceLocation, "/")
			all = append(all, where+": "+e.ErrorKind.LocalizedString(p))
		}
		for _, c := range e.Causes {
			walk(c)
		}
	}
	walk(ve)
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "; ")
}
