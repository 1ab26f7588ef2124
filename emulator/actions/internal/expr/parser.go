package expr

import (
	"strings"
)

// node is one node of a parsed expression.
type node interface {
	eval(s *state) (any, error)
	children() []node
}

type (
	constant struct{ val any }
	context  struct {
		name string
		pos  int
	}
	property struct {
		of   node
		name string
	}
	index  struct{ of, at node }
	filter struct{ of node }
	not    struct{ x node }
	binary struct {
		op   string
		l, r node
	}
	call struct {
		name string // lower case
		pos  int
		args []node
	}
)

func (constant) children() []node   { return nil }
func (context) children() []node    { return nil }
func (n property) children() []node { return []node{n.of} }
func (n index) children() []node    { return []node{n.of, n.at} }
func (n filter) children() []node   { return []node{n.of} }
func (n not) children() []node      { return []node{n.x} }
func (n binary) children() []node   { return []node{n.l, n.r} }
func (n call) children() []node     { return n.args }

type parser struct {
	lex   lexer
	tok   token
	depth int
}

// Parse reads one expression, without the ${{ }} around it.
func Parse(src string) (*Expr, error) {
	if len(src) > maxSource {
		return nil, errorAt(maxSource, "expression is longer than %d characters", maxSource)
	}
	p := &parser{lex: lexer{src: src}}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind == end {
		return nil, errorAt(p.tok.pos, "an expression was expected")
	}
	root, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.tok.kind != end {
		return nil, p.unexpected()
	}
	return &Expr{src: src, root: root}, nil
}

func (p *parser) advance() error {
	t, err := p.lex.next()
	p.tok = t
	return err
}

func (p *parser) is(text string) bool { return p.tok.kind == punct && p.tok.text == text }

func (p *parser) unexpected() error {
	if p.tok.kind == end {
		return errorAt(p.tok.pos, "unexpected end of expression")
	}
	return errorAt(p.tok.pos, "unexpected %q", p.lex.src[p.tok.pos:p.lex.pos])
}

func (p *parser) expect(text string) error {
	if !p.is(text) {
		return p.unexpected()
	}
	return p.advance()
}

func (p *parser) deeper() error {
	p.depth++
	if p.depth > maxDepth {
		return errorAt(p.tok.pos, "expression is nested deeper than %d levels", maxDepth)
	}
	return nil
}

// levels are the binary operators, loosest first.
var levels = [...][]string{{"||"}, {"&&"}, {"==", "!="}, {"<", "<=", ">", ">="}}

func (p *parser) or() (node, error) { return p.level(0) }

func (p *parser) level(i int) (node, error) {
	if i == len(levels) {
		return p.unary()
	}
	left, err := p.level(i + 1)
	if err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		op := p.operator(levels[i])
		if op == "" {
			return left, nil
		}
		if n >= maxSource/2 {
			return nil, p.unexpected()
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		right, err := p.level(i + 1)
		if err != nil {
			return nil, err
		}
		left = binary{op: op, l: left, r: right}
	}
}

func (p *parser) operator(ops []string) string {
	for _, op := range ops {
		if p.is(op) {
			return op
		}
	}
	return ""
}

func (p *parser) unary() (node, error) {
	if !p.is("!") {
		return p.postfix()
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	if err := p.advance(); err != nil {
		return nil, err
	}
	x, err := p.unary()
	return not{x: x}, err
}

func (p *parser) postfix() (node, error) {
	n, err := p.primary()
	for err == nil {
		switch {
		case p.is("."):
			n, err = p.member(n)
		case p.is("["):
			n, err = p.subscript(n)
		default:
			return n, nil
		}
	}
	return nil, err
}

func (p *parser) member(of node) (node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	switch {
	case p.is("*"):
		return filter{of: of}, p.advance()
	case p.tok.kind == name:
		key := p.tok.text
		return property{of: of, name: key}, p.advance()
	}
	return nil, p.unexpected()
}

func (p *parser) subscript(of node) (node, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.is("*") {
		if err := p.advance(); err != nil {
			return nil, err
		}
		return filter{of: of}, p.expect("]")
	}
	at, err := p.or()
	if err != nil {
		return nil, err
	}
	return index{of: of, at: at}, p.expect("]")
}

func (p *parser) primary() (node, error) {
	t := p.tok
	switch {
	case t.kind == literal:
		return constant{val: t.val}, p.advance()
	case p.is("("):
		return p.group()
	case t.kind == name:
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.is("(") {
			return p.call(t)
		}
		return context{name: strings.ToLower(t.text), pos: t.pos}, nil
	}
	return nil, p.unexpected()
}

func (p *parser) group() (node, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	if err := p.advance(); err != nil {
		return nil, err
	}
	x, err := p.or()
	if err != nil {
		return nil, err
	}
	return x, p.expect(")")
}

func (p *parser) call(t token) (node, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	if err := p.advance(); err != nil {
		return nil, err
	}
	c := call{name: strings.ToLower(t.text), pos: t.pos}
	for !p.is(")") {
		if len(c.args) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
		}
		arg, err := p.or()
		if err != nil {
			return nil, err
		}
		c.args = append(c.args, arg)
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	return c, checkArity(c)
}
