package environment

import (
	"path"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/strictyaml"
)

// wireMetrics is the form of where a run's figures are.
type wireMetrics struct {
	File           string   `yaml:"file"`
	Runtime        string   `yaml:"runtime"`
	RuntimeSource  string   `yaml:"runtime-source"`
	RequestedModel string   `yaml:"requested-model"`
	ModelSource    string   `yaml:"model-source"`
	Model          string   `yaml:"model"`
	Turns          string   `yaml:"turns"`
	Tokens         []string `yaml:"tokens"`
}

func (w wireMetrics) metrics() driver.Metrics { return driver.Metrics(w) }

// wireLines is the form of what a runtime leaves.
type wireLines struct {
	File string   `yaml:"file"`
	Path string   `yaml:"path"`
	Is   []string `yaml:"is"`
}

// readRuntimes reads what can drive agents, in the file's order.
func (p *Platform) readRuntimes(file string, n yaml.Node) (problems []error) {
	pairs, err := entries(file, "runtimes", "`dummy: {}`", n)
	if err != nil {
		return []error{err}
	}
	for _, pair := range pairs {
		key := pair[0]
		var w struct {
			Transcript wireLines `yaml:"transcript"`
			Stream     wireLines `yaml:"stream"`
		}
		if err := strictyaml.DecodePart(file, "runtimes."+key.Value, pair[1], &w); err != nil {
			problems = append(problems, err)
			continue
		}
		if !stageName.MatchString(key.Value) {
			problems = append(problems, strictyaml.Errorf(file, key.Line, "runtime %q: a name is letters, digits, dashes, dots and underscores", key.Value))
		}
		for _, l := range []wireLines{w.Transcript, w.Stream} {
			all := l.File != "" && l.Path != "" && len(l.Is) > 0
			none := l.File == "" && l.Path == "" && len(l.Is) == 0
			if _, err := path.Match(l.File, "x"); err != nil || !all && !none {
				problems = append(problems, strictyaml.Errorf(file, key.Line, "runtime %q leaves what cannot be read: it needs file, a pattern, path and is", key.Value).
					Hinted("such as {file: output.jsonl, path: item.type, is: [command_execution]}"))
			}
		}
		p.Runtimes = append(p.Runtimes, driver.Runtime{Name: key.Value, Transcript: driver.Lines(w.Transcript), Stream: driver.Lines(w.Stream)})
	}
	return problems
}
