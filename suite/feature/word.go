package feature

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// word is what stands in a portable feature for the platform's own name of a thing.
var word = regexp.MustCompile(`<platform:([^<>]*)>`)

// Expand returns the files with each <platform:NAME> in steps, tables and docstrings replaced by the word
// of that name. file is where the words are from, for errors. A word that there is not is an error with
// its place, as is one in a name or a tag, which are the feature's own.
func Expand(files []File, words map[string]string, file string) ([]File, error) {
	x := &expander{words: words, file: file}
	out := make([]File, len(files))
	for i, f := range files {
		f.Scenarios = slices.Clone(f.Scenarios)
		for k, s := range f.Scenarios {
			for _, name := range append([]string{s.Name, s.Rule, s.Feature}, s.Tags...) {
				if m := word.FindString(name); m != "" {
					x.problem(f.URI, s.Line, "%s stands in a name or a tag; it is for steps, tables and docstrings", m)
				}
			}
			s.Steps = slices.Clone(s.Steps)
			for n := range s.Steps {
				x.step(f.URI, &s.Steps[n])
			}
			f.Scenarios[k] = s
		}
		out[i] = f
	}
	if len(x.problems) > 0 {
		return nil, errors.Join(x.problems...)
	}
	return out, nil
}

type expander struct {
	words    map[string]string
	file     string
	told     []string
	problems []error
}

func (x *expander) step(uri string, s *Step) {
	s.Text = x.text(uri, s.Line, s.Text)
	if s.DocString != nil {
		d := *s.DocString
		d.Content = x.text(uri, s.Line, d.Content)
		s.DocString = &d
	}
	if s.Table == nil {
		return
	}
	t := *s.Table
	t.Rows = slices.Clone(t.Rows)
	for r, row := range t.Rows {
		row := *row
		row.Cells = slices.Clone(row.Cells)
		for c, cell := range row.Cells {
			cell := *cell
			cell.Value = x.text(uri, s.Line, cell.Value)
			row.Cells[c] = &cell
		}
		t.Rows[r] = &row
	}
	s.Table = &t
}

func (x *expander) text(uri string, line int, in string) string {
	return word.ReplaceAllStringFunc(in, func(m string) string {
		name := word.FindStringSubmatch(m)[1]
		if text, ok := x.words[name]; ok {
			return text
		}
		switch known := slices.Sorted(maps.Keys(x.words)); {
		case x.file == "":
			x.problem(uri, line, "%s: the suite has no platform file that could say what it is", m)
		case len(known) == 0:
			x.problem(uri, line, "%s: %s has no words", m, x.file)
		default:
			x.problem(uri, line, "%s: the words of %s have no %q; they are %s", m, x.file, name, strings.Join(known, ", "))
		}
		return m
	})
}

// problem tells a thing once: scenarios share the steps of their background.
func (x *expander) problem(uri string, line int, format string, args ...any) {
	text := fmt.Sprintf("%s:%d: ", uri, line) + fmt.Sprintf(format, args...)
	if !slices.Contains(x.told, text) {
		x.told = append(x.told, text)
		x.problems = append(x.problems, errors.New(text))
	}
}
