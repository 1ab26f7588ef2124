package environment

import (
	"path/filepath"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/schema"
	"github.com/understudy-dev/understudy/internal/strictyaml"
)

// stageName is what can stand for {stage} in the names of jobs and artifacts.
var stageName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// wireStage is the form of one stage.
type wireStage struct {
	Label  string      `yaml:"label"`
	Result string      `yaml:"result"`
	Schema string      `yaml:"schema"`
	Checks []wireCheck `yaml:"checks"`
}

type wireCheck struct {
	Path    string `yaml:"path"`
	Matches string `yaml:"matches"`
	When    *struct {
		Path   string `yaml:"path"`
		Equals string `yaml:"equals"`
	} `yaml:"when"`
}

// readStages reads the mapping of stages, in its order, with their schemas.
func (p *Platform) readStages(file string, n yaml.Node) (problems []error) {
	if n.Kind == 0 {
		return nil // missing, which is told elsewhere
	}
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		return []error{strictyaml.Errorf(file, n.Line, "stages is a mapping from each stage's name to what is known of it").Hinted("such as `triage: {label: ready-for-triage}`")}
	}
	labels := map[string]string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		var w wireStage
		if err := strictyaml.DecodePart(file, "stages."+key.Value, n.Content[i+1], &w); err != nil {
			problems = append(problems, err)
			continue
		}
		at := func(hint, format string, args ...any) {
			args = append([]any{key.Value}, args...)
			problems = append(problems, strictyaml.Errorf(file, key.Line, "stage %q "+format, args...).Hinted("%s", hint))
		}
		other, twice := labels[w.Label]
		switch {
		case !stageName.MatchString(key.Value):
			at("a name is letters, digits, dashes, dots and underscores", "has a name that can stand in no job's")
		case twice && w.Label != "":
			at("the label that starts a stage is its own", "has the label %q, as has stage %q", w.Label, other)
		case w.Result == "" && (w.Schema != "" || len(w.Checks) > 0):
			at("say where its agent leaves it, such as `result: output/result.json`", "has a schema or checks, but no result that they are for")
		case w.Result != "" && !filepath.IsLocal(w.Result):
			at("a path such as output/result.json", "has the result %q, which is no path below the agent's workspace", w.Result)
		}
		labels[w.Label] = key.Value
		s := driver.Stage{Name: key.Value, Label: w.Label, Result: w.Result}
		if w.Schema != "" {
			var err error
			if s.Schema, err = readSchema(file, w.Schema); err != nil {
				at("the path is relative to the platform file, and names a JSON Schema that stands on its own", "has a schema that cannot be used: %v", err)
			}
		}
		for _, c := range w.Checks {
			check, what, example := c.check()
			if what != "" {
				at("such as `"+example+"`", "%s", what)
			}
			s.Checks = append(s.Checks, check)
		}
		p.Stages = append(p.Stages, s)
	}
	return problems
}

// readSchema reads a schema whose path is relative to the platform file.
func readSchema(file, path string) (driver.Schema, error) {
	path = beside(file, path)
	text, err := strictyaml.Read(path)
	if err != nil {
		return driver.Schema{}, err
	}
	_, err = schema.Compile(path, text)
	return driver.Schema{File: path, Text: text}, err
}

// check returns the check and what is wrong with it, if anything is, with one that would be right.
func (w wireCheck) check() (c driver.Check, what, example string) {
	c = driver.Check{Path: w.Path, Matches: w.Matches}
	example = `{path: comment, matches: '\S'}`
	if w.Path == "" && w.Matches == "" {
		what = "has a check with neither path nor matches"
	}
	if _, err := regexp.Compile(w.Matches); err != nil {
		what = "has a check whose expression does not compile: " + err.Error()
	}
	if w.When != nil {
		if w.When.Path == "" || w.When.Equals == "" {
			what, example = "has a check whose condition lacks path or equals", `when: {path: action, equals: approve}`
		}
		c.When = driver.Condition(*w.When)
	}
	return c, what, example
}

// capabilityName is what can stand in a tag and in a list with commas.
var capabilityName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)

func (p *Platform) readCapabilities(file string, n yaml.Node) (problems []error) {
	pairs, err := entries(file, "capabilities", "`slow-model: false`, or true when it is declared unless told otherwise", n)
	if err != nil || pairs == nil {
		return slices.DeleteFunc([]error{err}, func(err error) bool { return err == nil })
	}
	p.Capabilities = map[driver.Capability]bool{}
	for _, pair := range pairs {
		key, value := pair[0], pair[1]
		name := driver.Capability(key.Value)
		var on bool
		if err := strictyaml.DecodeNode(file, value, &on); err != nil || value.ShortTag() != "!!bool" {
			problems = append(problems, strictyaml.Errorf(file, value.Line, "capability %q is true (declared unless told otherwise) or false, not %q", name, value.Value))
		}
		if !capabilityName.MatchString(key.Value) {
			problems = append(problems, strictyaml.Errorf(file, key.Line, "capability %q: a name is lower-case letters, digits, dashes and dots", name))
		}
		p.Capabilities[name] = on
	}
	return problems
}
