package workflow

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
)

// follow returns what an alias stands for.
func (p *parser) follow(n *yaml.Node) *yaml.Node {
	for i := 0; n.Kind == yaml.AliasNode && n.Alias != nil && i < maxLevels; i++ {
		n = n.Alias
	}
	return n
}

// measure refuses trees that are too large or too deep once aliases are followed (an alias may also
// stand for a tree that it is itself in), so that every later walk ends soon.
func (p *parser) measure(n *yaml.Node, level int) bool {
	n = p.follow(n)
	p.budget--
	if p.budget < 0 || level > maxLevels || n.Kind == yaml.AliasNode {
		p.failf(n, "the file is too large or nested too deep")
		return false
	}
	for _, c := range n.Content {
		if !p.measure(c, level+1) {
			return false
		}
	}
	return true
}

// mapping calls the function of each key and refuses other keys; it returns which were there.
func (p *parser) mapping(n *yaml.Node, what string, keys map[string]func(*yaml.Node)) map[string]bool {
	seen := map[string]bool{}
	p.pairs(n, what, func(key, value *yaml.Node) {
		f, ok := keys[key.Value]
		if !ok {
			known := make([]string, 0, len(keys))
			for k := range keys {
				known = append(known, k)
			}
			sort.Strings(known)
			p.fail(key.Line, fmt.Sprintf("`%s:` is not a key of %s", key.Value, what), "there are: "+strings.Join(known, ", "))
			return
		}
		seen[key.Value] = true
		f(value)
	})
	return seen
}

// pairs calls f for each key of a mapping, in the file's order.
func (p *parser) pairs(n *yaml.Node, what string, f func(key, value *yaml.Node)) {
	n = p.follow(n)
	if n.Kind != yaml.MappingNode {
		p.failf(n, "%s must be a mapping", what)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := p.follow(n.Content[i]), p.follow(n.Content[i+1])
		switch {
		case key.Kind != yaml.ScalarNode:
			p.failf(key, "a key of %s must be plain text", what)
		case seen[strings.ToLower(key.Value)]:
			p.failf(key, "`%s:` stands twice in %s", key.Value, what)
		default:
			seen[strings.ToLower(key.Value)] = true
			f(key, value)
		}
	}
}

// text returns a scalar's text.
func (p *parser) text(n *yaml.Node, what string) (string, bool) {
	n = p.follow(n)
	if n.Kind != yaml.ScalarNode {
		p.failf(n, "`%s:` must be text", what)
		return "", false
	}
	if n.Tag == "!!null" {
		return "", true
	}
	return n.Value, true
}

// plain is text without expressions.
func (p *parser) plain(n *yaml.Node, what string) string {
	s, _ := p.text(n, what)
	if strings.Contains(s, "${{") {
		p.failf(n, "`%s:` cannot hold an expression", what)
	}
	return s
}

// word is text that must not be empty.
func (p *parser) word(n *yaml.Node, what string) string {
	s := p.plain(n, what)
	if s == "" && n.Kind == yaml.ScalarNode {
		p.failf(n, "`%s:` is empty", what)
	}
	return s
}

// words is one text or a list of texts.
func (p *parser) words(n *yaml.Node, what string) []string {
	n = p.follow(n)
	if n.Kind != yaml.SequenceNode {
		return []string{p.word(n, what)}
	}
	out := make([]string, 0, len(n.Content))
	for _, c := range n.Content {
		out = append(out, p.word(p.follow(c), what))
	}
	return out
}

// oneOf is a word from a fixed set.
func (p *parser) oneOf(n *yaml.Node, what string, set ...string) string {
	s, ok := p.text(n, what)
	if ok && !slices.Contains(set, s) {
		p.failf(n, "%q is not a value of `%s:` (there are: %s)", s, what, strings.Join(set, ", "))
	}
	return s
}

// flag is true or false.
func (p *parser) flag(n *yaml.Node, what string) bool {
	return p.oneOf(n, what, "true", "false") == "true"
}

// template is text that may hold expressions.
func (p *parser) template(n *yaml.Node, at expr.Place) *expr.Template {
	n = p.follow(n)
	if n.Kind != yaml.ScalarNode {
		p.failf(n, "text was expected")
		return nil
	}
	t, err := expr.ParseTemplate(n.Value)
	if err == nil {
		err = t.Check(at)
	}
	if err != nil {
		p.failf(n, "expression: %v", err)
		return nil
	}
	return t
}

func (p *parser) condition(n *yaml.Node, at expr.Place) *expr.Expr {
	s, ok := p.text(n, "if")
	if !ok || s == "" {
		return nil
	}
	e, err := expr.ParseCondition(s)
	if err == nil {
		err = e.Check(at)
	}
	if err != nil {
		p.failf(n, "`if:` %v", err)
		return nil
	}
	return e
}

// Value is a piece of YAML with expressions in it. The zero value is absent.
type Value struct {
	Line int
	eval func(expr.Scope) (any, error)
	lit  string // the text of a scalar
	expr bool   // there is an expression in it
}

// Given reports whether the file has the value.
func (v Value) Given() bool { return v.eval != nil }

// Literal reports whether the file has the value and there is no expression in it.
func (v Value) Literal() bool { return v.Given() && !v.expr }

// Text returns a scalar as it is written, and false when it holds an expression or is no scalar.
func (v Value) Text() (string, bool) { return v.lit, !v.expr && v.lit != "" }

// Eval computes the value; an absent one is nil.
func (v Value) Eval(s expr.Scope) (any, error) {
	if v.eval == nil {
		return nil, nil
	}
	return v.eval(s)
}

func (p *parser) value(n *yaml.Node, at expr.Place) Value {
	n = p.follow(n)
	switch n.Kind {
	case yaml.SequenceNode:
		return p.list(n, at)
	case yaml.MappingNode:
		return p.object(n, at)
	}
	if n.Tag == "!!str" {
		t := p.template(n, at)
		if t == nil {
			return Value{}
		}
		return Value{Line: n.Line, eval: t.Eval, lit: n.Value, expr: !t.Literal()}
	}
	lit := literal(n)
	return Value{Line: n.Line, lit: n.Value, eval: func(expr.Scope) (any, error) { return lit, nil }}
}

func literal(n *yaml.Node) any {
	switch n.Tag {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		var f float64
		if n.Decode(&f) == nil {
			return f
		}
	}
	return n.Value
}

func (p *parser) list(n *yaml.Node, at expr.Place) Value {
	items := make([]Value, len(n.Content))
	out := Value{Line: n.Line}
	for i, c := range n.Content {
		items[i] = p.value(c, at)
		out.expr = out.expr || items[i].expr
	}
	out.eval = func(s expr.Scope) (any, error) {
		list := make([]any, len(items))
		for i, it := range items {
			v, err := it.Eval(s)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	}
	return out
}

func (p *parser) object(n *yaml.Node, at expr.Place) Value {
	out := Value{Line: n.Line}
	var keys []string
	var vals []Value
	p.pairs(n, "this mapping", func(key, value *yaml.Node) {
		v := p.value(value, at)
		keys, vals = append(keys, key.Value), append(vals, v)
		out.expr = out.expr || v.expr
	})
	out.eval = func(s expr.Scope) (any, error) {
		o := &expr.Object{}
		for i, k := range keys {
			v, err := vals[i].Eval(s)
			if err != nil {
				return nil, err
			}
			o.Set(k, v)
		}
		return o, nil
	}
	return out
}

// number is a literal number above zero, or an expression.
func (p *parser) number(n *yaml.Node, what string, at expr.Place) Value {
	v := p.value(n, at)
	if text, ok := v.Text(); ok {
		if i, err := strconv.Atoi(text); err != nil || i <= 0 {
			p.failf(n, "`%s:` must be a whole number above zero", what)
		}
	} else if v.Given() && !v.expr {
		p.failf(n, "`%s:` must be a whole number above zero", what)
	}
	return v
}

// boolean is true, false, or an expression.
func (p *parser) boolean(n *yaml.Node, what string, at expr.Place) Value {
	v := p.value(n, at)
	if text, ok := v.Text(); v.Given() && !v.expr && (!ok || text != "true" && text != "false") {
		p.failf(n, "`%s:` must be true or false", what)
	}
	return v
}
