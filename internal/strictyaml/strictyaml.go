// Package strictyaml decodes YAML files so that every problem names its file and line and no key
// is ignored.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Error is a problem at a place of a file.
type Error struct {
	File string
	Line int
	What string
}

// Error gives "file:line: what".
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What) }

// Errorf makes an Error; lines count from 1.
func Errorf(file string, line int, format string, args ...any) error {
	return &Error{File: file, Line: max(line, 1), What: fmt.Sprintf(format, args...)}
}

// Decode decodes the only document of data into v, a pointer to a struct. An empty file, a second
// document and an unknown or repeated key are errors.
func Decode(file string, data []byte, v any) error {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(v); err != nil {
		if errors.Is(err, io.EOF) {
			return Errorf(file, 1, "the file is empty")
		}
		return located(file, 0, err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return Errorf(file, 1, "the file holds more than one YAML document")
	}
	return nil
}

// DecodeNode decodes a part of a file that was kept as a node.
func DecodeNode(file string, n *yaml.Node, v any) error {
	// A node cannot be decoded strictly, so its text is; lines then count from the node's own.
	data, err := yaml.Marshal(n)
	if err != nil {
		return located(file, n.Line, err)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(v); err != nil && !errors.Is(err, io.EOF) {
		return located(file, n.Line, err)
	}
	return nil
}

var (
	lineError    = regexp.MustCompile(`^(?:yaml: )?line (\d+): (.*)$`)
	unknownField = regexp.MustCompile(`^field (\S+) not found in type .*$`)
	goType       = regexp.MustCompile(` into (\S+)$`)
)

// located rewrites the library's errors. base is the line the decoded text begins at in the file
// when it was cut out of it; then lines inside it cannot be told, and base itself is named.
func located(file string, base int, err error) error {
	texts := []string{err.Error()}
	var te *yaml.TypeError
	if errors.As(err, &te) {
		texts = te.Errors
	}
	var problems []error
	for _, text := range texts {
		line, what := max(base, 1), strings.TrimPrefix(text, "yaml: ")
		if m := lineError.FindStringSubmatch(text); m != nil {
			what = m[2]
			if n, convErr := strconv.Atoi(m[1]); convErr == nil && base == 0 {
				line = n
			}
		}
		if m := unknownField.FindStringSubmatch(what); m != nil {
			what = fmt.Sprintf("unknown key %q", m[1])
		} else if m := goType.FindStringSubmatch(what); m != nil {
			what = strings.TrimSuffix(what, m[0]) + " into " + plain(m[1])
		}
		problems = append(problems, Errorf(file, line, "%s", what))
	}
	return errors.Join(problems...)
}

func plain(goType string) string {
	switch {
	case strings.HasPrefix(goType, "[]"):
		return "a list"
	case strings.HasPrefix(goType, "map"), strings.HasPrefix(goType, "struct"), strings.Contains(goType, "."):
		return "a mapping"
	case goType == "string":
		return "text"
	case goType == "bool":
		return "true or false"
	}
	return "a number"
}
