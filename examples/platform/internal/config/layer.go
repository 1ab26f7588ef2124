package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/crew/internal/yamldoc"
)

// Text is a configuration file's text and name.
type Text struct {
	Name string
	Data []byte
}

// values are what one file says; nil is what it does not say.
type values struct {
	Runtime       *string             `yaml:"runtime"`
	Model         *string             `yaml:"model"`
	Effort        *string             `yaml:"effort"`
	KillSwitch    *bool               `yaml:"kill_switch"`
	Reactions     *bool               `yaml:"reactions"`
	Owners        *bool               `yaml:"owners"`
	Playback      *string             `yaml:"playback"` // a number, quoted or not
	Agents        map[string]Entry    `yaml:"agents"`
	AllowedHosts  []string            `yaml:"allowed_hosts"`
	AllowedRemote []string            `yaml:"allowed_remote_resources"`
	Commands      map[string][]string `yaml:"commands"`
}

type layer struct {
	values values
	doc    *yamldoc.Doc
}

// Parse reads and checks configuration files, of which a later one overrides an earlier one.
func Parse(texts ...Text) (Config, error) {
	c := Config{Runtime: "dummy", Agents: map[string]Entry{}, Commands: map[string][]string{"dummy": dummy(), "dummy-playback": playback()}, Origin: map[string]string{}}
	var layers []layer
	for _, t := range texts {
		l := layer{}
		var err error
		if l.doc, err = yamldoc.Decode(t.Name, t.Data, &l.values); err != nil {
			return Config{}, err
		}
		if err := l.check(); err != nil {
			return Config{}, err
		}
		layers = append(layers, l)
		c.overlay(l)
	}
	if len(c.Agents) == 0 {
		return Config{}, fmt.Errorf("%s: agents is missing", texts[len(texts)-1].Name)
	}
	for name, e := range c.Agents {
		if e.Source == "" {
			e.Source = "harness/" + name + ".yaml"
			c.Agents[name] = e
		}
	}
	return c, c.check(layers)
}

func (c *Config) overlay(l layer) {
	w, file := l.values, l.doc.File
	for _, s := range []struct {
		key  string
		to   *string
		from *string
	}{{"runtime", &c.Runtime, w.Runtime}, {"model", &c.Model, w.Model}, {"effort", &c.Effort, w.Effort}} {
		if s.from != nil {
			*s.to, c.Origin[s.key] = *s.from, file
		}
	}
	if w.KillSwitch != nil {
		c.KillSwitch = *w.KillSwitch
	}
	if w.Reactions != nil {
		c.Reactions = *w.Reactions
	}
	if w.Playback != nil {
		c.Playback, _ = strconv.Atoi(*w.Playback) // check has read it
	}
	if w.Owners != nil {
		c.Owners = *w.Owners
	}
	for name, e := range w.Agents {
		c.Agents[name], c.Origin["agents."+name] = e, file
	}
	if w.AllowedHosts != nil {
		c.AllowedHosts = w.AllowedHosts
	}
	if w.AllowedRemote != nil {
		c.AllowedRemote = w.AllowedRemote
	}
	maps.Copy(c.Commands, w.Commands)
}

// check looks at what the files say together. What a later file overrides has to be right as well.
func (c Config) check(layers []layer) error {
	known := strings.Join(slices.Sorted(maps.Keys(c.Commands)), ", ")
	for _, l := range layers {
		d := l.doc
		if r := l.values.Runtime; r != nil && c.Commands[*r] == nil {
			return d.Errorf([]string{"runtime"}, "runtime %q has no command; known: %s", *r, known)
		}
		for _, name := range slices.Sorted(maps.Keys(l.values.Agents)) {
			if r := l.values.Agents[name].Runtime; r != "" && c.Commands[r] == nil {
				return d.Errorf([]string{"agents", name, "runtime"}, "agent %s: runtime %q has no command; known: %s", name, r, known)
			}
		}
	}
	return nil
}
