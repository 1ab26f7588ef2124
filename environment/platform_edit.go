package environment

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/nearest"
	"github.com/understudy-dev/understudy/internal/setting"
	"github.com/understudy-dev/understudy/internal/strictyaml"
)

// editPlaceholders are the edits that there are, and what each is about: it has to say each of these, so
// that it cannot be the same change for two different agents.
var editPlaceholders = map[string][]string{
	driver.EditKillSwitch: nil, driver.EditAgent: {"name"}, driver.EditDisable: {"name"},
	driver.EditAgentRuntime: {"name", "runtime"}, driver.EditAgentModel: {"name", "model"}, driver.EditAgentEffort: {"name", "effort"},
	driver.EditRuntime: {"runtime"}, driver.EditModel: {"model"}, driver.EditEffort: {"effort"},
	driver.EditReactions: nil, driver.EditOwners: nil,
	driver.EditPlaylist: {"name", "result"}, driver.EditPlayback: {"issue"},
	driver.EditAllow: {"prefix"}, driver.EditBase: {"base"},
}

// editOptional are the placeholders that an edit may leave out.
var editOptional = map[string][]string{driver.EditAgent: {"source"}, driver.EditBase: {"name"}}

// readEdits reads how the platform's settings are changed.
func (p *Platform) readEdits(file string, n yaml.Node) (problems []error) {
	pairs, err := entries(file, "edits", "`kill-switch: {file: .crew/config.yaml, path: kill_switch, value: true}`", n)
	if err != nil || pairs == nil {
		return slices.DeleteFunc([]error{err}, func(err error) bool { return err == nil })
	}
	p.Edits = map[string]driver.Edit{}
	for _, pair := range pairs {
		key, value := pair[0], pair[1]
		known := slices.Sorted(maps.Keys(editPlaceholders))
		if !slices.Contains(known, key.Value) {
			e := strictyaml.Errorf(file, key.Line, "unknown edit %q; there are: %s", key.Value, strings.Join(known, ", "))
			if near := nearest.Of(key.Value, known); near != "" {
				e.Hinted("did you mean %s?", near)
			}
			problems = append(problems, e)
			continue
		}
		var w wireEdit
		if err := strictyaml.DecodePart(file, "edits."+key.Value, value, &w); err != nil {
			problems = append(problems, err)
			continue
		}
		e, found := w.edit(file, key)
		problems = append(problems, found...)
		p.Edits[key.Value] = e
	}
	return problems
}

// wireEdit is the form of one edit.
type wireEdit struct {
	File   string    `yaml:"file"`
	Format string    `yaml:"format"`
	Path   string    `yaml:"path"`
	Value  yaml.Node `yaml:"value"`
	Append yaml.Node `yaml:"append"`
}

func (w wireEdit) edit(file string, key *yaml.Node) (e driver.Edit, problems []error) {
	at := func(n *yaml.Node, hint, format string, args ...any) {
		line := n.Line
		if line == 0 {
			line = key.Line
		}
		args = append([]any{key.Value}, args...)
		problems = append(problems, strictyaml.Errorf(file, line, "edit %q "+format, args...).Hinted("%s", hint))
	}
	e = driver.Edit{File: w.File, Format: w.Format, Path: w.Path, Append: w.Append.Kind != 0}
	if e.Format == "" {
		e.Format = setting.FormatOf(w.File)
	}
	path, err := setting.ParsePath(w.Path)
	switch {
	case w.File == "" || w.Path == "":
		at(key, "such as {file: .crew/config.yaml, path: kill_switch, value: true}", "has no file or no path")
	case !filepath.IsLocal(filepath.FromSlash(w.File)):
		at(key, "a path without .. and without a / at its beginning", "has the file %q, which is no path below the repository", w.File)
	case !slices.Contains(setting.Formats(), e.Format):
		at(key, "format: "+strings.Join(setting.Formats(), " or format: "), "has a file whose format is not known: %q", w.File)
	case err != nil:
		at(key, "keys joined by dots, such as agents.{name}.enabled", "has a path that cannot be read: %v", err)
	case e.Format == setting.INI && (len(path) > 2 || strings.Contains(w.Path, "[")):
		at(key, "KEY or SECTION.KEY", "has a path that no INI file has: %q", w.Path)
	}
	value := &w.Value
	if e.Append {
		value = &w.Append
	}
	if (w.Value.Kind != 0) == e.Append {
		at(value, "value: what the setting becomes; append: what is added to the list", "has to have either value or append")
		return e, problems
	}
	if err := value.Decode(&e.Value); err != nil || value.Kind != yaml.ScalarNode || value.ShortTag() == "!!null" || !plain(e.Value) {
		at(value, "put it in quotes if it is text", "has a value that is no text, number, true or false")
		return e, problems
	}
	problems = append(problems, w.placeholders(file, key, fmt.Sprint(e.Value))...)
	return e, problems
}

func plain(v any) bool {
	switch v.(type) {
	case string, bool, int, float64:
		return true
	}
	return false
}

// placeholders finds those that nobody would fill, and those without which the edit would not be about
// what it is for.
func (w wireEdit) placeholders(file string, key *yaml.Node, value string) (problems []error) {
	needed := editPlaceholders[key.Value]
	allowed := slices.Concat(needed, editOptional[key.Value])
	there := map[string]bool{}
	for _, m := range placeholder.FindAllStringSubmatch(w.File+"\n"+w.Path+"\n"+value, -1) {
		there[m[1]] = true
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if !slices.Contains(allowed, name) {
			e := strictyaml.Errorf(file, key.Line, "unknown placeholder {%s} in edit %q", name, key.Value)
			if len(allowed) > 0 {
				e.Hinted("there are: {%s}", strings.Join(allowed, "}, {"))
			} else {
				e.Hinted("this edit has none")
			}
			problems = append(problems, e)
		}
	}
	for _, name := range needed {
		if !there[name] {
			problems = append(problems, strictyaml.Errorf(file, key.Line, "edit %q does not say where {%s} goes", key.Value, name).
				Hinted("put {%s} into its path or value", name))
		}
	}
	return problems
}

// wireHarness is the form of what is known of agents that scenarios bring.
type wireHarness struct {
	Source string `yaml:"source"`
	Base   string `yaml:"base"`
	Root   string `yaml:"root"`
	Pinned string `yaml:"pinned"`
	Hosted struct {
		File string `yaml:"file"`
		Root string `yaml:"root"`
	} `yaml:"hosted"`
	Files map[string]string `yaml:"files"`
}

func (w wireHarness) harness(file string) driver.Harness {
	return driver.Harness{
		File: file, Source: w.Source, Base: w.Base, Root: w.Root, Pinned: w.Pinned,
		HostedFile: w.Hosted.File, HostedRoot: w.Hosted.Root, Files: w.Files,
	}
}

// checkHarness finds names of files that would be the same for all agents, and paths that leave the
// repository.
func (p *Platform) checkHarness(at places) (problems []error) {
	for _, c := range []struct {
		key, text string
		path      bool
		needs     []string
	}{
		{"places.harness", p.Harness.File, true, []string{"name"}},
		{"places.agent-file", p.AgentFile, true, []string{"name"}},
		{"places.raw", p.RawURL, false, []string{"repo", "ref", "path"}},
		{"harness.source", p.Harness.Source, false, []string{"name"}},
		{"harness.base", p.Harness.Base, false, []string{"name"}},
		{"harness.root", p.Harness.Root, true, nil},
		{"harness.pinned", p.Harness.Pinned, false, []string{"url", "digest"}},
		{"harness.hosted.file", p.Harness.HostedFile, true, []string{"name"}},
		{"harness.hosted.root", p.Harness.HostedRoot, true, nil},
	} {
		if c.text == "" {
			continue
		}
		if c.path && !filepath.IsLocal(filepath.FromSlash(c.text)) {
			problems = append(problems, at.errorf(c.key, "%s is %q, which is no path below the repository", c.key, c.text).
				Hinted("a path without .. and without a / at its beginning"))
		}
		for _, name := range c.needs {
			if !strings.Contains(c.text, "{"+name+"}") {
				problems = append(problems, at.errorf(c.key, "%s is %q, whatever the %s", c.key, c.text, name).Hinted("put {%s} into it", name))
			}
		}
	}
	if p.Harness.File == "" && p.Harness.Source != "" {
		problems = append(problems, at.errorf("harness", "harness is described, but not where it is").Hinted("%s", "such as `places: {harness: '.crew/harness/{name}.yaml'}`"))
	}
	return problems
}
