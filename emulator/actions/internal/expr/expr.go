// Package expr evaluates GitHub's expressions: what stands between ${{ and }} in a workflow.
//
// It knows the operators, literals, filters and coercions of the language and the functions
// contains, startsWith, endsWith, format, join, toJSON, fromJSON, success, failure, always and
// cancelled. It does not know files: hashFiles is parsed, since steps may use it, and refused
// when it is evaluated. Values are nil, bool, float64, string, []any and *Object.
//
//	e, err := expr.Parse("github.event.label.name == 'bug'")
//	v, err := e.Eval(expr.Scope{Contexts: map[string]any{"github": github}})
//
// https://docs.github.com/en/actions/reference/workflows-and-actions/expressions
package expr

import (
	"slices"
	"strings"
)

// Expr is a parsed expression. It does not change and may be used by several goroutines.
type Expr struct {
	src  string
	root node
}

// Scope is what an expression can see.
type Scope struct {
	Contexts map[string]any // by name in lower case
	Status   Status
}

// Status answers success(), failure() and cancelled().
type Status struct{ Success, Failure, Cancelled bool }

// Place says what an expression may mention where it stands, as GitHub's table of context
// availability does.
type Place struct {
	Contexts []string
	Status   bool // success, failure, cancelled and always are allowed
	Files    bool // hashFiles is allowed
}

// Eval computes the expression.
func (e *Expr) Eval(s Scope) (any, error) {
	st := &state{scope: s}
	return st.value(e.root)
}

// String returns the expression's text.
func (e *Expr) String() string { return e.src }

// Check refuses what may not be mentioned at p.
func (e *Expr) Check(p Place) error {
	return e.walk(func(n node) error {
		switch n := n.(type) {
		case context:
			if !slices.Contains(p.Contexts, n.name) {
				return errorAt(n.pos, "`%s` is not available here (there are: %s)", n.name, strings.Join(p.Contexts, ", "))
			}
		case call:
			if isStatus(n.name) && !p.Status || n.name == "hashfiles" && !p.Files {
				return errorAt(n.pos, "function %s is not available here", n.name)
			}
		}
		return nil
	})
}

// Mentions reports whether the expression uses the context.
func (e *Expr) Mentions(name string) bool {
	found := false
	_ = e.walk(func(n node) error { // the function returns no error
		c, ok := n.(context)
		found = found || ok && c.name == name
		return nil
	})
	return found
}

// AsksStatus reports whether the expression calls success, failure, cancelled or always; where it
// does not, a condition has an implicit success() in front.
func (e *Expr) AsksStatus() bool {
	found := false
	_ = e.walk(func(n node) error { // the function returns no error
		c, ok := n.(call)
		found = found || ok && isStatus(c.name)
		return nil
	})
	return found
}

func isStatus(name string) bool {
	return name == "success" || name == "failure" || name == "cancelled" || name == "always"
}

// walk visits every node. Chains such as a || b || c … lean left and can be long, so it keeps its
// own stack.
func (e *Expr) walk(visit func(node) error) error {
	stack := []node{e.root}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if err := visit(n); err != nil {
			return err
		}
		stack = append(stack, n.children()...)
	}
	return nil
}
