package workflow

import (
	"errors"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// globs is a list of patterns for branches, tags or paths. They are tried in order and the last one
// that fits decides; one that starts with ! takes out again. A nil list filters nothing.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#filter-pattern-cheat-sheet
type globs struct{ patterns []glob }

type glob struct {
	re  *regexp.Regexp
	out bool
}

func (g *globs) match(s string) bool {
	in := false
	for _, p := range g.patterns {
		if p.re.MatchString(s) {
			in = !p.out
		}
	}
	return in
}

func (g *globs) accepts(s string) bool { return g == nil || g.match(s) }
func (g *globs) rejects(s string) bool { return g != nil && g.match(s) }

func (p *parser) globs(n *yaml.Node, what string, ignore bool) *globs {
	g := &globs{}
	positive := false
	for _, word := range p.words(n, what) {
		text, out := strings.CutPrefix(word, "!")
		if out && ignore {
			p.failf(n, "`%s:` cannot hold %q: a pattern with ! has no meaning there", what, word)
			continue
		}
		re, err := compile(text)
		if err != nil {
			p.failf(n, "`%s:` pattern %q: %v", what, word, err)
			continue
		}
		positive = positive || !out
		g.patterns = append(g.patterns, glob{re: re, out: out})
	}
	if !positive {
		p.fail(n.Line, "`"+what+":` has no pattern without !, so that nothing can fit", "add '**' before it")
	}
	return g
}

// compile turns a pattern into a regular expression: * is anything but a slash, ** is anything,
// ? and + repeat what stands before them, [] is a class, \ escapes.
func compile(pattern string) (*regexp.Regexp, error) {
	if pattern == "" {
		return nil, errors.New("it is empty")
	}
	var b strings.Builder
	b.WriteString(`\A(?s:`)
	repeatable := false
	for i := 0; i < len(pattern); i++ {
		rest, before := pattern[i:], repeatable
		repeatable = false
		switch c := pattern[i]; {
		case strings.HasPrefix(rest, "**/") && (i == 0 || pattern[i-1] == '/'):
			b.WriteString(`(?:.*/)?`) // **/x is x at the top, too
			i += 2
		case strings.HasPrefix(rest, "**"):
			b.WriteString(`.*`)
			i++
		case c == '*':
			b.WriteString(`[^/]*`)
		case c == '?' || c == '+':
			if !before {
				return nil, errors.New(string(c) + " has nothing before it to repeat")
			}
			b.WriteByte(c)
		case c == '[':
			size := strings.IndexByte(rest, ']')
			if size < 2 {
				return nil, errors.New("[ without ]")
			}
			b.WriteString("[" + class(rest[1:size]) + "]")
			i += size
			repeatable = true
		case c == '\\' && len(rest) > 1:
			i++
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
			repeatable = true
		default:
			r := []rune(rest)[0]
			b.WriteString(regexp.QuoteMeta(string(r)))
			i += len(string(r)) - 1
			repeatable = true
		}
	}
	b.WriteString(`)\z`)
	return regexp.Compile(b.String())
}

// class escapes what has another meaning in a regular expression's class; a-z ranges stay.
func class(s string) string {
	return strings.NewReplacer(`\`, `\\`, `[`, `\[`, `^`, `\^`, `&`, `\&`).Replace(s)
}
