package workflow

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
)

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

func (p *parser) jobs(wf *Workflow, n *yaml.Node) {
	lines := map[string]*yaml.Node{}
	p.pairs(n, "`jobs:`", func(key, value *yaml.Node) {
		if !identifier.MatchString(key.Value) || len(key.Value) > 100 {
			p.failf(key, "%q cannot be the id of a job", key.Value)
			return
		}
		lines[key.Value] = key
		wf.Jobs = append(wf.Jobs, p.job(key, value))
	})
	if len(wf.Jobs) == 0 {
		p.failf(n, "there are no jobs")
	}
	p.graph(wf.Jobs)
}

func (p *parser) job(key, n *yaml.Node) *Job {
	j := &Job{Key: key.Value, Line: key.Line}
	refuse := func(name, hint string) func(*yaml.Node) {
		return func(n *yaml.Node) { p.fail(n.Line, "`"+name+":` is not supported", hint) }
	}
	call := &Call{}
	seen := p.mapping(n, "job `"+j.Key+"`", map[string]func(*yaml.Node){
		"name":              func(n *yaml.Node) { j.Name = p.template(n, inJob) },
		"needs":             func(n *yaml.Node) { j.Needs = p.words(n, "needs") },
		"if":                func(n *yaml.Node) { j.If = p.conditionAt(n, inJobIf) },
		"runs-on":           func(n *yaml.Node) { j.RunsOn = p.runsOn(n) },
		"permissions":       func(n *yaml.Node) { j.Permissions = p.permissions(n) },
		"strategy":          func(n *yaml.Node) { j.Strategy = p.strategy(n) },
		"concurrency":       func(n *yaml.Node) { j.Concurrency = p.concurrency(n, inJob) },
		"timeout-minutes":   func(n *yaml.Node) { j.Timeout = p.number(n, "timeout-minutes", inJob) },
		"continue-on-error": func(n *yaml.Node) { j.ContinueOnError = p.boolean(n, "continue-on-error", inJob) },
		"env":               func(n *yaml.Node) { p.env(n, inJobEnv) },
		"defaults":          func(n *yaml.Node) { p.defaults(n, inDefaults) },
		"outputs":           func(n *yaml.Node) { p.env(n, inJobOutput) },
		"steps":             func(n *yaml.Node) { j.Steps = p.steps(n) },
		"container":         refuse("container", "jobs run on this machine; drop it"),
		"services":          refuse("services", "start the service in a step, or give its address by a variable"),
		"environment":       func(n *yaml.Node) { j.Environment = p.environment(n) },
		"snapshot":          refuse("snapshot", ""),
		"uses":              func(n *yaml.Node) { j.Call = call; p.called(call, n) },
		"with":              func(n *yaml.Node) { call.With = p.arguments(n, "with", inWith) },
		"secrets":           func(n *yaml.Node) { p.passedSecrets(call, n) },
	})
	if j.Call != nil {
		p.callJob(key, seen)
		return j
	}
	for _, k := range []string{"with", "secrets"} {
		if seen[k] {
			p.failf(key, "`%s:` belongs to a job with `uses:`", k)
		}
	}
	for _, k := range []string{"runs-on", "steps"} {
		if !seen[k] {
			p.failf(key, "job `%s` has no `%s:`", j.Key, k)
		}
	}
	return j
}

// graph refuses needs that do not exist and needs that go round in a circle.
func (p *parser) graph(jobs []*Job) {
	byKey := map[string]*Job{}
	for _, j := range jobs {
		byKey[strings.ToLower(j.Key)] = j
	}
	for _, j := range jobs {
		for i, need := range j.Needs {
			other := byKey[strings.ToLower(need)]
			if other == nil {
				p.fail(j.Line, fmt.Sprintf("job `%s` needs `%s`, which does not exist", j.Key, need), "")
				return
			}
			j.Needs[i] = other.Key
		}
	}
	done := map[string]bool{}
	var visit func(j *Job, path []string)
	visit = func(j *Job, path []string) {
		if i := slices.Index(path, j.Key); i >= 0 {
			p.fail(j.Line, "jobs need each other in a circle: "+strings.Join(append(path[i:], j.Key), " → "), "")
			done[j.Key] = true
			return
		}
		for _, need := range j.Needs {
			if !done[need] && !done[j.Key] {
				visit(byKey[strings.ToLower(need)], append(slices.Clone(path), j.Key))
			}
		}
		done[j.Key] = true
	}
	for _, j := range jobs {
		if !done[j.Key] {
			visit(j, nil)
		}
	}
}

func (p *parser) strategy(n *yaml.Node) *Strategy {
	s := &Strategy{Line: n.Line}
	p.mapping(n, "`strategy:`", map[string]func(*yaml.Node){
		"matrix":       func(n *yaml.Node) { s.Matrix = p.matrix(n) },
		"fail-fast":    func(n *yaml.Node) { s.FailFast = p.boolean(n, "fail-fast", inStrategy) },
		"max-parallel": func(n *yaml.Node) { s.MaxParallel = p.number(n, "max-parallel", inStrategy) },
	})
	return s
}

func (p *parser) matrix(n *yaml.Node) Value {
	v := p.value(n, inStrategy)
	if n.Kind == yaml.MappingNode {
		p.vectors(n)
		return v
	}
	if !v.expr {
		p.failf(n, "`matrix:` must be a mapping or an expression")
		return Value{}
	}
	return v
}

// vectors refuses a matrix that is written without any values. Where they come from an expression, only
// the job fails.
func (p *parser) vectors(n *yaml.Node) {
	found := false
	p.pairs(n, "`matrix:`", func(key, value *yaml.Node) {
		value = p.follow(value)
		empty := value.Kind == yaml.SequenceNode && len(value.Content) == 0
		switch {
		case key.Value == "exclude":
		case key.Value == "include":
			found = found || !empty
		case empty:
			p.failf(value, "matrix vector `%s` does not contain any values", key.Value)
			found = true
		default:
			found = true
		}
	})
	if !found {
		p.failf(n, "`matrix:` must define at least one vector")
	}
}

func (p *parser) concurrency(n *yaml.Node, at expr.Place) *Concurrency {
	c := &Concurrency{Line: n.Line}
	if n.Kind == yaml.ScalarNode {
		c.Group = p.value(n, at)
		return c
	}
	seen := p.mapping(n, "`concurrency:`", map[string]func(*yaml.Node){
		"group":              func(n *yaml.Node) { c.Group = p.value(n, at) },
		"cancel-in-progress": func(n *yaml.Node) { c.Cancel = p.boolean(n, "cancel-in-progress", at) },
	})
	if !seen["group"] {
		p.failf(n, "`group:` is missing")
	}
	return c
}

// environment returns the name of what a job deploys to. The address that may stand beside it is checked.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idenvironment
func (p *parser) environment(n *yaml.Node) Value {
	if n.Kind != yaml.MappingNode {
		return p.textValue(n, "environment", inJob)
	}
	var name Value
	seen := p.mapping(n, "`environment:`", map[string]func(*yaml.Node){
		"name": func(n *yaml.Node) { name = p.textValue(n, "name", inJob) },
		"url":  func(n *yaml.Node) { p.template(n, inEnvironmentURL) },
		// No deployments are recorded, so that it changes nothing.
		"deployment": func(n *yaml.Node) { p.boolean(n, "deployment", inJob) },
	})
	if !seen["name"] {
		p.failf(n, "`name:` is missing")
	}
	return name
}

func (p *parser) textValue(n *yaml.Node, what string, at expr.Place) Value {
	if n.Kind != yaml.ScalarNode {
		p.failf(n, "`%s:` must be text", what)
		return Value{}
	}
	return p.value(n, at)
}

func (p *parser) runsOn(n *yaml.Node) Value {
	if n.Kind == yaml.MappingNode {
		p.fail(n.Line, "`runs-on:` with a group is not supported", "name a label")
		return Value{}
	}
	v := p.value(n, inJob)
	if v.Given() && !v.expr {
		labels, _ := v.Eval(expr.Scope{}) // without expressions nothing can go wrong
		if err := CheckLabels(labels); err != nil {
			p.fail(n.Line, "`runs-on:` "+err.Error(), "there are: ubuntu-*, self-hosted, linux, x64")
		}
	}
	return v
}

// CheckLabels refuses runner labels that no machine here has.
func CheckLabels(v any) error {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	if len(list) == 0 {
		return fmt.Errorf("names no runner")
	}
	for _, l := range list {
		label := strings.ToLower(expr.String(l))
		if !strings.HasPrefix(label, "ubuntu-") && !slices.Contains([]string{"self-hosted", "linux", "x64"}, label) {
			return fmt.Errorf("no runner has the label %q", expr.String(l))
		}
	}
	return nil
}
