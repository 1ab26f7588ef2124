package suite

import (
	"context"
	"fmt"
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
