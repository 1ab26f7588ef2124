package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/kballard/go-shellquote"
	"github.com/nektos/act/pkg/model"
	"gopkg.in/yaml.v3"

	"github.com/understudy-dev/understudy/cmd/understudy-job/action"
	"github.com/understudy-dev/understudy/cmd/understudy-job/step"
	"github.com/understudy-dev/understudy/internal/jobwire"
)

// plan makes act's plan of exactly one job, from the text that reduce left. What the engine has decided already is written into
// the workflow: the job's if, its runner, the one cell of its matrix, the results of its needs.
func plan(spec jobwire.Spec, text []byte, shell func(name string) string) (*model.Plan, *model.Job, error) {
	wf, err := model.ReadWorkflow(bytes.NewReader(text), false)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", spec.WorkflowPath, err)
	}
	wf.File = spec.WorkflowPath
	wf.Name = firstNonEmpty(spec.WorkflowName, wf.Name, spec.WorkflowPath)
	job := wf.GetJob(spec.Job)
	if job == nil {
		return nil, nil, fmt.Errorf("%s: no job %q", spec.WorkflowPath, spec.Job)
	}
	if err := supported(job); err != nil {
		return nil, nil, fmt.Errorf("%s: job %s: %w", spec.WorkflowPath, spec.Job, err)
	}
	for _, need := range job.Needs() {
		needed, got := wf.Jobs[need], spec.Needs[need]
		if needed == nil || got.Result == "" {
			return nil, nil, fmt.Errorf("%s: job %s needs %s, whose result is unknown", spec.WorkflowPath, spec.Job, need)
		}
		needed.Result, needed.Outputs = got.Result, inertMap(got.Outputs)
	}
	job.If = scalar("always()")
	if err := chooseCell(job, spec.Cell); err != nil {
		return nil, nil, err
	}
	for i, st := range job.Steps {
		if st.ID == "" {
			st.ID = strconv.Itoa(i)
		}
		if st.Run != "" {
			st.Shell = shell(firstNonEmpty(st.Shell, job.Defaults.Run.Shell, wf.Defaults.Run.Shell))
		}
	}
	run := &model.Run{Workflow: wf, JobID: spec.Job}
	return &model.Plan{Stages: []*model.Stage{{Runs: []*model.Run{run}}}}, job, nil
}

// supported refuses what act would pass over in silence. The engine says so before the run; this is
// the second line.
func supported(job *model.Job) error {
	switch {
	case job.Uses != "":
		return fmt.Errorf("uses: a reusable workflow is not a job that can be run")
	case job.Container() != nil:
		return fmt.Errorf("container: is not supported")
	case len(job.Services) > 0:
		return fmt.Errorf("services: is not supported")
	case len(job.Steps) == 0:
		return fmt.Errorf("it has no steps")
	}
	for i, step := range job.Steps {
		if step == nil || step.Type() == model.StepTypeInvalid {
			return fmt.Errorf("step %d: it needs exactly one of run and uses", i+1)
		}
		if step.Type() == model.StepTypeUsesDockerURL {
			return fmt.Errorf("step %d: uses: %s is not supported", i+1, step.Uses)
		}
		name, _, _ := strings.Cut(step.Uses, "@")
		if builtin, ok := action.Find(name); ok {
			if err := builtin.Check(step.With); err != nil {
				return fmt.Errorf("step %d: %w", i+1, err)
			}
		}
	}
	return nil
}

// chooseCell replaces the matrix by the one cell. Values are data: an expression inside them was
// evaluated by the engine, and text from an event must not become one.
func chooseCell(job *model.Job, cell map[string]any) error {
	if job.Strategy == nil {
		return nil
	}
	if len(cell) == 0 {
		job.Strategy.RawMatrix = yaml.Node{}
		return nil
	}
	return job.Strategy.RawMatrix.Encode(map[string]any{"include": []any{inertValue(cell)}})
}

// inertValue makes the strings of a decoded JSON value inert, and its numbers what YAML knows.
func inertValue(v any) any {
	switch v := v.(type) {
	case string:
		return step.Inert(v)
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
		return v.String()
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = inertValue(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[step.Inert(k)] = inertValue(v[k])
		}
		return out
	}
	return v
}

func inertMap(m map[string]string) map[string]string {
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k] = step.Inert(v)
	}
	return out
}

// wrapShell returns the shell of a step as act must see it: {0} becomes the script's path.
func wrapShell(self, controlDir string) func(string) string {
	return func(name string) string {
		return shellquote.Join(self, "step", controlDir) + " '{0}' " + shellquote.Join(name)
	}
}

func scalar(value string) yaml.Node { return yaml.Node{Kind: yaml.ScalarNode, Value: value} }

func firstNonEmpty(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
