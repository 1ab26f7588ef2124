package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// maxInputs is how many inputs a dispatch can give.
// https://docs.github.com/en/rest/actions/workflows#create-a-workflow-dispatch-event
const maxInputs = 25

// findWorkflow returns the workflow that a path names by id or by file name.
func (a *API) findWorkflow(c *call) (wire.Workflow, error) {
	all, err := a.workflows(c)
	if err != nil {
		return wire.Workflow{}, err
	}
	for _, w := range all {
		if name := c.param["workflow"]; path.Base(w.Path) == name || strconv.FormatInt(w.ID, 10) == name {
			return w, nil
		}
	}
	return wire.Workflow{}, wire.NotFound()
}

func (a *API) dispatchWorkflow(c *call) (answer, error) {
	repo, err := a.State.Authorize(c.who, c.repo(), state.WriteActions)
	if err != nil {
		return answer{}, err
	}
	w, err := a.findWorkflow(c)
	if err != nil {
		return answer{}, err
	}
	var in struct {
		Ref    *string                    `json:"ref"`
		Inputs map[string]json.RawMessage `json:"inputs"`
		Tell   bool                       `json:"return_run_details"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	if in.Ref == nil {
		return answer{}, missing("ref")
	}
	if n := len(in.Inputs); n > maxInputs {
		return answer{}, tooMany(maxInputs, n)
	}
	ref, found := branchOrTag(repo, *in.Ref)
	if !found {
		return answer{}, wire.Unprocessable("No ref found for: " + *in.Ref)
	}
	g := a.Git.Open(repo.ID)
	sha, err := g.Resolve(repo.Refs, ref)
	if err != nil {
		return answer{}, err
	}
	takes, err := dispatchable(g, sha, w.Path)
	if err != nil {
		return answer{}, err
	}
	values, err := takes.values(in.Inputs)
	if err != nil {
		return answer{}, err
	}
	run, err := a.State.DispatchWorkflow(c.who, c.repo(), w.Path, ref, sha, values, in.Tell)
	if err != nil || !in.Tell {
		return done(err)
	}
	full := wire.EscapePath(repo.FullName)
	return ok(wire.DispatchedRun{ID: run, URL: a.Base.API("/repos/%s/actions/runs/%d", full, run), HTMLURL: a.Base.HTML("/%s/actions/runs/%d", full, run)})
}

// branchOrTag returns the full name of a ref that people call by either name.
func branchOrTag(repo state.Repo, name string) (full string, found bool) {
	for _, full := range []string{name, "refs/heads/" + name, "refs/tags/" + name} {
		if _, found := repo.Refs[full]; found && strings.HasPrefix(full, "refs/") {
			return full, true
		}
	}
	return "", false
}

// inputs are what a workflow takes by hand.
type inputs map[string]input

type input struct {
	Type     string    `yaml:"type"`
	Required bool      `yaml:"required"`
	Default  yaml.Node `yaml:"default"`
	Options  []string  `yaml:"options"`
}

// dispatchable reads what the workflow file takes by hand, as it is at a commit.
func dispatchable(g *gitstore.Repo, sha, file string) (inputs, error) {
	files, err := WorkflowFiles(g, sha)
	if err != nil && !errors.Is(err, gitstore.ErrNotFound) {
		return nil, err
	}
	not := wire.Unprocessable("Workflow does not have 'workflow_dispatch' trigger")
	i := slices.IndexFunc(files, func(f File) bool { return f.Path == file })
	if i < 0 {
		return nil, not
	}
	var w struct {
		On yaml.Node `yaml:"on"`
	}
	if err := yaml.Unmarshal(files[i].Data, &w); err != nil {
		return nil, wire.Unprocessable(fmt.Sprintf("Failed to parse workflow: %s: %v", file, err))
	}
	var (
		one  string
		many []string
		on   map[string]yaml.Node
	)
	switch {
	case w.On.Decode(&one) == nil:
		many = []string{one}
	case w.On.Decode(&many) == nil:
	case w.On.Decode(&on) == nil:
		many = slices.Collect(maps.Keys(on))
	}
	if !slices.Contains(many, "workflow_dispatch") {
		return nil, not
	}
	var config struct {
		Inputs inputs `yaml:"inputs"`
	}
	if n := on["workflow_dispatch"]; n.Kind != 0 {
		if err := n.Decode(&config); err != nil {
			return nil, wire.Unprocessable(fmt.Sprintf("Failed to parse workflow: %s: %v", file, err))
		}
	}
	return config.Inputs, nil
}

// values are the inputs given with the defaults of those that are not, or why they will not do.
func (all inputs) values(given map[string]json.RawMessage) (map[string]string, error) {
	out := map[string]string{}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(given)) {
		in, known := all[name]
		if !known {
			unknown = append(unknown, strconv.Quote(name))
			continue
		}
		text, err := scalar(name, given[name])
		if err != nil {
			return nil, err
		}
		if err := in.check(name, text); err != nil {
			return nil, err
		}
		out[name] = text
	}
	if unknown != nil {
		return nil, wire.Unprocessable("Unexpected inputs provided: [" + strings.Join(unknown, ", ") + "]")
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		in := all[name]
		if in.Default.Kind == yaml.ScalarNode && out[name] == "" && given[name] == nil {
			out[name] = in.Default.Value
		}
		if in.Required && out[name] == "" {
			return nil, wire.Unprocessable(fmt.Sprintf("Required input '%s' not provided", name))
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, nil
}

// scalar is the text of a value that clients also send as a boolean or a number.
func scalar(name string, raw json.RawMessage) (string, error) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return "", err
	}
	switch v := v.(type) {
	case string:
		return v, nil
	case bool, float64:
		return string(raw), nil
	}
	return "", wire.Unprocessable(fmt.Sprintf("Invalid request.\n\nFor 'properties/%s', %s is not a string.", name, raw))
}

func (in input) check(name, text string) error {
	fits := true
	switch in.Type {
	case "choice":
		if !slices.Contains(in.Options, text) {
			return wire.Unprocessable(fmt.Sprintf("Provided value '%s' for input '%s' not in the list of allowed values", text, name))
		}
	case "boolean":
		fits = text == "true" || text == "false"
	case "number":
		_, err := strconv.ParseFloat(text, 64)
		fits = err == nil
	}
	if !fits {
		return wire.Unprocessable(fmt.Sprintf("Provided value '%s' for input '%s' is not a %s", text, name, in.Type))
	}
	return nil
}
