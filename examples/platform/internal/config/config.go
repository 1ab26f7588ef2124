// Package config reads crew's configuration from a checkout: which label starts which agent, with
// which runtime, and what the agent may reach.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// File is the configuration's name inside crew's directory.
const File = "config.yaml"

// Config is config.yaml.
type Config struct {
	Runtime      string              `yaml:"runtime"`
	KillSwitch   bool                `yaml:"kill_switch"`
	Agents       map[string]Agent    `yaml:"agents"`
	AllowedHosts []string            `yaml:"allowed_hosts"`
	Commands     map[string][]string `yaml:"commands"` // command line of each runtime

	Dir    string `yaml:"-"` // crew's directory, absolute
	Source string `yaml:"-"` // the file as people call it: ".crew/config.yaml"
}

// Agent is one agent of the crew.
type Agent struct {
	Label  string `yaml:"label"`  // starts it when it is put on an issue
	Schema string `yaml:"schema"` // JSON Schema of its result, relative to crew's directory
}

// dummy is the command line of the runtime "dummy" unless the file has another. It interprets a
// script of operations that is committed beside the configuration.
func dummy() []string {
	return []string{
		"understudy-job", "agent", "dummy", "--script", "{dir}/behaviour/current-scenario.yaml",
		"--workspace", "{workspace}", "--repo", "{repo}", "--proxy", "{proxy}",
	}
}

// CheckDir says whether dir can be crew's directory in a repository.
func CheckDir(dir string) error {
	if !fs.ValidPath(dir) || dir == "." || dir == ".git" || strings.HasPrefix(dir, ".git/") {
		return fmt.Errorf("directory %q: must be a plain relative path such as .crew", dir)
	}
	return nil
}

// Load reads <checkout>/<dir>/config.yaml and checks it. Unknown keys are errors.
func Load(checkout, dir string) (Config, error) {
	if err := CheckDir(dir); err != nil {
		return Config{}, err
	}
	source := path.Join(dir, File)
	data, err := os.ReadFile(filepath.Join(checkout, filepath.FromSlash(source)))
	if errors.Is(err, fs.ErrNotExist) {
		return Config{}, fmt.Errorf("%s is not in the checkout; is crew installed here?", source)
	}
	if err != nil {
		return Config{}, err
	}
	c, err := Parse(data)
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w", source, err)
	}
	c.Source = source
	c.Dir, err = filepath.Abs(filepath.Join(checkout, filepath.FromSlash(dir)))
	return c, err
}

var typeName = regexp.MustCompile(` in type \S+`)

// Parse reads and checks the file's text.
func Parse(data []byte) (Config, error) {
	var c Config
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	switch err := dec.Decode(&c); {
	case errors.Is(err, io.EOF):
		return c, errors.New("the file is empty")
	case err != nil:
		text := strings.Join(strings.Fields(typeName.ReplaceAllString(err.Error(), "")), " ")
		return c, errors.New(strings.TrimPrefix(strings.TrimPrefix(text, "yaml: "), "unmarshal errors: "))
	}
	if _, ok := c.Commands["dummy"]; !ok {
		c.Commands = maps.Clone(c.Commands)
		if c.Commands == nil {
			c.Commands = map[string][]string{}
		}
		c.Commands["dummy"] = dummy()
	}
	return c, c.check()
}

var agentName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

func (c Config) check() error {
	switch {
	case c.Runtime == "":
		return errors.New("runtime is missing")
	case len(c.Commands[c.Runtime]) == 0:
		return fmt.Errorf("runtime %q has no command; known: %s", c.Runtime,
			strings.Join(slices.Sorted(maps.Keys(c.Commands)), ", "))
	case len(c.Agents) == 0:
		return errors.New("agents is missing")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		a := c.Agents[name]
		switch {
		case !agentName.MatchString(name):
			return fmt.Errorf("agent %q: names are lower-case letters, digits and dashes", name)
		case a.Label == "":
			return fmt.Errorf("agent %s: label is missing", name)
		case !fs.ValidPath(a.Schema) || a.Schema == ".":
			return fmt.Errorf("agent %s: schema %q must be a path below crew's directory", name, a.Schema)
		}
	}
	for _, h := range c.AllowedHosts {
		if h == "" || h != strings.ToLower(h) || strings.ContainsAny(h, "/@* \t") {
			return fmt.Errorf("allowed host %q: must be a lower-case host or host:port", h)
		}
	}
	return nil
}
