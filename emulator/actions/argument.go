package actions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
	"github.com/understudy-dev/understudy/emulator/actions/internal/workflow"
)

func firstOf(permissions ...map[string]string) map[string]string {
	for _, p := range permissions {
		if p != nil {
			return p
		}
	}
	return nil
}

// checkPermissions refuses a file that asks for more than its caller may give.
func checkPermissions(wf *workflow.Workflow, limit map[string]string) error {
	check := func(who string, want map[string]string) error {
		for scope, level := range want {
			if may := allowed(limit, scope); levels[level] > levels[may] {
				return fmt.Errorf("%s asks for `%s: %s`, and is only allowed `%s: %s`", who, scope, level, scope, may)
			}
		}
		return nil
	}
	err := check("it", wf.Permissions)
	for _, j := range wf.Jobs {
		err = errors.Join(err, check("its job `"+j.Key+"`", j.Permissions))
	}
	return err
}

// checkArguments compares what a call passes with what the file takes.
func checkArguments(c *workflow.Call, on *workflow.Callable) error {
	for _, a := range c.With {
		if _, ok := on.Find(a.Name); !ok {
			return fmt.Errorf("it has no input `%s`", a.Name)
		}
	}
	for _, in := range on.Inputs {
		given := slices.ContainsFunc(c.With, func(a workflow.Argument) bool { return strings.EqualFold(a.Name, in.Name) })
		if in.Required && !given {
			return fmt.Errorf("input `%s` is required", in.Name)
		}
	}
	if c.Inherit {
		return nil
	}
	for _, s := range on.Secrets {
		given := slices.ContainsFunc(c.Secrets, func(a workflow.Argument) bool { return strings.EqualFold(a.Name, s.Name) })
		if s.Required && !given {
			return fmt.Errorf("secret `%s` is required", s.Name)
		}
	}
	for _, a := range c.Secrets {
		if !slices.ContainsFunc(on.Secrets, func(s workflow.Secret) bool { return strings.EqualFold(a.Name, s.Name) }) {
			return fmt.Errorf("it has no secret `%s`", a.Name)
		}
	}
	return nil
}

// arguments are the inputs of the called file.
func (c *cell) arguments(on *workflow.Callable) (any, error) {
	given := map[string]any{}
	for _, a := range c.node.job.Call.With {
		v, err := a.Value.Eval(c.at)
		if err != nil {
			return nil, fmt.Errorf("with: %s: %w", a.Name, err)
		}
		given[strings.ToLower(a.Name)] = v
	}
	out := &expr.Object{}
	for _, in := range on.Inputs {
		v, ok := given[strings.ToLower(in.Name)]
		var err error
		switch {
		case !ok || v == nil:
			in.Required = false
			v, err = typed(in, in.Default)
		case in.Type == "boolean":
			if _, ok := v.(bool); !ok {
				err = fmt.Errorf("input %q is true or false, not the text %q", in.Name, expr.String(v))
			}
		case in.Type == "number":
			if _, ok := v.(float64); !ok {
				err = fmt.Errorf("input %q is a number, not the text %q", in.Name, expr.String(v))
			}
		default:
			v = expr.String(v)
		}
		if err != nil {
			return nil, err
		}
		out.Set(in.Name, v)
	}
	return out, nil
}
