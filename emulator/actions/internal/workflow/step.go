package workflow

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
)

// builtIn are the actions that understudy-job has in it, from v4 on.
var builtIn = []string{
	"actions/checkout", "actions/upload-artifact", "actions/download-artifact",
	"actions/cache", "actions/cache/restore", "actions/cache/save",
	"actions/setup-go", "actions/setup-node", "actions/setup-python", "actions/setup-java",
}

var fromV4 = regexp.MustCompile(`^v([4-9]|[1-9][0-9])(\.[0-9]+){0,2}$`)

// Step is one step of a job. The runner reads the file itself; this is what is told of a step.
type Step struct {
	Line int
	Name string     // as written; what it runs or uses where there is none
	If   *Condition // nil when there is none
	Uses string     // the action, without its version: "actions/checkout"; "" when it runs a script
	With []Given
}

// Given is an input of an action, as it is written.
type Given struct {
	Line       int
	Name, Text string
}

// Condition is an `if:` with its place.
type Condition struct {
	Line int
	*expr.Expr
}

func (p *parser) conditionAt(n *yaml.Node, at expr.Place) *Condition {
	if e := p.condition(n, at); e != nil {
		return &Condition{n.Line, e}
	}
	return nil
}

func (p *parser) steps(n *yaml.Node) []Step {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		p.failf(n, "`steps:` must be a list with at least one step")
		return nil
	}
	ids := map[string]bool{}
	var out []Step
	for _, c := range n.Content {
		out = append(out, p.step(p.follow(c), ids))
	}
	return out
}

func (p *parser) step(n *yaml.Node, ids map[string]bool) Step {
	out, does := Step{Line: n.Line}, ""
	seen := p.mapping(n, "a step", map[string]func(*yaml.Node){
		"id": func(n *yaml.Node) {
			id := p.word(n, "id")
			if !identifier.MatchString(id) {
				p.failf(n, "%q cannot be the id of a step", id)
			}
			if ids[strings.ToLower(id)] {
				p.failf(n, "the id `%s` is used twice", id)
			}
			ids[strings.ToLower(id)] = true
		},
		"name":              func(n *yaml.Node) { p.template(n, inStep); out.Name = firstLine(n.Value) },
		"if":                func(n *yaml.Node) { out.If = p.conditionAt(n, inStepIf) },
		"uses":              func(n *yaml.Node) { p.uses(n); does = n.Value; out.Uses, _, _ = strings.Cut(n.Value, "@") },
		"run":               func(n *yaml.Node) { p.template(n, inStep); does = firstLine(n.Value) },
		"with":              func(n *yaml.Node) { out.With = p.with(n) },
		"env":               func(n *yaml.Node) { p.env(n, inStep) },
		"shell":             func(n *yaml.Node) { p.template(n, inStep) },
		"working-directory": func(n *yaml.Node) { p.template(n, inStep) },
		"continue-on-error": func(n *yaml.Node) { p.boolean(n, "continue-on-error", inStep) },
		"timeout-minutes":   func(n *yaml.Node) { p.number(n, "timeout-minutes", inStep) },
	})
	switch {
	case seen["uses"] && seen["run"]:
		p.failf(n, "a step has either `run:` or `uses:`")
	case !seen["uses"] && !seen["run"]:
		p.failf(n, "a step needs `run:` or `uses:`")
	case seen["with"] && !seen["uses"]:
		p.failf(n, "`with:` belongs to a step with `uses:`")
	case seen["uses"] && (seen["shell"] || seen["working-directory"]):
		p.failf(n, "`shell:` and `working-directory:` belong to a step with `run:`")
	}
	out.Name = cmp.Or(out.Name, does)
	return out
}

// firstLine is enough to know a step by.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	const most = 80
	if runes := []rune(line); len(runes) > most {
		line = string(runes[:most]) + "…"
	}
	return line
}

func (p *parser) uses(n *yaml.Node) {
	ref := p.word(n, "uses")
	hint := "there are: " + strings.Join(builtIn, ", ") + ", each from @v4 on"
	action, version, _ := strings.Cut(ref, "@")
	switch {
	case strings.HasPrefix(ref, "docker://"):
		p.fail(n.Line, "`uses: docker://` is not supported", "run the program in a step")
	case strings.HasPrefix(ref, "./"):
		if slices.Contains(strings.Split(ref, "/"), "..") {
			p.fail(n.Line, "`uses: "+ref+"` leaves the repository", "")
		}
	case !slices.Contains(builtIn, strings.ToLower(action)):
		p.fail(n.Line, "`uses: "+ref+"`: this action is not built in", hint)
	case !fromV4.MatchString(version):
		p.fail(n.Line, "`uses: "+ref+"`: this version is not built in", hint)
	}
}

func (p *parser) with(n *yaml.Node) []Given {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil
	}
	var out []Given
	p.pairs(n, "this mapping", func(key, value *yaml.Node) {
		p.template(value, inStep)
		out = append(out, Given{Line: value.Line, Name: strings.ToLower(key.Value), Text: value.Value})
	})
	return out
}

// env is a mapping of names to text with expressions.
func (p *parser) env(n *yaml.Node, at expr.Place) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	p.pairs(n, "this mapping", func(_, value *yaml.Node) { p.template(value, at) })
}

func (p *parser) defaults(n *yaml.Node, at expr.Place) {
	p.mapping(n, "`defaults:`", map[string]func(*yaml.Node){
		"run": func(n *yaml.Node) {
			p.mapping(n, "`defaults.run`", map[string]func(*yaml.Node){
				"shell":             func(n *yaml.Node) { p.template(n, at) },
				"working-directory": func(n *yaml.Node) { p.template(n, at) },
			})
		},
	})
}

var scopes = []string{
	"actions", "artifact-metadata", "attestations", "checks", "contents", "deployments", "discussions", "id-token", "issues",
	"models", "packages", "pages", "pull-requests", "repository-projects", "security-events", "statuses",
}

// WriteAll is what tokens may by default where they write: everything but id-tokens.
// https://docs.github.com/en/actions/tutorials/authenticate-with-github_token#permissions-for-the-github_token
func WriteAll() map[string]string {
	m := map[string]string{}
	for _, s := range scopes {
		m[s] = "write"
	}
	m["id-token"] = "none"
	return m
}

// permissions returns all scopes: what a file does not name is none, once it names any.
func (p *parser) permissions(n *yaml.Node) map[string]string {
	all := func(level string) map[string]string {
		m := map[string]string{}
		for _, s := range scopes {
			m[s] = level
		}
		return m
	}
	if n.Kind == yaml.ScalarNode {
		switch p.oneOf(n, "permissions", "read-all", "write-all") {
		case "read-all":
			m := all("read")
			m["id-token"] = "none"
			return m
		}
		return all("write")
	}
	m := all("none")
	p.pairs(n, "`permissions:`", func(key, value *yaml.Node) {
		if !slices.Contains(scopes, key.Value) {
			p.fail(key.Line, "`"+key.Value+"` is not a permission", "there are: "+strings.Join(scopes, ", "))
			return
		}
		m[key.Value] = p.oneOf(value, key.Value, "read", "write", "none")
	})
	return m
}
