package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/setting"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
	"github.com/understudy-dev/understudy/world/settings"
)

// The texts of the steps that choose a runtime. Which there are is data of the platform file.
const (
	runtimeStep  = `the repository runtime is "([^"]+)"`
	agentsStep   = `the repository agents are configured with:`
	definedStep  = `an? (?:"([\w.-]+)"|([\w.-]+)) agent "([\w.-]+)" defined as:`
	selectedStep = `the run selected the "([^"]+)" runtime(?: from "([^"]+)")?`
	callsStep    = `the ([\w.-]+) (session transcript|output stream) records at least one tool call`
)

// runtimeSteps say what drives agents, and read what it left.
var runtimeSteps = []suite.Step{
	{
		Pattern: runtimeStep, Do: setRuntime,
		Doc: "Sets the runtime of all agents (edits.runtime). It has to be the one that is installed, the first in runtimes of the platform file, " +
			"before: a place that another scenario left otherwise is refused.",
		Example: `the repository runtime is "pi"`,
	},
	{
		Pattern: agentsStep, Do: configure,
		Doc: "Changes the settings of agents that the docstring gives, and no others, all in one commit: a mapping in YAML from each agent to its " +
			"runtime, model and effort (edits.agent-runtime, agent-model, agent-effort).",
		Example: agentsStep,
	},
	{
		Pattern: definedStep, Do: define,
		Doc: "Commits the file that tells an agent what to do, at places.agent-file: its frontmatter and its text. {{fixture:PATH}} in it is the text of a " +
			"fixture. The runtime is one of the platform file's.",
		Example: `a pi agent "issue-only" defined as:`,
	},
	{
		Pattern: selectedStep, Do: selected,
		Doc:     "Waits for the run's metrics: this runtime ran, and what decided on it ends with the text behind from.",
		Example: `the run selected the "dummy" runtime from "agents.triage"`,
	},
	{
		Pattern: `the run requested model "([^"]+)" from "([^"]+)" and the provider reported a "([^"]+)" model`, Do: modelled,
		Doc: "Waits for the run's metrics: this model was asked for, what decided on it ends with the text behind from, the provider's own name of the " +
			"model contains the last text, and there was at least one turn.",
		Example: `the run requested model "haiku" from "agents.mine" and the provider reported a "haiku" model`,
	},
	{
		Pattern: `the run metrics report tokens`, Do: tokens,
		Doc:     "Waits for the run's metrics: their counts of tokens are more than nothing.",
		Example: `the run metrics report tokens`,
	},
	{
		Pattern: callsStep, Do: calls,
		Doc:     "Waits for what the runtime left, which runtimes of the platform file describes; a line of it is a tool call.",
		Example: `the pi session transcript records at least one tool call`,
	},
}

// knownRuntime says that the platform file has no such runtime.
func knownRuntime(p driver.Platform, name string) (driver.Runtime, error) {
	var names []string
	for _, r := range p.Runtimes {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	if names == nil {
		return driver.Runtime{}, fmt.Errorf("the platform file of %s names no runtimes", p.Name)
	}
	return driver.Runtime{}, fmt.Errorf("the platform file of %s names no runtime %q; there are: %s", p.Name, name, strings.Join(names, ", "))
}

func setRuntime(ctx context.Context, name string) error {
	p := world.From(ctx).Drivers().Platform
	if _, err := knownRuntime(p, name); err != nil {
		return err
	}
	change := settings.Change{Edit: driver.EditRuntime, With: map[string]string{"runtime": name}}
	now, err := settings.Read(ctx, change)
	if err != nil {
		return err
	}
	if installed := p.Runtimes[0].Name; now != "" && now != installed {
		return fmt.Errorf("the repository is on the runtime %q, not on %q, with which the platform is installed: another step has set it, or another scenario has left it so", now, installed)
	}
	return settings.Commit(ctx, "Set the runtime "+name, nil, change)
}

// agentEdits are the settings of an agent, by their names.
var agentEdits = map[string]string{"runtime": driver.EditAgentRuntime, "model": driver.EditAgentModel, "effort": driver.EditAgentEffort}

func configure(ctx context.Context, doc *suite.DocString) error {
	p := world.From(ctx).Drivers().Platform
	changes, err := agentChanges(p, doc.Content, world.Harnesses(ctx))
	if err != nil {
		return err
	}
	return settings.Commit(ctx, "Configure the agents", nil, changes...)
}

// agentChanges reads the settings of agents, in the order of their names.
func agentChanges(p driver.Platform, text string, brought []string) (changes []settings.Change, err error) {
	var agents map[string]map[string]string
	if err := yaml.Unmarshal([]byte(text), &agents); err != nil {
		return nil, fmt.Errorf("the docstring is no mapping, in YAML, from each agent to its settings: %w", err)
	}
	if len(agents) == 0 {
		return nil, errors.New("the docstring configures no agent")
	}
	for _, name := range slices.Sorted(maps.Keys(agents)) {
		_, isStage := stage(p.Stages, name)
		if !isStage && !slices.Contains(brought, name) {
			return nil, fmt.Errorf("%q is no stage of the platform file, and no step before this one brings such an agent; there are: %s",
				name, strings.Join(append(strings.Split(names(p.Stages), ", "), brought...), ", "))
		}
		if len(agents[name]) == 0 {
			return nil, fmt.Errorf("agent %q has no setting; there are: effort, model, runtime", name)
		}
		for _, key := range slices.Sorted(maps.Keys(agents[name])) {
			edit, value := agentEdits[key], agents[name][key]
			switch {
			case edit == "":
				return nil, fmt.Errorf("agent %q has the unknown setting %q; there are: effort, model, runtime", name, key)
			case value == "":
				return nil, fmt.Errorf("agent %q has a %s without a value", name, key)
			}
			if key == "runtime" {
				if _, err := knownRuntime(p, value); err != nil {
					return nil, fmt.Errorf("agent %q: %w", name, err)
				}
			}
			if err := settings.Missing(p, edit); err != nil {
				return nil, err
			}
			changes = append(changes, settings.Change{Edit: edit, With: map[string]string{"name": name, key: value}})
		}
	}
	return changes, nil
}

func define(ctx context.Context, quoted, bare, name string, doc *suite.DocString) error {
	set := world.From(ctx).Drivers()
	text, err := definition(suite.Draft{Platform: set.Platform, Fixtures: set.Fixtures}, either(quoted, bare), doc.Content)
	if err != nil {
		return err
	}
	path := setting.Fill(set.Platform.AgentFile, map[string]string{"name": name})
	return settings.Commit(ctx, "Define the agent "+name, []driver.NewFile{{Path: path, Content: []byte(text)}})
}

var inlined = regexp.MustCompile(`\{\{fixture:([^{}]*)\}\}`)

// definition is an agent's file with its fixtures in their places.
func definition(d suite.Draft, runtime, text string) (string, error) {
	if d.Platform.AgentFile == "" {
		return "", fmt.Errorf("the platform file of %s names no places.agent-file, where an agent's file is", d.Platform.Name)
	}
	if _, err := knownRuntime(d.Platform, runtime); err != nil {
		return "", err
	}
	if !strings.HasPrefix(text, "---\n") || !strings.Contains(text[3:], "\n---\n") && !strings.HasSuffix(text, "\n---") {
		return "", errors.New("an agent's file begins with its frontmatter, between two lines of ---")
	}
	var problems []error
	text = inlined.ReplaceAllStringFunc(text, func(m string) string {
		name := inlined.FindStringSubmatch(m)[1]
		data, err := readFixture(d.Fixtures, name)
		if err != nil {
			problems = append(problems, fmt.Errorf("fixture %s %w", name, err))
		}
		return strings.TrimRight(string(data), "\n")
	})
	return strings.TrimRight(text, "\n") + "\n", errors.Join(problems...)
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

var (
	runtimeText  = regexp.MustCompile("^" + runtimeStep + "$")
	definedText  = regexp.MustCompile("^" + definedStep + "$")
	selectedText = regexp.MustCompile("^" + selectedStep + "$")
	callsText    = regexp.MustCompile("^" + callsStep + "$")
)

// lintRuntimes finds runtimes that the platform file does not name, agents' files that are none, and
// settings of agents that nobody could make.
func lintRuntimes(d suite.Draft) (problems []error) {
	if d.Platform.Name == "" {
		return nil
	}
	for _, s := range d.Scenarios {
		for i, step := range s.Steps {
			var err error
			if m := runtimeText.FindStringSubmatch(step.Text); m != nil {
				if _, err = knownRuntime(d.Platform, m[1]); err == nil {
					err = settings.Missing(d.Platform, driver.EditRuntime)
				}
			} else if m := definedText.FindStringSubmatch(step.Text); m != nil && step.DocString != nil && d.Fixtures != nil {
				_, err = definition(d, either(m[1], m[2]), step.DocString.Content)
			} else if m := callsText.FindStringSubmatch(step.Text); m != nil {
				_, err = linesOf(d.Platform, m[1], m[2])
			} else if step.Text == agentsStep && step.DocString != nil {
				var brought []string
				for _, before := range s.Steps[:i] {
					if m := broughtText.FindStringSubmatch(before.Text); m != nil {
						brought = append(brought, m[1])
					}
				}
				_, err = agentChanges(d.Platform, step.DocString.Content, brought)
			}
			if err != nil {
				problems = append(problems, suite.At(s, step, err))
			}
		}
	}
	return problems
}

// broughtText is any step that brings an agent of the scenario's own.
var broughtText = regexp.MustCompile(`^an? (?:[\w-]+ )*custom harness "([\w.-]+)" `)
