package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/understudy-dev/understudy/cmd/understudy-job/step"
	"github.com/understudy-dev/understudy/internal/jobwire"
)

// reduce returns what act has to know of the workflow file: the job, and the names of those it needs.
// What the engine has decided goes, because act would read it again by its own, narrower rules:
// conditions, names, time-outs, permissions, the triggers, the other jobs. The contexts that the engine
// knows and act does not stand in the expressions as values.
func reduce(spec jobwire.Spec) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(spec.Workflow, &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("the file is no mapping")
	}
	root := doc.Content[0]
	if err := expand(root, 0); err != nil {
		return nil, err
	}
	jobs := entry(root, "jobs")
	if jobs == nil || entry(jobs, spec.Job) == nil {
		return nil, fmt.Errorf("no job %q", spec.Job)
	}
	job := entry(jobs, spec.Job)
	keep(root, "name", "env", "defaults")
	keep(job, "needs", "env", "defaults", "outputs", "steps", "strategy", "container", "services", "uses")
	if strategy := entry(job, "strategy"); strategy != nil {
		keep(strategy)
	}
	if steps := entry(job, "steps"); steps != nil {
		for _, st := range steps.Content {
			handOver(st)
		}
	}
	contexts, err := constants(spec.Contexts)
	if err != nil {
		return nil, err
	}
	insert(root, contexts, false)
	insert(job, contexts, false)
	rewriteCases(root, false)
	rewriteCases(job, false)
	if outputs := entry(job, "outputs"); outputs != nil {
		for i := 1; i < len(outputs.Content); i += 2 {
			outputs.Content[i] = text(outputs.Content[i].Value + outputEnd)
		}
	}
	set(job, "runs-on", text(platform))
	set(root, "on", text("push"))
	all := &yaml.Node{Kind: yaml.MappingNode}
	for need := range spec.Needs {
		set(all, need, stub())
	}
	set(all, spec.Job, job)
	set(root, "jobs", all)
	return yaml.Marshal(root)
}

// handOver gives a step's time-out to the wrapper of its program: act takes a fraction for no limit, and 0
// for none left. A step that uses an action of the repository can be many programs; it stays with act.
func handOver(st *yaml.Node) {
	minutes, uses := entry(st, "timeout-minutes"), entry(st, "uses")
	if minutes == nil || uses != nil && strings.HasPrefix(uses.Value, ".") {
		return
	}
	if env := entry(st, "env"); env == nil || env.Kind != yaml.MappingNode {
		set(st, "env", &yaml.Node{Kind: yaml.MappingNode})
	}
	set(entry(st, "env"), step.Timeout, text(minutes.Value))
	for i := 0; i+1 < len(st.Content); i += 2 {
		if st.Content[i].Value == "timeout-minutes" {
			st.Content = slices.Delete(st.Content, i, i+2)
			return
		}
	}
}

// outputEnd stands behind each output, so that one that act could not evaluate is known from an empty one.
const outputEnd = "\uE0D9"

// stub is a job that only has to be there.
func stub() *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	one := &yaml.Node{Kind: yaml.MappingNode}
	set(one, "run", text("true"))
	set(n, "runs-on", text(platform))
	set(n, "steps", &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{one}})
	return n
}

func text(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }

const maxDepth = 100

// expand replaces aliases by what they stand for, so that parts can go.
func expand(n *yaml.Node, depth int) error {
	if depth > maxDepth {
		return errors.New("the file is nested too deeply")
	}
	n.Anchor = ""
	for i, c := range n.Content {
		if c.Kind == yaml.AliasNode {
			n.Content[i] = duplicate(c.Alias, 0)
		}
		if err := expand(n.Content[i], depth+1); err != nil {
			return err
		}
	}
	return nil
}

func duplicate(n *yaml.Node, depth int) *yaml.Node {
	out := *n
	out.Content = slices.Clone(n.Content)
	if depth < maxDepth {
		for i, c := range out.Content {
			out.Content[i] = duplicate(c, depth+1)
		}
	}
	return &out
}

func entry(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func set(n *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content[i+1] = value
			return
		}
	}
	n.Content = append(n.Content, text(key), value)
}

// keep drops all entries but those; merge keys stay.
func keep(n *yaml.Node, keys ...string) {
	var content []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i].Value; key == "<<" || slices.Contains(keys, key) {
			content = append(content, n.Content[i], n.Content[i+1])
		}
	}
	n.Content = content
}

// constants are the contexts as expressions that give their value.
func constants(contexts map[string]json.RawMessage) (map[string]string, error) {
	out := map[string]string{}
	for name, raw := range contexts {
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			return nil, fmt.Errorf("read the context %s: %w", name, err)
		}
		inert, err := json.Marshal(inertValue(v))
		if err != nil {
			return nil, err
		}
		out[name] = "fromJSON('" + strings.ReplaceAll(string(inert), "'", "''") + "')"
	}
	return out, nil
}

// insert writes the constants into every expression below n. The value of `if:` is an expression as a
// whole.
func insert(n *yaml.Node, contexts map[string]string, whole bool) {
	if len(contexts) == 0 {
		return
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		if whole && !strings.Contains(n.Value, "${{") {
			n.Value = replaced(n.Value, contexts)
			return
		}
		n.Value = inBraces(n.Value, func(e string) string { return replaced(e, contexts) })
	}
	for i, c := range n.Content {
		insert(c, contexts, n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == "if")
	}
}

// inBraces treats what stands between ${{ and }}. A }} within a quoted text does not end it.
func inBraces(s string, rewrite func(expression string) string) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "${{")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		end := endOf(rest)
		if end < 0 {
			out.WriteString("${{" + rest)
			return out.String()
		}
		out.WriteString("${{" + rewrite(rest[:end]) + "}}")
		s = rest[end+2:]
	}
}

func endOf(s string) int {
	quoted := false
	for i := range len(s) {
		switch {
		case s[i] == '\'':
			quoted = !quoted
		case !quoted && strings.HasPrefix(s[i:], "}}"):
			return i
		}
	}
	return -1
}

// word is a quoted text, or a name with what stands before it.
var word = regexp.MustCompile(`'(?:[^']|'')*'|\.?[ \t]*[A-Za-z_][A-Za-z0-9_-]*`)

// replaced puts constants in the place of contexts: of names that are neither quoted nor behind a dot,
// and of no function.
func replaced(expression string, contexts map[string]string) string {
	return word.ReplaceAllStringFunc(expression, func(name string) string {
		bare := strings.TrimLeft(name, " \t")
		if value, ok := contexts[strings.ToLower(bare)]; ok {
			return name[:len(name)-len(bare)] + value
		}
		return name
	})
}
