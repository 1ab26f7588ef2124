package workflow

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
)

// builtIn are the actions that understudy-job has in it, from v4 on.
var builtIn = []string{"actions/checkout", "actions/upload-artifact", "actions/download-artifact"}

var fromV4 = regexp.MustCompile(`^v([4-9]|[1-9][0-9])(\.[0-9]+){0,2}$`)

func (p *parser) steps(n *yaml.Node) {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		p.failf(n, "`steps:` must be a list with at least one step")
		return
	}
	ids := map[string]bool{}
	for _, c := range n.Content {
		p.step(p.follow(c), ids)
	}
}

func (p *parser) step(n *yaml.Node, ids map[string]bool) {
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
		"name":              func(n *yaml.Node) { p.template(n, inStep) },
		"if":                func(n *yaml.Node) { p.condition(n, inStepIf) },
		"uses":              func(n *yaml.Node) { p.uses(n) },
		"run":               func(n *yaml.Node) { p.template(n, inStep) },
		"with":              func(n *yaml.Node) { p.env(n, inStep) },
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
