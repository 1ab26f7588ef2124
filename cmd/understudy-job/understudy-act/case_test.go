package main

import (
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

// FuzzWithoutCase holds that an expression stays one, has no case in it any more, and is left alone where it
// has none.
func FuzzWithoutCase(f *testing.F) {
	for _, s := range []string{
		"case(true, 1, 2)", "a.case(1)", "case( case(a, b, c) , 'x,(y)]''', d[0] )[1]", "'case(1,2,3)'", "case(1,2", "CASE (a,b,c) || case", "x == case(a, b, c, d, e).f",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := withoutCase(in)
		if !strings.Contains(strings.ToLower(in), "case") && out != in {
			t.Errorf("%q became %q", in, out)
		}
		if !reads(t, in, false) {
			return
		}
		if !reads(t, out, true) {
			t.Errorf("%q became %q, which is no expression", in, out)
		}
	})
}

// reads reports whether act's parser takes the text as one expression; with strict it must have no case in it.
func reads(t *testing.T, expression string, strict bool) bool {
	if strings.Contains(expression, "}}") {
		return false
	}
	n, err := actionlint.NewExprParser().Parse(actionlint.NewExprLexer(expression + "}}"))
	if err != nil {
		return false
	}
	actionlint.VisitExprNode(n, func(n, _ actionlint.ExprNode, _ bool) {
		if c, ok := n.(*actionlint.FuncCallNode); ok && strict && strings.EqualFold(c.Callee, "case") && len(c.Args) >= 3 && len(c.Args)%2 == 1 {
			t.Errorf("%q has case in it", expression)
		}
	})
	return true
}
