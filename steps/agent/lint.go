package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	dummyagent "github.com/understudy-dev/understudy/agent/dummy"
	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/schema"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
)

// The texts of the steps whose table is read before anything runs.
const (
	dummyStep      = `a dummy agent that would:`
	dummyOfOneStep = `a dummy "([\w.-]+)" agent that would:`
)

var dummyText = regexp.MustCompile("^(?:" + dummyStep + "|" + dummyOfOneStep + ")$")

// decidedStep is the text of the step that reads the platform's own record of its egress policy.
const decidedStep = `the platform (allowed|refused) the agent's request to "([^"]+)"`

var decidedText = regexp.MustCompile("^" + decidedStep + "$")

// lint reads each dummy agent table that will be used: operations the dummy knows, arguments it
// takes, fixtures that are there, and results that their stage accepts, or does not where that is
// meant.
func lint(d suite.Draft) []error {
	unrecorded := append(lintRecord(d), lintRuntimes(d)...)
	if d.Fixtures == nil {
		return unrecorded
	}
	c, problems := readCatalogue(d.Fixtures, d.Platform.Stages)
	problems = append(unrecorded, problems...)
	l := linter{Draft: d, catalogue: c, schemas: map[string]*schema.Schema{}}
	told := map[string]bool{}
	for _, s := range d.Scenarios {
		for _, step := range s.Steps {
			if !dummyText.MatchString(step.Text) || step.Table == nil {
				continue
			}
			for _, err := range l.table(step, told) {
				problems = append(problems, suite.At(s, step, err))
			}
		}
	}
	// What no selected scenario uses is held to its declaration all the same.
	for _, entry := range c.entries {
		st, ok := stage(d.Platform.Stages, entry.Stage)
		if !ok || told[entry.Path] {
			continue
		}
		if err := l.judge(st, entry.Path, entry.Invalid); err != nil {
			problems = append(problems, entry.errorf("%v", err))
		}
	}
	return problems
}

// lintRecord finds the steps that no platform without a record of its policy could ever pass.
func lintRecord(d suite.Draft) (problems []error) {
	if d.Platform.Name == "" || d.Platform.PolicyFile != "" {
		return nil
	}
	for _, s := range d.Scenarios {
		for _, step := range s.Steps {
			if decidedText.MatchString(step.Text) {
				problems = append(problems, suite.At(s, step, fmt.Errorf(
					"the platform file of %s names no places.policy, the record that this step reads; "+
						"what reached the network is known without it", d.Platform.Name)))
			}
		}
	}
	return problems
}

// Writes returns the paths in the workspace to which the dummy agent of a step's table writes fixtures.
// false is that the step has no such table.
func Writes(step feature.Step) (paths []string, ok bool) {
	if !dummyText.MatchString(step.Text) || step.Table == nil || len(step.Table.Rows) == 0 {
		return nil, false
	}
	at := map[string]int{}
	for i, c := range step.Table.Rows[0].Cells {
		at[c.Value] = i
	}
	for _, row := range step.Table.Rows[1:] {
		if row.Cells[at["op"]].Value == dummyagent.WriteFixture {
			to, _, _ := strings.Cut(row.Cells[at["args"]].Value, ",")
			paths = append(paths, path.Clean(strings.TrimSpace(to)))
		}
	}
	return paths, true
}

// Selected is the runtime that a step with this text says a run to have selected.
func Selected(text string) (runtime string, ok bool) {
	if m := selectedText.FindStringSubmatch(text); m != nil {
		return m[1], true
	}
	return "", false
}

type linter struct {
	suite.Draft
	catalogue catalogue
	schemas   map[string]*schema.Schema // by stage; nil where a stage has none
}

// table returns what is wrong with one table. told takes the fixtures whose result was judged.
func (l linter) table(step feature.Step, told map[string]bool) (problems []error) {
	ops, err := operations(step.Table, l.Fixtures)
	if err != nil {
		return []error{err}
	}
	for i := range ops {
		if ops[i].Op == dummyagent.CheckoutBranch {
			ops[i].Args = strings.ReplaceAll(ops[i].Args, "<issue>", "1")
		}
	}
	if err := check(ops); err != nil {
		return []error{err}
	}
	for _, o := range ops {
		if o.Op != dummyagent.WriteFixture {
			continue
		}
		if err := l.fixture(o, told); err != nil {
			problems = append(problems, fmt.Errorf("operation %q: fixture %s %w", o.Description, o.Fixture, err))
		}
	}
	return problems
}

// fixture judges a fixture that is written to where a stage's result belongs.
func (l linter) fixture(o op, told map[string]bool) error {
	var stages []driver.Stage
	for _, s := range l.Platform.Stages {
		if s.Result != "" && path.Clean(s.Result) == path.Clean(o.Args) {
			stages = append(stages, s)
		}
	}
	if len(stages) == 0 {
		return nil
	}
	told[o.Fixture] = true
	entry, ok := l.catalogue.of(o.Fixture)
	switch {
	case !ok && len(stages) > 1:
		return fmt.Errorf("is written to %s, the result of the stages %s: %s has to say which of them it belongs to", o.Args, names(stages), l.catalogue.name())
	case !ok:
		return l.judge(stages[0], o.Fixture, false)
	case entry.Stage == noStage:
		return fmt.Errorf("belongs to no stage (%s:%d), but is written to %s, the result of stage %s", entry.file, entry.line, o.Args, names(stages))
	}
	s, ok := stage(stages, entry.Stage)
	if !ok {
		return fmt.Errorf("belongs to stage %s (%s:%d), but is written to %s, the result of stage %s", entry.Stage, entry.file, entry.line, o.Args, names(stages))
	}
	return l.judge(s, o.Fixture, entry.Invalid)
}

// judge holds a fixture to what a stage asks of its result. Its error continues "fixture NAME".
func (l linter) judge(s driver.Stage, fixture string, invalid bool) error {
	data, err := readFixture(l.Fixtures, fixture)
	if err != nil {
		return err
	}
	compiled, ok := l.schemas[s.Name]
	if !ok && s.Schema.Text != nil {
		if compiled, err = schema.Compile(s.Schema.File, s.Schema.Text); err != nil {
			return fmt.Errorf("cannot be judged: %w", err)
		}
		l.schemas[s.Name] = compiled
	}
	err = accept(s, compiled, data)
	switch {
	case invalid && err == nil:
		return fmt.Errorf("is marked invalid on purpose, but is a valid result of stage %s", s.Name)
	case !invalid && err != nil:
		return fmt.Errorf("is no valid result of stage %s: %w (if that is meant, %s marks it: `%s: {stage: %s, purpose: …, invalid: true}`)",
			s.Name, err, l.catalogue.name(), fixture, s.Name)
	}
	return nil
}

// accept says why a stage does not take a result, or nil.
func accept(s driver.Stage, compiled *schema.Schema, data []byte) error {
	if compiled != nil {
		if err := compiled.Check(data); err != nil {
			return err
		}
	}
	var doc any
	if isJSON(s) {
		if err := json.Unmarshal(data, &doc); err != nil {
			return fmt.Errorf("not valid JSON: %w", err)
		}
	}
	var problems []string
	for _, c := range s.Checks {
		if c.When.Path != "" {
			if v, ok := follow(doc, c.When.Path); !ok || v != c.When.Equals {
				continue
			}
		}
		v, ok := any(string(data)), true
		if c.Path == "" {
			c.Path = "the text"
		} else {
			v, ok = follow(doc, c.Path)
		}
		text, isText := v.(string)
		switch re, err := regexp.Compile(c.Matches); {
		case !ok:
			problems = append(problems, "there is no "+c.Path)
		case err != nil:
			return err
		case c.Matches != "" && !isText:
			problems = append(problems, c.Path+" is no text")
		case dummyagent.FromEnv(text): // known only when it is written
		case c.Matches != "" && !re.MatchString(text):
			problems = append(problems, fmt.Sprintf("%s is %q, which does not match %s", c.Path, text, c.Matches))
		}
	}
	if len(problems) > 0 {
		return errors.New(strings.Join(problems, "; "))
	}
	return nil
}

// isJSON reports whether a stage's result is JSON: it is called so, or something in it is looked at.
func isJSON(s driver.Stage) bool {
	return path.Ext(s.Result) == ".json" || s.Schema.Text != nil ||
		slices.ContainsFunc(s.Checks, func(c driver.Check) bool { return c.Path != "" || c.When.Path != "" })
}

// follow finds what lies at keys joined by dots.
func follow(v any, keys string) (any, bool) {
	for key := range strings.SplitSeq(keys, ".") {
		in, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = in[key]; !ok {
			return nil, false
		}
	}
	return v, true
}
