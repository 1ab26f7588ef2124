package match

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

// Spec is a matcher written down: its name and what it was made with.
type Spec struct {
	Name string            `json:"name"`
	Args []json.RawMessage `json:"args,omitempty"`
}

// Written returns how m is written down. It is not when it is not of this package, or expects a
// value that has no JSON form.
func Written(m Matcher) (s Spec, ok bool) {
	own, ok := m.(matcher)
	if !ok || own.spec.Name == "" {
		return Spec{}, false
	}
	return Spec{Name: own.spec.Name, Args: slices.Clone(own.spec.Args)}, true
}

// Parse reads a matcher back. A name that nobody knows is an error that tells it, and so are
// arguments that the matcher does not take.
func Parse(s Spec) (Matcher, error) {
	read, ok := map[string]func(json.RawMessage) (Matcher, error){
		"equal": func(arg json.RawMessage) (Matcher, error) {
			want, err := Decode(arg)
			return Equal(want), err
		},
		"contains": textual(Contains),
		"lacks":    textual(Lacks),
		"text":     textual(Text),
		"any": func(arg json.RawMessage) (Matcher, error) {
			var inner Spec
			if err := json.Unmarshal(arg, &inner); err != nil {
				return nil, err
			}
			m, err := Parse(inner)
			if err != nil {
				return nil, err
			}
			return Any(m), nil
		},
		"count": func(arg json.RawMessage) (Matcher, error) {
			var n int
			err := json.Unmarshal(arg, &n)
			return Count(n), err
		},
		"not empty": nil,
		"regexp": func(arg json.RawMessage) (Matcher, error) {
			var source string
			if err := json.Unmarshal(arg, &source); err != nil {
				return nil, err
			}
			re, err := regexp.Compile(source)
			if err == nil {
				_, err = regexp.Compile(whole(source)) // deeper by one: it may be too deep now
			}
			if err != nil {
				return nil, err
			}
			return Regexp(re), nil
		},
	}[s.Name]
	if !ok {
		return nil, fmt.Errorf("read matcher: nobody knows a matcher %q", s.Name)
	}
	wanted := 1
	if read == nil {
		wanted = 0
	}
	if len(s.Args) != wanted {
		return nil, fmt.Errorf("read matcher %q: it has %d arguments and takes %d", s.Name, len(s.Args), wanted)
	}
	if read == nil {
		return NotEmpty(), nil
	}
	m, err := read(s.Args[0])
	if err != nil {
		return nil, fmt.Errorf("read matcher %q: %w", s.Name, err)
	}
	return m, nil
}

func textual(of func(string) Matcher) func(json.RawMessage) (Matcher, error) {
	return func(arg json.RawMessage) (Matcher, error) {
		var want *string
		err := json.Unmarshal(arg, &want)
		if err == nil && want == nil {
			err = fmt.Errorf("null is not a text")
		}
		if err != nil {
			return nil, err
		}
		return of(*want), nil
	}
}

// written makes a Spec, or none when arg has no JSON form.
func written(name string, arg any) (Spec, bool) {
	raw, err := Encode(arg)
	if err != nil {
		return Spec{}, false
	}
	return Spec{Name: name, Args: []json.RawMessage{raw}}, true
}

// text makes the Spec of a matcher with a text, which it returns as it can be kept: what is not
// UTF-8 has no JSON form.
func text(name, want string) (string, Spec) {
	spec, _ := written(name, want)
	if s, ok := plain(want).(string); ok {
		want = s
	}
	return want, spec
}
