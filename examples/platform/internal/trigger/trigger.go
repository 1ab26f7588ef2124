// Package trigger says which events start an agent: an expression in CEL (https://cel.dev) over the
// variable event.
//
//	event.transition.kind == 'label_changed' && event.transition.label.name == 'ready-for-triage'
//
// The fields are those of package event. A field that does not exist is found when the trigger is
// compiled. A part that this event does not have (a label, of a comment) makes the evaluation fail
// unless && or has() was asked first.
package trigger

import (
	"errors"
	"fmt"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"example.com/crew/internal/event"
)

const (
	maxExpression = 16 << 10 // code points
	maxNodes      = 2000
	maxDepth      = 100
	maxCost       = 100_000 // CEL's own units; a comparison costs a few
)

// Compiler compiles triggers. It is made once: CEL's own library is most of its cost.
type Compiler struct{ env *cel.Env }

// NewCompiler returns a compiler.
func NewCompiler() (*Compiler, error) {
	shape, err := newShape()
	if err != nil {
		return nil, err
	}
	env, err := cel.NewEnv(
		cel.CustomTypeProvider(shape),
		cel.Variable("event", shape.root),
		cel.ParserExpressionSizeLimit(maxExpression),
		cel.ExpressionNodeLimit(maxNodes),
		cel.ExpressionNestingDepthLimit(maxDepth),
	)
	if err != nil {
		return nil, fmt.Errorf("prepare CEL: %w", err)
	}
	return &Compiler{env}, nil
}

// Source is an expression and where it stands. At turns a line and column of the expression (from
// 1 and 0) into those of its file (both from 1), and gives that line's text; nil when the expression
// is a text of its own.
type Source struct {
	Expression string
	File       string // "" is "trigger"
	At         func(line, column int) (fileLine, fileColumn int, text string)
}

// Error is a trigger that is none, and where.
type Error struct {
	File         string
	Line, Column int // from 1
	Message      string
	Text         string // the line
}

// Error is three lines: the place and what is wrong, the line, and a caret below the place.
func (e *Error) Error() string {
	head := fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
	if e.Text == "" {
		return head
	}
	// Tabs stay tabs, so that the caret stands below its column.
	var pad strings.Builder
	for i, r := range []rune(e.Text) {
		if i >= e.Column-1 {
			break
		}
		if r != '\t' {
			r = ' '
		}
		pad.WriteRune(r)
	}
	return fmt.Sprintf("%s\n    %s\n    %s^", head, e.Text, pad.String())
}

// Trigger is a compiled trigger.
type Trigger struct{ program cel.Program }

// Compile returns the trigger, or an *Error.
func (c *Compiler) Compile(s Source) (*Trigger, error) {
	if strings.TrimSpace(s.Expression) == "" {
		return nil, s.fail(1, 0, "the trigger is empty")
	}
	ast, issues := c.env.Compile(s.Expression)
	if issues != nil && issues.Err() != nil {
		all := issues.Errors()
		if len(all) == 0 {
			return nil, s.fail(1, 0, issues.Err().Error())
		}
		first := all[0]
		return nil, s.fail(first.Location.Line(), first.Location.Column(), tidy(first.Message))
	}
	if ast.OutputType() != cel.BoolType {
		return nil, s.fail(1, 0, fmt.Sprintf("a trigger must be a bool; this one is a %s", ast.OutputType()))
	}
	program, err := c.env.Program(ast, cel.CostLimit(maxCost))
	if err != nil {
		return nil, s.fail(1, 0, err.Error())
	}
	return &Trigger{program}, nil
}

// tidy takes away what CEL says of containers, which crew has none of.
func tidy(message string) string {
	return strings.TrimSuffix(strings.Join(strings.Fields(message), " "), " (in container '')")
}

func (s Source) fail(line, column int, message string) error {
	e := &Error{File: s.File, Message: message}
	if e.File == "" {
		e.File = "trigger"
	}
	line, column = max(line, 1), max(column, 0)
	if s.At != nil {
		e.Line, e.Column, e.Text = s.At(line, column)
		return e
	}
	e.Line, e.Column = line, column+1
	if lines := strings.Split(s.Expression, "\n"); line <= len(lines) {
		e.Text = lines[line-1]
	}
	return e
}

// Match evaluates the trigger. An error means that it has no answer for this event.
func (t *Trigger) Match(e event.Event) (bool, error) {
	out, _, err := t.program.Eval(map[string]any{"event": value(e)})
	if err != nil {
		return false, errors.New(tidy(err.Error()))
	}
	matched, ok := out.(types.Bool)
	if !ok {
		return false, fmt.Errorf("it gave a %s", out.Type().TypeName())
	}
	return bool(matched), nil
}
