package expr

import (
	"errors"
	"fmt"
	"strings"
)

// checkArity refuses unknown functions and wrong numbers of arguments.
func checkArity(c call) error {
	low, high := 0, 0
	switch c.name {
	case "success", "failure", "always", "cancelled":
	case "contains", "startswith", "endswith":
		low, high = 2, 2
	case "tojson", "fromjson":
		low, high = 1, 1
	case "join":
		low, high = 1, 2
	case "format", "hashfiles":
		low, high = 1, 255
	case "case":
		low, high = 3, 255
		if len(c.args)%2 == 0 {
			return errorAt(c.pos, "function case needs pairs of condition and value, and a default at the end")
		}
	default:
		return errorAt(c.pos, "unknown function %q", c.name)
	}
	if len(c.args) < low || len(c.args) > high {
		return errorAt(c.pos, "function %s cannot take %d arguments", c.name, len(c.args))
	}
	return nil
}

func (n call) eval(s *state) (any, error) {
	switch n.name {
	case "always":
		return true, nil
	case "success":
		return s.scope.Status.Success, nil
	case "failure":
		return s.scope.Status.Failure, nil
	case "cancelled":
		return s.scope.Status.Cancelled, nil
	case "hashfiles":
		return nil, errorAt(n.pos, "hashFiles is not supported outside of steps")
	case "case":
		return n.choose(s)
	}
	args := make([]any, len(n.args))
	for i, a := range n.args {
		v, err := s.value(a)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	v, err := apply(n.name, args)
	if err != nil {
		return nil, errorAt(n.pos, "%s: %v", n.name, err)
	}
	if t, ok := v.(string); ok && len(t) > maxString {
		return nil, errorAt(n.pos, "%s: the result is larger than %d bytes", n.name, maxString)
	}
	return v, nil
}

// choose evaluates case: the value behind the first condition that is true, else the last argument.
// https://docs.github.com/en/actions/reference/workflows-and-actions/expressions#case
func (n call) choose(s *state) (any, error) {
	last := len(n.args) - 1
	for i := 0; i < last; i += 2 {
		v, err := s.value(n.args[i])
		if err != nil {
			return nil, err
		}
		is, ok := v.(bool)
		if !ok {
			return nil, errorAt(n.pos, "case: condition %d is %q, not true or false", i/2+1, String(v))
		}
		if is {
			return s.value(n.args[i+1])
		}
	}
	return s.value(n.args[last])
}

func apply(name string, args []any) (any, error) {
	switch name {
	case "contains":
		return contains(args[0], args[1]), nil
	case "startswith":
		return bothText(args, strings.HasPrefix), nil
	case "endswith":
		return bothText(args, strings.HasSuffix), nil
	case "join":
		return join(args), nil
	case "format":
		return format(String(args[0]), args[1:])
	case "tojson":
		return ToJSON(args[0]), nil
	case "fromjson":
		return FromJSON([]byte(String(args[0])))
	}
	return nil, errors.New("not implemented")
}

func primitive(v any) bool {
	switch v.(type) {
	case []any, *Object:
		return false
	}
	return true
}

func contains(in, item any) bool {
	if list, ok := in.([]any); ok {
		for _, e := range list {
			if equal(e, item) {
				return true
			}
		}
		return false
	}
	return bothText([]any{in, item}, strings.Contains)
}

func bothText(args []any, f func(string, string) bool) bool {
	if !primitive(args[0]) || !primitive(args[1]) {
		return false
	}
	return f(strings.ToUpper(String(args[0])), strings.ToUpper(String(args[1])))
}

func join(args []any) string {
	sep := ","
	if len(args) > 1 && primitive(args[1]) {
		sep = String(args[1])
	}
	list, ok := args[0].([]any)
	if !ok {
		if primitive(args[0]) {
			return String(args[0])
		}
		return ""
	}
	var b strings.Builder
	for i, e := range list {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(String(e))
		if b.Len() > maxString {
			break // call.eval refuses it
		}
	}
	return b.String()
}

func format(layout string, args []any) (string, error) {
	var b strings.Builder
	for i := 0; i < len(layout); i++ {
		c := layout[i]
		if c != '{' && c != '}' {
			b.WriteByte(c)
			continue
		}
		if i+1 < len(layout) && layout[i+1] == c {
			b.WriteByte(c)
			i++
			continue
		}
		closing := strings.IndexByte(layout[i:], '}')
		if c == '}' || closing < 0 {
			return "", fmt.Errorf("the text has a lone %q at byte %d", c, i)
		}
		n, err := argument(layout[i+1 : i+closing])
		if err != nil {
			return "", err
		}
		if n >= len(args) {
			return "", fmt.Errorf("the text mentions {%d}, there are %d arguments", n, len(args))
		}
		b.WriteString(String(args[n]))
		if b.Len() > maxString {
			return "", fmt.Errorf("the result is larger than %d bytes", maxString)
		}
		i += closing
	}
	return b.String(), nil
}

func argument(digits string) (int, error) {
	n := 0
	for _, r := range digits {
		if r < '0' || r > '9' || n > 255 {
			return 0, fmt.Errorf("{%s} is not a place for an argument", digits)
		}
		n = n*10 + int(r-'0')
	}
	if digits == "" {
		return 0, errors.New("{} is not a place for an argument")
	}
	return n, nil
}
