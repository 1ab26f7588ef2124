package expr

import (
	"errors"
	"math"
	"strings"
)

type state struct{ scope Scope }

// filtered is the result of a filter: a later step applies to each of its elements.
type filtered []any

func (n constant) eval(*state) (any, error) { return n.val, nil }

func (n context) eval(s *state) (any, error) {
	v, ok := s.scope.Contexts[n.name]
	if !ok {
		return nil, errorAt(n.pos, "unknown context `%s`", n.name)
	}
	return v, nil
}

func (n property) eval(s *state) (any, error) {
	of, err := s.raw(n.of)
	if err != nil {
		return nil, err
	}
	return lookup(of, n.name), nil
}

func (n index) eval(s *state) (any, error) {
	of, err := s.raw(n.of)
	if err != nil {
		return nil, err
	}
	at, err := s.value(n.at)
	if err != nil {
		return nil, err
	}
	return lookup(of, at), nil
}

func (n filter) eval(s *state) (any, error) {
	of, err := s.raw(n.of)
	if err != nil {
		return nil, err
	}
	out := filtered{}
	sources := []any{of}
	if f, ok := of.(filtered); ok {
		sources = f
	}
	for _, src := range sources {
		switch src := src.(type) {
		case []any:
			out = append(out, src...)
		case *Object:
			out = append(out, src.vals...)
		}
	}
	return out, nil
}

// lookup follows one step. What is not there is null; in a filtered list it is left out.
func lookup(of, at any) any {
	f, ok := of.(filtered)
	if !ok {
		v, _ := element(of, at)
		return v
	}
	out := filtered{}
	for _, e := range f {
		if v, ok := element(e, at); ok {
			out = append(out, v)
		}
	}
	return out
}

func element(of, at any) (any, bool) {
	switch of := of.(type) {
	case *Object:
		switch at.(type) {
		case []any, *Object:
			return nil, false
		}
		return of.Get(String(at))
	case []any:
		i := math.Floor(number(at))
		if i >= 0 && i < float64(len(of)) { // false for NaN
			return of[int(i)], true
		}
	}
	return nil, false
}

func (n not) eval(s *state) (any, error) {
	v, err := s.value(n.x)
	return !Truthy(v), err
}

func (n binary) eval(s *state) (any, error) {
	l, err := s.value(n.l)
	if err != nil {
		return nil, err
	}
	if n.op == "&&" && !Truthy(l) || n.op == "||" && Truthy(l) {
		return l, nil
	}
	r, err := s.value(n.r)
	if err != nil {
		return nil, err
	}
	switch n.op {
	case "&&", "||":
		return r, nil
	case "==":
		return equal(l, r), nil
	case "!=":
		return !equal(l, r), nil
	case "<":
		return less(l, r), nil
	case ">":
		return less(r, l), nil
	case "<=":
		return equal(l, r) || less(l, r), nil
	case ">=":
		return equal(l, r) || less(r, l), nil
	}
	return nil, errors.New("unknown operator " + n.op)
}

// raw evaluates n and keeps a filtered list as one, for the next step of a path.
func (s *state) raw(n node) (any, error) { return n.eval(s) }

// value evaluates n; a filtered list becomes an ordinary one.
func (s *state) value(n node) (any, error) {
	v, err := n.eval(s)
	if f, ok := v.(filtered); ok {
		return []any(f), err
	}
	return v, err
}

// equal compares as GitHub does: text without regard to case, different kinds as numbers, arrays
// and objects by identity.
func equal(l, r any) bool {
	switch a := l.(type) {
	case nil:
		if r == nil {
			return true
		}
	case bool:
		if b, ok := r.(bool); ok {
			return a == b
		}
	case string:
		if b, ok := r.(string); ok {
			return strings.EqualFold(a, b)
		}
	case *Object:
		b, ok := r.(*Object)
		return ok && a == b
	case []any:
		b, ok := r.([]any)
		return ok && len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
	}
	return number(l) == number(r)
}

func less(l, r any) bool {
	a, aText := l.(string)
	b, bText := r.(string)
	if aText && bText {
		return strings.ToUpper(a) < strings.ToUpper(b)
	}
	return number(l) < number(r)
}
