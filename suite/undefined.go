package suite

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite/feature"
)

// resolve finds the one definition of a step and makes its call. A problem says why there is none.
func (v *vocabulary) resolve(s feature.Step) (func(context.Context) error, *result.Problem) {
	var found []match
	for _, m := range v.find(s.Text) {
		if f := m.def.step.foreign; f == nil || f.keyword == "" || s.Type == "" || f.keyword == s.Type {
			found = append(found, m)
		}
	}
	switch len(found) {
	case 1:
		do, err := found[0].bind(s)
		if err != nil {
			return nil, &result.Problem{Verdict: result.Broken, What: "the step does not fit its definition: " + err.Error()}
		}
		return do, nil
	case 0:
		return nil, &result.Problem{Verdict: result.Broken,
			What: fmt.Sprintf("the step is undefined: %q", s.Text), Hint: suggest(s)}
	}
	names := make([]string, len(found))
	for i, m := range found {
		names[i] = m.def.String()
	}
	return nil, &result.Problem{Verdict: result.Broken,
		What: "the step is ambiguous; these define it: " + strings.Join(names, " and ")}
}

var placeholder = regexp.MustCompile(`"[^"]*"|\b\d+\b`)

// suggest writes the definition that an undefined step could have.
func suggest(s feature.Step) string {
	params := []string{"ctx context.Context"}
	var pattern strings.Builder
	rest := s.Text
	for i, at := range placeholder.FindAllStringIndex(s.Text, -1) {
		offset := len(s.Text) - len(rest)
		pattern.WriteString(regexp.QuoteMeta(rest[:at[0]-offset]))
		if s.Text[at[0]] == '"' {
			pattern.WriteString(`"([^"]*)"`)
			params = append(params, fmt.Sprintf("s%d string", i+1))
		} else {
			pattern.WriteString(`(\d+)`)
			params = append(params, fmt.Sprintf("n%d int", i+1))
		}
		rest = s.Text[at[1]:]
	}
	pattern.WriteString(regexp.QuoteMeta(rest))
	if s.Table != nil {
		params = append(params, "t *suite.Table")
	}
	if s.DocString != nil {
		params = append(params, "d *suite.DocString")
	}
	return fmt.Sprintf("define it: {Pattern: `%s`, Do: func(%s) error { return suite.ErrPending }, …}",
		pattern.String(), strings.Join(params, ", "))
}
