package trial

import (
	"cmp"
	"fmt"
	"path/filepath"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/internal/strictyaml"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite/budget"
)

type wireBudget struct {
	CI struct {
		Workflow string `yaml:"workflow"`
		Job      string `yaml:"job"`
	} `yaml:"ci"`
	Command    yaml.Node `yaml:"command"` // the command itself, or where it is
	Collection string    `yaml:"collection"`
	Lease      string    `yaml:"lease"`
	Scenario   string    `yaml:"scenario"`
}

type wireCommand struct {
	File     string `yaml:"file"`
	Contains string `yaml:"contains"`
}

// readBudget reads `budget`; nil is that there is none. Whether the files that it names fit it, lint tells.
func readBudget(file, root string, n *yaml.Node) (*budget.Budget, error) {
	if n.Kind == 0 || n.ShortTag() == "!!null" {
		return nil, nil
	}
	var w wireBudget
	if err := strictyaml.DecodePart(file, "budget", n, &w); err != nil {
		return nil, err
	}
	fail := func(key, format string, args ...any) *strictyaml.Error {
		return strictyaml.Errorf(file, keyLine(n, key), format, args...)
	}
	if w.CI.Workflow == "" || w.CI.Job == "" {
		return nil, fail("ci", "budget.ci does not name a workflow and a job of it").Hinted("such as ci: {workflow: ../.github/workflows/e2e.yml, job: behaviour}")
	}
	b := &budget.Budget{Workflow: beside(root, w.CI.Workflow), Job: w.CI.Job, File: file, Line: keyLine(n, "ci")}
	b.Command.Line = cmp.Or(w.Command.Line, b.Line)
	switch w.Command.Kind {
	case yaml.MappingNode:
		var c wireCommand
		if err := strictyaml.DecodePart(file, "budget.command", &w.Command, &c); err != nil {
			return nil, err
		}
		if b.Command.Contains = c.Contains; c.File != "" {
			b.Command.File = beside(root, c.File)
		}
	case yaml.ScalarNode:
		b.Command.Text = w.Command.Value
	case yaml.SequenceNode:
		return nil, fail("command", "budget.command is a list; it is text, or {file: …, contains: …}")
	}
	for _, t := range []struct {
		key, text string
		to        *time.Duration
	}{{"collection", w.Collection, &b.Collection}, {"lease", w.Lease, &b.Lease}, {"scenario", w.Scenario, &b.Scenario}} {
		d, err := time.ParseDuration(t.text)
		switch {
		case t.text == "":
			return nil, fail(t.key, "budget.%s is missing", t.key).Hinted("such as %s: 30s", t.key)
		case err != nil || d < 0 || d > 24*time.Hour:
			return nil, fail(t.key, "budget.%s is %q; it is a time such as 30s or 2m", t.key, t.text)
		}
		*t.to = d
	}
	return b, nil
}

// beside is a path that a file in root names, as people see it.
func beside(root, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, filepath.FromSlash(path))
	}
	return relative(path)
}

// CheckBudget reads the files that the suite's budget names and holds them to it; scenarios is how many there
// are in the largest run.
func (c Config) CheckBudget(scenarios int) []budget.Problem {
	if c.Budget == nil {
		return nil
	}
	found, problems := budget.Read(*c.Budget, strictyaml.Read)
	if len(problems) > 0 {
		return problems
	}
	return budget.Check(*c.Budget, found, scenarios, c.Jobs)
}

// spending is what the record says of the budget, and why it does not know its limit.
func (c Config) spending() (*result.Budget, []string) {
	if c.Budget == nil {
		return nil, nil
	}
	found, problems := budget.Read(*c.Budget, strictyaml.Read)
	var unread []string
	for _, p := range problems {
		unread = append(unread, fmt.Sprintf("budget: %s:%d: %s", p.File, p.Line, p.What))
	}
	return &result.Budget{Limit: found.Command.Time.Seconds(), Lease: c.Budget.Lease.Seconds(), Scenario: c.Budget.Scenario.Seconds()}, unread
}
