package api

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/fault"
)

// WorkflowDir is where workflow files stand.
const WorkflowDir = ".github/workflows"

const maxWorkflow = 1 << 20

func (a *API) workflowRoutes() []route {
	const workflows = "/repos/{owner}/{repo}/actions/workflows"
	return []route{
		{method: http.MethodGet, pattern: workflows, list: true, do: func(c *call) (answer, error) {
			all, err := a.workflows(c)
			return counted(c, a.Base, "workflows", all, err)
		}},
		{method: http.MethodGet, pattern: workflows + "/{workflow}", do: func(c *call) (answer, error) { return answered(a.findWorkflow(c)) }},
		{method: http.MethodGet, pattern: workflows + "/{workflow}/runs", list: true, query: runQuery(), do: func(c *call) (answer, error) {
			if _, err := a.workflows(c); err != nil { // one that has never run is known by its file
				return answer{}, err
			}
			return a.listRuns(c, c.param["workflow"])
		}},
	}
}

// workflows returns the workflows of a repository: the files of its default branch, and what ran.
func (a *API) workflows(c *call) ([]wire.Workflow, error) {
	repo, err := a.State.Authorize(c.who, c.repo(), state.ReadActions)
	if err != nil {
		return nil, err
	}
	head := repo.Refs["refs/heads/"+repo.DefaultBranch]
	var files []state.WorkflowFile
	if head != "" {
		found, err := WorkflowFiles(a.Git.Open(repo.ID), head)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if _, missed := a.Faults.Strike(fault.Unindexed, fault.Target{What: f.Path, Of: repo.FullName, Cause: c.who.Cause, About: "list of workflows"}); missed {
				continue
			}
			files = append(files, state.WorkflowFile{Path: f.Path, Name: workflowName(f)})
		}
	}
	return a.State.Workflows(c.who, c.repo(), files)
}

// File is a file at a commit.
type File struct {
	Path string
	Data []byte
}

// WorkflowFiles returns the workflow files at a commit, by path.
func WorkflowFiles(g *gitstore.Repo, sha string) ([]File, error) {
	entries, err := g.List(sha, WorkflowDir)
	if errors.Is(err, gitstore.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []File
	for _, e := range entries {
		if e.Type != "blob" || !strings.HasSuffix(e.Path, ".yml") && !strings.HasSuffix(e.Path, ".yaml") {
			continue
		}
		data, err := g.Blob(e.SHA, maxWorkflow)
		if err != nil {
			// %v: a file that its tree names and that is not there is not the absence of workflows.
			return nil, fmt.Errorf("%s: %v", e.Path, err)
		}
		out = append(out, File{e.Path, data})
	}
	return out, nil
}

// workflowName is what the file calls itself, or its path. A file that is no YAML has a path, too.
func workflowName(f File) string {
	var w struct {
		Name string `yaml:"name"`
	}
	if err := yaml.Unmarshal(f.Data, &w); err != nil {
		return f.Path
	}
	return cmp.Or(w.Name, f.Path)
}
