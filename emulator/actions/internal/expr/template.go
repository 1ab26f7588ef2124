package expr

import (
	"strings"
)

// Template is text with expressions in it. It does not change and may be used by several goroutines.
type Template struct {
	src   string
	parts []part
}

type part struct {
	text string
	expr *Expr // nil for text
}

// ParseTemplate reads text in which ${{ … }} stands for an expression.
func ParseTemplate(src string) (*Template, error) {
	t := &Template{src: src}
	for rest, offset := src, 0; ; {
		start := strings.Index(rest, "${{")
		if start < 0 {
			t.add(part{text: rest})
			return t, nil
		}
		size := closing(rest[start+3:])
		if size < 0 {
			return nil, errorAt(offset+start, "${{ without }}")
		}
		e, err := Parse(rest[start+3 : start+3+size])
		if err != nil {
			return nil, err
		}
		t.add(part{text: rest[:start]})
		t.add(part{expr: e})
		next := start + 3 + size + 2
		rest, offset = rest[next:], offset+next
	}
}

func (t *Template) add(p part) {
	if p.expr != nil || p.text != "" {
		t.parts = append(t.parts, p)
	}
}

// closing finds the }} that is not inside of quotes.
func closing(s string) int {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\'':
			quoted = !quoted
		case !quoted && strings.HasPrefix(s[i:], "}}"):
			return i
		}
	}
	return -1
}

// ParseCondition reads the value of an `if:`, where ${{ }} may stand around the whole or be left out.
func ParseCondition(src string) (*Expr, error) {
	text := strings.TrimSpace(src)
	if !strings.Contains(text, "${{") {
		return Parse(text)
	}
	t, err := ParseTemplate(text)
	if err != nil {
		return nil, err
	}
	if len(t.parts) != 1 {
		// GitHub takes the whole as a text then, which is always true. Nobody means that.
		return nil, errorAt(0, "text beside ${{ }} makes a condition always true; put all of it inside")
	}
	return t.parts[0].expr, nil
}

// String returns the template's text.
func (t *Template) String() string { return t.src }

// Literal reports whether there is no expression in it.
func (t *Template) Literal() bool {
	for _, p := range t.parts {
		if p.expr != nil {
			return false
		}
	}
	return true
}

// Mentions reports whether an expression in it uses the context.
func (t *Template) Mentions(name string) bool {
	for _, p := range t.parts {
		if p.expr != nil && p.expr.Mentions(name) {
			return true
		}
	}
	return false
}

// Check refuses what may not be mentioned at p.
func (t *Template) Check(p Place) error {
	for _, pt := range t.parts {
		if pt.expr == nil {
			continue
		}
		if err := pt.expr.Check(p); err != nil {
			return err
		}
	}
	return nil
}

// Eval returns the value of the one expression that the template is, or else its text.
func (t *Template) Eval(s Scope) (any, error) {
	if len(t.parts) == 1 && t.parts[0].expr != nil {
		return t.parts[0].expr.Eval(s)
	}
	var b strings.Builder
	for _, p := range t.parts {
		if p.expr == nil {
			b.WriteString(p.text)
			continue
		}
		v, err := p.expr.Eval(s)
		if err != nil {
			return nil, err
		}
		b.WriteString(String(v))
	}
	return b.String(), nil
}
