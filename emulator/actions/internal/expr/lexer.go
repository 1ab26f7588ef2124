package expr

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Error is a mistake in an expression, at a byte offset of its text.
type Error struct {
	Pos int
	Msg string
}

// Error returns the message and the position, counted from 1.
func (e *Error) Error() string { return fmt.Sprintf("%s at position %d", e.Msg, e.Pos+1) }

func errorAt(pos int, format string, args ...any) error {
	return &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}

type kind int

const (
	end kind = iota
	literal
	name
	punct // one of the operators and brackets, in token.text
)

type token struct {
	kind kind
	pos  int
	text string
	val  any
}

type lexer struct {
	src  string
	pos  int
	prev token
}

var twoChars = [...]string{"&&", "||", "==", "!=", "<=", ">="}

// next returns the next token. What a sign means depends on the token before it.
func (l *lexer) next() (token, error) {
	t, err := l.scan()
	l.prev = t
	return t, err
}

func (l *lexer) scan() (token, error) {
	for l.pos < len(l.src) && strings.IndexByte(" \t\r\n", l.src[l.pos]) >= 0 {
		l.pos++
	}
	start := l.pos
	if start == len(l.src) {
		return token{kind: end, pos: start}, nil
	}
	c := l.src[start]
	switch {
	case c == '\'':
		return l.text(start)
	case isLetter(c):
		return l.word(start), nil
	case isDigit(c) || c == '+' || c == '-' || c == '.' && !l.afterValue():
		return l.number(start)
	}
	for _, two := range twoChars {
		if strings.HasPrefix(l.src[start:], two) {
			l.pos += 2
			return token{kind: punct, pos: start, text: two}, nil
		}
	}
	if strings.IndexByte("()[].,!<>*", c) >= 0 {
		l.pos++
		return token{kind: punct, pos: start, text: string(c)}, nil
	}
	if c == '"' {
		return token{}, errorAt(start, "unexpected \": text stands in single quotes")
	}
	r, _ := utf8.DecodeRuneInString(l.src[start:])
	return token{}, errorAt(start, "unexpected %q", r)
}

// afterValue tells a dereference from the start of a number such as ".5".
func (l *lexer) afterValue() bool {
	return l.prev.kind == name || l.prev.kind == punct && strings.Contains(")]*", l.prev.text)
}

func (l *lexer) text(start int) (token, error) {
	var b strings.Builder
	for i := start + 1; i < len(l.src); i++ {
		if l.src[i] != '\'' {
			b.WriteByte(l.src[i])
			continue
		}
		if i+1 < len(l.src) && l.src[i+1] == '\'' {
			b.WriteByte('\'')
			i++
			continue
		}
		l.pos = i + 1
		return token{kind: literal, pos: start, val: b.String()}, nil
	}
	return token{}, errorAt(start, "text without a closing quote")
}

func (l *lexer) word(start int) token {
	for l.pos < len(l.src) && (isLetter(l.src[l.pos]) || isDigit(l.src[l.pos]) || l.src[l.pos] == '-') {
		l.pos++
	}
	t := token{kind: name, pos: start, text: l.src[start:l.pos]}
	if l.prev.kind == punct && l.prev.text == "." {
		return t // a.true is a property
	}
	switch t.text {
	case "true", "false":
		return token{kind: literal, pos: start, text: t.text, val: t.text == "true"}
	case "null":
		return token{kind: literal, pos: start, text: t.text}
	case "NaN":
		return token{kind: literal, pos: start, text: t.text, val: math.NaN()}
	case "Infinity":
		return token{kind: literal, pos: start, text: t.text, val: math.Inf(1)}
	}
	return t
}

func (l *lexer) number(start int) (token, error) {
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		sign := (c == '+' || c == '-') && (l.pos == start || l.src[l.pos-1] == 'e' || l.src[l.pos-1] == 'E')
		if !sign && c != '.' && !isDigit(c) && !isLetter(c) {
			break
		}
		l.pos++
	}
	text := l.src[start:l.pos]
	f := parseNumber(text)
	if math.IsNaN(f) {
		return token{}, errorAt(start, "%q is not a number", text)
	}
	return token{kind: literal, pos: start, text: text, val: f}, nil
}

func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
