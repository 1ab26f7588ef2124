package workflow

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
)

// Call is what a job calls instead of having steps of its own.
// https://docs.github.com/en/actions/how-tos/reuse-automations/reuse-workflows
type Call struct {
	Line    int
	Uses    string // as written
	Repo    string // "owner/name"; "" is the calling file's
	Path    string // ".github/workflows/build.yml"
	Ref     string // "" is the calling file's commit
	With    []Argument
	Secrets []Argument
	Inherit bool // all of the caller's secrets
}

// Argument is a named value that a call passes on.
type Argument struct {
	Name  string
	Line  int
	Value Value
}

// Callable is the `on.workflow_call` of a file.
type Callable struct {
	Inputs  []Input
	Secrets []Secret
	Outputs []Output
}

// Secret is one that a callable file asks for.
type Secret struct {
	Name     string
	Required bool
}

// Output is one that a callable file gives.
type Output struct {
	Name  string
	Line  int
	Value *expr.Template
}

var (
	inWith       = expr.Place{Contexts: []string{"github", "needs", "strategy", "matrix", "inputs", "vars"}}
	inSecrets    = expr.Place{Contexts: []string{"github", "needs", "strategy", "matrix", "secrets", "inputs", "vars"}}
	inCallOutput = expr.Place{Contexts: []string{"github", "jobs", "vars", "inputs"}}
)

var callForm = regexp.MustCompile(`^(?:\./|([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)/)(\.github/workflows/[^/@]+\.ya?ml)(?:@(\S+))?$`)

func (p *parser) called(c *Call, n *yaml.Node) {
	c.Line, c.Uses = n.Line, p.word(n, "uses")
	m := callForm.FindStringSubmatch(c.Uses)
	switch {
	case m == nil:
		p.fail(n.Line, fmt.Sprintf("`uses: %s` names no workflow", c.Uses), "the forms are ./.github/workflows/FILE and OWNER/REPO/.github/workflows/FILE@REF")
	case m[1] == "" && m[3] != "":
		p.fail(n.Line, fmt.Sprintf("`uses: %s`: a workflow of the same repository has no @REF", c.Uses), "it is taken from the same commit")
	case m[1] != "" && m[3] == "":
		p.fail(n.Line, fmt.Sprintf("`uses: %s`: a workflow of another repository needs @REF", c.Uses), "")
	default:
		c.Repo, c.Path, c.Ref = m[1], m[2], m[3]
	}
}

func (p *parser) arguments(n *yaml.Node, what string, at expr.Place) []Argument {
	var out []Argument
	p.pairs(n, "`"+what+":`", func(key, value *yaml.Node) {
		out = append(out, Argument{Name: key.Value, Line: key.Line, Value: p.value(value, at)})
	})
	return out
}

func (p *parser) passedSecrets(c *Call, n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		c.Inherit = p.oneOf(n, "secrets", "inherit") == "inherit"
		return
	}
	c.Secrets = p.arguments(n, "secrets", inSecrets)
}

// callJob checks that a job which calls a workflow has nothing of a job with steps.
func (p *parser) callJob(key *yaml.Node, seen map[string]bool) {
	for _, k := range []string{
		"runs-on", "steps", "env", "defaults", "outputs", "timeout-minutes", "continue-on-error", "container", "services", "environment", "snapshot",
	} {
		if seen[k] {
			p.failf(key, "`%s:` cannot stand beside `uses:`", k)
		}
	}
}

func (p *parser) callable(n *yaml.Node) *Callable {
	c := &Callable{}
	p.mapping(n, "`on.workflow_call`", map[string]func(*yaml.Node){
		"inputs": func(n *yaml.Node) {
			p.pairs(n, "`inputs:`", func(key, value *yaml.Node) { c.Inputs = append(c.Inputs, p.input("workflow_call", key, value)) })
		},
		"secrets": func(n *yaml.Node) {
			p.pairs(n, "`secrets:`", func(key, value *yaml.Node) {
				s := Secret{Name: key.Value}
				if value.Kind != yaml.ScalarNode || value.Tag != "!!null" {
					p.mapping(value, "a secret", map[string]func(*yaml.Node){
						"description": func(n *yaml.Node) { p.text(n, "description") },
						"required":    func(n *yaml.Node) { s.Required = p.flag(n, "required") },
					})
				}
				c.Secrets = append(c.Secrets, s)
			})
		},
		"outputs": func(n *yaml.Node) {
			p.pairs(n, "`outputs:`", func(key, value *yaml.Node) {
				o := Output{Name: key.Value, Line: key.Line}
				seen := p.mapping(value, "an output", map[string]func(*yaml.Node){
					"description": func(n *yaml.Node) { p.text(n, "description") },
					"value":       func(n *yaml.Node) { o.Value = p.template(n, inCallOutput) },
				})
				if !seen["value"] {
					p.failf(key, "output `%s` has no `value:`", o.Name)
				}
				c.Outputs = append(c.Outputs, o)
			})
		},
	})
	return c
}

// Find returns the input of a name, without regard to case.
func (c *Callable) Find(name string) (Input, bool) {
	for _, in := range c.Inputs {
		if strings.EqualFold(in.Name, name) {
			return in, true
		}
	}
	return Input{}, false
}
