package actions

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
	"github.com/understudy-dev/understudy/emulator/actions/internal/workflow"
)

// Limits of calls, as at GitHub.
// https://docs.github.com/en/actions/reference/workflows-and-actions/reusing-workflow-configurations#limitations-of-reusable-workflows
const (
	maxLevels = 10 // of files that call one another, the first one included
	maxCalled = 50 // different files called in one run
)

// called is a workflow file with all that it calls.
type called struct {
	repo  string // where the file stands
	at    string // "refs/tags/v1"; "" is the run's own ref
	sha   string
	file  File
	wf    *workflow.Workflow
	calls map[*workflow.Job]*called
}

// resolver finds the files of a run before it starts: a call names its file by a fixed text.
type resolver struct {
	r     *run
	found map[string]bool
}

// resolve follows the calls of a file. limit is what its caller's token may do; chain are the files above.
func (v *resolver) resolve(src Source, repo string, f File, wf *workflow.Workflow, limit map[string]string, chain []string) (*called, error) {
	out := &called{repo: repo, sha: src.SHA, file: f, wf: wf, calls: map[*workflow.Job]*called{}}
	for _, j := range wf.Jobs {
		if j.Call == nil {
			continue
		}
		callee, err := v.follow(src, repo, wf, j, limit, chain)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: job `%s` calls %s: %w", f.Path, j.Call.Line, j.Key, j.Call.Uses, err)
		}
		out.calls[j] = callee
	}
	return out, nil
}

func (v *resolver) follow(
	src Source, repo string, wf *workflow.Workflow, j *workflow.Job, limit map[string]string, chain []string,
) (*called, error) {
	c := j.Call
	if c.Repo != "" {
		var err error
		if src, err = v.r.e.sourceAt(c.Repo, c.Ref); err != nil {
			return nil, err
		}
		repo = c.Repo
	}
	id := strings.ToLower(repo) + "/" + c.Path + "@" + src.SHA
	if slices.Contains(chain, id) {
		return nil, errors.New("it calls itself")
	}
	if len(chain) >= maxLevels {
		return nil, fmt.Errorf("files call one another over more than %d levels", maxLevels)
	}
	if v.found[id] = true; len(v.found) > maxCalled {
		return nil, fmt.Errorf("the run calls more than %d files", maxCalled)
	}
	i := slices.IndexFunc(src.Files, func(f File) bool { return f.Path == c.Path })
	if i < 0 {
		return nil, errors.New("there is no such file")
	}
	callee, problems := v.r.e.parse(src.Files[i])
	if problems == nil {
		problems = v.r.e.lacking(callee)
	}
	switch {
	case problems != nil:
		return nil, problems
	case callee.On.Call == nil:
		return nil, errors.New("it cannot be called: its `on:` has no `workflow_call`")
	}
	own := firstOf(j.Permissions, wf.Permissions, limit)
	if err := errors.Join(checkArguments(c, callee.On.Call), checkPermissions(callee, own)); err != nil {
		return nil, err
	}
	out, err := v.resolve(src, repo, src.Files[i], callee, own, append(slices.Clone(chain), id))
	if err == nil && c.Repo != "" {
		out.at = src.Ref
	}
	return out, err
}

var commitForm = regexp.MustCompile(`^[0-9a-f]{40}$`)

// sourceAt reads another repository at a commit, a tag or a branch, in this order, as GitHub does.
func (e *Engine) sourceAt(repo, ref string) (Source, error) {
	refs := []string{"refs/tags/" + ref, "refs/heads/" + ref}
	if commitForm.MatchString(ref) {
		refs = []string{ref}
	}
	for _, r := range refs {
		src, err := e.o.Host.Source(context.WithoutCancel(e.ctx), repo, r)
		if err != nil && !errors.Is(err, driver.ErrNotFound) {
			return Source{}, err
		}
		if err == nil && len(src.Files) > 0 {
			return src, nil
		}
	}
	return Source{}, fmt.Errorf("repository %s has no workflows at %s", repo, ref)
}

// advanceCalls lets the files go on that the job's cells call, and reports whether one has ended.
func (n *node) advanceCalls() (ended bool) {
	for _, c := range n.cells {
		if c.child == nil || c.over {
			continue
		}
		c.child.advance()
		if c.child.busy() {
			continue
		}
		result := c.child.conclusion()
		var err error
		if c.outputs, err = c.child.outputs(); err != nil {
			result = failure
			n.r.e.o.Log.Warn("outputs of a called workflow", "workflow", c.child.file.Path, "error", err)
		}
		c.shut(result)
		ended = true
	}
	return ended
}

// secretsOf are those that reach a job: with calls, what each caller passes on.
func (g *graph) secretsOf(all map[string]string) (map[string]string, error) {
	if g.caller == nil {
		return all, nil
	}
	c := g.caller
	above, err := c.node.g.secretsOf(all)
	if err != nil || c.node.job.Call.Inherit {
		return above, err
	}
	scope := c.at
	scope.Contexts = map[string]any{"secrets": expr.Strings(above)}
	for k, v := range c.at.Contexts {
		scope.Contexts[k] = v
	}
	out := map[string]string{}
	for _, a := range c.node.job.Call.Secrets {
		v, err := a.Value.Eval(scope)
		if err != nil {
			return nil, fmt.Errorf("secrets: %s: %w", a.Name, err)
		}
		if s := expr.String(v); s != "" {
			out[strings.ToUpper(a.Name)] = s
		}
	}
	for _, s := range g.wf.On.Call.Secrets {
		if s.Required && out[strings.ToUpper(s.Name)] == "" {
			return nil, fmt.Errorf("secret %s is required by %s, and is empty", s.Name, g.file.Path)
		}
	}
	return out, nil
}
