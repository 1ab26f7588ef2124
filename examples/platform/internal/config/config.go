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

// What agents work for.
const (
	Issue       = "issue"
	PullRequest = "pull_request"
)

// What happens to a pull request and can start an agent.
const (
	Opened      = "opened"
	Synchronize = "synchronize"
	Labeled     = "labeled"
)

// Agent is one agent of the crew.
type Agent struct {
	For     string   `yaml:"for"`     // issue, pull_request; issue unless said
	Actions []string `yaml:"actions"` // of a pull request: opened, synchronize, labeled; labeled unless said
	Label   string   `yaml:"label"`   // starts it when it is put on what it works for
	Forks   bool     `yaml:"forks"`   // pull requests from forks start it too
	Enabled *bool    `yaml:"enabled"` // true unless said
	Schema  string   `yaml:"schema"`  // JSON Schema of its result, relative to crew's directory
}

// Disabled reports whether nothing starts the agent.
func (a Agent) Disabled() bool { return a.Enabled != nil && !*a.Enabled }

// Starts reports whether an action of what the agent works for starts it. label is the one put on.
func (a Agent) Starts(what, action, label string) bool {
	mine, actions := a.For, a.Actions
	if mine == "" {
		mine = Issue
	}
	if len(actions) == 0 {
		actions = []string{Labeled}
	}
	return mine == what && slices.Contains(actions, action) && (action != Labeled || label == a.Label)
}

func (a Agent) check() error {
	labeled := len(a.Actions) == 0
	for _, action := range a.Actions {
		switch {
		case a.For != PullRequest:
			return errors.New("actions are of a pull request; an issue's agent is started by its label")
		case action != Opened && action != Synchronize && action != Labeled:
			return fmt.Errorf("action %q is unknown; there are %s, %s, %s", action, Opened, Synchronize, Labeled)
		}
		labeled = labeled || action == Labeled
	}
	switch {
	case a.For != "" && a.For != Issue && a.For != PullRequest:
		return fmt.Errorf("it is for %q; it can be for %s or %s", a.For, Issue, PullRequest)
	case a.Forks && a.For != PullRequest:
		return errors.New("forks is of a pull request")
	case labeled && a.Label == "":
		return errors.New("label is missing")
	case !fs.ValidPath(a.Schema) || a.Schema == ".":
		return fmt.Errorf("schema %q must be a path below crew's directory", a.Schema)
	}
	return nil
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
		if !agentName.MatchString(name) {
			return fmt.Errorf("agent %q: names are lower-case letters, digits and dashes", name)
		}
		if err := c.Agents[name].check(); err != nil {
			return fmt.Errorf("agent %s: %w", name, err)
		}
	}
	for _, h := range c.AllowedHosts {
		if h == "" || h != strings.ToLower(h) || strings.ContainsAny(h, "/@* \t") {
			return fmt.Errorf("allowed host %q: must be a lower-case host or host:port", h)
		}
	}
	return nil
}
