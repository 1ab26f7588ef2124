package suite

import (
	"fmt"
	"slices"
	"strings"
)

// selector tells whether a scenario with these tags is meant.
type selector func(tags []string) bool

// parseTags reads a tag expression: tags, "and", "or", "not" and parentheses, where "not" binds
// closest and "or" loosest (https://github.com/cucumber/tag-expressions).
func parseTags(expr string) (selector, error) {
	p := &tagParser{tokens: tagTokens(expr)}
	if len(p.tokens) == 0 {
		return func([]string) bool { return true }, nil
	}
	s, err := p.or()
	if err == nil && len(p.tokens) > 0 {
		err = fmt.Errorf("%q is not expected here", p.tokens[0])
	}
	if err != nil {
		return nil, fmt.Errorf("read tag expression %q: %w", expr, err)
	}
	return s, nil
}

func tagTokens(expr string) []string {
	expr = strings.NewReplacer("(", " ( ", ")", " ) ").Replace(expr)
	return strings.Fields(expr)
}

type tagParser struct {
	tokens []string
	depth  int
}

func (p *tagParser) take(word string) bool {
	if len(p.tokens) == 0 || p.tokens[0] != word {
		return false
	}
	p.tokens = p.tokens[1:]
	return true
}

func (p *tagParser) or() (selector, error) {
	left, err := p.and()
	for err == nil && p.take("or") {
		a := left
		var b selector
		b, err = p.and()
		left = func(tags []string) bool { return a(tags) || b(tags) }
	}
	return left, err
}

func (p *tagParser) and() (selector, error) {
	left, err := p.not()
	for err == nil && p.take("and") {
		a := left
		var b selector
		b, err = p.not()
		left = func(tags []string) bool { return a(tags) && b(tags) }
	}
	return left, err
}

// maxTagDepth bounds the recursion; no expression that people write comes near.
const maxTagDepth = 1000

func (p *tagParser) not() (selector, error) {
	if p.depth++; p.depth > maxTagDepth {
		return nil, fmt.Errorf("it is nested too deeply")
	}
	defer func() { p.depth-- }()
	switch {
	case p.take("not"):
		s, err := p.not()
		return func(tags []string) bool { return !s(tags) }, err
	case p.take("("):
		s, err := p.or()
		if err == nil && !p.take(")") {
			err = fmt.Errorf("a closing parenthesis is missing")
		}
		return s, err
	}
	if len(p.tokens) == 0 {
		return nil, fmt.Errorf("it ends too early")
	}
	tag := p.tokens[0]
	if !strings.HasPrefix(tag, "@") || len(tag) == 1 {
		return nil, fmt.Errorf("%q is not a tag; tags begin with @", tag)
	}
	p.tokens = p.tokens[1:]
	return func(tags []string) bool { return slices.Contains(tags, tag) }, nil
}
