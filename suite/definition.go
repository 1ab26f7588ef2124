package suite

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"sync"

	"github.com/understudy-dev/understudy/suite/feature"
)

// definition is one step definition, compiled.
type definition struct {
	pack   string
	step   Step
	re     *regexp.Regexp
	prefix string // every text that matches begins with it
	do     reflect.Value
	params []reflect.Kind // one per group
	last   reflect.Type   // tableType, docStringType, or nil
}

func (d *definition) String() string { return fmt.Sprintf("%s: `%s`", d.pack, d.step.Pattern) }

var (
	contextType   = reflect.TypeFor[context.Context]()
	errorType     = reflect.TypeFor[error]()
	tableType     = reflect.TypeFor[*Table]()
	docStringType = reflect.TypeFor[*DocString]()
)

// vocabulary is every definition of a run. Matches are remembered by text; it is safe for
// concurrent use.
type vocabulary struct {
	definitions []*definition
	mu          sync.RWMutex
	known       map[string][]match
}

// match is a definition that matches a text, with the values of its groups.
type match struct {
	def    *definition
	groups []string
}

func compile(packs []Pack) (*vocabulary, error) {
	v := &vocabulary{known: map[string][]match{}}
	var problems []error
	names, patterns := map[string]bool{}, map[string]string{}
	for i, p := range packs {
		if p.Name == "" {
			problems = append(problems, fmt.Errorf("pack %d has no name", i+1))
		}
		if names[p.Name] {
			problems = append(problems, fmt.Errorf("two packs are named %q", p.Name))
		}
		names[p.Name] = true
		for _, s := range p.Steps {
			d, err := define(p.Name, s)
			if err != nil {
				problems = append(problems, fmt.Errorf("step %s: `%s`: %w", p.Name, s.Pattern, err))
				continue
			}
			if other, ok := patterns[s.Pattern]; ok && s.foreign == nil {
				problems = append(problems, fmt.Errorf("step %s: also defined by pack %s", d, other))
				continue
			}
			patterns[s.Pattern] = p.Name
			v.definitions = append(v.definitions, d)
		}
	}
	problems = append(problems, v.examples()...)
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return v, nil
}

// examples checks that each example is matched by its own definition alone.
func (v *vocabulary) examples() []error {
	var problems []error
	for _, d := range v.definitions {
		if d.step.foreign != nil {
			continue
		}
		own := false
		for _, m := range v.find(d.step.Example) {
			if m.def == d {
				own = true
			} else {
				problems = append(problems, fmt.Errorf("step %s: its example %q also matches %s", d, d.step.Example, m.def))
			}
		}
		if !own {
			problems = append(problems, fmt.Errorf("step %s: its example %q does not match it", d, d.step.Example))
		}
	}
	return problems
}

func define(pack string, s Step) (*definition, error) {
	if s.foreign != nil {
		return s.foreign.define(pack, s)
	}
	if s.Pattern == "" {
		return nil, errors.New("it has no pattern")
	}
	bare, err := regexp.Compile(s.Pattern)
	if err != nil {
		return nil, fmt.Errorf("the pattern does not compile: %w", err)
	}
	if strings.TrimSpace(s.Doc) == "" {
		return nil, errors.New("it has no documentation")
	}
	if s.Example == "" {
		return nil, errors.New("it has no example")
	}
	d := &definition{pack: pack, step: s, do: reflect.ValueOf(s.Do)}
	if d.re, err = regexp.Compile(`\A(?:` + s.Pattern + `)\z`); err != nil {
		return nil, fmt.Errorf("the pattern does not compile: %w", err)
	}
	d.prefix = literalPrefix(s.Pattern)
	return d, d.signature(bare.NumSubexp())
}

// literalPrefix returns what every text matched by the pattern begins with. Most definitions are
// ruled out by it without running their expression.
func literalPrefix(pattern string) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	if re = re.Simplify(); re.Op == syntax.OpConcat && len(re.Sub) > 0 {
		re = re.Sub[0]
	}
	if re.Op != syntax.OpLiteral || re.Flags&syntax.FoldCase != 0 {
		return ""
	}
	return string(re.Rune)
}

func (d *definition) signature(groups int) error {
	if d.do.Kind() != reflect.Func || d.do.IsNil() {
		return errors.New("Do is not a function")
	}
	t := d.do.Type()
	if t.IsVariadic() || t.NumIn() == 0 || t.In(0) != contextType || t.NumOut() != 1 || t.Out(0) != errorType {
		return fmt.Errorf("Do is a %s, not a func(context.Context, …) error", t)
	}
	for i := 1; i < t.NumIn(); i++ {
		in := t.In(i)
		if in == tableType || in == docStringType {
			if i != t.NumIn()-1 {
				return fmt.Errorf("Do takes a %s before its last parameter", in)
			}
			d.last = in
			continue
		}
		switch in {
		case reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[int64](),
			reflect.TypeFor[float64](), reflect.TypeFor[bool]():
			d.params = append(d.params, in.Kind())
		default:
			return fmt.Errorf("Do's parameter %d is a %s; a group gives a string, int, int64, float64 or bool", i+1, in)
		}
	}
	if len(d.params) != groups {
		return fmt.Errorf("the pattern has %d groups, but Do takes %d values", groups, len(d.params))
	}
	return nil
}

// find returns every definition that matches text.
func (v *vocabulary) find(text string) []match {
	v.mu.RLock()
	ms, ok := v.known[text]
	v.mu.RUnlock()
	if ok {
		return ms
	}
	for _, d := range v.definitions {
		if !strings.HasPrefix(text, d.prefix) {
			continue
		}
		if groups := d.re.FindStringSubmatch(text); groups != nil {
			ms = append(ms, match{d, groups[1:]})
		}
	}
	v.mu.Lock()
	v.known[text] = ms
	v.mu.Unlock()
	return ms
}

// bind makes the call that a step stands for; all that can be wrong with it is found here, before
// anything runs.
func (m match) bind(s feature.Step) (func(context.Context) error, error) {
	d := m.def
	if f := d.step.foreign; f != nil {
		return f.bind(m.groups, s)
	}
	args := make([]reflect.Value, 1, 2+len(d.params))
	for i, kind := range d.params {
		v, err := convert(m.groups[i], kind)
		if err != nil {
			return nil, fmt.Errorf("value %d of %s: %w", i+1, d, err)
		}
		args = append(args, v)
	}
	if s.Table != nil && d.last != tableType {
		return nil, fmt.Errorf("%s takes no table", d)
	}
	if s.DocString != nil && d.last != docStringType {
		return nil, fmt.Errorf("%s takes no docstring", d)
	}
	switch d.last {
	case tableType:
		if s.Table == nil {
			return nil, fmt.Errorf("%s needs a table", d)
		}
		args = append(args, reflect.ValueOf(s.Table))
	case docStringType:
		if s.DocString == nil {
			return nil, fmt.Errorf("%s needs a docstring", d)
		}
		args = append(args, reflect.ValueOf(s.DocString))
	}
	return func(ctx context.Context) error {
		args[0] = reflect.ValueOf(ctx)
		err, _ := d.do.Call(args)[0].Interface().(error)
		return err
	}, nil
}

func convert(text string, kind reflect.Kind) (reflect.Value, error) {
	switch kind {
	case reflect.Int:
		n, err := strconv.Atoi(text)
		return reflect.ValueOf(n), err
	case reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		return reflect.ValueOf(n), err
	case reflect.Float64:
		n, err := strconv.ParseFloat(text, 64)
		return reflect.ValueOf(n), err
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		return reflect.ValueOf(b), err
	}
	return reflect.ValueOf(text), nil
}
