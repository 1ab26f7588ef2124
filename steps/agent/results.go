package agent

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/world"
)

// runResult is what one run's artifact says of the agent.
type runResult struct {
	run        int64
	artifact   string
	files      map[string][]byte // path in the artifact → bytes
	operations []operationResult
	decisions  []decision
}

type operationResult struct {
	Description string `json:"description"`
	Success     bool   `json:"success"`
	Error       string `json:"error"`
	Status      int    `json:"status"` // that a probe was answered; 0 is that there was no answer
	Body        string `json:"body"`

	// File is where the result stands in an artifact that has several such files, one an iteration.
	File string `json:"-"`
}

type decision struct {
	URL      string `json:"url"`
	Decision string `json:"decision"` // allowed, refused
}

// key names an operation of an agent in a run, for claims.
func (r runResult) key(o operationResult) string {
	where := r.artifact
	if o.File != "" {
		where += " " + o.File
	}
	return fmt.Sprintf("run:%d %s: %s", r.run, where, o.Description)
}

// Bounds of what is read from an artifact that the platform made.
const (
	maxFile  = 10 << 20
	maxTotal = 100 << 20
)

// fetched keeps what has been read: artifacts never change.
type fetched struct {
	byID map[int64]*runResult
}

var slot = world.NewSlot[fetched]("agent")

// stimulated reads the results of the runs that the last stimulus caused. Where there are none, hint
// says what was found instead.
func stimulated(ctx context.Context, w *world.World) (found []runResult, hint string, err error) {
	stimulus, err := world.Shared[driver.Cause](ctx, world.TheStimulus)
	if err != nil {
		return nil, "", err
	}
	agent := world.AgentOf(ctx, stimulus)
	found, others, err := results(ctx, w, stimulus, agent)
	if err != nil || len(found) > 0 {
		return found, "", err
	}
	p := w.Drivers().Platform
	artifact := "artifacts " + p.ArtifactPattern
	if agent != "" {
		artifact = "artifact " + artifactOf(p, agent)
	}
	hint = fmt.Sprintf("results are read from %s in %s of %s", p.ResultsFile, artifact, p.WorkflowFile)
	if len(others) == 0 {
		return nil, hint + "; the last stimulus led to no artifact there", nil
	}
	return nil, hint + "; the last stimulus led to " + strings.Join(others, "; "), nil
}

// results reads every result artifact of the runs whose causal chain contains cause; "" is all runs.
// With an agent it is that one's alone. others describes the artifacts that hold no results.
func results(ctx context.Context, w *world.World, cause driver.Cause, agent string) (found []runResult, others []string, err error) {
	all, others, err := artifacts(ctx, w, cause, agent)
	if err != nil {
		return nil, nil, err
	}
	for _, res := range all {
		if res.operations == nil {
			others = append(others, fmt.Sprintf("run:%d %s with %s", res.run, res.artifact, some(res.files)))
			continue
		}
		found = append(found, res)
	}
	return found, others, nil
}

// artifacts reads what agents left, be it a dummy's results or not.
func artifacts(ctx context.Context, w *world.World, cause driver.Cause, agent string) (found []runResult, others []string, err error) {
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return nil, nil, err
	}
	runs := w.As(observer).Runs
	workflow := w.Drivers().Platform.WorkflowFile
	list, err := runs.List(ctx, r, driver.RunFilter{Workflow: workflow})
	if errors.Is(err, driver.ErrNotFound) {
		return nil, nil, fmt.Errorf("find workflow %s, as the platform file calls it (names.workflow): %w", workflow, err)
	}
	if err != nil {
		return nil, nil, err
	}
	entries, err := w.Drivers().Journal.Entries(ctx, 0)
	if err != nil {
		return nil, nil, err
	}
	caused := driver.CausedBy(entries, cause)
	for _, run := range list {
		if cause != "" && !caused[driver.Cause(fmt.Sprintf("run:%d", run.ID))] {
			continue
		}
		artifacts, err := runs.Artifacts(ctx, r, run.ID)
		if err != nil {
			return nil, nil, err
		}
		for _, a := range artifacts {
			if !isResult(ctx, w.Drivers().Platform, agent, a.Name) {
				others = append(others, fmt.Sprintf("run:%d %s", run.ID, a.Name))
				continue
			}
			res, err := open(ctx, w, runs, r, a)
			if err != nil {
				return nil, nil, err
			}
			found = append(found, *res)
		}
	}
	return found, others, nil
}

// some names files of an artifact, which may be many.
func some(files map[string][]byte) string {
	const most = 10
	names := slices.Sorted(maps.Keys(files))
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("%d more", len(names)-most))
	}
	return strings.Join(names, ", ")
}

// isResult reports whether an artifact of this name is the result of an agent; "" is any, be it one of
// the platform's stages or one that the scenario brought.
func isResult(ctx context.Context, p driver.Platform, agent, artifact string) bool {
	if agent != "" {
		return artifactOf(p, agent) == artifact
	}
	return slices.ContainsFunc(p.Stages, func(s driver.Stage) bool { return artifactOf(p, s.Name) == artifact }) ||
		slices.ContainsFunc(world.Harnesses(ctx), func(name string) bool { return artifactOf(p, name) == artifact })
}

func artifactOf(p driver.Platform, agent string) string {
	return strings.ReplaceAll(p.ArtifactPattern, "{stage}", agent)
}

func open(ctx context.Context, w *world.World, runs driver.Runs, r driver.Repo, a driver.Artifact) (*runResult, error) {
	cache := slot.Of(ctx)
	if res, ok := cache.byID[a.ID]; ok {
		return res, nil
	}
	data, err := runs.Open(ctx, r, a.ID)
	if err != nil {
		return nil, err
	}
	res, err := read(data, w.Drivers().Platform)
	if err != nil {
		return nil, fmt.Errorf("read artifact %s of run %d: %w", a.Name, a.Run, err)
	}
	res.run, res.artifact = a.Run, a.Name
	if cache.byID == nil {
		cache.byID = map[int64]*runResult{}
	}
	cache.byID[a.ID] = res
	name := fmt.Sprintf("run-%d-%s.zip", a.Run, a.Name)
	return res, w.Attach(ctx, name, "application/zip", data)
}

func read(data []byte, p driver.Platform) (*runResult, error) {
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	res := &runResult{files: map[string][]byte{}}
	total := int64(0)
	for _, f := range zr.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		rc, err := f.Open()
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(io.LimitReader(rc, maxFile+1))
		rc.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		total += int64(len(content))
		if len(content) > maxFile || total > maxTotal {
			return nil, fmt.Errorf("%s: larger than 10 MiB, or 100 MiB in all", f.Name)
		}
		res.files[f.Name] = content
	}
	several := 0
	for _, name := range slices.Sorted(maps.Keys(res.files)) {
		content := res.files[name]
		switch base(name) {
		case p.ResultsFile:
			var doc struct {
				Operations []operationResult `json:"operations"`
			}
			if err := json.Unmarshal(content, &doc); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if several++; several > 1 { // the first one's need no file to be told from others
				for i := range doc.Operations {
					doc.Operations[i].File = name
				}
			}
			res.operations = append(append([]operationResult{}, res.operations...), doc.Operations...)
		case p.PolicyFile:
			var doc struct {
				Decisions []decision `json:"decisions"`
			}
			if err := json.Unmarshal(content, &doc); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			res.decisions = append(res.decisions, doc.Decisions...)
		}
	}
	return res, nil
}

// record reads all results of the scenario at its end, for the policies.
func record(ctx context.Context) error {
	w := world.From(ctx)
	if _, err := world.Shared[driver.Repo](ctx, world.TheRepository); err != nil {
		return nil // no repository, no agent
	}
	all, _, err := results(ctx, w, "", "")
	if err != nil {
		return err
	}
	for _, r := range all {
		for _, o := range r.operations {
			w.Observe(ctx, "agent.recorded", r.key(o), map[string]any{"success": o.Success, "error": o.Error})
		}
	}
	return nil
}
