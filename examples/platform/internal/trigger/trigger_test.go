package trigger_test

import (
	"strings"
	"testing"

	"example.com/crew/internal/event"
	"example.com/crew/internal/trigger"
)

func labelled(name, action string) event.Event {
	return event.Event{
		Repo: "acme/app", Entity: event.Entity{Kind: event.WorkItem, ID: 7},
		Transition: event.Transition{Kind: event.LabelChanged, Label: &event.Label{Name: name, Action: action}},
		Actor:      event.Actor{ID: "ada", Kind: event.Human, Role: "write"},
		State:      event.State{Labels: []string{"bug", name}}, Source: event.Source{System: event.GitHub},
	}
}

func pull() event.Event {
	e := labelled("x", event.Added)
	e.Entity.Kind, e.Transition = event.ChangeProposal, event.Transition{Kind: event.Opened}
	e.State.ChangeProposal = &event.Proposal{ID: 7, IsFork: true}
	return e
}

func compiler(t testing.TB) *trigger.Compiler {
	t.Helper()
	c, err := trigger.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestMatch(t *testing.T) {
	c := compiler(t)
	for _, tc := range []struct {
		expression string
		e          event.Event
		want       bool
		err        string
	}{
		{"true", pull(), true, ""},
		{"event.transition.label.name == 'x'", labelled("x", event.Added), true, ""},
		{"event.transition.label.name == 'x'", labelled("y", event.Added), false, ""},
		{"event.transition.label.name == 'x'", pull(), false, "no such key: label"},
		{"has(event.transition.label) && event.transition.label.name == 'x'", pull(), false, ""},
		{"event.transition.kind == 'label_changed' && event.transition.label.action == 'added'", pull(), false, ""},
		{"event.transition.label.name == 'x' || event.entity.id == 7", pull(), true, ""},
		{"event.state.change_proposal.is_fork", pull(), true, ""},
		{"'bug' in event.state.labels && event.state.labels.exists(l, l.startsWith('x'))", labelled("x", event.Added), true, ""},
		{"event.actor.role in ['write', 'admin'] && !event.actor.is_entity_author", pull(), true, ""},
		{"event.entity.key == ''", pull(), true, ""},
		{"1 / (event.entity.id - 7) == 1", pull(), false, "division by zero"},
		{deep, labelled("x", event.Added), false, "actual cost limit exceeded"},
	} {
		trig, err := c.Compile(trigger.Source{Expression: tc.expression})
		if err != nil {
			t.Errorf("%s: %v", tc.expression, err)
			continue
		}
		got, err := trig.Match(tc.e)
		if got != tc.want || (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s: %t, %v; want %t, %q", tc.expression, got, err, tc.want, tc.err)
		}
	}
}

// deep looks at each of 32⁴ combinations.
const deep = "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32].all(a, " +
	"[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32].all(b, " +
	"[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32].all(c, " +
	"[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32].all(d, a + b + c + d > 0))))"

func TestCompileRefuses(t *testing.T) {
	c := compiler(t)
	for _, tc := range []struct{ expression, want string }{
		{" ", "trigger:1:1: the trigger is empty"},
		{"event.transition.lable.name == 'x'", "trigger:1:17: undefined field 'lable'\n    event.transition.lable.name == 'x'\n                    ^"},
		{"true &&\n\tevnt.repo == ''", "trigger:2:2: undeclared reference to 'evnt' (did you mean 'event'?)\n    \tevnt.repo == ''\n    \t^"},
		{"event.repo ==", "trigger:1:14: Syntax error: mismatched input '<EOF>'"},
		{"event.repo", "trigger:1:1: a trigger must be a bool; this one is a string"},
		{"event.entity.id == '7'", "trigger:1:17: found no matching overload for '_==_' applied to '(int, string)'"},
		{"event.state.labels.contains('x')", "trigger:1:28: found no matching overload for 'contains'"},
		{strings.Repeat("(", 500) + "true" + strings.Repeat(")", 500), "trigger:1:"},
		{strings.Repeat("true && ", 4000) + "true", "trigger:1:1: expression code point size exceeds limit"},
	} {
		_, err := c.Compile(trigger.Source{Expression: tc.expression})
		if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%.60q: %v\nwant %s", tc.expression, err, tc.want)
		}
	}
}

// FuzzCompile: whatever stands in a file, a trigger has an answer or an error, and its place is in it.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{"true", "event.repo == 'a/b'", "event.", "'\\x", "event.state.labels.all(l, l == '')", "[1].map(x, x)[0] == 1", "é == 1"} {
		f.Add(seed)
	}
	c := compiler(f)
	f.Fuzz(func(t *testing.T, expression string) {
		trig, err := c.Compile(trigger.Source{Expression: expression})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "trigger:") {
				t.Errorf("error without a place: %v", err)
			}
			return
		}
		_, _ = trig.Match(pull())
	})
}

func BenchmarkNewCompiler(b *testing.B) {
	for b.Loop() {
		compiler(b)
	}
}

func BenchmarkCompile(b *testing.B) {
	c := compiler(b)
	for b.Loop() {
		if _, err := c.Compile(trigger.Source{Expression: "event.transition.kind == 'label_changed' && event.transition.label.name == 'x'"}); err != nil {
			b.Fatal(err)
		}
	}
}
