package main

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// rewriteCases writes the function case out in every expression below n, since act does not know it. The
// value of `if:` is an expression as a whole.
func rewriteCases(n *yaml.Node, whole bool) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" && strings.Contains(strings.ToLower(n.Value), "case") {
		if whole && !strings.Contains(n.Value, "${{") {
			n.Value = withoutCase(n.Value)
			return
		}
		n.Value = inBraces(n.Value, withoutCase)
	}
	for i, c := range n.Content {
		rewriteCases(c, n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == "if")
	}
}

// withoutCase writes case(c1, v1, …, last) as (c1 && [v1] || … || [last])[0]. A list is true whatever is in
// it, so that a value that is false, 0 or empty stays; only what is asked for is evaluated. A condition
// goes through a table that has nothing but true and false: GitHub refuses all other values.
func withoutCase(expression string) string {
	var out strings.Builder
	for {
		at := word.FindStringIndex(expression)
		if at == nil {
			out.WriteString(expression)
			return out.String()
		}
		name, rest := expression[at[0]:at[1]], expression[at[1]:]
		bare := strings.TrimLeft(name, " \t")
		args, after, ok := arguments(rest)
		if !strings.EqualFold(bare, "case") || !ok || len(args) < 3 || len(args)%2 == 0 {
			out.WriteString(expression[:at[1]])
			expression = rest
			continue
		}
		out.WriteString(expression[:at[0]] + name[:len(name)-len(bare)] + "(")
		last := len(args) - 1
		for i := 0; i < last; i += 2 {
			fmt.Fprintf(&out, "fromJSON(fromJSON('{\"true\":\"true\",\"false\":\"false\"}')[toJSON(%s)] || "+
				"'case predicate must evaluate to a boolean value') && %s || ", withoutCase(args[i]), listed(args[i+1]))
		}
		out.WriteString(listed(args[last]) + ")[0]")
		expression = after
	}
}

func listed(value string) string {
	return "fromJSON(format('[{0}]', toJSON(" + withoutCase(value) + ")))"
}

// arguments splits what stands between the parentheses at the start of s; after is what follows them.
func arguments(s string) (args []string, after string, ok bool) {
	s = strings.TrimLeft(s, " \t\r\n")
	if !strings.HasPrefix(s, "(") {
		return nil, "", false
	}
	depth, quoted, from := 0, false, 1
	for i := range len(s) {
		switch {
		case s[i] == '\'':
			quoted = !quoted
		case quoted:
		case s[i] == '(' || s[i] == '[':
			depth++
		case s[i] == ',' && depth == 1:
			args = append(args, s[from:i])
			from = i + 1
		case s[i] == ')' || s[i] == ']':
			if depth--; depth == 0 {
				return append(args, s[from:i]), s[i+1:], true
			}
		}
	}
	return nil, "", false
}
