package suite

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/understudy-dev/understudy/suite/feature"
)

// values are the parts of a step's text that differ from use to use.
var values = regexp.MustCompile(`"[^"]*"|\b\d+(?:\.\d+)?\b`)

// draft is the definition that an undefined step could have.
type draft struct {
	step    feature.Step
	pattern string
	params  []string
}

func draftOf(s feature.Step) draft {
	d := draft{step: s, params: []string{"ctx context.Context"}}
	var pattern strings.Builder
	end := 0
	for i, at := range values.FindAllStringIndex(s.Text, -1) {
		pattern.WriteString(regexp.QuoteMeta(s.Text[end:at[0]]))
		value := s.Text[at[0]:at[1]]
		end = at[1]
		switch {
		case value[0] == '"':
			pattern.WriteString(`"([^"]*)"`)
			d.params = append(d.params, fmt.Sprintf("s%d string", i+1))
		case strings.Contains(value, "."):
			pattern.WriteString(`(\d+\.\d+)`)
			d.params = append(d.params, fmt.Sprintf("f%d float64", i+1))
		default:
			pattern.WriteString(`(\d+)`)
			d.params = append(d.params, fmt.Sprintf("n%d int", i+1))
		}
	}
	pattern.WriteString(regexp.QuoteMeta(s.Text[end:]))
	if s.Table != nil {
		d.params = append(d.params, "t *suite.Table")
	}
	if s.DocString != nil {
		d.params = append(d.params, "d *suite.DocString")
	}
	d.pattern = pattern.String()
	return d
}

// quoted is text as a literal of Go.
func quoted(text string) string {
	if strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// suggest writes the definition that an undefined step could have, in one line.
func suggest(s feature.Step) string {
	d := draftOf(s)
	return fmt.Sprintf("define it: {Pattern: %s, Do: func(%s) error { return suite.ErrPending }, …}", quoted(d.pattern), strings.Join(d.params, ", "))
}

// Snippet writes the definition that an undefined step could have as Go: an element of Pack.Steps and
// the function that it names. A table or a docstring of the step becomes its last parameter.
func Snippet(s feature.Step) string {
	d := draftOf(s)
	name := functionName(s.Text)
	return fmt.Sprintf("{\n\tPattern: %s, Do: %s,\n\tDoc:     \"TODO: say in a sentence what it does, or when it holds.\",\n\tExample: %s,\n},\n\n"+
		"func %s(%s) error {\n\treturn suite.ErrPending\n}\n", quoted(d.pattern), name, quoted(s.Text), name, strings.Join(d.params, ", "))
}

// functionName is made of a text's words, without its values: "the moon is full" is theMoonIsFull.
func functionName(text string) string {
	var name strings.Builder
	for _, word := range strings.FieldsFunc(values.ReplaceAllString(text, " "), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		runes := []rune(word)
		if name.Len() > 0 {
			runes[0] = unicode.ToUpper(runes[0])
		} else if runes[0] = unicode.ToLower(runes[0]); !unicode.IsLetter(runes[0]) {
			name.WriteString("step")
		}
		name.WriteString(string(runes))
	}
	switch name.String() {
	case "":
		return "step"
	case "break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func", "go", "goto", "if",
		"import", "interface", "map", "package", "range", "return", "select", "struct", "switch", "type", "var":
		return name.String() + "Step"
	}
	return name.String()
}

// Vocabulary is what scenarios can say with packs.
type Vocabulary struct{ words *vocabulary }

// Word is one step definition, as a person or an editor wants to know it.
type Word struct {
	Pack    string   `json:"pack"`
	Pattern string   `json:"pattern"`
	Doc     string   `json:"doc,omitempty"`
	Example string   `json:"example,omitempty"`
	Values  []string `json:"values"`             // a type for each group of the pattern
	Takes   string   `json:"argument,omitempty"` // "table", "docstring" or ""
}

// Words checks packs and lists what they define. The error is that of Check.
func Words(packs []Pack) (Vocabulary, error) {
	v, err := compile(packs)
	if err != nil {
		return Vocabulary{}, fmt.Errorf("check the step packs: %w", err)
	}
	return Vocabulary{v}, nil
}

// All lists the definitions in the order of their packs.
func (v Vocabulary) All() []Word {
	var out []Word
	for _, d := range v.words.definitions {
		out = append(out, d.word())
	}
	return out
}

// Of lists the definitions that match a step's text.
func (v Vocabulary) Of(text string) []Word {
	var out []Word
	for _, m := range v.words.find(text) {
		out = append(out, m.def.word())
	}
	return out
}

func (d *definition) word() Word {
	w := Word{Pack: d.pack, Pattern: d.step.Pattern, Doc: d.step.Doc, Example: d.step.Example, Values: []string{}}
	for _, p := range d.params {
		w.Values = append(w.Values, p.String())
	}
	switch d.last {
	case tableType:
		w.Takes = "table"
	case docStringType:
		w.Takes = "docstring"
	}
	return w
}
