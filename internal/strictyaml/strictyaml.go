// Package strictyaml decodes YAML files so that every problem names its file and line, says what to do
// about it where that is known, and no key is ignored.
package strictyaml

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Bounds of a file that a person writes.
const (
	maxSize  = 1 << 20
	maxDepth = 30
	maxTold  = 20  // problems of one file
	maxLines = 300 // of a file whose wrong line is looked for
)

// Error is a problem at a place of a file.
type Error struct {
	File string
	Line int
	What string
	Do   string // what to do about it; may be ""
}

// Error gives "file:line: what".
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What) }

// Hint says what to do about it; "" is that nobody knows better than the error itself.
func (e *Error) Hint() string { return e.Do }

// Errorf makes an Error; lines count from 1.
func Errorf(file string, line int, format string, args ...any) *Error {
	what := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ") // one line, whatever the file holds
	return &Error{File: file, Line: max(line, 1), What: strings.ToValidUTF8(what, "�")}
}

// Hinted makes an Error of one, with what to do about it.
func (e *Error) Hinted(format string, args ...any) *Error {
	e.Do = fmt.Sprintf(format, args...)
	return e
}

// Read reads a file that is to be decoded: a regular one, and no larger than a person writes.
func Read(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a pipe or a device may never end
		return nil, Errorf(file, 1, "it is no regular file")
	}
	if info.Size() > maxSize {
		return nil, tooLarge(file, info.Size())
	}
	return os.ReadFile(file)
}

func tooLarge(file string, size int64) error {
	return Errorf(file, 1, "the file has %d bytes; %d is the most that is read", size, maxSize).Hinted("is it the file that was meant?")
}

// Decode decodes the only document of data into v, a pointer to a struct or to a yaml.Node. An empty
// file, a second document, an unknown or repeated key, a value of another kind, and anchors, aliases
// and merge keys are errors; all of them are told, in order.
func Decode(file string, data []byte, v any) error {
	doc, err := parse(file, data)
	if err != nil {
		return err
	}
	if n, ok := v.(*yaml.Node); ok {
		*n = *doc
		return nil
	}
	return DecodeNode(file, doc.Content[0], v)
}

// DecodeNode decodes a part of a file that was kept as a node, as Decode decodes the whole.
func DecodeNode(file string, n *yaml.Node, v any) error { return DecodePart(file, "", n, v) }

// DecodePart is DecodeNode with the key of the part, such as "actors.write", by which problems name it.
func DecodePart(file, path string, n *yaml.Node, v any) error {
	c := checker{file: file}
	c.value(n, typeOf(v), path)
	if len(c.problems) > 0 {
		return joined(c.problems)
	}
	if err := n.Decode(v); err != nil {
		return located(file, n.Line, err)
	}
	return nil
}

// Join is errors.Join of problems in the order of their lines, each once.
func Join(problems []error) error {
	var all []*Error
	var others []error
	for _, err := range problems {
		for _, err := range parts(err) {
			if e, ok := errors.AsType[*Error](err); ok {
				all = append(all, e)
			} else {
				others = append(others, err)
			}
		}
	}
	return errors.Join(append(others, joined(all))...)
}

func parts(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, err := range joined.Unwrap() {
		all = append(all, parts(err)...)
	}
	return all
}

// joined is all problems in the order of their lines.
func joined(problems []*Error) error {
	slices.SortStableFunc(problems, func(a, b *Error) int { return cmp.Compare(a.Line, b.Line) })
	if more := len(problems) - maxTold; more > 1 {
		last := problems[maxTold]
		problems = append(problems[:maxTold:maxTold], Errorf(last.File, last.Line, "%d more problems begin here", more))
	}
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = p
	}
	return errors.Join(errs...)
}

// parse reads the only document and refuses what files of this kind do without.
func parse(file string, data []byte) (*yaml.Node, error) {
	if len(data) > maxSize {
		return nil, tooLarge(file, int64(len(data)))
	}
	if err := checkText(file, data); err != nil {
		return nil, err
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, empty(file)
		}
		return nil, syntaxError(file, data, err)
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		return nil, Errorf(file, second.Line, "the file holds more than one YAML document").Hinted("take out what stands from this line on, or before it")
	case !errors.Is(err, io.EOF):
		return nil, syntaxError(file, data, err)
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind == yaml.ScalarNode && doc.Content[0].ShortTag() == "!!null" {
		return nil, empty(file)
	}
	var problems []*Error
	plain(file, doc.Content[0], 1, func(e *Error) { problems = append(problems, e) })
	if len(problems) > 0 {
		return nil, joined(problems)
	}
	return &doc, nil
}

func empty(file string) error { return Errorf(file, 1, "the file is empty") }

// checkText finds bytes that are no text before a parser has to make something of them.
func checkText(file string, data []byte) error {
	line := 1
	for rest := data; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		switch {
		case r == '\n':
			line++
		case r == utf8.RuneError && n == 1:
			return Errorf(file, line, "the file is no text in UTF-8: it has the byte 0x%02x here", rest[0]).Hinted("save it as UTF-8")
		case r < ' ' && r != '\t' && r != '\r', r == 0x7f:
			return Errorf(file, line, "the file is no text: it has the character U+%04X here", r).Hinted("is it the file that was meant?")
		}
		rest = rest[n:]
	}
	return nil
}

// plain finds anchors, aliases, merge keys, repeated keys, keys that are no text, and nesting without
// an end.
func plain(file string, n *yaml.Node, depth int, tell func(*Error)) {
	switch {
	case depth > maxDepth:
		tell(Errorf(file, n.Line, "the file is nested more than %d levels deep", maxDepth))
		return
	case n.Kind == yaml.AliasNode:
		tell(Errorf(file, n.Line, "*%s is an alias, which this file does without", n.Value).Hinted("write out what it stands for"))
		return
	case n.Anchor != "":
		tell(Errorf(file, n.Line, "&%s is an anchor, which this file does without", n.Anchor).Hinted("take it out, and write out what refers to it"))
	}
	first := map[string]int{}
	for i, below := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			switch line, twice := first[below.Value]; {
			case below.Kind == yaml.AliasNode: // told below
			case below.Kind != yaml.ScalarNode:
				tell(Errorf(file, below.Line, "a key is a word, not %s", kindOf(below)).Hinted("a value that begins with { or [ stands in quotes"))
			case below.ShortTag() == "!!merge":
				tell(Errorf(file, below.Line, "<< is a merge key, which this file does without").Hinted("write out what it stands for"))
				continue
			case twice:
				tell(Errorf(file, below.Line, "key %q is given twice; the first is in line %d", below.Value, line))
			}
			first[below.Value] = below.Line
		}
		plain(file, below, depth+1, tell)
	}
}

var lineError = regexp.MustCompile(`(?s)^(?:yaml: )?(?:line (\d+): )?(.*)$`)

// syntaxError rewrites what the parser says.
func syntaxError(file string, data []byte, err error) error {
	lines := bytes.SplitAfter(data, []byte("\n"))
	for i, line := range lines {
		line = bytes.TrimRight(line, "\r\n")
		if indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]; bytes.ContainsRune(indent, '\t') && len(indent) < len(line) {
			return Errorf(file, i+1, "a tab indents this line; YAML takes spaces alone").Hinted("replace it by spaces")
		}
	}
	what := lineError.FindStringSubmatch(err.Error())[2]
	if len(lines) > maxLines {
		return located(file, 1, err)
	}
	// The parser names the line where the part began that it could not read; the first line with which
	// it says the same is the one that a person has to look at.
	for size, i := 0, 0; i < len(lines); i++ {
		size += len(lines[i])
		if m := lineError.FindStringSubmatch(fmt.Sprint(yaml.Unmarshal(data[:size], new(yaml.Node)))); m[2] == what {
			return Errorf(file, i+1, "%s", what).Hinted("%s", syntaxHints[what])
		}
	}
	return located(file, 1, err)
}

// syntaxHints say what mostly leads to what the parser says.
var syntaxHints = map[string]string{
	"mapping values are not allowed in this context":         "text that holds a colon and a space stands in quotes",
	"found character that cannot start any token":            "text that begins with @, ` or % stands in quotes",
	"did not find expected key":                              "is this line, or the one before, indented as those around it?",
	"did not find expected ',' or ']'":                       "a list that begins with [ ends with ]",
	"did not find expected ',' or '}'":                       "a mapping that begins with { ends with }; text that holds a brace stands in quotes",
	"found unexpected end of stream":                         "is there a quote without its other one?",
	"could not find expected ':'":                            "a key ends with a colon",
	"did not find expected '-' indicator":                    "the entries of a list are indented alike",
	"block sequence entries are not allowed in this context": "a list begins in the line below its key",
	"found unknown escape character":                         `in "…" a backslash is written \\; in '…' it stands for itself`,
	"did not find expected alphabetic or numeric character":  "text that begins with * or & stands in quotes",
}

// located gives the library's errors their place: their own line, or else the given one.
func located(file string, line int, err error) error {
	texts := []string{err.Error()}
	var te *yaml.TypeError
	if errors.As(err, &te) {
		texts = te.Errors
	}
	var problems []*Error
	for _, text := range texts {
		at := line
		m := lineError.FindStringSubmatch(strings.ReplaceAll(text, "\n", " "))
		if n, convErr := strconv.Atoi(m[1]); convErr == nil {
			at = n
		}
		problems = append(problems, Errorf(file, at, "%s", m[2]).Hinted("%s", syntaxHints[m[2]]))
	}
	return joined(problems)
}
