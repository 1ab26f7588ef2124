package dispatch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/setting"
	"github.com/understudy-dev/understudy/world"
)

// agentName is what can stand in the path of a file and in the name of a job.
var agentName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// usable says why a platform, or nobody, could take this as the description of an agent.
func usable(p driver.Platform, name, text string) error {
	switch {
	case p.Harness.File == "":
		return fmt.Errorf("the platform file of %s names no places.harness, where agents of others are described", p.Name)
	case !agentName.MatchString(name):
		return fmt.Errorf("%q can be no agent's name: letters, digits, dots, dashes and underscores", name)
	case slices.ContainsFunc(p.Stages, func(s driver.Stage) bool { return s.Name == name }):
		return fmt.Errorf("%q is a stage of the platform; an agent of the scenario's own has another name", name)
	}
	_, err := keys(text)
	return err
}

// keys reads the top of a description: its keys with text as their value.
func keys(text string) (map[string]string, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, fmt.Errorf("the docstring is not valid YAML: %w", err)
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode || len(doc.Content[0].Content) == 0 {
		return nil, errors.New("the docstring describes no agent: it is a mapping of keys to values, in YAML")
	}
	found := map[string]string{}
	for i, top := 0, doc.Content[0].Content; i+1 < len(top); i += 2 {
		if _, twice := found[top[i].Value]; twice {
			return nil, fmt.Errorf("the docstring has the key %q twice", top[i].Value)
		}
		found[top[i].Value] = "" // so that it is known
		if top[i+1].Kind == yaml.ScalarNode && top[i+1].ShortTag() == "!!str" {
			found[top[i].Value] = top[i+1].Value
		}
	}
	return found, nil
}

func sourceOf(p driver.Platform, name string) string {
	if p.Harness.Source == "" {
		return p.Harness.File
	}
	return setting.Fill(p.Harness.Source, map[string]string{"name": name})
}

// baseOf is how a description names another one of the same repository.
func baseOf(p driver.Platform, base string) string {
	if p.Harness.Base == "" {
		return base
	}
	return setting.Fill(p.Harness.Base, map[string]string{"name": base})
}

// harnessFiles are the description and placeholders for the files that it names and that are not there.
func harnessFiles(ctx context.Context, name, text string) ([]driver.NewFile, error) {
	w := world.From(ctx)
	h := w.Drivers().Platform.Harness
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return nil, err
	}
	files := []driver.NewFile{{Path: setting.Fill(h.File, map[string]string{"name": name}), Content: []byte(ended(text))}}
	named, err := placeholders(h, h.Root, name, text)
	if err != nil {
		return nil, err
	}
	for _, f := range named {
		_, err := w.As(admin).Files.Read(ctx, r, "", f.Path)
		if errors.Is(err, driver.ErrNotFound) {
			files, err = append(files, f), nil
		}
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// placeholders are the files below root that a description names, with what stands in them until a step
// says otherwise. What is an address or lies outside is left to the platform.
func placeholders(h driver.Harness, root, name, text string) (files []driver.NewFile, err error) {
	named, err := keys(text)
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(h.Files)) {
		file := named[key]
		if file == "" || strings.Contains(file, "://") || !filepath.IsLocal(filepath.FromSlash(file)) {
			continue
		}
		base := strings.TrimSuffix(path.Base(file), path.Ext(file))
		content := setting.Fill(h.Files[key], map[string]string{"name": name, "file": base})
		files = append(files, driver.NewFile{Path: path.Join(root, file), Content: []byte(ended(content))})
	}
	return files, nil
}

// ended is a text with a line end as its last.
func ended(text string) string { return strings.TrimRight(text, "\n") + "\n" }

const admin = "admin"
