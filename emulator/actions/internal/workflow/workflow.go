// Package workflow reads workflow files as strictly as GitHub does, and stricter where this
// product cannot do what a file asks for: every mistake has a line, and nothing is ignored.
//
// It decides which events a file is for. It does not run anything.
//
//	wf, err := workflow.Parse(".github/workflows/ci.yml", data)
//	if wf.On.Match(workflow.Event{Name: "issues", Action: "labeled"}) { … }
//
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax
package workflow

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
)

const (
	maxFile     = 1 << 20 // bytes
	maxNodes    = 100_000 // YAML nodes, aliases followed
	maxProblems = 20      // reported of one file
	maxLevels   = 60      // of nesting
)

// Workflow is one file.
type Workflow struct {
	Path        string
	Name        string // the path when the file gives none
	RunName     *expr.Template
	On          Triggers
	Permissions map[string]string // nil is the default
	Concurrency *Concurrency
	Jobs        []*Job // in the file's order
	Digest      string // of path and text; given by who keeps it
}

// Job is one job of the file.
type Job struct {
	Key             string
	Line            int
	Name            *expr.Template // nil when the file gives none
	Needs           []string
	If              *Condition
	RunsOn          Value
	Permissions     map[string]string // nil is the workflow's
	Strategy        *Strategy
	Concurrency     *Concurrency
	Environment     Value // its name; empty is none
	Timeout         Value // minutes
	ContinueOnError Value
	Call            *Call // nil for a job with steps
	Steps           []Step
}

// Strategy is how a job becomes several.
type Strategy struct {
	Line        int
	Matrix      Value
	FailFast    Value
	MaxParallel Value
}

// Concurrency names the group that only one may be in at a time.
type Concurrency struct {
	Line   int
	Group  Value
	Cancel Value // cancel-in-progress
}

// Problem is one reason why a file cannot be run.
type Problem struct {
	Path string
	Line int
	Msg  string
	Hint string
}

// Error returns "path:line: message; hint".
func (p Problem) Error() string {
	s := fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Msg)
	if p.Hint != "" {
		s += "; " + p.Hint
	}
	return s
}

// Problems are all that were found in one file.
type Problems []Problem

// Error returns one line for each problem.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Parse reads a file. With an error, which is of type Problems, the workflow is returned as far as
// it was understood: its path, name and triggers tell which run has to be refused.
func Parse(path string, data []byte) (*Workflow, error) {
	wf := &Workflow{Path: path, Name: path}
	p := &parser{path: path, budget: maxNodes}
	p.file(wf, data)
	if len(p.problems) > 0 {
		return wf, p.problems
	}
	return wf, nil
}

type parser struct {
	path     string
	problems Problems
	budget   int
}

func (p *parser) fail(line int, msg, hint string) {
	if len(p.problems) < maxProblems {
		p.problems = append(p.problems, Problem{Path: p.path, Line: max(line, 1), Msg: msg, Hint: hint})
	}
}

func (p *parser) failf(n *yaml.Node, format string, args ...any) {
	p.fail(n.Line, fmt.Sprintf(format, args...), "")
}

func (p *parser) file(wf *Workflow, data []byte) {
	wf.On.broken = true
	if len(data) > maxFile {
		p.fail(1, fmt.Sprintf("file is larger than %d bytes", maxFile), "")
		return
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		p.syntax(err)
		return
	}
	if len(doc.Content) == 0 {
		p.fail(1, "the file is empty", "")
		return
	}
	root := p.follow(doc.Content[0])
	if !p.measure(root, 0) {
		return
	}
	seen := p.mapping(root, "a workflow", map[string]func(*yaml.Node){
		"name":        func(n *yaml.Node) { wf.Name = p.plain(n, "name") },
		"run-name":    func(n *yaml.Node) { wf.RunName = p.template(n, inRunName) },
		"on":          func(n *yaml.Node) { p.on(&wf.On, n) },
		"permissions": func(n *yaml.Node) { wf.Permissions = p.permissions(n) },
		"env":         func(n *yaml.Node) { p.env(n, inWorkflowEnv) },
		"defaults":    func(n *yaml.Node) { p.defaults(n, expr.Place{}) },
		"concurrency": func(n *yaml.Node) { wf.Concurrency = p.concurrency(n, inRunConcurrency) },
		"jobs":        func(n *yaml.Node) { p.jobs(wf, n) },
	})
	for _, key := range []string{"on", "jobs"} {
		if !seen[key] {
			p.fail(root.Line, fmt.Sprintf("`%s:` is missing", key), "")
		}
	}
	if wf.Name == "" {
		wf.Name = wf.Path
	}
}

// syntax takes the line out of yaml's own message: "yaml: line 3: mapping values are not allowed".
func (p *parser) syntax(err error) {
	msg, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
	if n, e := fmt.Sscanf(msg, "line %d:", &line); n == 1 && e == nil {
		_, msg, _ = strings.Cut(msg, ": ")
	}
	p.fail(line, "not YAML: "+msg, "")
}
