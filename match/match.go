// Package match holds expectations as values, and how reality differs from them.
//
// Matchers are pure and deterministic. What they accept is plain data: strings, numbers, booleans,
// lists, maps with text keys, and what encoding/json makes of other values. A matcher can be written
// down beside the value that it looked at, and both can be read back and looked at again:
//
//	spec, ok := match.Written(match.Contains("bug"))
//	m, err := match.Parse(spec)
//	mismatch := m.Match(value) // as before
package match

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Matcher is an expectation.
type Matcher interface {
	// Match returns nil when got is as expected.
	Match(got any) *Mismatch
	// String tells the expectation to people: `contains "bug"`.
	String() string
}

// Mismatch says where and how a value differs from what was expected. It is the one error that
// makes a scenario failed rather than broken.
type Mismatch struct {
	Subject string // what was looked at: "issue.labels"
	Path    string // place inside the value, "" for the whole
	Want    string // the expectation, as its matcher tells it
	Got     string // what was there
	Hint    string // what it may come from, when the step knows
}

// Error gives one line.
func (m *Mismatch) Error() string {
	var b strings.Builder
	b.WriteString(m.Subject)
	if m.Path != "" {
		b.WriteString(m.Path)
	}
	fmt.Fprintf(&b, ": expected %s, saw %s", m.Want, m.Got)
	return b.String()
}

// Hint adds to a mismatch what it may come from, unless it says so already. Other errors, and nil,
// are returned as they are.
func Hint(err error, text string) error {
	var m *Mismatch
	if errors.As(err, &m) && m.Hint == "" {
		m.Hint = text
	}
	return err
}

type matcher struct {
	spec  Spec // without a name when it cannot be written down
	name  string
	check func(got any) (ok bool, path string)
}

func (m matcher) String() string { return m.name }

// Match looks at the plain form of got, the one that is kept, so that a stored value matches
// exactly when the value itself did.
func (m matcher) Match(got any) *Mismatch {
	if ok, path := m.check(plain(got)); !ok {
		return &Mismatch{Path: path, Want: m.name, Got: Show(got)}
	}
	return nil
}

// Equal expects a value equal to want in its plain form: numbers are equal by value, and a list or
// map that is nil equals an empty one.
func Equal(want any) Matcher {
	w := plain(want)
	spec, _ := written("equal", want)
	return matcher{spec, Show(want), func(got any) (bool, string) { return reflect.DeepEqual(got, w), "" }}
}

// Contains expects a text that contains want, or a list that has want as an element.
func Contains(want string) Matcher {
	want, spec := text("contains", want)
	return matcher{spec, "contains " + Show(want), func(got any) (bool, string) { return contains(got, want), "" }}
}

// Lacks is the opposite of Contains; a value of another kind does not match either.
func Lacks(want string) Matcher {
	want, spec := text("lacks", want)
	return matcher{spec, "does not contain " + Show(want), func(got any) (bool, string) {
		switch got.(type) {
		case string, []string:
			return !contains(got, want), ""
		}
		return false, ""
	}}
}

func contains(got any, want string) bool {
	switch got := got.(type) {
	case string:
		return strings.Contains(got, want)
	case []string:
		return slices.Contains(got, want)
	}
	return false
}

// Any expects a list of texts one of which m matches.
func Any(m Matcher) Matcher {
	var spec Spec
	if inner, ok := Written(m); ok {
		spec, _ = written("any", inner)
	}
	return matcher{spec, "one that " + m.String(), func(got any) (bool, string) {
		list, ok := got.([]string)
		return ok && slices.ContainsFunc(list, func(s string) bool { return m.Match(s) == nil }), ""
	}}
}

// Count expects a list, a map or a number of exactly n.
func Count(n int) Matcher {
	spec, _ := written("count", n)
	return matcher{spec, fmt.Sprintf("exactly %d", n), func(got any) (bool, string) {
		switch got := got.(type) {
		case int64:
			return got == int64(n), ""
		default:
			size, ok := length(got)
			return ok && size == n, ""
		}
	}}
}

// length is the number of elements of a list or map.
func length(got any) (int, bool) {
	switch v := reflect.ValueOf(got); v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len(), true
	}
	return 0, false
}

// NotEmpty expects a list, a map or a text with something in it.
func NotEmpty() Matcher {
	return matcher{Spec{Name: "not empty"}, "at least one", func(got any) (bool, string) {
		if s, ok := got.(string); ok {
			return s != "", ""
		}
		size, ok := length(got)
		return ok && size > 0, ""
	}}
}

// Regexp expects a text that re matches from end to end.
func Regexp(re *regexp.Regexp) Matcher {
	anchored := regexp.MustCompile(whole(re.String()))
	spec, _ := written("regexp", re.String())
	return matcher{spec, "matches /" + re.String() + "/", func(got any) (bool, string) {
		s, ok := got.(string)
		return ok && anchored.MatchString(s), ""
	}}
}

// whole is an expression for all of a text.
func whole(source string) string { return `\A(?:` + source + `)\z` }

// Text expects a text equal to want once both are trimmed and line ends are made "\n". The path of
// a mismatch is the first line that differs.
func Text(want string) Matcher {
	want, spec := text("text", want)
	return matcher{spec, Show(want), func(got any) (bool, string) {
		s, ok := got.(string)
		if !ok {
			return false, ""
		}
		g, w := lines(s), lines(want)
		for i := range max(len(g), len(w)) {
			if i >= len(g) || i >= len(w) || g[i] != w[i] {
				return false, fmt.Sprintf(":line %d", i+1)
			}
		}
		return true, ""
	}}
}

func lines(s string) []string {
	return strings.Split(strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")), "\n")
}

// Show renders a value for people, cut at 400 bytes.
func Show(v any) string {
	var s string
	switch v := v.(type) {
	case nil:
		s = "nothing"
	case string:
		s = fmt.Sprintf("%q", v)
	case []string:
		s = fmt.Sprintf("%q", v)
	default:
		s = fmt.Sprintf("%v", v)
	}
	if len(s) > 400 {
		s = strings.ToValidUTF8(s[:400], "") + fmt.Sprintf("… (%d bytes)", len(s))
	}
	return s
}
