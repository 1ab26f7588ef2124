package expr_test

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
)

func scope(t testing.TB) expr.Scope {
	t.Helper()
	github, err := expr.FromJSON([]byte(`{"actor":"alice","event":{"label":{"name":"bug"},
		"issue":{"number":7,"labels":[{"name":"bug"},{"name":"Help"}],"body":null},"nested":[[{"a":1}],[{"a":2}]]}}`))
	if err != nil {
		t.Fatal(err)
	}
	return expr.Scope{
		Contexts: map[string]any{"github": github, "matrix": nil, "vars": expr.Strings(map[string]string{"Zone": "eu", "EMPTY": ""})},
		Status:   expr.Status{Success: true},
	}
}

func TestEval(t *testing.T) {
	for src, want := range map[string]any{
		// literals
		"null": nil, "true": true, "'it''s'": "it's", "-2.5e1": -25.0, "0xff": 255.0, "0o17": 15.0, ".5": 0.5, "+3": 3.0,
		"'${{ }}'": "${{ }}",
		// paths
		"github.actor": "alice", "GitHub.ACTOR": "alice", "github['event']['label'].name": "bug", "github.event.missing.more": nil,
		"github.event.issue.labels[1].name": "Help", "github.event.issue.labels[9]": nil, "github.event.issue.labels['0'].name": "bug",
		"github.event.issue.labels[-1]": nil, "matrix.os": nil, "vars.zone": "eu", "github.event.issue.number": 7.0,
		"join(github.event.issue.labels.*.name)": "bug,Help", "join(github.event.issue.labels[*].name, '; ')": "bug; Help",
		"join(github.event.nested.*[0].a, '+')": "1+2", "contains(github.event.issue.labels.*.name, 'HELP')": true,
		"github.actor.*": []any{},
		// operators give operands
		"'' || 'x'": "x", "'a' && 'b'": "b", "0 && 'b'": 0.0, "!''": true, "!!'a'": true, "true && false || 'c'": "c",
		"1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3": true, "(1 == 2) == false": true, "!(true) || false": false,
		"1 == 1 == true": true,
		// coercion
		"'bug' == 'BUG'": true, "'a' < 'B'": true, "1 == '1'": true, "'' == 0": true, "null == 0": true, "null == ''": true, "true == 1": true,
		"'true' == true": false, "'abc' == 0": false, "NaN == NaN": false, "'0xff' == 255": true, "' 12 ' == 12": true, "'1_0' == 10": false,
		"'inf' == Infinity": false, "'Infinity' == Infinity": true, "github.event == github.event": true, "github.event == 'Object'": false,
		"github.event.issue.labels == github.event.issue.labels": true, "null == null": true, "null >= null": true, "github.event < 1": false,
		// functions
		"contains('Hello', 'ELL')": true, "contains(12345, 34)": true, "contains(github.event, 'x')": false, "startsWith('Abc', 'aB')": true,
		"endsWith('Abc', 'BC')": true, "startsWith(null, '')": true, "format('{0}-{1}-{0} {{x}}', 'a', 1)": "a-1-a {x}", "join('a')": "a",
		"join(github.event)": "", "format('{0}', true)": "true", "format('{0}', null)": "", "format('{0}', github.event)": "Object",
		"fromJSON('[1,\"a\",null]')[1]": "a", "fromJSON('{\"A\":{\"b\":true}}').a.B": true, "fromJSON('3')": 3.0,
		"toJSON(fromJSON('{\"b\":[1,2.5],\"a\":{},\"c\":[]}'))": "{\n  \"b\": [\n    1,\n    2.5\n  ],\n  \"a\": {},\n  \"c\": []\n}",
		"toJSON('<a&\"b>')": `"<a&\"b>"`, "toJSON(null)": "null", "success()": true, "failure()": false, "always()": true, "cancelled()": false,
		"format('{0}', 1e20)": "1E+20", "format('{0}', 0.1)": "0.1", "format('{0}', 123456789012345)": "123456789012345", "format('{0}', -0)": "0",
		"format('{0} {1}', Infinity, NaN)": "Infinity NaN",
	} {
		e, err := expr.Parse(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		got, err := e.Eval(scope(t))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: error %v\n%s", src, err, diff)
		}
	}
}

func TestRefused(t *testing.T) {
	for src, want := range map[string]string{
		"":                               "an expression was expected at position 1",
		"a ==":                           "unexpected end of expression at position 5",
		"1 = 1":                          `unexpected '=' at position 3`,
		"'a":                             "text without a closing quote at position 1",
		`"a"`:                            "text stands in single quotes at position 1",
		"a b":                            `unexpected "b" at position 3`,
		"(a":                             "unexpected end of expression at position 3",
		"a.1":                            `unexpected`,
		"1x":                             `"1x" is not a number at position 1`,
		"shout('a')":                     `unknown function "shout" at position 1`,
		"contains('a')":                  "function contains cannot take 1 arguments at position 1",
		"success(1)":                     "function success cannot take 1 arguments",
		"a, b":                           `unexpected ","`,
		"format('a' 'b')":                `unexpected "'b'"`,
		"é":                              `unexpected 'é'`,
		strings.Repeat("(", 60) + "1":    "nested deeper than 50 levels",
		strings.Repeat("!", 60) + "1":    "nested deeper than 50 levels",
		strings.Repeat("a", 21001):       "longer than 21000 characters",
		"a[b" + strings.Repeat("[b", 60): "nested deeper than 50 levels",
	} {
		_, err := expr.Parse(src)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: got %v, want %s", src, err, want)
		}
	}
}

func TestEvaluationFails(t *testing.T) {
	double := "format('{0}{0}{0}{0}{0}{0}{0}{0}', "
	for src, want := range map[string]string{
		"secrets.x":           "unknown context `secrets` at position 1",
		"hashFiles('a')":      "hashFiles is not supported outside of steps",
		"fromJSON('')":        "fromjson: empty or incomplete JSON",
		"fromJSON('{\"a\":')": "fromjson: ",
		"fromJSON('1 2')":     "text after the JSON value",
		"fromJSON('" + strings.Repeat("[", 200) + "')": "nested deeper than 100 levels",
		"format('{1}', 'a')":                           "the text mentions {1}, there are 1 arguments",
		"format('{a}', 'a')":                           "{a} is not a place for an argument",
		"format('a}')":                                 "lone '}' at byte 1",
		"format('{')":                                  "lone '{' at byte 0",
		strings.Repeat(double, 9) + "'x'" + strings.Repeat(")", 9): "larger than 1048576 bytes",
	} {
		e, err := expr.Parse(src)
		if err != nil {
			t.Errorf("%.60s: %v", src, err)
			continue
		}
		if v, err := e.Eval(scope(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: got %v, %v, want %s", src, v, err, want)
		}
	}
}

func TestCheck(t *testing.T) {
	place := expr.Place{Contexts: []string{"github", "needs"}}
	for src, want := range map[string]string{
		"github.actor": "", "matrix.x": "`matrix` is not available here (there are: github, needs) at position 1",
		"github.actor == format('{0}', secrets.x)": "`secrets`", "success()": "function success is not available here",
		"hashFiles('x')": "function hashfiles is not available here",
	} {
		e, err := expr.Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Check(place); (got == nil) != (want == "") || got != nil && !strings.Contains(got.Error(), want) {
			t.Errorf("%s: got %v, want %q", src, got, want)
		}
	}
}

func TestTemplate(t *testing.T) {
	for src, want := range map[string]any{
		"plain":                               "plain",
		"":                                    "",
		"${{ github.event.issue.number }}":    7.0,
		"n ${{ github.event.issue.number }}!": "n 7!",
		"${{ 'a}}b' }}${{ 1 }}":               "a}}b1",
		"$${{ true }}":                        "$true",
	} {
		tpl, err := expr.ParseTemplate(src)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tpl.Eval(scope(t)); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", src, got, err, want)
		}
	}
	for _, src := range []string{"${{ a", "${{ }}", "${{ 'a }}", "x ${{ 1 + 1 }}"} {
		if _, err := expr.ParseTemplate(src); err == nil {
			t.Errorf("%s was accepted", src)
		}
	}
}

func TestCondition(t *testing.T) {
	for src, want := range map[string]bool{
		"github.actor == 'alice'": true, "${{ github.actor == 'bob' }}": false, " ${{ always() }} ": true,
	} {
		e, err := expr.ParseCondition(src)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := e.Eval(scope(t)); err != nil || expr.Truthy(v) != want {
			t.Errorf("%s: got %v, %v", src, v, err)
		}
		if e.AsksStatus() != strings.Contains(src, "always") {
			t.Errorf("%s: AsksStatus is %v", src, e.AsksStatus())
		}
	}
	if _, err := expr.ParseCondition("${{ false }} && true"); err == nil || !strings.Contains(err.Error(), "always true") {
		t.Errorf("got %v", err)
	}
}

func TestTruthy(t *testing.T) {
	for _, v := range []any{nil, false, 0.0, math.NaN(), ""} {
		if expr.Truthy(v) {
			t.Errorf("%v is true", v)
		}
	}
	for _, v := range []any{true, 1.0, "false", []any{}, &expr.Object{}} {
		if !expr.Truthy(v) {
			t.Errorf("%v is false", v)
		}
	}
}

// Whatever parses can be evaluated, checked and parsed again, without a panic.
func FuzzTemplate(f *testing.F) {
	for _, s := range []string{
		"a ${{ github.event.issue.labels.*.name }} b", "${{ fromJSON('[1]')[0] || !x.y['z'] }}", "${{ format('{0}{{', 1e3) <= -.5 }}",
		"${{ contains(github.*.a[*], 'x') && always() }}", "${{ toJSON(github) }}", "${{ '}}' }}", "${{ ((1)) != 0x1F }}",
	} {
		f.Add(s)
	}
	for _, s := range table(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		tpl, err := expr.ParseTemplate(src)
		if err != nil {
			return
		}
		if tpl.String() != src {
			t.Fatalf("text changed: %q", tpl.String())
		}
		_ = tpl.Check(expr.Place{Contexts: []string{"github"}})
		v, err := tpl.Eval(scope(t))
		if err != nil {
			return
		}
		if tpl.Literal() && v != src {
			t.Fatalf("%q became %v", src, v)
		}
		_ = expr.String(v)
		if n, ok := v.(float64); ok && (math.IsNaN(n) || math.IsInf(n, 0)) {
			return // not JSON
		}
		if _, err := expr.FromJSON([]byte(expr.ToJSON(v))); err != nil && !strings.Contains(expr.ToJSON(v), "NaN") && !strings.Contains(expr.ToJSON(v), "Infinity") {
			t.Fatalf("%s: toJSON gives %s: %v", src, expr.ToJSON(v), err)
		}
	})
}

// table returns the expressions of the workflows that the engine is held to.
func table(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/workflows/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no table", err)
	}
	var out []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, regexp.MustCompile(`\$\{\{[^\n]*?\}\}`).FindAllString(string(data), -1)...)
	}
	return out
}
