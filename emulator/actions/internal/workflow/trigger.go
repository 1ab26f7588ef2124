package workflow

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/internal/cron"
)

// Event is what a file's triggers are compared with.
type Event struct {
	Name     string
	Action   string   // activity type
	Ref      string   // of a push: "refs/heads/main"
	Branch   string   // the base of a pull request; the branch of the run that a workflow_run is about
	Paths    []string // files that a push or a pull request changed
	Workflow string   // name of the workflow that a workflow_run is about
}

// Triggers is the `on:` of a file.
type Triggers struct {
	broken bool
	events map[string]*trigger
	Inputs []Input   // of workflow_dispatch
	Crons  []Cron    // of schedule
	Call   *Callable // of workflow_call; nil when the file cannot be called
}

// Input is one input of workflow_dispatch.
type Input struct {
	Name     string
	Type     string // string, boolean, number, choice, environment
	Default  string
	Required bool
	Options  []string // of a choice
}

// Cron is one entry of `schedule:`.
type Cron struct {
	cron.Schedule
	Line int
}

type trigger struct {
	types                             []string // nil is all
	branches, tags, paths             *globs
	branchesSkip, tagsSkip, pathsSkip *globs
	onlyBranches, onlyTags            bool     // there is a filter for them
	workflows                         []string // of workflow_run
}

// Broken reports that the file's triggers could not be understood, so that nobody knows which
// events it is for.
func (t *Triggers) Broken() bool { return t.broken }

// Names reports whether the file mentions the event at all.
func (t *Triggers) Names(event string) bool { return t.events[event] != nil }

// Match reports whether the event starts a run. Events that this product does not deliver never match.
func (t *Triggers) Match(e Event) bool {
	tr := t.events[e.Name]
	if tr == nil || !Delivered(e.Name) {
		return false
	}
	if tr.types != nil && !slices.Contains(tr.types, e.Action) {
		return false
	}
	switch e.Name {
	case "push":
		return tr.push(e)
	case "pull_request", "pull_request_target":
		return tr.branch(e.Branch) && tr.changed(e.Paths)
	case "workflow_run":
		return slices.Contains(tr.workflows, e.Workflow) && tr.branch(e.Branch)
	}
	return true
}

// push applies the filters of a push. With filters for branches only, tags start nothing, and the
// other way round; paths are not looked at for tags.
func (tr *trigger) push(e Event) bool {
	if tag, ok := strings.CutPrefix(e.Ref, "refs/tags/"); ok {
		if !tr.onlyTags && tr.onlyBranches {
			return false
		}
		return tr.tags.accepts(tag) && !tr.tagsSkip.rejects(tag)
	}
	if !tr.onlyBranches && tr.onlyTags {
		return false
	}
	return tr.branch(strings.TrimPrefix(e.Ref, "refs/heads/")) && tr.changed(e.Paths)
}

func (tr *trigger) branch(name string) bool {
	return tr.branches.accepts(name) && !tr.branchesSkip.rejects(name)
}

func (tr *trigger) changed(paths []string) bool {
	if tr.paths != nil && !slices.ContainsFunc(paths, tr.paths.match) {
		return false
	}
	outside := func(path string) bool { return !tr.pathsSkip.match(path) }
	return tr.pathsSkip == nil || slices.ContainsFunc(paths, outside)
}

func (p *parser) on(t *Triggers, n *yaml.Node) {
	t.events = map[string]*trigger{}
	before := len(p.problems)
	n = p.follow(n)
	switch n.Kind {
	case yaml.ScalarNode:
		p.event(t, n, nil)
	case yaml.SequenceNode:
		for _, c := range n.Content {
			p.event(t, p.follow(c), nil)
		}
	default:
		p.pairs(n, "`on:`", func(key, value *yaml.Node) { p.event(t, key, value) })
	}
	t.broken = len(p.problems) > before
}

func (p *parser) event(t *Triggers, name, config *yaml.Node) {
	known, ok := events[name.Value]
	if !ok || name.Kind != yaml.ScalarNode {
		p.failf(name, "`%s` is not an event", name.Value)
		return
	}
	tr := &trigger{types: known.standard}
	t.events[name.Value] = tr
	if name.Value == "workflow_call" {
		t.Call = &Callable{}
	}
	if config == nil || config.Kind == yaml.ScalarNode && config.Tag == "!!null" {
		if name.Value == "workflow_run" {
			p.failf(name, "`workflow_run` names no `workflows:`")
		}
		return
	}
	switch name.Value {
	case "schedule":
		p.schedule(t, config)
		return
	case "workflow_dispatch":
		p.dispatch(t, config)
		return
	case "workflow_call":
		t.Call = p.callable(config)
		return
	}
	keys := map[string]func(*yaml.Node){}
	for _, k := range known.keys {
		keys[k] = p.filterKey(tr, name.Value, k)
	}
	seen := p.mapping(config, "`on."+name.Value+"`", keys)
	if name.Value == "workflow_run" && !seen["workflows"] {
		p.failf(name, "`workflow_run` names no `workflows:`")
	}
	for _, k := range []string{"branches", "tags", "paths"} {
		if seen[k] && seen[k+"-ignore"] {
			p.failf(name, "`%s:` and `%s-ignore:` cannot stand together", k, k)
		}
	}
}

func (p *parser) filterKey(tr *trigger, event, key string) func(*yaml.Node) {
	globs := func(to **globs, ignore bool) func(*yaml.Node) {
		return func(n *yaml.Node) { *to = p.globs(n, key, ignore) }
	}
	switch key {
	case "types":
		return func(n *yaml.Node) { tr.types = p.activityTypes(n, event) }
	case "branches":
		set := globs(&tr.branches, false)
		return func(n *yaml.Node) { tr.onlyBranches = true; set(n) }
	case "branches-ignore":
		set := globs(&tr.branchesSkip, true)
		return func(n *yaml.Node) { tr.onlyBranches = true; set(n) }
	case "tags":
		set := globs(&tr.tags, false)
		return func(n *yaml.Node) { tr.onlyTags = true; set(n) }
	case "tags-ignore":
		set := globs(&tr.tagsSkip, true)
		return func(n *yaml.Node) { tr.onlyTags = true; set(n) }
	case "paths":
		return globs(&tr.paths, false)
	case "paths-ignore":
		return globs(&tr.pathsSkip, true)
	}
	return func(n *yaml.Node) { tr.workflows = p.words(n, key) }
}

func (p *parser) activityTypes(n *yaml.Node, event string) []string {
	types := p.words(n, "types")
	if known := events[event].types; known != nil {
		for _, t := range types {
			if !slices.Contains(known, t) {
				p.fail(n.Line, fmt.Sprintf("%q is not a type of `%s`", t, event), "there are: "+strings.Join(known, ", "))
			}
		}
	}
	return types
}

func (p *parser) schedule(t *Triggers, n *yaml.Node) {
	n = p.follow(n)
	if n.Kind != yaml.SequenceNode {
		p.failf(n, "`schedule:` must be a list")
		return
	}
	for _, c := range n.Content {
		var text, zone string
		line := c.Line
		seen := p.mapping(c, "`on.schedule`", map[string]func(*yaml.Node){
			"cron":     func(n *yaml.Node) { text, line = p.word(n, "cron"), n.Line },
			"timezone": func(n *yaml.Node) { zone = p.word(n, "timezone") },
		})
		if !seen["cron"] {
			p.failf(c, "`cron:` is missing")
		}
		if text == "" || seen["timezone"] && zone == "" {
			continue // told already
		}
		s, err := cron.Parse(text, zone)
		if err != nil {
			p.fail(line, err.Error(), "")
			continue
		}
		t.Crons = append(t.Crons, Cron{s, line})
	}
}

func (p *parser) dispatch(t *Triggers, n *yaml.Node) {
	p.mapping(n, "`on.workflow_dispatch`", map[string]func(*yaml.Node){
		"inputs": func(n *yaml.Node) {
			p.pairs(n, "`inputs:`", func(key, value *yaml.Node) { t.Inputs = append(t.Inputs, p.input("workflow_dispatch", key, value)) })
		},
	})
}

func (p *parser) input(event string, key, n *yaml.Node) Input {
	in := Input{Name: key.Value, Type: "string"}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return in
	}
	types := []string{"string", "boolean", "number", "choice", "environment"}
	if event == "workflow_call" {
		types = types[:3]
	}
	p.mapping(n, "an input", map[string]func(*yaml.Node){
		"description":        func(n *yaml.Node) { p.text(n, "description") },
		"deprecationMessage": func(n *yaml.Node) { p.text(n, "deprecationMessage") },
		"required":           func(n *yaml.Node) { in.Required = p.flag(n, "required") },
		"default":            func(n *yaml.Node) { in.Default, _ = p.text(n, "default") },
		"type":               func(n *yaml.Node) { in.Type = p.oneOf(n, "type", types...) },
		"options":            func(n *yaml.Node) { in.Options = p.words(n, "options") },
	})
	if in.Type == "choice" && len(in.Options) == 0 {
		p.failf(key, "input `%s` is a choice without `options:`", in.Name)
	}
	return in
}
