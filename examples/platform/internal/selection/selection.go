// Package selection decides which runtime, model and effort an agent runs with, and says what decided.
package selection

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/crew/internal/config"
	"example.com/crew/internal/defect"
	"example.com/crew/internal/harness"
	"example.com/crew/internal/yamldoc"
)

// Values are what one layer says; "" is what it does not say.
type Values struct {
	Runtime string
	Model   string
	Effort  string
}

// Choice is a value and what decided on it, such as "--runtime", "CREW_MODEL",
// ".crew/config.yaml agents.triage" or "default".
type Choice struct {
	Value  string
	Source string
}

// Selection is what an agent runs with. A model or an effort of "" leaves it to the runtime.
type Selection struct {
	Runtime Choice
	Model   Choice
	Effort  Choice
}

// Options are the layers: Flags over Environment over the agent's entry in Config over what Harness
// and its agent file say of the model over the rest of Config.
type Options struct {
	Agent       string
	Flags       Values
	Environment Values
	Config      config.Config
	Harness     harness.Harness
	Loader      harness.Loader // reads the agent file
	Defect      defect.Name
}

// layer is one of them, with what it is called for each of its values.
type layer struct {
	values  Values
	runtime string
	model   string
	effort  string
}

// Select reads the agent file, checks every layer, those too that another one overrides, and decides.
func Select(ctx context.Context, o Options) (Selection, error) {
	file, err := agentFile(ctx, o)
	if err != nil {
		return Selection{}, err
	}
	c, h := o.Config, o.Harness
	entry := c.From("agents."+o.Agent) + " agents." + o.Agent
	e := c.Agents[o.Agent]
	own := layer{Values{e.Runtime, e.Model, e.Effort}, entry, entry, entry}
	rest := layer{Values{c.Runtime, c.Model, c.Effort}, c.From("runtime"), c.From("model"), c.From("effort")}
	layers := []layer{
		{o.Flags, "--runtime", "--model", "--effort"},
		{o.Environment, "CREW_RUNTIME", "CREW_MODEL", "CREW_EFFORT"},
		own,
		{Values{Model: h.Model}, "", h.ModelFrom, ""},
		{Values{Model: file}, "", h.Agent.Path, ""},
		rest,
	}
	for _, l := range layers {
		if err := l.check(c); err != nil {
			return Selection{}, err
		}
	}
	if o.Defect == defect.PrecedenceWrong {
		layers[2], layers[5] = layers[5], layers[2]
	}
	s := Selection{Runtime: Choice{Source: config.Default}, Model: Choice{Source: config.Default}, Effort: Choice{Source: config.Default}}
	for _, l := range slices.Backward(layers) {
		s.Runtime.take(l.values.Runtime, l.runtime)
		s.Model.take(l.values.Model, l.model)
		s.Effort.take(l.values.Effort, l.effort)
	}
	return s, nil
}

func (c *Choice) take(value, source string) {
	if value != "" {
		*c = Choice{value, source}
	}
}

func (l layer) check(c config.Config) error {
	if _, ok := c.Commands[l.values.Runtime]; !ok && l.values.Runtime != "" {
		return fmt.Errorf("%s: runtime %q has no command; known: %s", l.runtime, l.values.Runtime, strings.Join(slices.Sorted(maps.Keys(c.Commands)), ", "))
	}
	if err := config.CheckModel(l.values.Model); err != nil {
		return fmt.Errorf("%s: %w", l.model, err)
	}
	if err := config.CheckEffort(l.values.Effort); err != nil {
		return fmt.Errorf("%s: %w", l.effort, err)
	}
	return nil
}

// agentFile returns the model that the agent file's head asks for. Other keys are the runtime's. The
// file that an agent has by its own name may be missing; one that a harness names otherwise may not.
func agentFile(ctx context.Context, o Options) (string, error) {
	a := o.Harness.Agent
	if a.URL == "" && a.Path == "agents/"+o.Agent+".md" {
		if _, err := os.Lstat(filepath.Join(o.Config.Dir, a.Path)); errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
	}
	data, err := o.Loader.Read(ctx, o.Harness.Agent)
	if err != nil {
		return "", fmt.Errorf("read the agent file: %w", err)
	}
	name := o.Harness.Agent.Path
	rest, ok := strings.CutPrefix(strings.ReplaceAll(string(data), "\r\n", "\n"), "---\n")
	if !ok {
		return "", nil
	}
	head, _, ok := strings.Cut("\n"+rest, "\n---\n")
	if !ok {
		return "", fmt.Errorf("%s: the head that begins with --- has no end", name)
	}
	if strings.TrimSpace(head) == "" {
		return "", nil
	}
	var values map[string]any
	if _, err := yamldoc.Decode(name, []byte(head+"\n"), &values); err != nil {
		return "", err
	}
	switch model := values["model"].(type) {
	case nil:
		return "", nil
	case string:
		return model, nil
	}
	return "", fmt.Errorf("%s: model is no text", name)
}
