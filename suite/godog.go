package suite

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"strconv"

	"github.com/understudy-dev/understudy/driver"
	expect "github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/suite/feature"
	"github.com/understudy-dev/understudy/world"
)

// Registrar takes step definitions in godog's form. *godog.ScenarioContext is one, so a function
// that takes a Registrar serves both.
//
// expr is a regular expression: a string, []byte or *regexp.Regexp, which need not match the whole
// text. fn may take a context first, then one value for each group it wants (any string, integer or
// float type, or []byte), and last the step's *Table, *DocString or docstring text. It returns nothing, an
// error, a context, or both; a context is passed on to the later steps of the scenario.
type Registrar interface {
	Given(expr, fn any)
	When(expr, fn any)
	Then(expr, fn any)
	Step(expr, fn any)
}

// FromGodog makes a pack of steps that are registered in godog's form. They need no documentation and
// no example. What is wrong with a registration is reported by Check. An error that such a step
// returns is taken as a failed expectation, because that is how steps for godog tell one.
func FromGodog(name string, register func(Registrar)) Pack {
	var r recorder
	register(&r)
	return Pack{Name: name, Steps: r.steps}
}

type recorder struct{ steps []Step }

func (r *recorder) Given(expr, fn any) { r.add("Given", expr, fn) }
func (r *recorder) When(expr, fn any)  { r.add("When", expr, fn) }
func (r *recorder) Then(expr, fn any)  { r.add("Then", expr, fn) }
func (r *recorder) Step(expr, fn any)  { r.add("", expr, fn) }

func (r *recorder) add(keyword string, expr, fn any) {
	f := &foreign{keyword: keyword, do: reflect.ValueOf(fn)}
	pattern := ""
	switch e := expr.(type) {
	case *regexp.Regexp:
		if f.re = e; e == nil {
			f.wrong = errors.New("its expression is nil")
			break
		}
		pattern = e.String()
	case string:
		pattern = e
	case []byte:
		pattern = string(e)
	default:
		f.wrong = fmt.Errorf("its expression is a %T, not a string, []byte or *regexp.Regexp", expr)
	}
	if f.re == nil && f.wrong == nil {
		if f.re, f.wrong = regexp.Compile(pattern); f.wrong != nil {
			f.wrong = fmt.Errorf("the pattern does not compile: %w", f.wrong)
		}
	}
	r.steps = append(r.steps, Step{Pattern: pattern, Do: fn, Doc: f.doc(), foreign: f})
}

// foreign is a definition in godog's form.
type foreign struct {
	keyword string // the only one under which it is found; "" is any
	re      *regexp.Regexp
	do      reflect.Value
	wrong   error // with its registration
}

func (f *foreign) doc() string {
	if f.do.Kind() != reflect.Func || f.do.IsNil() {
		return "Registered as for godog."
	}
	return "Registered as for godog: " + runtime.FuncForPC(f.do.Pointer()).Name() + "."
}

func (f *foreign) define(pack string, s Step) (*definition, error) {
	if f.wrong != nil {
		return nil, f.wrong
	}
	if f.do.Kind() != reflect.Func || f.do.IsNil() {
		return nil, errors.New("it has no function")
	}
	t := f.do.Type()
	if t.IsVariadic() {
		return nil, fmt.Errorf("its function is a %s; it cannot be variadic", t)
	}
	for i := range t.NumIn() {
		if in := t.In(i); !foreignType(in) && (i > 0 || in != contextType) {
			return nil, fmt.Errorf("parameter %d of its function is a %s, which no step gives", i+1, in)
		}
	}
	var out []reflect.Type
	for i := range t.NumOut() {
		out = append(out, t.Out(i))
	}
	switch {
	case len(out) == 0, len(out) == 1 && (out[0] == errorType || out[0] == contextType):
	case len(out) == 2 && out[0] == contextType && out[1] == errorType:
	default:
		return nil, fmt.Errorf("its function is a %s; it returns nothing, an error, a context, or a context and an error", t)
	}
	return &definition{pack: pack, step: s, do: f.do, re: f.re}, nil
}

// foreignType reports whether a group or an argument of a step can become a t.
func foreignType(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Float32, reflect.Float64, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	}
	return t == tableType || t == docStringType || t == bytesType
}

var bytesType = reflect.TypeFor[[]byte]()

// bind makes the call. As in godog a function may take fewer values than there are.
func (f *foreign) bind(groups []string, s feature.Step) (func(context.Context) error, error) {
	given := make([]any, 0, len(groups)+1)
	for _, g := range groups {
		given = append(given, g)
	}
	switch {
	case s.Table != nil:
		given = append(given, s.Table)
	case s.DocString != nil:
		given = append(given, s.DocString)
	}
	t := f.do.Type()
	var args []reflect.Value
	first := 0
	if t.NumIn() > 0 && t.In(0) == contextType {
		first = 1
	}
	for i := first; i < t.NumIn(); i++ {
		if i-first >= len(given) {
			return nil, fmt.Errorf("its function takes %d values, but the step gives %d", t.NumIn()-first, len(given))
		}
		v, err := foreignValue(given[i-first], t.In(i))
		if err != nil {
			return nil, fmt.Errorf("value %d: %w", i-first+1, err)
		}
		args = append(args, v)
	}
	return func(ctx context.Context) error { return f.call(ctx, first == 1, args) }, nil
}

func foreignValue(given any, want reflect.Type) (reflect.Value, error) {
	if want == tableType || want == docStringType {
		if reflect.TypeOf(given) != want {
			return reflect.Value{}, fmt.Errorf("a %T where the function takes a %s", given, want)
		}
		return reflect.ValueOf(given), nil
	}
	var text string
	switch g := given.(type) {
	case string:
		text = g
	case *DocString:
		text = g.Content
	default:
		return reflect.Value{}, fmt.Errorf("a table where the function takes a %s", want)
	}
	v := reflect.New(want).Elem()
	var err error
	switch {
	case want == bytesType:
		v.SetBytes([]byte(text))
	case v.CanInt():
		var n int64
		n, err = strconv.ParseInt(text, 10, want.Bits())
		v.SetInt(n)
	case v.CanUint():
		var n uint64
		n, err = strconv.ParseUint(text, 10, want.Bits())
		v.SetUint(n)
	case v.CanFloat():
		var n float64
		n, err = strconv.ParseFloat(text, want.Bits())
		v.SetFloat(n)
	default:
		v.SetString(text)
	}
	return v, err
}

// carried is the context that the last foreign step of a scenario returned.
type carried struct{ ctx context.Context }

var carriedSlot = world.NewSlot[carried]("godog")

func (f *foreign) call(ctx context.Context, takes bool, args []reflect.Value) error {
	last := carriedSlot.Of(ctx)
	if last.ctx != nil {
		ctx = joined{ctx, last.ctx}
	}
	if takes {
		args = append([]reflect.Value{reflect.ValueOf(ctx)}, args...)
	}
	out := f.do.Call(args)
	var returned bool
	for _, v := range out {
		switch r := v.Interface().(type) {
		case context.Context:
			last.ctx, returned = r, true
		case error:
			return foreignError(r)
		}
	}
	if len(out) == 2 && !returned {
		return errors.New("the step returned neither a context nor an error")
	}
	return nil
}

// joined has the deadline of the step that runs and also the values that earlier steps left. Asked
// first is the step's own context: the suite's values in an earlier one are out of date.
type joined struct {
	context.Context
	earlier context.Context
}

func (j joined) Value(key any) any {
	if v := j.Context.Value(key); v != nil {
		return v
	}
	return j.earlier.Value(key)
}

// foreignError tells a failed expectation from what is never the product's fault.
func foreignError(err error) error {
	switch {
	case errors.Is(err, ErrPending), errors.Is(err, driver.ErrUnsupported), errors.Is(err, world.ErrNoWorld),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return err
	case err.Error() == "step implementation is pending": // godog.ErrPending
		return ErrPending
	case err.Error() == "skipped": // godog.ErrSkip
		return errors.New("a step cannot skip its scenario: only the plan skips, by tags")
	}
	return expectation{err}
}

// expectation is an error that counts as a mismatch.
type expectation struct{ error }

func (e expectation) Unwrap() error { return e.error }

func (e expectation) As(target any) bool {
	m, ok := target.(**expect.Mismatch)
	if ok {
		*m = &expect.Mismatch{Subject: e.Error()}
	}
	return ok
}
