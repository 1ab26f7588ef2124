package suite_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite"
)

func TestForeignRegistrationsAreChecked(t *testing.T) {
	type steps []string // godog.Steps
	var nilFunc func()
	var nilExpr *regexp.Regexp
	for name, tt := range map[string]struct {
		expr, fn any
		want     string
	}{
		"pattern":    {"(", func() {}, "`(`: the pattern does not compile"},
		"expression": {7, func() {}, "its expression is a int"},
		"nil":        {nilExpr, func() {}, "its expression is nil"},
		"no func":    {"a", "b", "it has no function"},
		"nil func":   {"a", nilFunc, "it has no function"},
		"nothing":    {"a", nil, "it has no function"},
		"variadic":   {"a", func(...string) {}, "it cannot be variadic"},
		"parameter":  {"a", func(struct{}) {}, "parameter 1 of its function is a struct {}"},
		"context":    {"a(.)", func(string, context.Context) {}, "parameter 2 of its function is a context.Context"},
		"nested":     {"a", func() steps { return nil }, "it returns nothing, an error, a context"},
		"order":      {"a", func() (error, context.Context) { return nil, nil }, "it returns nothing, an error, a context"},
	} {
		t.Run(name, func(t *testing.T) {
			err := suite.Check([]suite.Pack{suite.FromGodog("foreign", func(r suite.Registrar) { r.Step(tt.expr, tt.fn) })})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "foreign") {
				t.Errorf("got %v, want it to name the pack and contain %q", err, tt.want)
			}
		})
	}
}

// TestForeignContextHasTheDeadlineOfItsStep: values are carried on, the end of an earlier step is not.
func TestForeignContextHasTheDeadlineOfItsStep(t *testing.T) {
	type key struct{}
	pack := suite.FromGodog("foreign", func(r suite.Registrar) {
		r.Step("^first$", func(ctx context.Context) context.Context {
			ctx, cancel := context.WithCancelCause(context.WithValue(ctx, key{}, "kept"))
			cancel(errors.New("the first step is over"))
			return ctx
		})
		r.Step("^second$", func(ctx context.Context) error {
			_, ok := ctx.Deadline()
			child, cancel := context.WithCancel(ctx)
			defer cancel()
			if ctx.Err() != nil || context.Cause(ctx) != nil || child.Err() != nil || !ok || ctx.Value(key{}) != "kept" {
				return fmt.Errorf("err %v, cause %v, child %v, deadline %v, value %v", ctx.Err(), context.Cause(ctx), child.Err(), ok, ctx.Value(key{}))
			}
			return nil
		})
	})
	got := run(t, suite.Options{Site: &site{}, Packs: []suite.Pack{pack}, Planned: one(t, "    Given first\n    Then second\n    And second\n")})
	if s := got[0]; s.Verdict != result.Passed {
		t.Errorf("got %s: %+v", s.Verdict, s.Steps)
	}
}

func TestForeignErrors(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want result.Verdict
	}{
		{errors.New("not what was expected"), result.Failed},
		{fmt.Errorf("call: %w", driver.ErrUnsupported), result.Broken},
		{suite.ErrPending, result.Broken},
		{errors.New("skipped"), result.Broken},
		{context.DeadlineExceeded, result.Broken},
	} {
		pack := suite.FromGodog("foreign", func(r suite.Registrar) { r.Step("^it$", func() error { return tt.err }) })
		got := run(t, suite.Options{Site: &site{}, Packs: []suite.Pack{pack}, Planned: one(t, "    Given it\n")})
		if s := got[0]; s.Verdict != tt.want {
			t.Errorf("%v: got %s, want %s", tt.err, s.Verdict, tt.want)
		}
	}
}
