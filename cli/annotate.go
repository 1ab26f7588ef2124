package cli

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/understudy-dev/understudy/report/github"
	"github.com/understudy-dev/understudy/report/markdown"
	"github.com/understudy-dev/understudy/result"
)

// annotator tells GitHub Actions what a run found. Nil tells nothing.
type annotator struct {
	out, errors io.Writer
	dir         string // of the features as seen from the workspace
	summary     string // file of the job's summary; "" is none
	token       string // ends the stretch in which GitHub takes no commands
}

// annotator returns what --annotations asks for; features is the suite's directory of features.
func (o Options) annotator(mode, features string) (*annotator, error) {
	switch mode {
	case "none":
		return nil, nil
	case "auto":
		if variable(o.Env, "GITHUB_ACTIONS") != "true" {
			return nil, nil
		}
	case "github":
	default:
		return nil, fmt.Errorf("--annotations %q: it is auto, github or none", mode)
	}
	dir, err := fromWorkspace(variable(o.Env, "GITHUB_WORKSPACE"), features)
	if err != nil {
		return nil, fmt.Errorf("place annotations: %w", err)
	}
	return &annotator{out: o.Stdout, errors: o.Stderr, dir: dir, summary: variable(o.Env, "GITHUB_STEP_SUMMARY"), token: "understudy-" + rand.Text()}, nil
}

// fromWorkspace is a directory as GitHub shows files: from the workspace, or else as it is. Without a
// workspace it is seen from here.
func fromWorkspace(workspace, dir string) (string, error) {
	workspace, err := filepath.Abs(workspace)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	if w, err := filepath.EvalSymlinks(workspace); err == nil {
		workspace = w
	}
	if d, err := filepath.EvalSymlinks(dir); err == nil {
		dir = d
	}
	rel, err := filepath.Rel(workspace, dir)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return filepath.ToSlash(dir), nil
	}
	return filepath.ToSlash(rel), nil
}

// begin makes GitHub take no commands from what is printed until end: features and platforms write it.
func (a *annotator) begin() {
	if a != nil {
		fmt.Fprintf(a.out, "::stop-commands::%s\n", a.token)
	}
}

func (a *annotator) end() {
	if a != nil {
		fmt.Fprintf(a.out, "::%s::\n", a.token)
	}
}

// tell prints an annotation for each scenario that did not pass and appends the job's summary. It is
// called after end. What cannot be told is a warning: the record is what counts.
func (a *annotator) tell(r result.Record) {
	if a == nil {
		return
	}
	err := github.Annotations{Dir: a.dir}.Write(a.out, r)
	if err == nil && a.summary != "" {
		var b bytes.Buffer
		if err = (markdown.Format{}).Write(&b, r); err == nil {
			err = github.AppendSummary(a.summary, b.Bytes())
		}
	}
	if err != nil {
		fmt.Fprintf(a.errors, "understudy: warning: %v\n", err)
	}
}
