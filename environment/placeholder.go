package environment

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/nearest"
	"github.com/understudy-dev/understudy/internal/strictyaml"
)

// placeholder is a word in braces that the kit replaces; ${word} is the shell's own. Names hold no
// other braces than the kit's.
var (
	placeholder = regexp.MustCompile(`\$?\{([a-z]+(?::[^{}]*)?)\}`)
	braces      = regexp.MustCompile(`\{([^{}]*)\}`)
)

// placeholders are what each part of the file may hold.
var placeholders = map[string][]string{
	"get":     {"gives"},
	"install": {"repo", "api", "server"},               // and token:ACTOR in env
	"poller":  {"repo", "tracker", "project", "email"}, // and token in env
	"defect":  {"name"},
	"preset":  {"preset"},
	"names":   {"stage"},
	"places":  {"name", "server", "repo", "ref", "path"},
	"harness": {"name", "url", "digest", "file"},
}

// checkPlaceholders finds the ones that nobody would replace, where they stand.
func checkPlaceholders(at places, actors map[string]driver.Actor) (problems []error) {
	for i := 0; i+1 < len(at.top.Content); i += 2 {
		part := at.top.Content[i].Value
		allowed, replaced := placeholders[part]
		if !replaced {
			continue
		}
		secret := map[*yaml.Node]bool{} // where a token may stand
		if part == "install" || part == "poller" {
			each(child(at.top.Content[i+1], "env"), func(n *yaml.Node) { secret[n] = true })
		}
		each(at.top.Content[i+1], func(n *yaml.Node) {
			form := placeholder
			if part == "names" {
				form = braces
			}
			for _, m := range form.FindAllStringSubmatch(n.Value, -1) {
				if m[0][0] == '$' {
					continue
				}
				actor, isToken := strings.CutPrefix(m[1], "token:")
				switch {
				case slices.Contains(allowed, m[1]), part == "poller" && m[1] == "token" && secret[n]:
				case part == "poller" && m[1] == "token":
					problems = append(problems, strictyaml.Errorf(at.file, n.Line, "{token} outside poller.env: a command line is shown to every program of the machine").
						Hinted("put it into poller.env, and let the program read that variable"))
				case !isToken || part != "install":
					e := strictyaml.Errorf(at.file, n.Line, "unknown placeholder {%s} in %s; there are: {%s}", m[1], part, strings.Join(allowed, "}, {"))
					if part == "install" {
						e.Hinted("an actor's token is {token:ACTOR}")
					}
					if near := nearest.Of(m[1], allowed); near != "" {
						e.Hinted("did you mean {%s}?", near)
					}
					problems = append(problems, e)
				case !secret[n]:
					problems = append(problems, strictyaml.Errorf(at.file, n.Line, "{%s} outside install.env: a command line is shown to every program of the machine", m[1]).
						Hinted("put it into install.env, and let the program read that variable"))
				default:
					if _, ok := actors[actor]; !ok {
						problems = append(problems, strictyaml.Errorf(at.file, n.Line, "{token:%s} names no actor of this file", actor).
							Hinted("there are: %s", strings.Join(slices.Sorted(maps.Keys(actors)), ", ")))
					}
				}
			}
		})
	}
	return problems
}

// child is the value of a key of a mapping, or an empty node.
func child(n *yaml.Node, key string) *yaml.Node {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return &yaml.Node{}
}

// each visits every scalar below n.
func each(n *yaml.Node, visit func(*yaml.Node)) {
	if n.Kind == yaml.ScalarNode {
		visit(n)
	}
	for _, c := range n.Content {
		each(c, visit)
	}
}
