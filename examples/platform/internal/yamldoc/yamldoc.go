// Package yamldoc reads crew's YAML files: one document each, only keys that are known, and a place
// in the file with every complaint.
package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Max is how large a file may be.
const Max = 1 << 20

// Doc is a file that was read.
type Doc struct {
	File  string
	root  *yaml.Node
	lines []string
}

var (
	inType  = regexp.MustCompile(` (in|into) type \S+`)
	asType  = regexp.MustCompile(` into \S+$`)
	lineOf  = regexp.MustCompile(`^line ([0-9]+): (.*)$`)
	unknown = regexp.MustCompile(`^field (\S+) not found$`)
)

// Decode reads the text of the file called name into the struct that into points to. Without any
// content it leaves it as it is.
func Decode(name string, data []byte, into any) (*Doc, error) {
	d := &Doc{File: name, root: &yaml.Node{}, lines: strings.Split(string(data), "\n")}
	if len(data) > Max {
		return nil, fmt.Errorf("%s: the file is larger than %d bytes", name, Max)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	switch err := dec.Decode(into); {
	case errors.Is(err, io.EOF):
		return d, nil
	case err != nil:
		return nil, d.complaint(err)
	}
	if err := dec.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: a second document follows the first", name)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, d.complaint(err)
	}
	if len(doc.Content) == 1 {
		d.root = doc.Content[0]
	}
	return d, nil
}

// complaint turns the decoder's first message into "file:line: what".
func (d *Doc) complaint(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(text, "unmarshal errors:")), "yaml: ")
	text, _, _ = strings.Cut(text, "\n")
	text = asType.ReplaceAllString(inType.ReplaceAllString(text, ""), "")
	m := lineOf.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("%s: %s", d.File, text)
	}
	if u := unknown.FindStringSubmatch(m[2]); u != nil {
		m[2] = fmt.Sprintf("key %q is unknown", u[1])
	}
	return fmt.Errorf("%s:%s: %s", d.File, m[1], m[2])
}

// Find returns the value below the keys, one inside the other, or nil.
func (d *Doc) Find(keys ...string) *yaml.Node {
	n := d.root
	for _, key := range keys {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		var value *yaml.Node
		for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
			if n.Content[i].Value == key {
				value = n.Content[i+1]
			}
		}
		if value == nil {
			return nil
		}
		n = value
	}
	return n
}

// Errorf returns an error about the value below the keys: "file:line: what".
func (d *Doc) Errorf(keys []string, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	// A value that is missing has no line; what should hold it has one.
	for ; len(keys) > 0; keys = keys[:len(keys)-1] {
		if n := d.Find(keys...); n != nil {
			return fmt.Errorf("%s:%d: %s", d.File, n.Line, text)
		}
	}
	return fmt.Errorf("%s: %s", d.File, text)
}

// Place turns a place in a text that is the value of n into its place in the file. line counts from
// 1 and column from 0; the answer counts both from 1 and has the text of the file's line. It knows
// all of YAML's ways to write a text: what is compared is everything but white space.
func (d *Doc) Place(n *yaml.Node, line, column int) (int, int, string) {
	at := scanner{lines: d.lines, line: n.Line - 1, column: n.Column - 1}
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		at.line, at.column = at.line+1, 0 // after the indicator
	case n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		at.column++
	}
	at.quote = n.Style
	text := []rune(n.Value)
	target, row, col := len(text), 1, 0
	for i, r := range text {
		if row == line && col == column || row > line {
			target = i
			break
		}
		if col++; r == '\n' {
			row, col = row+1, 0
		}
	}
	for _, r := range text[:target] {
		if !space(r) && !at.pass(r) {
			return n.Line, n.Column, d.line(n.Line - 1)
		}
	}
	if target < len(text) && !space(text[target]) {
		at.skip()
	}
	return at.line + 1, at.column + 1, d.line(at.line)
}

func (d *Doc) line(i int) string {
	if i < 0 || i >= len(d.lines) {
		return ""
	}
	return strings.TrimRight(d.lines[i], "\r")
}

func space(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }

// scanner walks over a text as it is written in the file.
type scanner struct {
	lines        []string
	line, column int // of the next rune, from 0
	quote        yaml.Style
}

// skip goes on to the next rune that is no white space.
func (s *scanner) skip() {
	for s.line < len(s.lines) {
		runes := []rune(s.lines[s.line])
		for s.column < len(runes) && space(runes[s.column]) {
			s.column++
		}
		if s.column < len(runes) || s.line+1 == len(s.lines) {
			return
		}
		s.line, s.column = s.line+1, 0
	}
}

// pass goes over the rune r, and says whether it was there.
func (s *scanner) pass(r rune) bool {
	s.skip()
	if s.line >= len(s.lines) {
		return false
	}
	runes := []rune(s.lines[s.line])
	rest := runes[min(s.column, len(runes)):]
	doubled := s.quote&yaml.SingleQuotedStyle != 0 && r == '\''
	escaped := s.quote&yaml.DoubleQuotedStyle != 0 && (r == '"' || r == '\\')
	switch {
	case (doubled || escaped) && len(rest) > 1 && rest[1] == r:
		s.column += 2
	case len(rest) > 0 && rest[0] == r:
		s.column++
	default:
		return false
	}
	return true
}
