package environment

import (
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/internal/strictyaml"
)

// places knows the lines of a file's keys.
type places struct {
	file string
	top  *yaml.Node
}

// errorf places a problem at a key, such as "names.job", or at the nearest one above it that is there.
func (p places) errorf(path, format string, args ...any) *strictyaml.Error {
	n, line := p.top, 1
	for key := range strings.SplitSeq(path, ".") {
		i := 0
		for i+1 < len(n.Content) && (n.Kind != yaml.MappingNode || n.Content[i].Value != key) {
			i += 2
		}
		if i+1 >= len(n.Content) {
			break
		}
		line, n = n.Content[i].Line, n.Content[i+1]
	}
	return strictyaml.Errorf(p.file, line, format, args...)
}

// outside finds paths that leave what they are in, and paths where a file's name is meant.
func (p *Platform) outside(at places) (problems []error) {
	local := func(key, in, path string) {
		if path != "" && !filepath.IsLocal(filepath.FromSlash(path)) {
			problems = append(problems, at.errorf(key, "%s is %q, which is no path below %s", key, path, in).Hinted("a path without .. and without a / at its beginning"))
		}
	}
	name := func(key, path string) {
		if strings.ContainsAny(path, "/\\") || path == ".." {
			problems = append(problems, at.errorf(key, "%s is a file name, not a path: %q", key, path).Hinted("the last part of it alone"))
		}
	}
	local("places.script", "the repository", p.ScriptPath)
	for _, path := range p.Install.Validate {
		local("install.validate", "the repository", path)
	}
	name("get.gives", p.Get.Gives)
	name("names.workflow", p.WorkflowFile)
	name("places.results", p.ResultsFile)
	name("places.policy", p.PolicyFile)
	name("metrics.file", p.Metrics.File)
	return problems
}
