package environment

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/internal/strictyaml"
)

// wordName is what can stand in <platform:NAME>.
var wordName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// readWords reads what the platform calls the things of portable features.
func (p *Platform) readWords(file string, n yaml.Node) (problems []error) {
	if n.Kind == 0 {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return []error{strictyaml.Errorf(file, n.Line, "words is a mapping from each word of portable features to what it is here, such as `stage: triage`")}
	}
	p.Words = map[string]string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := func(format string, args ...any) {
			problems = append(problems, strictyaml.Errorf(file, key.Line, format, args...))
		}
		switch {
		case !wordName.MatchString(key.Value):
			at("word %q: a name is lower-case letters, digits and dashes, a letter first", key.Value)
		case value.Kind != yaml.ScalarNode || value.Tag == "!!null":
			at("word %q is no text; put it in quotes if it has to be empty, or looks like something else", key.Value)
		case strings.Contains(value.Value, "<platform:"):
			at("word %q is made of another one; words are not replaced again", key.Value)
		}
		p.Words[key.Value] = value.Value
	}
	return problems
}
