package behaviourtest

import (
	"errors"
	"flag"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/understudy-dev/understudy/suite"
)

// filter knows which subtests go test will run, so that the others are not worked for. It reads -run
// and -skip as package testing does: alternatives of patterns, one for each level of the name.
type filter struct {
	parent    string
	run, skip [][]*regexp.Regexp
	text      string // of -run and -skip, for people
}

func newFilter(parent string) (filter, error) {
	f := filter{parent: parent}
	for name, to := range map[string]*[][]*regexp.Regexp{"test.run": &f.run, "test.skip": &f.skip} {
		value := ""
		if on := flag.Lookup(name); on != nil {
			value = on.Value.String()
		}
		if value == "" {
			continue
		}
		f.text = strings.TrimSpace(f.text + " -" + strings.TrimPrefix(name, "test.") + " " + value)
		for _, alternative := range split(value, '|') {
			var levels []*regexp.Regexp
			for _, level := range split(alternative, '/') {
				re, err := regexp.Compile(testName(level))
				if err != nil {
					return f, fmt.Errorf("read -%s %s: %w", name, value, err)
				}
				levels = append(levels, re)
			}
			*to = append(*to, levels)
		}
	}
	return f, nil
}

// split splits a pattern at sep, but not inside brackets, parentheses or after a backslash.
func split(pattern string, sep byte) []string {
	var parts []string
	start, square, round := 0, 0, 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '[':
			square++
		case c == ']':
			square = max(0, square-1)
		case c == '(' && square == 0:
			round++
		case c == ')' && square == 0:
			round--
		case c == sep && square == 0 && round == 0:
			parts = append(parts, pattern[start:i])
			start = i + 1
		}
	}
	return append(parts, pattern[start:])
}

// testName is s as it stands in the name of a subtest.
func testName(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, s)
}

// selects reports whether the subtest of the scenario with this id runs.
func (f filter) selects(id string) bool {
	name := strings.Split(f.parent+"/"+testName(id), "/")
	wanted := len(f.run) == 0
	for _, levels := range f.run {
		wanted = wanted || match(levels, name)
	}
	for _, levels := range f.skip {
		wanted = wanted && (len(levels) > len(name) || !match(levels, name))
	}
	return wanted
}

// match compares as many levels as both have.
func match(levels []*regexp.Regexp, name []string) bool {
	for i := range min(len(levels), len(name)) {
		if !levels[i].MatchString(name[i]) {
			return false
		}
	}
	return true
}

// explain says so when it was -run or -skip that left nothing.
func (f filter) explain(err error) error {
	if errors.Is(err, suite.ErrNothingSelected) && f.text != "" {
		return fmt.Errorf("%w (tags and go test's %s)", err, f.text)
	}
	return err
}
